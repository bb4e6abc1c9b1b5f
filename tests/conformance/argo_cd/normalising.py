"""What a play came to, in words that are the same whoever played it, when and where: revisions, times, names and addresses are replaced."""

from __future__ import annotations

import re
from typing import Any

from argosy.kube.objects import Object, annotations_of, labels_of, metadata, name_of
from tests.conformance.argo_cd.playing import ASKED, Play

Values = dict[str, Any]
_TIMES = (
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)"), "<time>"),
    (re.compile(r"\b\d{1,2}:\d\d(AM|PM)\b"), "<time>"),
)
_LOTS = (
    (re.compile(r"/dev/shm/\d+"), "<file>"),
    (re.compile(r"kube-api-access-\w{5}"), "kube-api-access"),
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "<uid>"),
)
_BY_LOT = frozenset({"clusterIP", "clusterIPs", "nodePort", "healthCheckNodePort"})
_SET_ASIDE = frozenset(
    {"kubectl.kubernetes.io/last-applied-configuration", "argocd.argoproj.io/refresh", ASKED}
)


def outcome(play: Play) -> list[Values]:
    told = [
        {
            "applications": {name_of(app): _application(app) for app in apps},
            "objects": {_name(obj): _object(obj) for obj in objects},
        }
        for apps, objects in play.looks
    ]
    replaced: list[Values] = _replaced(told, _names(play))
    return replaced


def _names(play: Play) -> list[tuple[str, str]]:
    names = [(revision, f"${number}") for number, revision in enumerate(play.revisions, 1)]
    names += [(revision[:7], f"${number}:7") for number, revision in enumerate(play.revisions, 1)]
    return [*names, (play.known["repo"], "$repo"), (play.token, "$id")]


def _replaced(value: Any, names: list[tuple[str, str]]) -> Any:
    if isinstance(value, str):
        for name, other in names:
            value = value.replace(name, other)
        for pattern, word in (*_TIMES, *_LOTS):
            value = pattern.sub(word, value)
        return value
    if isinstance(value, dict):
        return {_replaced(key, names): _replaced(one, names) for key, one in value.items()}
    return [_replaced(one, names) for one in value] if isinstance(value, list) else value


def _application(app: Object) -> Values:
    status = app.get("status") or {}
    sync, health = status.get("sync") or {}, status.get("health") or {}
    found = {
        "sync": sync.get("status"),
        "revision": sync.get("revision"),
        "revisions": sync.get("revisions"),
        "health": health.get("status"),
        "resources": {_name(one): _resource(one) for one in status.get("resources") or ()},
        "operation": _operation(status.get("operationState") or {}),
        "requested": bool(app.get("operation")) or None,
        "conditions": sorted(
            [f"{one['type']}: {one.get('message', '')}" for one in status.get("conditions") or ()]
        ),
        "history": [
            {key: one.get(key) for key in ("id", "revision", "revisions", "initiatedBy")}
            for one in status.get("history") or ()
        ],
        "summary": status.get("summary"),
        "type": status.get("sourceType"),
        "types": status.get("sourceTypes"),
        "finalizers": metadata(app).get("finalizers"),
        "annotations": {key: one for key, one in annotations_of(app).items() if key not in _SET_ASIDE},
        "project": (app.get("spec") or {}).get("project"),
        "going": "deletionTimestamp" in metadata(app) or None,
    }
    return _said(found)


def _name(one: Object) -> str:
    """Of an object, or of what a status says of one."""
    about = one.get("metadata") or one
    group = one.get("group", str(one.get("apiVersion", "")).rpartition("/")[0])
    kind = f"{one.get('kind')}.{group}" if group else str(one.get("kind"))
    return "/".join(part for part in (kind, about.get("namespace", ""), about.get("name", "")) if part)


def _resource(one: Object) -> Values:
    health = one.get("health") or {}
    kept = ("status", "hook", "requiresPruning", "requiresDeletionConfirmation", "syncWave", "version")
    return _said(
        {
            **{key: one.get(key) for key in kept},
            "health": health.get("status"),
            "because": health.get("message"),
        }
    )


def _operation(state: Object) -> Values:
    result = state.get("syncResult") or {}
    operation = state.get("operation") or {}
    kept = ("status", "message", "hookPhase", "hookType", "syncPhase", "images")
    return _said(
        {
            "phase": state.get("phase"),
            "message": state.get("message"),
            "finished": bool(state.get("finishedAt")) or None,
            "retried": state.get("retryCount"),
            "asked": {
                key: one
                for key, one in (operation.get("sync") or {}).items()
                if key not in ("source", "sources")
            },
            "by": operation.get("initiatedBy"),
            "retry": operation.get("retry"),
            "revision": result.get("revision"),
            "revisions": result.get("revisions"),
            "managedNamespaceMetadata": result.get("managedNamespaceMetadata"),
            "results": {
                f"{_name(one)} {one.get('hookType', '')}".strip(): _said({key: one.get(key) for key in kept})
                for one in result.get("resources") or ()
            },
        }
    )


def _object(obj: Object) -> Values:
    """Without what the API server adds, which is the same for both, and what only tells who wrote it."""
    rest = {
        key: value for key, value in obj.items() if key not in ("apiVersion", "kind", "metadata", "status")
    }
    about = {
        "labels": labels_of(obj),
        "annotations": {key: one for key, one in annotations_of(obj).items() if key not in _SET_ASIDE},
        "finalizers": metadata(obj).get("finalizers"),
        "going": "deletionTimestamp" in metadata(obj) or None,
    }
    return {**_said(about), **_said(_without_chance(rest))}


def _without_chance(value: Any) -> Any:
    """What the API server draws by lot."""
    if isinstance(value, dict):
        return {key: _without_chance(one) for key, one in value.items() if key not in _BY_LOT}
    return [_without_chance(one) for one in value] if isinstance(value, list) else value


def _said(values: Values) -> Values:
    """Without what says nothing: null, empty, false and zero are written by one and left out by the other."""
    return {key: _without_nothing(one) for key, one in values.items() if one or one == "0"}


def _without_nothing(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _without_nothing(one)
            for key, one in value.items()
            if one not in (None, "", [], {}, False, 0)
        }
    return [_without_nothing(one) for one in value] if isinstance(value, list) else value
