"""What the annotations of an object say of how it is synced: its phases as a hook, its wave, its options.

The names are those that manifests carry; Helm's are understood where none of Argo's are there.
"""

from __future__ import annotations

from typing import Literal

from argosy.kube.objects import Object, annotations_of

SyncPhase = Literal["PreSync", "Sync", "PostSync", "SyncFail"]
DeletePolicy = Literal["HookSucceeded", "HookFailed", "BeforeHookCreation"]
Confirmable = Literal["yes", "no", "confirm"]

HOOK, HOOK_DELETE = "argocd.argoproj.io/hook", "argocd.argoproj.io/hook-delete-policy"
WAVE, OPTIONS = "argocd.argoproj.io/sync-wave", "argocd.argoproj.io/sync-options"
COMPARE = "argocd.argoproj.io/compare-options"
HOOK_FINALIZER = "argocd.argoproj.io/hook-finalizer"
_HELM_HOOK, _HELM_DELETE, _HELM_WEIGHT = "helm.sh/hook", "helm.sh/hook-delete-policy", "helm.sh/hook-weight"
_HELM_POLICY = "helm.sh/resource-policy"

PHASES: tuple[SyncPhase, ...] = ("PreSync", "Sync", "PostSync", "SyncFail")
"""In the order in which they run."""
_HOOKS = frozenset({*PHASES, "PreDelete", "PostDelete", "Skip"})
_HELM_HOOKS = {
    "pre-install": "PreSync",
    "pre-upgrade": "PreSync",
    "post-install": "PostSync",
    "post-upgrade": "PostSync",
    "pre-delete": "PreDelete",
    "post-delete": "PostDelete",
}
_POLICIES: dict[str, DeletePolicy] = {
    "HookSucceeded": "HookSucceeded",
    "HookFailed": "HookFailed",
    "BeforeHookCreation": "BeforeHookCreation",
}
_HELM_POLICIES: dict[str, DeletePolicy] = {
    "hook-succeeded": "HookSucceeded",
    "hook-failed": "HookFailed",
    "before-hook-creation": "BeforeHookCreation",
}


def listed(obj: Object, annotation: str) -> list[str]:
    """The comma separated values of an annotation, each once."""
    text = annotations_of(obj).get(annotation)
    if not text:
        return []
    return list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def has_option(obj: Object, option: str, annotation: str = OPTIONS) -> bool:
    """`option` as a whole: `Prune=false`."""
    return option in listed(obj, annotation)


def hook_types(obj: Object) -> list[str]:
    found = [one for one in listed(obj, HOOK) if one in _HOOKS]
    return found or [_HELM_HOOKS[one] for one in listed(obj, _HELM_HOOK) if one in _HELM_HOOKS]


def is_skipped(obj: Object) -> bool:
    return hook_types(obj) == ["Skip"]


def is_hook(obj: Object) -> bool:
    """Also of unknown types, which nobody runs and nobody manages (`is_ignored`)."""
    annotations = annotations_of(obj)
    if HOOK in annotations:
        return not is_skipped(obj)
    return annotations.get(_HELM_HOOK, "crd-install") != "crd-install"


def is_ignored(obj: Object) -> bool:
    return is_hook(obj) and not hook_types(obj)


def phases(obj: Object) -> list[SyncPhase]:
    """In which phases of a sync an object has its turn."""
    if is_skipped(obj):
        return []
    if not is_hook(obj):
        return ["Sync"]
    types = hook_types(obj)
    return [phase for phase in PHASES if phase in types]


def runs_at_deletion(obj: Object, when: Literal["PreDelete", "PostDelete"]) -> bool:
    return is_hook(obj) and when in hook_types(obj)


def delete_policies(obj: Object) -> set[DeletePolicy]:
    found = {_POLICIES[one] for one in listed(obj, HOOK_DELETE) if one in _POLICIES}
    found |= {_HELM_POLICIES[one] for one in listed(obj, _HELM_DELETE) if one in _HELM_POLICIES}
    return found or {"BeforeHookCreation"}


def wave(obj: Object) -> int:
    annotations = annotations_of(obj)
    for name in (WAVE, _HELM_WEIGHT):
        found = _number(annotations.get(name))
        if found is not None:
            return found
    return 0


def may_prune(obj: Object, default: str = "") -> Confirmable:
    """`default` is what the application says where the object says nothing."""
    return _confirmable(obj, "Prune", default)


def may_delete(obj: Object, default: str = "") -> Confirmable:
    if annotations_of(obj).get(_HELM_POLICY) == "keep":
        return "no"
    return _confirmable(obj, "Delete", default)


def _confirmable(obj: Object, option: str, default: str) -> Confirmable:
    start = f"{option}="
    value = next((one[len(start) :] for one in listed(obj, OPTIONS) if one.startswith(start)), default)
    return "no" if value == "false" else "confirm" if value == "confirm" else "yes"


def _number(text: str | None) -> int | None:
    try:
        return None if text is None else int(text)
    except ValueError:
        return None
