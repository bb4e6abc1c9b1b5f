"""Reads the scenarios: what Git says, what people and controllers do, step by step, as data. `scenarios/README.md` explains the files."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import yaml

HERE = Path(__file__).resolve().parent
SCENARIOS, RECORDED = HERE / "scenarios", HERE / "recorded"
Values: TypeAlias = dict[str, Any]
_GIVEN = {
    "name",
    "why",
    "app",
    "apps",
    "set",
    "git",
    "files",
    "live",
    "project",
    "settings",
    "steps",
    "kinds",
}
_STEPS = {
    *(
        "commit",
        "refresh",
        "sync",
        "start",
        "wait",
        "live",
        "patch",
        "delete",
        "status",
        "change",
        "terminate",
    ),
    *("create", "remove", "gone", "look", "appears", "ended", "going"),
}
_PLAIN = re.compile(r"[^a-z0-9]+")


class ScenarioError(Exception):
    """The scenario is wrong, or does not come to where it wants to: which one, which step, what."""


@dataclass(frozen=True, eq=False)
class Scenario:
    """`app`: what its Application says beside the usual; None where the steps create them. `settings`: of argocd-cm."""

    id: str
    name: str
    steps: list[Values]
    app: Values | None = field(default_factory=dict)
    git: list[Values] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    live: list[Values] = field(default_factory=list)
    project: Values | None = None
    settings: dict[str, str] = field(default_factory=dict)
    kinds: tuple[str, ...] = ()
    """Of objects to look at in the end, beside those of the scenario itself."""

    @cached_property
    def digest(self) -> str:
        """A recording of another scenario is no recording."""
        said = [
            self.steps,
            self.app,
            self.git,
            self.files,
            self.live,
            self.project,
            self.settings,
            self.kinds,
        ]
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:12]

    @property
    def subject(self) -> str:
        return self.id.partition("/")[0]

    @property
    def needs_sources(self) -> bool:
        """Whether more than plain objects has to be rendered."""
        return bool(self.files) or any(
            "files" in step["commit"] for step in self.steps if isinstance(step.get("commit"), dict)
        )


def load(pattern: str = "") -> list[Scenario]:
    """All whose id contains `pattern`."""
    found: dict[str, Scenario] = {}
    for path in sorted(SCENARIOS.glob("*.yaml")):
        for said in yaml.load(path.read_text(), yaml.CSafeLoader) or ():
            one = _read(path.stem, said)
            if one.id in found:
                raise ScenarioError(f"{one.id}: two scenarios have this name")
            found[one.id] = one
    return [one for one in found.values() if pattern in one.id]


def recording(subject: str) -> dict[str, Values]:
    """What the real one answered, by the scenarios' ids."""
    path = RECORDED / f"{subject}.json"
    read: dict[str, Values] = json.loads(path.read_text()) if path.exists() else {}
    return read


def _read(subject: str, said: Values) -> Scenario:
    name = str(said.get("name", ""))
    identity = f"{subject}/{_PLAIN.sub('-', name.lower()).strip('-')}"
    if unknown := set(said) - _GIVEN:
        raise ScenarioError(f"{identity}: nothing is known of {', '.join(sorted(unknown))}")
    steps = _steps(identity, said.get("steps") or [])
    return Scenario(
        id=identity,
        name=name,
        steps=steps,
        app=said.get("app", {}),
        git=said.get("git") or [],
        files=said.get("files") or {},
        live=said.get("live") or [],
        project=said.get("project"),
        settings=said.get("settings") or {},
        kinds=tuple(said.get("kinds") or ()),
    )


def _steps(identity: str, said: Sequence[object]) -> list[Values]:
    found: list[Values] = []
    for number, one in enumerate(said, 1):
        step = {one: {}} if isinstance(one, str) else one
        if not isinstance(step, dict) or len(step) != 1 or not set(step) <= _STEPS:
            raise ScenarioError(f"{identity}: step {number} is none of {', '.join(sorted(_STEPS))}")
        found.append(step)
    return found
