"""Reads the scenarios: what is asked of a Kubernetes API, step by step, as data.

`scenarios/README.md` explains the files. `replay` plays a scenario against a server; `tools.oracle` does so against the real
one and keeps what it answered in `recorded/`.
"""

from __future__ import annotations

import copy
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import yaml

HERE = Path(__file__).resolve().parent
SCENARIOS, RECORDED, PROTOBUF = HERE / "scenarios", HERE / "recorded", HERE / "protobuf"
Values: TypeAlias = dict[str, Any]
_NAME = re.compile(r"\$\{([\w.]+)\}")
_STEP = {
    *(
        "do",
        "watch",
        "query",
        "headers",
        "type",
        "accept",
        "as",
        "body",
        "text",
        "protobuf",
        "keep",
        "expect",
        "only",
    ),
    *("until", "meanwhile", "events", "note"),
}
_SCENARIO = {"name", "notes", "namespace", "for", "let", "setup", "steps"}


@dataclass(frozen=True)
class Scenario:
    id: str
    name: str
    steps: list[Values]
    setup: list[Values] = field(default_factory=list)
    """Played first; must succeed, and is not compared."""
    let: Values = field(default_factory=dict)
    namespace: bool = True

    @property
    def digest(self) -> str:
        """Of everything that is sent: a recording of other steps is no recording."""
        sent = [_sent(self.setup), _sent(self.steps), self.let, self.namespace]
        return hashlib.sha256(json.dumps(sent, sort_keys=True).encode()).hexdigest()[:16]

    @property
    def recording(self) -> Path:
        return RECORDED / f"{self.id}.json"


class ScenarioError(Exception):
    """The scenario is wrong, or is not what the server does: which one, which step, what."""


def load(pattern: str = "") -> list[Scenario]:
    """All whose id contains `pattern`."""
    found: dict[str, Scenario] = {}
    for path in sorted(SCENARIOS.glob("*/*.yaml")):
        for scenario in _read(path):
            if scenario.id in found:
                raise ScenarioError(f"{scenario.id}: two scenarios have this name")
            found[scenario.id] = scenario
    return [scenario for scenario in found.values() if pattern in scenario.id]


def fill(value: Any, known: Values, *, later: bool = False) -> Any:
    """`${name}` replaced everywhere. A text that is nothing else becomes the value, with its type.
    `later`: what is not known yet may stay."""
    if isinstance(value, str):
        if whole := _NAME.fullmatch(value):
            return copy.deepcopy(_known(whole, known, later))
        return _NAME.sub(lambda found: str(_known(found, known, later)), value)
    if isinstance(value, dict):
        return {fill(key, known, later=later): fill(one, known, later=later) for key, one in value.items()}
    if isinstance(value, list):
        return [fill(one, known, later=later) for one in value]
    return value


def collections() -> dict[str, str]:
    """`${configmaps}` → `/api/v1/namespaces/${ns}/configmaps`, for every kind of `objects.yaml`."""
    found: dict[str, str] = {}
    for name, one in objects().items():
        plural = one["path"].rsplit("/", 1)[1]
        found[plural if plural not in found else f"{name}s"] = one["path"]
    return found


@cache
def objects() -> dict[str, Values]:
    """A small valid object of each kind, and where it lives."""
    read: dict[str, Values] = yaml.safe_load((SCENARIOS / "objects.yaml").read_text())
    return read


def protobuf_objects() -> dict[str, Values]:
    """What `protobuf/bodies.json` holds in protobuf, by the name that a step says."""
    read = yaml.safe_load((PROTOBUF / "bodies.yaml").read_text())
    own: dict[str, Values] = read["own"]
    return {name: objects()[name]["object"] for name in read["like"]} | own


@cache
def protobuf(name: str) -> bytes:
    bodies: dict[str, str] = json.loads((PROTOBUF / "bodies.json").read_bytes())
    if name not in bodies:
        raise ScenarioError(f"protobuf/bodies.json has no {name}: python -m tools.oracle encode")
    return bytes.fromhex(bodies[name])


def bodied(value: Any) -> Any:
    """`like: deployment` → that object of `objects.yaml`, with the rest merged over it (null removes)."""
    if isinstance(value, dict) and "like" in value:
        over = {key: one for key, one in value.items() if key != "like"}
        return merged(copy.deepcopy(objects()[value["like"]]["object"]), over)
    if isinstance(value, list):
        return [bodied(one) for one in value]
    if isinstance(value, dict):
        return {key: bodied(one) for key, one in value.items()}
    return value


def merged(target: Any, over: Any) -> Any:
    if not isinstance(over, dict) or not isinstance(target, dict):
        return over
    result = dict(target)
    for key, value in over.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result


def _known(found: re.Match[str], known: Values, later: bool) -> Any:
    value: Any = known
    for part in found[1].split("."):
        if not isinstance(value, dict) or part not in value:
            if later:
                return found[0]
            raise ScenarioError(f"nothing is known as {found[0]}")
        value = value[part]
    return value


def _read(path: Path) -> Iterator[Scenario]:
    for document in yaml.safe_load_all(path.read_text()):
        if document is None:
            continue
        place = f"{path.parent.name}/{path.stem}"
        _check(place, document)
        for values in _expanded(document.get("for")):
            yield _scenario(place, fill(document, values, later=True))


def _expanded(kinds: Any) -> Iterator[Values]:
    """`for: [configmap, secret]` is a scenario for each: `${kind}`, `${path}`, `${name}`, `${object}`.
    `for: all` takes every kind of `objects.yaml`; a list of mappings gives names of one's own."""
    if kinds is None:
        yield {}
        return
    for one in _all_kinds() if kinds == "all" else kinds:
        if isinstance(one, dict):
            yield one
        else:
            known = objects()[one]
            yield {
                "kind": one,
                "path": known["path"],
                "name": known["object"]["metadata"]["name"],
                "object": known["object"],
            }


def _all_kinds() -> list[str]:
    return [name for name, one in objects().items() if not one.get("apart")]


def _scenario(place: str, document: Values) -> Scenario:
    name = document["name"]
    return Scenario(
        id=f"{place}/{re.sub(r'[^a-z0-9]+', '-', name.lower()).strip('-')}",
        name=name,
        steps=bodied(document["steps"]),
        setup=bodied(document.get("setup", [])),
        let=bodied(document.get("let", {})),
        namespace=document.get("namespace", True),
    )


def _check(place: str, document: Any) -> None:
    name = document.get("name", "without a name") if isinstance(document, dict) else "not a mapping"
    if unknown := set(document) - _SCENARIO:
        raise ScenarioError(f"{place}: {name}: unknown {', '.join(sorted(unknown))}")
    for step in [*document.get("setup", []), *document["steps"]]:
        for one in [step, *step.get("meanwhile", [])]:
            if unknown := set(one) - _STEP:
                raise ScenarioError(f"{place}: {name}: unknown {', '.join(sorted(unknown))}")
            if ("do" in one) == ("watch" in one):
                raise ScenarioError(f"{place}: {name}: a step has either `do` or `watch`")


def _sent(steps: list[Values]) -> list[Values]:
    """Without what is only for readers, and with the bytes of protobuf."""
    return [
        {
            key: protobuf(value).hex() if key == "protobuf" else value
            for key, value in step.items()
            if key != "note"
        }
        for step in steps
    ]
