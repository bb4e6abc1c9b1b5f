"""Names of certificate signers: `example.com/anything`."""

from __future__ import annotations

from typing import Final

from argosy.kube.errors import Cause
from argosy.kube.server.rules import formats
from argosy.kube.server.rules.wording import invalid, quoted, required, too_long

_LONGEST: Final = 571
_FORM: Final = "must be a fully qualified domain and path of the form 'example.com/signer-name'"


def is_kubernetes(signer: str) -> bool:
    host = signer.partition("/")[0]
    return host == "kubernetes.io" or host.endswith(".kubernetes.io")


def check_signer_name(signer: str, path: str) -> list[Cause]:
    if not signer:
        return [required(path)]
    domain, slash, name = signer.partition("/")
    if not slash or "/" in name:
        return [invalid(path, signer, _FORM)]
    labels = domain.split(".")
    causes = [too_long(path, 253)] if formats.size(domain) > 253 else []
    causes += _first_wrong(labels, domain, path, formats.dns_label)
    if len(labels) < 2:
        told = "should be a domain with at least two segments separated by dots"
        causes.append(invalid(path, domain, told))
    causes += _first_wrong(name.split("."), name, path, formats.subdomain)
    if formats.size(signer) > _LONGEST:
        causes.append(too_long(path, _LONGEST))
    return causes


def _first_wrong(labels: list[str], whole: str, path: str, check: formats.Check) -> list[Cause]:
    for label in labels:
        if messages := check(label):
            return [invalid(path, whole, f"validating label {quoted(label)}: {one}") for one in messages]
    return []
