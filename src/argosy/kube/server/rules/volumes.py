"""PersistentVolumes. The claims on them are `volume_claims`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from argosy.kube import quantities
from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats, metadata
from argosy.kube.server.rules.builtin import Builtin, same
from argosy.kube.server.rules.claims import VOLUME_MODES, check_access_modes
from argosy.kube.server.rules.node_labels import term_warnings
from argosy.kube.server.rules.persistent_sources import SOURCES
from argosy.kube.server.rules.pods.defaults import round_quantities
from argosy.kube.server.rules.pods.scheduling import check_node_selector
from argosy.kube.server.rules.pods.volume_defaults import default_source
from argosy.kube.server.rules.pods.volume_sources import OTHER_PATHS
from argosy.kube.server.rules.printing import difference, printed
from argosy.kube.server.rules.wording import (
    IMMUTABLE,
    NOT_POSITIVE,
    each,
    forbidden,
    immutable,
    invalid,
    not_supported,
    required,
)

CLASS_ANNOTATION: Final = "volume.beta.kubernetes.io/storage-class"
_OPTIONS: Final = "volume.beta.kubernetes.io/mount-options"
_RECLAIM: Final = ("Delete", "Recycle", "Retain")


_MOUNTED: Final = {
    *("gcePersistentDisk", "awsElasticBlockStore", "glusterfs", "nfs", "rbd", "quobyte", "iscsi", "cinder"),
    *("cephfs", "azureFile", "vsphereVolume", "azureDisk", "photonPersistentDisk"),
}
_DEPRECATED: Final = (
    ("cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"),
    ("photonPersistentDisk", "photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"),
    ("scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
    ("storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"),
    ("glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
    ("rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"),
)


class VolumeRules(Builtin):
    def default(self, obj: Object) -> None:
        spec = obj.setdefault("spec", {})
        default_source(spec)
        round_quantities(spec.get("capacity") or {})
        status = obj.get("status")
        if status is None:
            status = obj["status"] = {}
        if not status.get("phase"):
            status["phase"] = "Pending"
        if not spec.get("persistentVolumeReclaimPolicy"):
            spec["persistentVolumeReclaimPolicy"] = "Retain"
        if spec.get("volumeMode") is None:
            spec["volumeMode"] = "Filesystem"

    def prepare_create(self, obj: Object) -> None:
        obj["status"] = {"phase": "Pending", "lastPhaseTransitionTime": _created(obj)}

    def prepare_status(self, new: Object, old: Object) -> None:
        super().prepare_status(new, old)
        status, before = new.setdefault("status", {}), old.get("status") or {}
        moved, was = status.get("lastPhaseTransitionTime"), before.get("lastPhaseTransitionTime")
        if status.get("phase") == before.get("phase"):
            if moved is None and was is not None:
                status["lastPhaseTransitionTime"] = was
        elif moved is None or moved == was:
            status["lastPhaseTransitionTime"] = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def check(self, obj: Object) -> list[Cause]:
        spec = obj.get("spec") or {}
        return check_volume_spec(spec, "spec") + _check_options(obj, spec)

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        spec, before = new.get("spec") or {}, old.get("spec") or {}
        changed = metadata.check_update(metadata.of(new), metadata.of(old))
        causes = [*self.check_plain_metadata(new), *changed, *self.check_metadata(new), *self.check(new)]
        causes += [*self.check_metadata(new), *check_volume_spec(spec, "spec")]
        return causes + _check_volume_change(spec, before)

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        return _volume_warnings(obj)


def _created(obj: Object) -> str:
    found = metadata.of(obj).get("creationTimestamp")
    return str(found) if found else datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def check_volume_spec(spec: Object, path: str, *, inline: bool = False) -> list[Cause]:
    """`inline`: within a VolumeAttachment."""
    causes = _check_inline(spec, path) if inline else []
    modes = spec.get("accessModes") or []
    if not modes:
        causes.append(required(f"{path}.accessModes"))
    causes += check_access_modes(modes, f"{path}.accessModes")
    if not inline:
        causes += _check_capacity(spec.get("capacity") or {}, f"{path}.capacity")
    policy = spec.get("persistentVolumeReclaimPolicy")
    here = f"{path}.persistentVolumeReclaimPolicy"
    if policy and inline and policy != "Retain":
        causes.append(forbidden(here, "may only be Retain in the context of inline volumes"))
    elif policy and not inline and policy not in _RECLAIM:
        causes.append(not_supported(here, policy, _RECLAIM))
    affinity = spec.get("nodeAffinity")
    if affinity is not None and not inline:
        here = f"{path}.nodeAffinity.required"
        wanted = affinity.get("required")
        told = "must specify required node constraints"
        causes += [required(here, told)] if wanted is None else check_node_selector(wanted, here)
    causes += _check_sources(spec, path)
    host = (spec.get("hostPath") or {}).get("path") or ""
    if policy == "Recycle" and host and not host.strip("/."):
        told = "may not be 'recycle' for a hostPath mount of '/'"
        causes.append(forbidden(f"{path}.persistentVolumeReclaimPolicy", told))
    return causes + _check_classes(spec, path, inline)


def _check_inline(spec: Object, path: str) -> list[Cause]:
    told = "may not be specified in the context of inline volumes"
    causes = [
        forbidden(f"{path}.{field}", told)
        for field in ("claimRef", "capacity", "nodeAffinity", "storageClassName")
        if spec.get(field)
    ]
    if spec.get("csi") is None:
        causes.append(required(f"{path}.csi", "has to be specified in the context of inline volumes"))
    return causes


def _check_capacity(capacity: Object, path: str) -> list[Cause]:
    causes = [] if capacity else [required(path)]
    if "storage" not in capacity or len(capacity) > 1:
        shown = printed("{q", capacity or None)
        causes.append(not_supported(path, shown, ("storage",)))
    for name, written in capacity.items():
        found = quantities.parse(written)
        causes += check_size(written, f"{path}[{name}]")
        if found.nano <= 0:
            causes.append(invalid(f"{path}[{name}]", found.text, NOT_POSITIVE))
    return causes


def check_size(written: object, path: str) -> list[Cause]:
    found = quantities.parse(written)
    return [invalid(path, found.value, "must be a valid resource quantity")] if found.value < 0 else []


def _check_sources(spec: Object, path: str) -> list[Cause]:
    causes: list[Cause] = []
    count = 0
    for kind, check in SOURCES.items():
        if (source := spec.get(kind)) is None:
            continue
        one_too_many, here = OTHER_PATHS.get(kind, (kind, kind))
        if count and kind != "flexVolume":
            causes.append(forbidden(f"{path}.{one_too_many}", "may not specify more than 1 volume type"))
            continue
        count += 1
        causes += check(source, f"{path}.{here}")
        if kind == "local" and spec.get("nodeAffinity") is None:
            causes.append(required(f"{path}.nodeAffinity", "Local volume requires node affinity"))
    return causes if count else [*causes, required(path, "must specify a volume type")]


def _check_classes(spec: Object, path: str, inline: bool) -> list[Cause]:
    causes: list[Cause] = []
    if not inline and (name := spec.get("storageClassName")):
        causes += each(f"{path}.storageClassName", name, formats.subdomain(name))
    mode = spec.get("volumeMode")
    if mode is not None and inline and mode != "Filesystem":
        told = "may not specify volumeMode other than Filesystem in the context of inline volumes"
        causes.append(forbidden(f"{path}.volumeMode", told))
    elif mode is not None and not inline and mode not in VOLUME_MODES:
        causes.append(not_supported(f"{path}.volumeMode", mode, VOLUME_MODES))
    if not inline and (name := spec.get("volumeAttributesClassName")) is not None:
        here = f"{path}.volumeAttributesClassName"
        causes += (
            each(here, name, formats.subdomain(name))
            if name
            else [required(here, "an empty string is disallowed")]
        )
        if spec.get("csi") is None:
            causes.append(required(f"{path}.csi", "has to be specified when using volumeAttributesClassName"))
    return causes


def _check_options(obj: Object, spec: Object) -> list[Cause]:
    """The annotation that was there before the field, for drivers that know none."""
    if _OPTIONS not in (metadata.of(obj).get("annotations") or {}):
        return []
    if any(spec.get(kind) is not None for kind in _MOUNTED):
        return []
    told = "may not specify mount options for this volume type"
    return [forbidden(f"metadata.annotations.{_OPTIONS}", told)]


def _check_volume_change(spec: Object, before: Object) -> list[Cause]:
    new = {kind: spec.get(kind) for kind in SOURCES}
    old = {kind: before.get(kind) for kind in SOURCES}
    if new["csi"] and old["csi"] and old["csi"].get("controllerExpandSecretRef") is None:
        new["csi"] = {key: one for key, one in new["csi"].items() if key != "controllerExpandSecretRef"}
    causes: list[Cause] = []
    if not same(new, old):
        told = difference("core.PersistentVolumeSource", old, new)
        message = f"spec.persistentvolumesource is immutable after creation\n{told}"
        causes.append(forbidden("spec.persistentvolumesource", message))
    causes += immutable("volumeMode", spec.get("volumeMode"), before.get("volumeMode"))
    affinity, was = spec.get("nodeAffinity"), before.get("nodeAffinity")
    if was is not None and not same(affinity, was):
        told = f"{IMMUTABLE}, except for updating from beta label to GA"
        causes.append(invalid("nodeAffinity", printed("*core.VolumeNodeAffinity", affinity), told))
    if before.get("volumeAttributesClassName") is not None and spec.get("volumeAttributesClassName") is None:
        path = "spec.volumeAttributesClassName"
        causes.append(forbidden(path, "update from non-nil value to nil is forbidden"))
    return causes


def _volume_warnings(obj: Object) -> list[str]:
    spec, annotations = obj.get("spec") or {}, metadata.of(obj).get("annotations") or {}
    told = [
        f'metadata.annotations[{key}]: deprecated since {since}; use "{field}" attribute instead'
        for key, since, field in (
            (CLASS_ANNOTATION, "v1.8", "storageClassName"),
            (_OPTIONS, "v1.31", "mountOptions"),
        )
        if key in annotations
    ]
    if spec.get("persistentVolumeReclaimPolicy") == "Recycle":
        told.append(
            "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. "
            "Instead, the recommended approach is to use dynamic provisioning."
        )
    terms = ((spec.get("nodeAffinity") or {}).get("required") or {}).get("nodeSelectorTerms") or ()
    for index, term in enumerate(terms):
        told += term_warnings(term, f"spec.nodeAffinity.required.nodeSelectorTerms[{index}]")
    return told + [f"spec.{name}: {text}" for kind, name, text in _DEPRECATED if spec.get(kind) is not None]
