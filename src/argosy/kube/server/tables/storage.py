"""Volumes and what provides them."""

from __future__ import annotations

from argosy.kube.objects import Object, annotations_of
from argosy.kube.server.registry import Column
from argosy.kube.server.tables.printer import (
    AGE,
    NAME,
    Cells,
    Printer,
    age,
    name,
    part,
    spec,
    status,
    text,
    truth,
    whole,
    wide,
)
from argosy.kube.server.tables.wording import NONE, UNSET

_MODES = {"ReadWriteOnce": "RWO", "ReadOnlyMany": "ROX", "ReadWriteMany": "RWX", "ReadWriteOncePod": "RWOP"}
_OLD_CLASS = "volume.beta.kubernetes.io/storage-class"
_DEFAULT = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")


def _volume(obj: Object) -> Cells:
    of, claim = spec(obj), spec(obj).get("claimRef")
    return [
        name(obj),
        part(of, "capacity").get("storage", "0"),
        _modes(of.get("accessModes")),
        of.get("persistentVolumeReclaimPolicy", ""),
        _phase(obj),
        "" if claim is None else f"{claim.get('namespace', '')}/{claim.get('name', '')}",
        _class(obj),
        of.get("volumeAttributesClassName", UNSET),
        status(obj).get("reason", ""),
        age(obj),
        of.get("volumeMode", UNSET),
    ]


def _claim(obj: Object) -> Cells:
    of, now = spec(obj), status(obj)
    bound = of.get("volumeName", "")
    return [
        name(obj),
        _phase(obj),
        bound,
        part(now, "capacity").get("storage", "0") if bound else "",
        _modes(now.get("accessModes")) if bound else "",
        _class(obj),
        of.get("volumeAttributesClassName", UNSET),
        age(obj),
        of.get("volumeMode", UNSET),
    ]


def _phase(obj: Object) -> str:
    return "Terminating" if obj["metadata"].get("deletionTimestamp") else str(status(obj).get("phase", ""))


def _class(obj: Object) -> str:
    return annotations_of(obj).get(_OLD_CLASS, str(spec(obj).get("storageClassName", "")))


def _modes(found: list[str] | None) -> str:
    return ",".join(short for mode, short in _MODES.items() if mode in (found or ()))


def _storage_class(obj: Object) -> Cells:
    default = any(annotations_of(obj).get(one) == "true" for one in _DEFAULT)
    return [
        f"{name(obj)} (default)" if default else name(obj),
        obj.get("provisioner", ""),
        obj.get("reclaimPolicy", "Delete"),
        obj.get("volumeBindingMode", "Immediate"),
        obj.get("allowVolumeExpansion", False),
        age(obj),
    ]


def _attributes_class(obj: Object) -> Cells:
    return [name(obj), obj.get("driverName", ""), age(obj)]


def _attachment(obj: Object) -> Cells:
    of = spec(obj)
    return [
        name(obj),
        of.get("attacher", ""),
        part(of, "source").get("persistentVolumeName", ""),
        of.get("nodeName", ""),
        status(obj).get("attached", False),
        age(obj),
    ]


def _driver(obj: Object) -> Cells:
    of = spec(obj)
    tokens = of.get("tokenRequests")
    return [
        name(obj),
        of.get("attachRequired", True),
        of.get("podInfoOnMount", False),
        of.get("storageCapacity", False),
        UNSET if tokens is None else ",".join(str(one.get("audience", "")) for one in tokens),
        of.get("requiresRepublish", False),
        ",".join(of.get("volumeLifecycleModes") or ()) or NONE,
        age(obj),
    ]


def _driver_node(obj: Object) -> Cells:
    return [name(obj), len(spec(obj).get("drivers") or ()), age(obj)]


PRINTERS = {
    "persistentvolumes": Printer(
        (
            NAME,
            *map(text, ("Capacity", "Access Modes", "Reclaim Policy", "Status", "Claim", "StorageClass")),
            text("VolumeAttributesClass"),
            text("Reason"),
            AGE,
            wide("VolumeMode"),
        ),
        _volume,
    ),
    "persistentvolumeclaims": Printer(
        (
            NAME,
            *map(text, ("Status", "Volume", "Capacity", "Access Modes", "StorageClass")),
            text("VolumeAttributesClass"),
            AGE,
            wide("VolumeMode"),
        ),
        _claim,
    ),
    "storageclasses.storage.k8s.io": Printer(
        (
            NAME,
            *map(text, ("Provisioner", "ReclaimPolicy", "VolumeBindingMode", "AllowVolumeExpansion")),
            AGE,
        ),
        _storage_class,
    ),
    "volumeattributesclasses.storage.k8s.io": Printer((NAME, text("DriverName"), AGE), _attributes_class),
    "volumeattachments.storage.k8s.io": Printer(
        (
            NAME,
            Column("Attacher", "string", "name", "Attacher."),
            text("PV"),
            text("Node"),
            truth("Attached"),
            AGE,
        ),
        _attachment,
    ),
    "csidrivers.storage.k8s.io": Printer(
        (
            NAME,
            *map(truth, ("AttachRequired", "PodInfoOnMount", "StorageCapacity")),
            text("TokenRequests"),
            truth("RequiresRepublish"),
            text("Modes"),
            AGE,
        ),
        _driver,
    ),
    "csinodes.storage.k8s.io": Printer((NAME, whole("Drivers"), AGE), _driver_node),
}
