"""An ingress that names no class gets the default one."""

from __future__ import annotations

from argosy.kube.server.admission.write import Write

_DEFAULT = "ingressclass.kubernetes.io/is-default-class"


def admit(write: Write) -> None:
    if not write.creates("ingresses.networking.k8s.io"):
        return
    spec = write.obj.setdefault("spec", {})
    annotations = write.obj["metadata"].get("annotations") or {}
    if spec.get("ingressClassName") or "kubernetes.io/ingress.class" in annotations:
        return
    defaults = [
        one
        for one in write.reader.list("ingressclasses.networking.k8s.io")
        if (one["metadata"].get("annotations") or {}).get(_DEFAULT) == "true"
    ]
    if defaults:
        newest = max(
            defaults, key=lambda one: (one["metadata"]["creationTimestamp"], one["metadata"]["name"])
        )
        spec["ingressClassName"] = newest["metadata"]["name"]
