"""What a CRD may say: its names, group, scope and versions, with every cause as the API server tells it.

Upstream's messages speak of its internal form, in which whatever all versions have alike stands once, above them: a CRD of one version
has its schema in `spec.validation`. `_lifted` makes that form.
"""

from __future__ import annotations

from typing import Any

from argosy.kube.errors import Cause
from argosy.kube.objects import Object, metadata
from argosy.kube.server.crds import printing
from argosy.kube.server.crds.conditions import APPROVAL, approval_state, is_protected
from argosy.kube.server.crds.definition import is_true, schemas_inside, spec_of, status_of
from argosy.kube.server.crds.version_rules import check_contents, check_version, label, with_status
from argosy.kube.server.rules import formats
from argosy.kube.server.rules import metadata as common
from argosy.kube.server.rules.wording import (
    forbidden,
    immutable,
    invalid,
    not_supported,
    quoted,
    required,
)

_LIFTED = (
    ("schema", "validation"),
    ("subresources", "subresources"),
    ("additionalPrinterColumns", "additionalPrinterColumns"),
    ("selectableFields", "selectableFields"),
)


def check(crd: Object) -> list[Cause]:
    """Of a new one, apart from its name."""
    return _check_spec(spec_of(crd)) + _check_status(crd) + _check_rest(crd, None)


def check_change(new: Object, old: Object) -> list[Cause]:
    """Of an update, beside what holds for all metadata."""
    spec, was = spec_of(new), spec_of(old)
    causes = _check_spec(spec)
    names, before = spec.get("names") or {}, was.get("names") or {}
    if is_true(old, "Established"):
        causes += immutable("spec.scope", spec.get("scope", ""), was.get("scope", ""))
        causes += immutable("spec.names.kind", names.get("kind", ""), before.get("kind", ""))
    causes += immutable("spec.group", spec.get("group", ""), was.get("group", ""))
    causes += immutable("spec.names.plural", names.get("plural", ""), before.get("plural", ""))
    return causes + _check_status(new) + _check_rest(new, old)


def check_status(crd: Object) -> list[Cause]:
    return _check_names(status_of(crd).get("acceptedNames") or {}, "status.acceptedNames")


def check_name(crd: Object) -> list[Cause]:
    spec = spec_of(crd)
    wanted = f"{(spec.get('names') or {}).get('plural', '')}.{spec.get('group', '')}"

    def told(name: str, prefix: bool) -> tuple[str, ...]:
        more = () if name == wanted else ('must be spec.names.plural+"."+spec.group',)
        return (*formats.subdomain_name(name, prefix), *more)

    return common.check(metadata(crd), namespaced=False, names=told)


def _check_status(crd: Object) -> list[Cause]:
    causes = check_status(crd)
    stored = status_of(crd).get("storedVersions") or []
    if not stored:
        return [*causes, invalid("status.storedVersions", None, "must have at least one stored version")]
    left = dict.fromkeys(stored)
    for version in spec_of(crd).get("versions") or ():
        name = version.get("name", "")
        if version.get("storage") and name not in left:
            causes.append(invalid("status.storedVersions", stored, f"must have the storage version {name}"))
        left.pop(name, None)
    for name in left:
        told = (
            f"missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions "
            f"until a storage migration ensures no data remains persisted in {name} and removes {name} from "
            "status.storedVersions"
        )
        causes.append(invalid(f"status.storedVersions[{stored.index(name)}]", name, told))
    return causes


def _check_rest(new: Object, old: Object | None) -> list[Cause]:
    return _check_approval(new, old) + _check_preserving(new, old)


def _check_approval(new: Object, old: Object | None) -> list[Cause]:
    if not is_protected(spec_of(new).get("group", "")):
        return []
    state, reason = approval_state(new)
    if state in {"approved", "bypassed"} or (old is not None and approval_state(old)[0] == state):
        return []
    path = f"metadata.annotations[{APPROVAL}]"
    if state == "missing":
        return [required(path, reason)]
    return [invalid(path, (metadata(new).get("annotations") or {}).get(APPROVAL, ""), reason)]


def _check_preserving(new: Object, old: Object | None) -> list[Cause]:
    if (old is not None and spec_of(old).get("preserveUnknownFields")) or not spec_of(new).get(
        "preserveUnknownFields"
    ):
        return []
    told = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"
    return [invalid("spec.preserveUnknownFields", True, told)]


def _lifted(spec: Object) -> Object:
    versions: list[Object] = [{**one} for one in spec.get("versions") or ()]
    made = {**spec, "versions": versions, "absent": spec.get("versions") is None}
    for field, top in _LIFTED:
        if versions and all(_alike(one.get(field), versions[0].get(field)) for one in versions):
            if versions[0].get(field) is not None:
                made[top] = versions[0][field]
            for one in versions:
                one.pop(field, None)
    return made


def _alike(one: Any, other: Any) -> bool:
    return bool(one == other or (not one and not other and not isinstance(one or other, dict)))


