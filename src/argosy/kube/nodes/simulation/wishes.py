"""How a simulated pod shall behave: by its annotations, else by the rules for its images. Pure.

argosy.io/simulate: crash | fail | exit-0 | pull-error | never-ready
argosy.io/simulate-pull: 2s             argosy.io/simulate-ready-after: 5s
argosy.io/simulate-run-for: 1m          argosy.io/simulate-stop-after: 3s
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from argosy.kube.objects import Object, annotations_of

_PREFIX = "argosy.io/simulate"
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|)")
_UNITS = {"ms": 0.001, "s": 1.0, "": 1.0, "m": 60.0, "h": 3600.0}
_IMAGE = re.compile(r"[a-z0-9]+(?:[._:/@-]+[a-zA-Z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Behaviour:
    pull: float = 0.0
    pull_fails: str = ""
    """Why; empty when it does not."""
    ready_after: float = 0.0
    never_ready: bool = False
    run_for: float | None = None
    """None: until it is stopped."""
    exit_code: int = 0
    stop_after: float = 0.0


@dataclass(frozen=True, slots=True)
class Rule:
    """For images like `registry/*:broken`."""

    pattern: str
    simulate: str


RULES = (Rule("*:does-not-exist", "pull-error"),)


def behaviour(pod: Object, image: str, *, first: bool = False, rules: Sequence[Rule] = RULES) -> Behaviour:
    """`first`: one of the containers that run before the others, to their end."""
    annotations = annotations_of(pod)
    ends = first or pod["spec"].get("restartPolicy", "Always") != "Always"
    found = Behaviour(
        pull=_seconds(annotations, "-pull"),
        ready_after=_seconds(annotations, "-ready-after"),
        run_for=_seconds(annotations, "-run-for") if ends or f"{_PREFIX}-run-for" in annotations else None,
        stop_after=_seconds(annotations, "-stop-after"),
    )
    if not _IMAGE.fullmatch(image):
        return replace(found, pull_fails=f'couldn\'t parse image name "{image}": invalid reference format')
    said = annotations.get(_PREFIX) or next(
        (rule.simulate for rule in rules if fnmatchcase(image, rule.pattern)), ""
    )
    return found if first and said != "pull-error" else _as_said(found, said, image)


def _as_said(found: Behaviour, said: str, image: str) -> Behaviour:
    match said:
        case "crash" | "fail":
            return replace(found, run_for=found.run_for or 0.0, exit_code=1)
        case "exit-0":
            return replace(found, run_for=found.run_for or 0.0)
        case "never-ready":
            return replace(found, never_ready=True)
        case "pull-error":
            why = f'failed to pull and unpack image "{image}": {image}: not found'
            return replace(found, pull_fails=f"rpc error: code = NotFound desc = {why}")
    return found


def _seconds(annotations: dict[str, str], name: str) -> float:
    """`1m30s`, `500ms`, `5`. What cannot be read is no delay."""
    text = annotations.get(_PREFIX + name, "")
    parts = _DURATION.findall(text)
    if not text or "".join(value + unit for value, unit in parts) != text:
        return 0.0
    return sum(float(value) * _UNITS[unit] for value, unit in parts)
