"""Which changes concern an ApplicationSet: those of what people and it decide, not those that engines write all the time. Pure."""

from __future__ import annotations

from argosy.kube.objects import Object, metadata

REFRESH = "argocd.argoproj.io/application-set-refresh"
_OURS = ("labels", "finalizers", "deletionTimestamp", "ownerReferences")


def of_set(before: Object, after: Object) -> bool:
    if before.get("spec") != after.get("spec") or _differ(before, after):
        return True
    if _steps(before) != _steps(after):
        return True
    old, new = _annotations(before), _annotations(after)
    return old != new and not (REFRESH in old and REFRESH not in new)


def of_application(before: Object, after: Object) -> bool:
    if before.get("spec") != after.get("spec") or _differ(before, after):
        return True
    return _annotations(before) != _annotations(after) or _progress(before) != _progress(after)


def _differ(before: Object, after: Object) -> bool:
    left, right = metadata(before), metadata(after)
    return any((left.get(key) or None) != (right.get(key) or None) for key in _OURS)


def _annotations(obj: Object) -> Object:
    return metadata(obj).get("annotations") or {}


def _steps(application_set: Object) -> object:
    return (application_set.get("status") or {}).get("applicationStatus") or []


def _progress(app: Object) -> tuple[object, ...]:
    """What a rollout and the list of resources tell of an application."""
    status = app.get("status") or {}
    sync, state = status.get("sync") or {}, status.get("operationState") or {}
    return (
        (status.get("health") or {}).get("status"),
        sync.get("status"),
        sync.get("revision"),
        sync.get("revisions"),
        state.get("phase"),
        state.get("startedAt"),
        status.get("reconciledAt") if _is_waited_for(app) else None,
    )


def _is_waited_for(app: Object) -> bool:
    """A rollout stands still until an application that was asked to has looked at its sources; it then says so by this time alone."""
    policy = (app.get("spec") or {}).get("syncPolicy") or {}
    return (policy.get("automated") or {}).get("enabled") is False
