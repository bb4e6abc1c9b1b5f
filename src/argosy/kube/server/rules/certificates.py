"""CertificateSigningRequests. Who asked is filled in by admission, which knows the user."""

from __future__ import annotations

import base64
import binascii
from datetime import UTC, datetime
from typing import Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import metadata
from argosy.kube.server.rules.builtin import Builtin, same
from argosy.kube.server.rules.formats import Messages
from argosy.kube.server.rules.printing import difference
from argosy.kube.server.rules.rules import Steps
from argosy.kube.server.rules.signers import check_signer_name
from argosy.kube.server.rules.wording import (
    duplicate,
    forbidden,
    invalid,
    not_supported,
    repeats,
    required,
)

_USAGES: Final = (
    *(
        "any",
        "cert sign",
        "client auth",
        "code signing",
        "content commitment",
        "crl sign",
        "data encipherment",
    ),
    *(
        "decipher only",
        "digital signature",
        "email protection",
        "encipher only",
        "ipsec end system",
        "ipsec tunnel",
    ),
    *(
        "ipsec user",
        "key agreement",
        "key encipherment",
        "microsoft sgc",
        "netscape sgc",
        "ocsp signing",
        "s/mime",
    ),
    *("server auth", "signing", "timestamping"),
)
_ONLY_TRUE: Final = {"Approved", "Denied", "Failed"}


class CertificateRequestRules(Builtin):
    def check_name(self, name: str, prefix: bool) -> Messages:
        return ()

    def prepare_create(self, obj: Object) -> None:
        obj["status"] = {}

    def prepare_update(self, new: Object, old: Object) -> None:
        for part in ("spec", "status"):
            if part in old:
                new[part] = old[part]
        self.keep_generation(new, old)

    def prepare_status(self, new: Object, old: Object) -> None:
        super().prepare_status(new, old)
        for kind in ("Approved", "Denied"):
            _keep_conditions(new, old, kind)
        _stamp(new, old)

    def steps(self, subresource: str) -> Steps:
        if subresource == "approval":
            return Steps(self.prepare_approval, self.validate_approval)
        return super().steps(subresource)

    def prepare_approval(self, new: Object, old: Object) -> None:
        """A write of the subresource `approval`: only the conditions change."""
        _stamp(new, old)
        conditions = (new.get("status") or {}).get("conditions") or []
        new["spec"] = old.get("spec") or {}
        new["status"] = {**(old.get("status") or {}), "conditions": conditions}
        self.keep_generation(new, old)

    def check(self, obj: Object) -> list[Cause]:
        return _check(obj)

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        return self._validate_change(new, old)

    def validate_status(self, new: Object, old: Object) -> list[Cause]:
        return self._validate_change(new, old, certificate=True)

    def validate_approval(self, new: Object, old: Object) -> list[Cause]:
        return self._validate_change(new, old, approval=True)

    def _validate_change(
        self, new: Object, old: Object, *, certificate: bool = False, approval: bool = False
    ) -> list[Cause]:
        changed = metadata.check_update(metadata.of(new), metadata.of(old))
        causes = [*self.check_plain_metadata(new), *changed, *self.check_metadata(new), *_check(new)]
        causes += _check_conditions_kept(new, old, approval)
        causes += _check_issued(new, old)
        issued, was = ((obj.get("status") or {}).get("certificate") for obj in (new, old))
        if issued != was and not certificate:
            causes.append(forbidden("status.certificate", "updates may not set certificate content"))
        elif issued != was and was:
            told = "updates may not modify existing certificate content"
            causes.append(forbidden("status.certificate", told))
        return [*causes, *changed, *metadata.check_standard_finalizers(metadata.of(new))]

    def fields(self, obj: Object) -> dict[str, str]:
        return {"spec.signerName": (obj.get("spec") or {}).get("signerName") or ""}


def _check_issued(new: Object, old: Object) -> list[Cause]:
    """A certificate that was not touched is not looked at."""
    issued, was = ((obj.get("status") or {}).get("certificate") for obj in (new, old))
    if not issued or issued == was or (was and _wrong_certificate(was)):
        return []
    told = _wrong_certificate(issued)
    return [invalid("status.certificate", "<certificate data>", told)] if told else []


def _of_kind(obj: Object, kind: str) -> list[Object]:
    return [one for one in (obj.get("status") or {}).get("conditions") or () if one.get("type") == kind]


def _keep_conditions(new: Object, old: Object, kind: str) -> None:
    before = _of_kind(old, kind)
    if len(before) != len(_of_kind(new, kind)):
        return
    kept = iter(before)
    conditions = (new.get("status") or {}).get("conditions")
    if conditions:
        new["status"]["conditions"] = [next(kept) if one.get("type") == kind else one for one in conditions]


