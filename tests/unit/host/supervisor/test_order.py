"""Which process may start or stop next."""

from __future__ import annotations

import pytest

from argosy.host.processes import Forked, Notify
from argosy.host.supervisor import order
from argosy.kit.errors import Internal


def process(name: str, *after: str) -> Forked:
    def main(notify: Notify) -> None:
        notify.ready()

    return Forked(name, main, after=after)


PLAN = [process("db"), process("core", "db"), process("edge", "core"), process("runner", "core")]


@pytest.mark.parametrize(
    ("ready", "started"),
    [
        (set(), ["db"]),
        ({"db"}, ["core"]),
        ({"db", "core"}, ["edge", "runner"]),
        ({"core"}, ["db", "edge", "runner"]),
    ],
)
def test_a_process_may_start_when_all_it_needs_is_ready(ready: set[str], started: list[str]) -> None:
    idle = {p.name for p in PLAN} - ready
    assert order.startable(PLAN, idle=idle, ready=ready) == started


@pytest.mark.parametrize(
    ("alive", "stopped"),
    [
        ({"db", "core", "edge", "runner"}, ["runner", "edge"]),
        ({"db", "core", "edge"}, ["edge"]),
        ({"db", "core"}, ["core"]),
        ({"db", "edge"}, ["edge", "db"]),
        (set(), []),
    ],
)
def test_a_process_may_stop_when_no_living_one_needs_it(alive: set[str], stopped: list[str]) -> None:
    assert order.stoppable(PLAN, alive=alive) == stopped


def test_what_is_missing_is_named() -> None:
    assert order.missing(process("x", "a", "b"), ready={"a"}) == ["b"]


@pytest.mark.parametrize(
    ("plan", "fault"),
    [
        ([], "no process"),
        ([process("a"), process("a")], "twice"),
        ([process("a", "b")], "comes after 'b'"),
        ([process("a", "b"), process("b", "a")], "comes after 'b'"),
    ],
)
def test_a_plan_that_could_never_start_is_refused(plan: list[Forked], fault: str) -> None:
    with pytest.raises(Internal, match=fault):
        order.check(plan)


def test_a_sound_plan_is_accepted() -> None:
    order.check(PLAN)
