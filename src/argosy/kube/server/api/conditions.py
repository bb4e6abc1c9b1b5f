"""Conditions that the API server itself sets in a status."""

from __future__ import annotations

from argosy.kube.objects import Object


def with_condition(found: list[Object] | None, condition: Object, time: str) -> list[Object]:
    """The list with this one in it, in the place of the one of its type. Its time is that of the last change of its status."""
    conditions = list(found or ())
    for at, one in enumerate(conditions):
        if one["type"] == condition["type"]:
            since = one.get("lastTransitionTime") if one["status"] == condition["status"] else time
            conditions[at] = {**condition, "lastTransitionTime": since}
            return conditions
    return [*conditions, {**condition, "lastTransitionTime": time}]
