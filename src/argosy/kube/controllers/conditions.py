"""Conditions in a status: found, set, removed, with the times that upstream's rules give them. Pure."""

from __future__ import annotations

from argosy.kube.objects import Object
from argosy.kube.reconcile.times import stamp


def condition(obj: Object, kind: str) -> Object | None:
    return find((obj.get("status") or {}).get("conditions"), kind)


def find(conditions: list[Object] | None, kind: str) -> Object | None:
    return next((one for one in conditions or () if one.get("type") == kind), None)


def is_true(obj: Object, kind: str) -> bool:
    found = condition(obj, kind)
    return found is not None and found.get("status") == "True"


def made(kind: str, status: str, reason: str, message: str, *, updated: str = "") -> Object:
    """`updated` names the second time that some kinds have (`lastUpdateTime`, `lastProbeTime`)."""
    now = stamp()
    found: Object = {"type": kind, "status": status, "lastTransitionTime": now}
    if updated:
        found[updated] = now
    if reason:
        found["reason"] = reason
    if message:
        found["message"] = message
    return found


def with_condition(conditions: list[Object], new: Object, *, words_count: bool = False) -> list[Object]:
    """Unchanged when status and reason (and, where `words_count`, the message) are what they were. The time of transition
    moves only with the status."""
    old = find(conditions, new["type"])
    if old is None:
        return [*conditions, new]
    same = old["status"] == new["status"]
    if (
        same
        and old.get("reason", "") == new.get("reason", "")
        and (not words_count or old.get("message", "") == new.get("message", ""))
    ):
        return conditions
    if same:
        new = {**new, "lastTransitionTime": old.get("lastTransitionTime") or new["lastTransitionTime"]}
    return [*without(conditions, new["type"]), new]


def without(conditions: list[Object], kind: str) -> list[Object]:
    return [one for one in conditions if one["type"] != kind]
