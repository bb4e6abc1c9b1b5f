"""The spec of a claim for storage, wherever it stands: in a PersistentVolumeClaim, a StatefulSet's template, a pod's volume."""

from __future__ import annotations

from typing import Final

from argosy.kube import quantities
from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats, label_selectors
from argosy.kube.server.rules.wording import (
    NOT_POSITIVE,
    Printed,
    each,
    forbidden,
    invalid,
    not_supported,
    required,
)

ACCESS_MODES: Final = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
VOLUME_MODES: Final = ("Block", "Filesystem")


def check_claim_spec(
    spec: Object, path: str, *, any_selector_value: bool = False, any_source_group: bool = False
) -> list[Cause]:
    modes = spec.get("accessModes") or []
    causes = [] if modes else [required(f"{path}.accessModes", "at least 1 access mode is required")]
    if spec.get("selector"):
        causes += label_selectors.check(spec["selector"], f"{path}.selector", any_value=any_selector_value)
    causes += check_access_modes(modes, f"{path}.accessModes")
    causes += _check_storage(spec, f"{path}.resources[storage]")
    if name := spec.get("storageClassName"):
        causes += each(f"{path}.storageClassName", name, formats.subdomain(name))
    mode = spec.get("volumeMode")
    if mode is not None and mode not in VOLUME_MODES:
        causes.append(not_supported(f"{path}.volumeMode", mode, VOLUME_MODES))
    causes += _check_data_sources(spec, path, any_source_group)
    if name := spec.get("volumeAttributesClassName"):
        causes += each(f"{path}.volumeAttributesClassName", name, formats.subdomain(name))
    return causes


def check_access_modes(modes: list[str], path: str) -> list[Cause]:
    causes = [not_supported(path, mode, ACCESS_MODES) for mode in modes if mode not in ACCESS_MODES]
    known = {mode for mode in modes if mode in ACCESS_MODES}
    if "ReadWriteOncePod" in known and len(known) > 1:
        causes.append(forbidden(path, "may not use ReadWriteOncePod with other access modes"))
    return causes


def _check_storage(spec: Object, path: str) -> list[Cause]:
    requests = (spec.get("resources") or {}).get("requests") or {}
    if "storage" not in requests:
        return [required(path)]
    found = quantities.parse(requests["storage"])
    return [invalid(path, found.text, NOT_POSITIVE)] if found.nano <= 0 else []


def _check_data_sources(spec: Object, path: str, any_group: bool) -> list[Cause]:
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    causes: list[Cause] = []
    if source is not None:
        causes += _check_data_source(source, f"{path}.dataSource", any_group)
    if reference is not None:
        causes += _check_data_source(reference, f"{path}.dataSourceRef", any_group)
        if namespace := reference.get("namespace"):
            causes += each(f"{path}.dataSourceRef.namespace", namespace, formats.dns_label(namespace))
    if source is None or reference is None:
        return causes
    shown = Printed("{}")
    if reference.get("namespace"):
        told = "may not be specified when dataSourceRef.namespace is specified"
        causes.append(invalid(path, shown, told))
    elif any(source.get(part) != reference.get(part) for part in ("apiGroup", "kind", "name")):
        causes.append(invalid(path, shown, "must match dataSourceRef"))
    return causes


def _check_data_source(source: Object, path: str, any_group: bool) -> list[Cause]:
    group, kind = source.get("apiGroup") or "", source.get("kind") or ""
    causes = [required(f"{path}.{field}") for field in ("name", "kind") if not source.get(field)]
    if not group and kind != "PersistentVolumeClaim":
        told = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
        causes.append(invalid(path, kind, told))
    if group and not any_group:
        causes += each(f"{path}.apiGroup", group, formats.subdomain(group))
    return causes