def _check_spec(given: Object) -> list[Cause]:
    spec = _lifted(given)
    versions: list[Object] = spec["versions"]
    causes = _check_group(spec.get("group", "")) + _check_scope(spec.get("scope", ""))
    if not (spec.get("validation") or {}).get("openAPIV3Schema"):
        causes += (
            required(f"spec.versions[{at}].schema.openAPIV3Schema")
            for at, one in enumerate(versions)
            if (one.get("schema") or {}).get("openAPIV3Schema") is None
            and (spec.get("validation") or {}).get("openAPIV3Schema") is None
        )
    if spec.get("preserveUnknownFields") and _has_defaults(given):
        told = "must be false in order to use defaults in the schema"
        causes.append(invalid("spec.preserveUnknownFields", True, told))
    for at, one in enumerate(versions):
        causes += check_version(spec, one, f"spec.versions[{at}]")
    causes += _check_versions(versions, None if spec["absent"] else versions)
    names: Object = spec.get("names") or {}
    causes += (
        required(f"spec.names.{one}")
        for one in ("plural", "singular", "kind", "listKind")
        if not names.get(one)
    )
    causes += _check_names(names, "spec.names")
    any_status = with_status(spec) or any(with_status(one) for one in versions)
    causes += check_contents({**spec, "schema": spec.get("validation")}, "spec", "validation", any_status)
    return causes + _check_conversion(spec)


def _check_group(group: str) -> list[Cause]:
    if not group:
        return [required("spec.group")]
    if told := formats.subdomain(group):
        return [invalid("spec.group", group, ",".join(told))]
    if "." not in group:
        return [invalid("spec.group", group, "should be a domain with at least one dot")]
    return []


def _check_scope(scope: str) -> list[Cause]:
    if not scope:
        return [required("spec.scope")]
    allowed = ("Cluster", "Namespaced")
    return [] if scope in allowed else [not_supported("spec.scope", scope, allowed)]


def _has_defaults(spec: Object) -> bool:
    return any(
        one.get("default") is not None
        for version in spec.get("versions") or ()
        for one in schemas_inside((version.get("schema") or {}).get("openAPIV3Schema"))
    )


def _check_versions(versions: list[Object], shown: list[Object] | None) -> list[Cause]:
    causes: list[Cause] = []
    names = [one.get("name", "") for one in versions]
    if len(set(names)) < len(names):
        causes.append(invalid("spec.versions", printing.versions(shown), "must contain unique version names"))
    if sum(bool(one.get("storage")) for one in versions) != 1:
        told = "must have exactly one version marked as storage version"
        causes.append(invalid("spec.versions", printing.versions(shown), told))
    return causes + (label("spec.version", names[0]) if names and names[0] else [])


def _check_names(names: Object, path: str) -> list[Cause]:
    causes: list[Cause] = []
    for field in ("plural", "singular"):
        if names.get(field):
            causes += label(f"{path}.{field}", names[field])
    for field in ("kind", "listKind"):
        said = names.get(field, "")
        if said and (told := formats.dns_1035_label(said.lower())):
            words = "may have mixed case, but should otherwise match: " + ",".join(told)
            causes.append(invalid(f"{path}.{field}", said, words))
    for at, one in enumerate(names.get("shortNames") or ()):
        causes += label(f"{path}.shortNames[{at}]", one)
    if names.get("kind") and names["kind"] == names.get("listKind"):
        causes.append(invalid(f"{path}.listKind", names["listKind"], "kind and listKind may not be the same"))
    for at, one in enumerate(names.get("categories") or ()):
        causes += label(f"{path}.categories[{at}]", one)
    return causes


def _check_webhook(webhook: Object) -> list[Cause]:
    causes: list[Cause] = []
    config = webhook.get("clientConfig")
    if config is None:
        told = "required when strategy is set to Webhook"
        causes.append(required("spec.conversion.webhookClientConfig", told))
    elif (config.get("url") is None) is (config.get("service") is None):
        told = "exactly one of url or service is required"
        causes.append(required("spec.conversion.webhookClientConfig", told))
    if not webhook.get("conversionReviewVersions"):
        causes.append(required("spec.conversion.conversionReviewVersions"))
    return causes


def _check_conversion(spec: Object) -> list[Cause]:
    conversion: Object = spec.get("conversion") or {}
    strategy = conversion.get("strategy", "")
    if not strategy:
        return [required("spec.conversion.strategy")]
    if strategy not in {"None", "Webhook"}:
        return [not_supported("spec.conversion.strategy", strategy, ("None", "Webhook"))]
    if strategy == "Webhook" and (wrong := _check_webhook(conversion.get("webhook") or {})):
        return wrong
    if strategy == "Webhook":
        told = f"{quoted(strategy)} is not supported by this cluster: it calls no webhooks, so only None is possible"
        return [forbidden("spec.conversion.strategy", told)]
    webhook: Object = conversion.get("webhook") or {}
    told = "should not be set when strategy is not set to Webhook"
    return [
        forbidden(f"spec.conversion.{name}", told)
        for name, field in (
            ("webhookClientConfig", "clientConfig"),
            ("conversionReviewVersions", "conversionReviewVersions"),
        )
        if webhook.get(field)
    ]
