"""The conditions of an ApplicationSet, with upstream's words, and the health that follows from them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from argosy.kube.objects import Object
from argosy.kube.reconcile.times import stamp

ERROR, PARAMETERS, UP_TO_DATE = "ErrorOccurred", "ParametersGenerated", "ResourcesUpToDate"
PROGRESSING, INVALID_ROLLOUT = "RolloutProgressing", "InvalidRolloutConfig"
UNSUPPORTED = "UnsupportedFields"
_OF_ROLLOUTS = frozenset([PROGRESSING, INVALID_ROLLOUT])
_ALL_GENERATED = "All parameters have been generated successfully"
_ALL_DONE = "All applications have been generated successfully"


@dataclass(frozen=True, slots=True)
class Condition:
    type: str
    status: Literal["True", "False"]
    reason: str
    message: str

    @property
    def holds(self) -> bool:
        return self.status == "True"


def failed(reason: str, message: str, *, generated: bool) -> list[Condition]:
    """`generated`: the parameters were there; something behind them went wrong."""
    parameters = (
        Condition(PARAMETERS, "True", PARAMETERS, _ALL_GENERATED)
        if generated
        else Condition(PARAMETERS, "False", ERROR, message)
    )
    return [
        parameters,
        Condition(ERROR, "True", reason, message),
        Condition(UP_TO_DATE, "False", ERROR, message),
    ]


def done() -> list[Condition]:
    reason = "ApplicationSetUpToDate"
    return [
        Condition(PARAMETERS, "True", PARAMETERS, _ALL_GENERATED),
        Condition(UP_TO_DATE, "True", reason, _ALL_DONE),
        Condition(ERROR, "False", reason, _ALL_DONE),
    ]


def unsupported(fields: Sequence[str]) -> list[Condition]:
    if not fields:
        return []
    told = f"not supported here, and without effect: {', '.join(fields)}"
    return [Condition(UNSUPPORTED, "True", UNSUPPORTED, told)]


def with_conditions(status: Object, found: Iterable[Condition], *, rolling: bool) -> Object:
    """The status with these in place of those of their types. Of types that are not judged now, the old ones stay; those of rollouts go
    when there is no rollout."""
    judged = {one.type: one for one in found}
    gone = {PARAMETERS, UNSUPPORTED, *judged} | (set() if rolling else _OF_ROLLOUTS)
    before = {one["type"]: one for one in status.get("conditions") or ()}
    kept = [one for kind, one in before.items() if kind not in gone]
    made = [
        _written(one, before.get(one.type))
        for one in judged.values()
        if rolling or one.type not in _OF_ROLLOUTS
    ]
    conditions = sorted([*kept, *made], key=lambda one: str(one["type"]))
    return {**status, "conditions": conditions, "health": health(conditions)}


def _written(one: Condition, before: Object | None) -> Object:
    """Its time is when it became what it says."""
    told: Object = {"type": one.type, "status": one.status, "reason": one.reason, "message": one.message}
    same = before is not None and all(before.get(key) == value for key, value in told.items())
    since = before.get("lastTransitionTime") if before is not None and same else None
    return {**told, "lastTransitionTime": since or stamp()}


def health(conditions: Sequence[Object]) -> Object:
    if not conditions:
        return {"status": "Unknown", "message": "No status conditions found for ApplicationSet"}
    holding = {one["type"]: one for one in conditions if one.get("status") == "True"}
    for kind, status in ((ERROR, "Degraded"), (PROGRESSING, "Progressing"), (UP_TO_DATE, "Healthy")):
        if kind in holding:
            return {"status": status, "message": holding[kind].get("message", "")}
    return {"status": "Unknown", "message": "Waiting for health status to be determined"}
