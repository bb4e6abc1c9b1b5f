"""Which process may start and which may stop next, from the `after` of each. Pure; `supervisor` acts on it."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from argosy.host.processes import Process
from argosy.kit.errors import Internal


def check(processes: Sequence[Process]) -> None:
    """A plan is complete, without doubles, and listed so that each comes after what it needs (so: no circle)."""
    seen: set[str] = set()
    for process in processes:
        if process.name in seen:
            raise _bad_plan(f"process {process.name!r} is listed twice")
        for needed in process.after:
            if needed not in seen:
                raise _bad_plan(
                    f"process {process.name!r} comes after {needed!r}, which is not listed before it"
                )
        seen.add(process.name)
    if not seen:
        raise _bad_plan("the plan has no process")


def startable(processes: Sequence[Process], *, idle: AbstractSet[str], ready: AbstractSet[str]) -> list[str]:
    """Those of `idle` whose every predecessor is ready."""
    return [p.name for p in processes if p.name in idle and set(p.after) <= ready]


def stoppable(processes: Sequence[Process], *, alive: AbstractSet[str]) -> list[str]:
    """Those alive that no living process depends on, the last of the plan first."""
    needed = {name for p in processes if p.name in alive for name in p.after}
    return [p.name for p in reversed(processes) if p.name in alive and p.name not in needed]


def missing(process: Process, *, ready: AbstractSet[str]) -> list[str]:
    return [name for name in process.after if name not in ready]


def _bad_plan(message: str) -> Internal:
    return Internal(message, code="host.plan", cure="this is a fault in argosy.host.plan; please report it")
