"""The embedded engine comes to what the real Argo CD came to: every scenario is played and compared with its recording.

A failure shows what differs and where. `python -m tools.oracle argo-cd PATTERN` asks the real one again; what differs on purpose stands in
`meant.yaml`, what still has to be looked at in `open.yaml`.
"""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path

import pytest

from tests.conformance.argo_cd import ours
from tests.conformance.argo_cd.differences import differences, known, left, recorded, stuck
from tests.conformance.argo_cd.scenario import ScenarioError, load, recording

ALL = {one.id: one for one in load()}
MEANT, OPEN = known("meant"), known("open")
_numbers = itertools.count()


@pytest.mark.parametrize("name", ALL)
def test_the_embedded_engine_comes_to_the_same(
    kubeconfig: Path, loop: asyncio.Runner, tmp_path: Path, name: str
) -> None:
    scenario = ALL[name]
    try:
        looks = loop.run(ours.played(scenario, kubeconfig, tmp_path, f"t{next(_numbers):04d}x"))
        found = differences(scenario, looks)
    except ScenarioError as error:
        found = [stuck(error)]
    assert [str(one) for one in left(scenario, found, [*MEANT, *OPEN])] == []


def test_each_scenario_was_recorded_as_it_stands() -> None:
    for one in ALL.values():
        assert recorded(one), one.id


def test_nothing_is_recorded_that_no_scenario_asks_for() -> None:
    found = {name for subject in {one.subject for one in ALL.values()} for name in recording(subject)}
    assert found - set(ALL) == set()


def test_every_known_difference_is_about_a_scenario_and_says_why() -> None:
    for entry in [*MEANT, *OPEN]:
        assert any(entry.about(one) for one in ALL.values()), entry
        assert len(entry.why.split()) > 3, entry
