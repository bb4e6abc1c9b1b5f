"""The conditions of an application: what is wrong with it, in words, and since when."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from argosy.contracts.argo.status import Condition

INVALID, COMPARISON, SYNC, DELETION = "InvalidSpecError", "ComparisonError", "SyncError", "DeletionError"
UNKNOWN = "UnknownError"
SHARED, REPEATED = "SharedResourceWarning", "RepeatedResourceWarning"
EXCLUDED, ORPHANED = "ExcludedResourceWarning", "OrphanedResourceWarning"
UNSUPPORTED = "UnsupportedFieldWarning"

OF_SPEC = frozenset({INVALID, UNKNOWN, UNSUPPORTED})
OF_COMPARISON = frozenset({COMPARISON, SHARED, REPEATED, EXCLUDED, ORPHANED})


def evaluated(
    before: Iterable[Condition], found: Iterable[Condition], types: Collection[str], now: str
) -> list[Condition]:
    """`found` in place of all that were there of `types`; what says the same as before keeps its time."""
    known = {(one.type, one.message): one for one in before}
    kept = [one for one in before if one.type not in types]
    new = [known.get((one.type, one.message)) or _since(one, now) for one in found]
    unique = {(one.type, one.message): one for one in [*kept, *new]}
    return sorted(unique.values(), key=lambda one: (one.type, one.message))


def words(conditions: Iterable[Condition]) -> str:
    return ";".join(f"{one.type}: {one.message}" for one in conditions)


def _since(condition: Condition, now: str) -> Condition:
    return Condition(
        type=condition.type,
        message=condition.message,
        last_transition_time=condition.last_transition_time or now,
    )
