"""Argo CD's own health and action scripts with their cases, read from the Go module cache where `make oracle` puts that module.

Nothing of it is in this repository.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from argosy.kube.objects import Object, group_version
from tests.needs import absent

VERSION = "v3.6.0"


@dataclass(frozen=True)
class Case:
    folder: str
    input: str
    obj: Object
    expected: Object

    def __str__(self) -> str:
        return f"{self.folder}/{self.input}"


class _Loader(yaml.CSafeLoader):
    """As Kubernetes reads YAML: a time is a string, the last of two equal keys stays."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in known if tag != "tag:yaml.org,2002:timestamp"]
    for first, known in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


def root() -> Path:
    cache = Path(
        os.environ.get("GOMODCACHE") or Path(os.environ.get("GOPATH") or Path.home() / "go") / "pkg" / "mod"
    )
    found = cache / f"github.com/argoproj/argo-cd/v3@{VERSION}" / "resource_customizations"
    return (
        found
        if found.is_dir()
        else absent(f"no source of Argo CD {VERSION} in the Go module cache (make oracle)")
    )


@cache
def scripts() -> dict[str, str]:
    """`group/Kind` → health.lua. `_` in a folder's name is a wildcard."""
    return {
        str(path.parent.relative_to(root())): path.read_text() for path in sorted(root().rglob("health.lua"))
    }


def script_for(obj: Object) -> tuple[str, str]:
    group, _ = group_version(obj)
    exact = f"{group}/{obj['kind']}" if group else obj["kind"]
    if exact in scripts():
        return exact, scripts()[exact]
    for folder, script in scripts().items():
        if "_" in folder and _fits(folder, exact):
            return folder, script
    raise LookupError(exact)


def health_cases() -> Iterator[Case]:
    for path in sorted(root().rglob("health_test.yaml")):
        for test in map(_lower, read(path)["tests"]):
            obj = read(path.parent / test["inputpath"])
            health = _lower(test["healthstatus"] or {})
            expected = {field: health.get(field) or "" for field in ("status", "message")}
            yield Case(str(path.parent.relative_to(root())), test["inputpath"], obj, expected)


@dataclass(frozen=True)
class ActionCase:
    """`expected` are the objects to see afterwards; a discovery has `offered` instead."""

    folder: str
    input: str
    obj: Object
    action: str = ""
    params: tuple[tuple[str, str], ...] = ()
    expected: tuple[Object, ...] = ()
    error: str = ""
    offered: tuple[Object, ...] = ()

    def __str__(self) -> str:
        return f"{self.folder}/{self.action or 'discovery'}/{self.input}"


def action_scripts(folder: str) -> dict[str, str]:
    """By the action's name; the discovery's is empty."""
    found = {path.parent.name: path.read_text() for path in (root() / folder).rglob("action.lua")}
    return {"": (root() / folder / "discovery.lua").read_text(), **found}


def discovery_cases() -> Iterator[ActionCase]:
    for folder, tests in _action_tests():
        for test in tests.get("discoveryTests") or ():
            obj = read(root() / folder / test["inputPath"])
            yield ActionCase(folder, test["inputPath"], obj, offered=tuple(test["result"]))


def action_cases() -> Iterator[ActionCase]:
    for folder, tests in _action_tests():
        for test in tests.get("actionTests") or ():
            wanted = (
                read(root() / folder / test["expectedOutputPath"]) if "expectedOutputPath" in test else []
            )
            listed = wanted if isinstance(wanted, list) else [{"resource": wanted}]
            yield ActionCase(
                folder,
                test["inputPath"],
                read(root() / folder / test["inputPath"]),
                test["action"],
                tuple((test.get("parameters") or {}).items()),
                tuple(one.get("resource") or one["unstructuredObj"] for one in listed),
                test.get("expectedErrorMessage", ""),
            )


def _action_tests() -> Iterator[tuple[str, Object]]:
    for path in sorted(root().rglob("action_test.yaml")):
        yield str(path.parent.relative_to(root())), read(path)


def read(path: Path) -> Object:
    """The first document, as a JSON object: the keys of a mapping are strings."""
    return next(iter(yaml.load_all(path.read_text(), _Loader)))


def _lower(fields: Object) -> Object:
    """Go reads the names of fields without regard to case."""
    return {key.lower(): value for key, value in fields.items()}


def _fits(folder: str, key: str) -> bool:
    """A wildcard stays within one part of `group/Kind`."""
    patterns, parts = folder.split("/"), key.split("/")
    return len(patterns) == len(parts) and all(map(_part_fits, patterns, parts))


def _part_fits(pattern: str, part: str) -> bool:
    first, star, last = pattern.partition("_")
    return (
        part == pattern
        if not star
        else part.startswith(first) and part.endswith(last) and len(part) >= len(first) + len(last)
    )