def _stamp(new: Object, old: Object) -> None:
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    for condition in (new.get("status") or {}).get("conditions") or ():
        if not condition.get("lastUpdateTime"):
            condition["lastUpdateTime"] = now
        if not condition.get("lastTransitionTime"):
            known = _of_kind(old, condition.get("type") or "")
            times = [
                one.get("lastTransitionTime") for one in known if one.get("status") == condition.get("status")
            ]
            condition["lastTransitionTime"] = next((one for one in times if one), now)


def _check(obj: Object) -> list[Cause]:
    spec = obj.get("spec") or {}
    causes: list[Cause] = []
    if told := _wrong_request(spec.get("request")):
        causes.append(invalid("spec.request", spec.get("request"), told))
    usages = spec.get("usages") or []
    if not usages:
        causes.append(required("spec.usages"))
    for index, usage in enumerate(usages):
        if usage not in _USAGES:
            causes.append(not_supported(f"spec.usages[{index}]", usage, _USAGES))
    causes += [duplicate(f"spec.usages[{index}]", usage) for index, usage in repeats(usages)]
    signer = spec.get("signerName") or ""
    if signer == "kubernetes.io/legacy-unknown":
        told = "the legacy signerName is not allowed via this API version"
        causes.append(invalid("spec.signerName", signer, told))
    else:
        causes += check_signer_name(signer, "spec.signerName")
    seconds = spec.get("expirationSeconds")
    if seconds is not None and seconds < 600:
        told = "may not specify a duration less than 600 seconds (10 minutes)"
        causes.append(invalid("spec.expirationSeconds", seconds, told))
    return causes + _check_conditions((obj.get("status") or {}).get("conditions") or [])


def _wrong_certificate(encoded: object) -> str:
    try:
        pem = base64.b64decode(encoded if isinstance(encoded, str) else "")
    except (binascii.Error, ValueError):
        pem = b""
    if b"-----BEGIN CERTIFICATE-----" not in pem:
        return "must contain at least one CERTIFICATE PEM block"
    try:
        x509.load_pem_x509_certificates(pem)
    except ValueError:
        return "x509: malformed certificate"
    return ""


def _wrong_request(encoded: object) -> str:
    try:
        pem = base64.b64decode(encoded if isinstance(encoded, str) else "")
    except (binascii.Error, ValueError):
        pem = b""
    if b"-----BEGIN CERTIFICATE REQUEST-----" not in pem:
        return "PEM block type must be CERTIFICATE REQUEST"
    try:
        found = x509.load_pem_x509_csr(pem)
        valid = found.is_signature_valid
    except (ValueError, InvalidSignature, UnsupportedAlgorithm):
        return "asn1: structure error: malformed certificate request"
    return "" if valid else "x509: signature check failed"


def _check_conditions(conditions: list[Object]) -> list[Cause]:
    path, causes = "status.conditions", []
    seen: set[str] = set()
    for index, one in enumerate(conditions):
        kind, status = one.get("type") or "", one.get("status") or ""
        if not kind:
            causes.append(required(f"{path}[{index}].type"))
        allowed = ("True",) if kind in _ONLY_TRUE else ("False", "True", "Unknown")
        if not status:
            causes.append(required(f"{path}[{index}].status"))
        elif status not in allowed:
            causes.append(not_supported(f"{path}[{index}].status", status, allowed))
        if kind in {"Approved", "Denied"} and ({"Approved", "Denied"} - {kind}) & seen:
            told = "Approved and Denied conditions are mutually exclusive"
            causes.append(invalid(path, kind, told))
        if kind in seen:
            causes.append(duplicate(f"{path}[{index}].type", kind))
        seen.add(kind)
    return causes


def _check_conditions_kept(new: Object, old: Object, approval: bool) -> list[Cause]:
    path = "status.conditions"
    causes = [
        forbidden(path, f'updates may not remove a condition of type "{kind}"')
        for kind in ("Approved", "Denied", "Failed")
        if len(_of_kind(new, kind)) < len(_of_kind(old, kind))
    ]
    for kind in () if approval else ("Approved", "Denied"):
        now, before = _of_kind(new, kind), _of_kind(old, kind)
        if len(now) > len(before):
            causes.append(forbidden(path, f'updates may not add a condition of type "{kind}"'))
        elif len(now) == len(before) and not same(now, before):
            told = difference("[certificates.CertificateSigningRequestCondition", before, now)
            causes.append(forbidden(path, f'updates may not modify a condition of type "{kind}"\n{told}'))
    return causes
