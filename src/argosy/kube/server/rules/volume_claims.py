"""PersistentVolumeClaims."""

from __future__ import annotations

from typing import Final

from argosy.kube import quantities
from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats, label_selectors, metadata, resources
from argosy.kube.server.rules.builtin import Revalidated, same
from argosy.kube.server.rules.claims import check_claim_spec
from argosy.kube.server.rules.pods.defaults import round_quantities
from argosy.kube.server.rules.pods.volume_defaults import default_claim_spec
from argosy.kube.server.rules.pods.warnings import claim_warnings
from argosy.kube.server.rules.printing import difference
from argosy.kube.server.rules.volumes import CLASS_ANNOTATION, check_size
from argosy.kube.server.rules.wording import each, forbidden, immutable, not_supported, required

_FIXED_SPEC: Final = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"
_RESIZING: Final = (
    "ControllerResizeInProgress",
    "ControllerResizeInfeasible",
    "NodeResizeInProgress",
    "NodeResizeInfeasible",
    "NodeResizePending",
)


class ClaimRules(Revalidated):
    def default(self, obj: Object) -> None:
        default_claim_spec(obj.setdefault("spec", {}))
        status = obj.get("status")
        if status is None:
            status = obj["status"] = {}
        if not status.get("phase"):
            status["phase"] = "Pending"
        for part in ("capacity", "allocatedResources"):
            round_quantities(status.get(part) or {})

    def prepare_create(self, obj: Object) -> None:
        obj["status"] = {"phase": "Pending"}
        _prepare_sources(obj["spec"], None)

    def prepare_update(self, new: Object, old: Object) -> None:
        super().prepare_update(new, old)
        _prepare_sources(new.setdefault("spec", {}), old.get("spec") or {})

    def check(self, obj: Object) -> list[Cause]:
        return check_claim_spec(obj.get("spec") or {}, "spec")

    def check_update(self, new: Object, old: Object) -> list[Cause]:
        spec, before = new.get("spec") or {}, old.get("spec") or {}
        group = any(
            (before.get(part) or {}).get("apiGroup") is not None for part in ("dataSource", "dataSourceRef")
        )
        loose = bool(label_selectors.check(before.get("selector"), ""))
        causes = self.check_metadata(new)
        causes += check_claim_spec(spec, "spec", any_selector_value=loose, any_source_group=group)
        return causes + _check_claim_change(new, old)

    def check_status(self, new: Object, old: Object) -> list[Cause]:
        causes: list[Cause] = []
        if not (new.get("spec") or {}).get("accessModes"):
            causes.append(required("Spec.accessModes"))
        status = new.get("status") or {}
        for name, written in (status.get("capacity") or {}).items():
            causes += check_size(written, f"status.capacity[{name}]")
        path = "status.allocatedResourceStatuses"
        for name, step in (status.get("allocatedResourceStatuses") or {}).items():
            causes += _check_key(name, path)
            if step not in _RESIZING:
                causes.append(not_supported(path, name, _RESIZING))
        path = "status.allocatedResources"
        for name, written in (status.get("allocatedResources") or {}).items():
            causes += _check_key(name, path) or check_size(written, f"{path}[{name}]")
        return causes

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        told: list[str] = []
        if CLASS_ANNOTATION in (metadata.of(obj).get("annotations") or {}):
            text = 'deprecated since v1.8; use "storageClassName" attribute instead'
            told.append(f"metadata.annotations[{CLASS_ANNOTATION}]: {text}")
        return told + claim_warnings(obj.get("spec") or {}, "spec")


def _check_key(name: str, path: str) -> list[Cause]:
    if causes := each(path, name, formats.qualified_name(name)):
        return causes
    return (
        [not_supported(path, name, ("storage",))] if resources.is_native(name) and name != "storage" else []
    )


