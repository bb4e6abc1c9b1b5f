"""What the annotations of an object say of hooks, as far as its health depends on it. When and how hooks run is the sync's matter."""

from __future__ import annotations

from argosy.domain.health.reading import part, text
from argosy.kube.objects import Object

HOOK = "argocd.argoproj.io/hook"
HELM_HOOK = "helm.sh/hook"
HOOK_FINALIZER = "argocd.argoproj.io/hook-finalizer"
IGNORE_HEALTH = "argocd.argoproj.io/ignore-healthcheck"

_TYPES = frozenset({"PreSync", "Sync", "PostSync", "Skip", "SyncFail"})
_HELM_TYPES = frozenset({"pre-install", "pre-upgrade", "post-upgrade", "post-install"})


def is_hook(obj: Object) -> bool:
    annotations = part(obj, "metadata", "annotations")
    if HOOK in annotations:
        return not is_skipped(obj)
    helm = text(annotations, HELM_HOOK)
    return bool(helm) and helm != "crd-install"  # Helm marks definitions so, and they are none


def is_skipped(obj: Object) -> bool:
    """Its only hook type is Skip: not applied, and not looked at."""
    annotations = part(obj, "metadata", "annotations")
    known = [name for name in _names(annotations.get(HOOK)) if name in _TYPES]
    return (known or [name for name in _names(annotations.get(HELM_HOOK)) if name in _HELM_TYPES]) == ["Skip"]


def is_health_ignored(obj: Object) -> bool:
    return part(obj, "metadata", "annotations").get(IGNORE_HEALTH) == "true"


def has_hook_finalizer(obj: Object) -> bool:
    finalizers = part(obj, "metadata").get("finalizers")
    return isinstance(finalizers, list) and HOOK_FINALIZER in finalizers


def _names(value: object) -> list[str]:
    return [name.strip() for name in value.split(",")] if isinstance(value, str) else []
