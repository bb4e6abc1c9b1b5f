"""Compares two transcripts of a scenario, and knows which differences are meant (`meant.yaml`)."""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from tests.conformance.kube.scenario import HERE, Scenario, ScenarioError, Values

_SAME = "same as"
MEANT = HERE / "meant.yaml"


@dataclass(frozen=True)
class Difference:
    """`path` begins with the step: `2.body.metadata.generation`, `3.headers.warning.0`, `4.events.1.type`."""

    step: str
    path: str
    wanted: str
    got: str

    def __str__(self) -> str:
        return f"{self.path}: {self.got}, should be {self.wanted}    ({self.step})"


@dataclass(frozen=True)
class Meant:
    """An entry is about the scenarios and places that its patterns match, and in each of those scenarios something must differ there."""

    scenario: str
    path: str
    why: str

    def about(self, scenario: Scenario) -> bool:
        return fnmatch.fnmatchcase(scenario.id, self.scenario)

    def covers(self, difference: Difference) -> bool:
        return fnmatch.fnmatchcase(difference.path, self.path)


def meant() -> list[Meant]:
    entries = yaml.safe_load(MEANT.read_text()) or []
    return [Meant(entry["scenario"], entry["path"], entry["why"]) for entry in entries]


def judged(scenario: Scenario, transcript: list[Values], allowed: Sequence[Meant]) -> list[str]:
    """What is wrong, in words: differences from the recording that nobody meant, and meant ones that are gone."""
    found = list(differences(recorded(scenario), transcript))
    about = [one for one in allowed if one.about(scenario)]
    wrong = [str(one) for one in found if not any(entry.covers(one) for entry in about)]
    wrong += [
        f"meant.yaml: {entry.path} does not differ any more in {scenario.id}: take the entry out ({entry.why})"
        for entry in about
        if not any(entry.covers(one) for one in found)
    ]
    return wrong


def recorded(scenario: Scenario) -> list[Values]:
    try:
        stored = json.loads(scenario.recording.read_bytes())
    except FileNotFoundError:
        raise ScenarioError(
            f"{scenario.id} was never recorded: python -m tools.oracle record {scenario.id}"
        ) from None
    if stored["of"] != scenario.digest:
        raise ScenarioError(f"{scenario.id} was changed since: python -m tools.oracle record {scenario.id}")
    transcript: list[Values] = stored["answers"]
    bodies = {entry["step"]: entry.get("body") for entry in transcript}
    return [
        {**entry, "body": bodies[entry["body"][_SAME]]} if _SAME in (entry.get("body") or ()) else entry
        for entry in transcript
    ]


def store(scenario: Scenario, transcript: list[Values]) -> None:
    scenario.recording.parent.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(
        json.dumps(entry, separators=(",", ":"), ensure_ascii=False) for entry in _short(transcript)
    )
    scenario.recording.write_text(f'{{"of":"{scenario.digest}","answers":[\n{lines}\n]}}\n')


def _short(transcript: list[Values]) -> Iterator[Values]:
    """A body that an earlier answer had already is named, not repeated."""
    seen: list[Values] = []
    for entry in transcript:
        same = next((one["step"] for one in seen if "body" in entry and one["body"] == entry["body"]), None)
        yield entry if same is None else {**entry, "body": {_SAME: same}}
        if same is None and isinstance(entry.get("body"), dict):
            seen.append(entry)


def differences(wanted: list[Values], got: list[Values]) -> Iterator[Difference]:
    for one, other in zip(wanted, got, strict=False):
        number = one["step"].split(" ", 1)[0]
        for path, before, after in _between(one, other, ""):
            if path != ".step":
                yield Difference(one["step"], f"{number}{path}", before, after)
    if len(wanted) != len(got):
        yield Difference("", "steps", str(len(wanted)), str(len(got)))


def _between(wanted: Any, got: Any, path: str) -> Iterator[tuple[str, str, str]]:
    if isinstance(wanted, dict) and isinstance(got, dict):
        for key in [*wanted, *(key for key in got if key not in wanted)]:
            place = f"{path}.{key}"
            if key not in got:
                yield place, _shown(wanted[key]), "missing"
            elif key not in wanted:
                yield place, "missing", _shown(got[key])
            else:
                yield from _between(wanted[key], got[key], place)
    elif isinstance(wanted, list) and isinstance(got, list) and len(wanted) == len(got):
        for index, (one, other) in enumerate(zip(wanted, got, strict=True)):
            yield from _between(one, other, f"{path}.{index}")
    elif wanted != got or isinstance(wanted, bool) != isinstance(got, bool):
        yield path, _shown(wanted), _shown(got)


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 600 else f"{text[:600]}… ({len(text)} characters)"
