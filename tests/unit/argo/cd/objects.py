"""Objects as tests of the engine write them."""

from __future__ import annotations

from argosy.kube.objects import Object

_GROUPS = {
    "Deployment": "apps/v1",
    "StatefulSet": "apps/v1",
    "Job": "batch/v1",
    "Role": "rbac.authorization.k8s.io/v1",
    "Ingress": "networking.k8s.io/v1",
    "CustomResourceDefinition": "apiextensions.k8s.io/v1",
}
_SHORT = {
    "hook": "argocd.argoproj.io/hook",
    "policy": "argocd.argoproj.io/hook-delete-policy",
    "wave": "argocd.argoproj.io/sync-wave",
    "options": "argocd.argoproj.io/sync-options",
}


def made(kind: str, name: str, namespace: str = "web", *, api: str = "", **said: object) -> Object:
    """`hook`, `policy`, `wave`, `options` become annotations; everything else is part of the object."""
    annotations = {_SHORT[key]: str(value) for key, value in said.items() if key in _SHORT}
    metadata: Object = {"name": name}
    if namespace:
        metadata["namespace"] = namespace
    if annotations:
        metadata["annotations"] = annotations
    rest = {key: value for key, value in said.items() if key not in _SHORT}
    return {"apiVersion": api or _GROUPS.get(kind, "v1"), "kind": kind, "metadata": metadata, **rest}
