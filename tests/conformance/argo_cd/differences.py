"""Compares what a scenario came to with what it came to at the real Argo CD, and knows which differences are meant, and which are open."""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from tests.conformance.argo_cd.scenario import HERE, Scenario, ScenarioError, Values, recording


@dataclass(frozen=True)
class Difference:
    """`path` begins with the look: `0.applications.$id.health`. Both sides as JSON; empty where there is nothing."""

    path: str
    theirs: str
    ours: str

    def __str__(self) -> str:
        return f"{self.path}: {self.ours or 'nothing'}, should be {self.theirs or 'nothing'}"


@dataclass(frozen=True)
class Known:
    """About the scenarios, places and values that its patterns match; something must differ so in at least one scenario."""

    scenario: str
    path: str
    why: str
    theirs: str = "*"
    ours: str = "*"

    def about(self, scenario: Scenario) -> bool:
        return fnmatch.fnmatchcase(scenario.id, self.scenario)

    def covers(self, difference: Difference) -> bool:
        pairs = ((difference.path, self.path), (difference.theirs, self.theirs), (difference.ours, self.ours))
        return all(fnmatch.fnmatchcase(value, pattern) for value, pattern in pairs)


def known(name: str) -> list[Known]:
    """`meant`: it is better or enough as it is. `open`: somebody has to look."""
    entries = yaml.safe_load((HERE / f"{name}.yaml").read_text()) or []
    return [Known(**entry) for entry in entries]


def recorded(scenario: Scenario) -> list[Values]:
    stored = recording(scenario.subject).get(scenario.id)
    again = f"python -m tools.oracle argo-cd {scenario.id}"
    if stored is None:
        raise ScenarioError(f"{scenario.id} was never recorded: {again}")
    if stored["of"] != scenario.digest:
        raise ScenarioError(f"{scenario.id} was changed since it was recorded: {again}")
    looks: list[Values] = stored["looks"]
    return looks


def differences(scenario: Scenario, looks: list[Values]) -> list[Difference]:
    wanted = recorded(scenario)
    found = [
        one
        for number, pair in enumerate(zip(wanted, looks, strict=False))
        for one in _between(*pair, str(number))
    ]
    if len(wanted) != len(looks):
        found.append(Difference("looks", str(len(wanted)), str(len(looks))))
    return found


def stuck(error: ScenarioError) -> Difference:
    """A scenario that ours does not come to the end of."""
    return Difference("stuck", "", str(error))


def left(scenario: Scenario, found: Sequence[Difference], allowed: Sequence[Known]) -> list[Difference]:
    """Those that nobody knows of."""
    about = [one for one in allowed if one.about(scenario)]
    return [one for one in found if not any(entry.covers(one) for entry in about)]


def _between(theirs: Any, ours: Any, path: str) -> Iterator[Difference]:
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for key in [*theirs, *(key for key in ours if key not in theirs)]:
            yield from _between(theirs.get(key), ours.get(key), f"{path}.{key}")
    elif isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        for index, pair in enumerate(zip(theirs, ours, strict=True)):
            yield from _between(*pair, f"{path}.{index}")
    elif theirs != ours:
        yield Difference(path, _shown(theirs), _shown(ours))


def _shown(value: Any) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False, sort_keys=True)
