"""Which volume a claim gets, and what a new one looks like. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from argosy.kube.objects import Object, labels_of, name_of, namespace_of, uid_of
from argosy.kube.quantities import amount
from argosy.kube.reconcile.selecting import selects

PROVISIONER, _DRIVER = "argosy.io/embedded", "embedded.argosy.io"
BIND_COMPLETED, BOUND_BY_US = "pv.kubernetes.io/bind-completed", "pv.kubernetes.io/bound-by-controller"
PROVISIONED_BY = "pv.kubernetes.io/provisioned-by"


def class_of(obj: Object) -> str:
    annotated = (obj["metadata"].get("annotations") or {}).get("volume.beta.kubernetes.io/storage-class")
    return str(annotated if annotated is not None else obj["spec"].get("storageClassName") or "")


def find(claim: Object, volumes: Iterable[Object]) -> Object | None:
    """Promised to it, or else the smallest that will do."""
    known = list(volumes)
    promised = next((one for one in known if is_promised(one, claim)), None)
    fitting = [one for one in known if _fits(claim, one)]
    return promised or min(fitting, key=lambda one: (_size(one), name_of(one)), default=None)


def is_promised(volume: Object, claim: Object) -> bool:
    reference = volume["spec"].get("claimRef")
    if not reference:
        return False
    mine = (reference.get("namespace"), reference.get("name")) == (namespace_of(claim), name_of(claim))
    return mine and reference.get("uid") in {None, "", uid_of(claim)}


def _fits(claim: Object, volume: Object) -> bool:
    spec = claim["spec"]
    wanted = amount(((spec.get("resources") or {}).get("requests") or {}).get("storage"))
    selector = spec.get("selector")
    return (
        not volume["spec"].get("claimRef")
        and "deletionTimestamp" not in volume["metadata"]
        and (volume.get("status") or {}).get("phase") in {None, "Pending", "Available"}
        and class_of(volume) == class_of(claim)
        and set(spec.get("accessModes") or ()) <= set(volume["spec"].get("accessModes") or ())
        and spec.get("volumeMode", "Filesystem") == volume["spec"].get("volumeMode", "Filesystem")
        and _size(volume) >= wanted
        and (selector is None or selects(selector, labels_of(volume)))
    )


def _size(volume: Object) -> int:
    return amount((volume["spec"].get("capacity") or {}).get("storage"))


def reference_to(claim: Object) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "namespace": namespace_of(claim),
        "name": name_of(claim),
        "uid": uid_of(claim),
        "resourceVersion": claim["metadata"]["resourceVersion"],
    }


def provisioned(claim: Object, storage_class: Object) -> Object:
    name = f"pvc-{uid_of(claim)}"
    spec = claim["spec"]
    requests = (spec.get("resources") or {}).get("requests") or {}
    made: Object = {
        "accessModes": spec.get("accessModes") or ["ReadWriteOnce"],
        "capacity": {"storage": requests.get("storage", "0")},
        "claimRef": reference_to(claim),
        "csi": {"driver": _DRIVER, "volumeHandle": name},
        "persistentVolumeReclaimPolicy": storage_class.get("reclaimPolicy", "Delete"),
        "storageClassName": name_of(storage_class),
        "volumeMode": spec.get("volumeMode", "Filesystem"),
    }
    if storage_class.get("mountOptions"):
        made["mountOptions"] = storage_class["mountOptions"]
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name, "annotations": {PROVISIONED_BY: PROVISIONER}},
        "spec": made,
    }
