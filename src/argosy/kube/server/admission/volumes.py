"""Claims get the default storage class; claims and volumes in use are held until nobody uses them."""

from __future__ import annotations

from argosy.kube import quantities
from argosy.kube.objects import Object
from argosy.kube.server.admission.write import Write

_DEFAULT = "storageclass.kubernetes.io/is-default-class"
_FINALIZERS = {
    "persistentvolumeclaims": "kubernetes.io/pvc-protection",
    "persistentvolumes": "kubernetes.io/pv-protection",
    "volumeattributesclasses.storage.k8s.io": "kubernetes.io/vac-protection",
}
_CLASSES = "storageclasses.storage.k8s.io"


def admit(write: Write) -> None:
    for collection, finalizer in _FINALIZERS.items():
        if write.creates(collection):
            finalizers = write.obj["metadata"].get("finalizers") or []
            if finalizer not in finalizers:
                write.obj["metadata"]["finalizers"] = [*finalizers, finalizer]
    if write.creates("persistentvolumeclaims"):
        _default_class(write)


def check(write: Write) -> None:
    if write.updates("persistentvolumeclaims"):
        _check_growth(write)


def _default_class(write: Write) -> None:
    spec = write.obj.setdefault("spec", {})
    annotations = write.obj["metadata"].get("annotations") or {}
    if spec.get("storageClassName") is not None or "volume.beta.kubernetes.io/storage-class" in annotations:
        return
    defaults = [
        one
        for one in write.reader.list(_CLASSES)
        if (one["metadata"].get("annotations") or {}).get(_DEFAULT) == "true"
    ]
    if defaults:
        newest = max(
            defaults, key=lambda one: (one["metadata"]["creationTimestamp"], one["metadata"]["name"])
        )
        spec["storageClassName"] = newest["metadata"]["name"]


def _check_growth(write: Write) -> None:
    if write.old is None:
        return
    if _size(write.obj) <= _size(write.old):
        return
    name = (write.old.get("spec") or {}).get("storageClassName") or ""
    found = write.reader.get(_CLASSES, "", name) if name else None
    if found is None or not found.get("allowVolumeExpansion"):
        raise write.forbidden(
            "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize"
        )


def _size(claim: Object) -> int:
    requests = ((claim.get("spec") or {}).get("resources") or {}).get("requests") or {}
    return quantities.amount(requests.get("storage"))
