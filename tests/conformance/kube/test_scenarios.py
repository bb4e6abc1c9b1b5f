"""Our server does what the real one did: every scenario is played and compared with its recording.

A failure shows what differs and where. `python -m tools.oracle record PATTERN` asks the real server again; what differs on purpose
stands in `meant.yaml`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from tests.conformance.kube import differences, replay, scenario, transcripts

ALL = {one.id: one for one in scenario.load()}
MEANT = differences.meant()


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.Runner]:
    """One for all: a TLS connection ends a little after it was closed, and needs its loop for that."""
    with asyncio.Runner() as runner:
        yield runner
        runner.run(asyncio.sleep(0.25))


@pytest.mark.parametrize("name", ALL)
def test_the_embedded_server_answers_as_the_real_one_did(
    cluster: replay.Server, loop: asyncio.Runner, name: str
) -> None:
    played = loop.run(replay.play(cluster, ALL[name]))

    assert differences.judged(ALL[name], transcripts.normalised(played), MEANT) == []


def test_each_scenario_was_recorded_as_it_stands() -> None:
    for one in ALL.values():
        assert differences.recorded(one), one.id


def test_nothing_is_recorded_that_no_scenario_asks_for() -> None:
    wanted = {one.recording for one in ALL.values()}

    assert set(scenario.RECORDED.rglob("*.json")) - wanted == set()


def test_the_recordings_stay_small() -> None:
    assert sum(path.stat().st_size for path in scenario.RECORDED.rglob("*.json")) < 3_000_000


def test_every_meant_difference_is_about_a_scenario_and_says_why() -> None:
    for entry in MEANT:
        assert any(entry.about(one) for one in ALL.values()), entry
        assert len(entry.why.split()) > 3, entry