def _prepare_sources(spec: Object, old: Object | None) -> None:
    """`dataSource` and `dataSourceRef` say the same, as far as the older one can."""
    before = old or {}
    reference = spec.get("dataSourceRef")
    if reference is not None and reference.get("namespace") and before.get("dataSourceRef") is None:
        reference = spec.pop("dataSourceRef") and None
    source = spec.get("dataSource")
    known = before.get("dataSource") is not None or before.get("dataSourceRef") is not None
    if source is not None and reference is None and not known:
        kind = (source.get("apiGroup") or "", source.get("kind") or "")
        if kind not in {("", "PersistentVolumeClaim"), ("snapshot.storage.k8s.io", "VolumeSnapshot")}:
            spec.pop("dataSource")
            source = None
    if source is not None and reference is None:
        spec["dataSourceRef"] = dict(source)
    elif reference is not None and source is None and not reference.get("namespace"):
        spec["dataSource"] = {key: value for key, value in reference.items() if key != "namespace"}


def _check_claim_change(new: Object, old: Object) -> list[Cause]:
    spec, before = dict(new.get("spec") or {}), dict(old.get("spec") or {})
    bound = (new.get("status") or {}).get("phase") == "Bound"
    size, was = (_requested(one) for one in (spec, before))
    causes = _class_changed(new, old, spec, before)
    if not before.get("volumeName") and spec.get("volumeName"):
        before["volumeName"] = spec["volumeName"]
    if bound:
        for part in ("resources", "volumeAttributesClassName"):
            _put_back(spec, before, part)
    if not same(spec, before):
        told = difference("core.PersistentVolumeClaimSpec", before, spec)
        causes.append(forbidden("spec", f"{_FIXED_SPEC}\n{told}"))
    capacity = quantities.amount(((old.get("status") or {}).get("capacity") or {}).get("storage"))
    if size < was and size <= capacity:
        told = "field can not be less than status.capacity"
        causes.append(forbidden("spec.resources.requests.storage", told))
    own, older = new.get("spec") or {}, old.get("spec") or {}
    causes += immutable("volumeMode", own.get("volumeMode"), older.get("volumeMode"))
    return causes + _check_attributes(own, older, old.get("status") or {})


def _requested(spec: Object) -> int:
    return quantities.amount(((spec.get("resources") or {}).get("requests") or {}).get("storage"))


def _put_back(spec: Object, before: Object, part: str) -> None:
    """Only the requested storage of `resources`."""
    if part != "resources":
        spec.pop(part, None)
        if part in before:
            spec[part] = before[part]
        return
    own, older = spec.get(part) or {}, (before.get(part) or {}).get("requests") or {}
    if own.get("requests") is not None:
        spec[part] = {**own, "requests": {**own["requests"], "storage": older.get("storage", "0")}}


def _class_changed(new: Object, old: Object, spec: Object, before: Object) -> list[Cause]:
    """A storage class may be named where none was; the old annotation may become the field."""
    annotated = (metadata.of(new).get("annotations") or {}).get(CLASS_ANNOTATION)
    was = (metadata.of(old).get("annotations") or {}).get(CLASS_ANNOTATION)
    name, older = spec.get("storageClassName"), before.get("storageClassName")
    if was is not None and older is None and name == was and annotated in {None, was}:
        spec.pop("storageClassName", None)
        return []
    path = f"metadata.annotations.{CLASS_ANNOTATION}"
    causes = immutable(path, annotated or "", was or "")
    if name is not None and older is None and (was is None or name == was):
        spec.pop("storageClassName", None)
    return causes


def _check_attributes(spec: Object, before: Object, status: Object) -> list[Cause]:
    name, path = spec.get("volumeAttributesClassName"), "spec.volumeAttributesClassName"
    if name == before.get("volumeAttributesClassName"):
        return []
    if status.get("currentVolumeAttributesClassName") is None or name:
        return []
    what = "nil" if name is None else "empty string"
    told = f"update to {what} is forbidden when status.currentVolumeAttributesClassName is not nil"
    return [forbidden(path, told)]
