"""Health of custom resources as tables, in `rules/*.rules`: most of them say how they are in conditions or a phase, and differ only in the words.

    cert-manager.io/Issuer cert-manager.io/ClusterIssuer     the kinds it is for; `*` stands for any part of a group or a kind
        Ready=False -> Degraded                               first line whose tests all hold; the message is the condition's own
        Ready=True by Checked|Valid -> Healthy {reason}       a condition's status, and its reason
        Ready|Synced!=True now -> Progressing                 one of two conditions, if it is about the newest spec
        .status.phase=Done|Over* & !Failed -> Healthy done    a field, by its beginning; no such condition; text for people
        stale -> Progressing                                  the newest spec was not seen (`behind`: it says so itself)
        else Progressing waiting for {.spec.name|'it'}        the last one; `{a|b}` is the first that is not empty

A first line `in .status.parts.conditions` says where the conditions are, if not in `.status.conditions`. Lines are read when somebody asks for the kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files

from argosy.domain.health.line import Line, Sight, parse
from argosy.domain.health.model import Health, Rule
from argosy.domain.health.paths import steps_of
from argosy.kube.objects import Object


@lru_cache(4096)
def rule_for(key: str) -> Rule | None:
    """`key` is `group/Kind`. An exact name goes before a wildcard."""
    exact, wild = _kinds()
    lines = exact.get(key) or next((lines for pattern, lines in wild if pattern.fullmatch(key)), None)
    return _Table(lines).judge if lines else None


def kinds() -> list[str]:
    return sorted([*_kinds()[0], *(pattern.pattern for pattern, _ in _kinds()[1])])


class _Table:
    def __init__(self, lines: tuple[str, ...]) -> None:
        moved = lines[0].startswith("in ")
        self._where = steps_of(lines[0].removeprefix("in ") if moved else ".status.conditions")
        self._lines: list[Line] = [parse(line) for line in lines[moved:]]

    def judge(self, obj: Object) -> Health | None:
        sight = Sight(obj, self._where)
        return next(filter(None, (line.judge(sight) for line in self._lines)), None)


@cache
def _kinds() -> tuple[dict[str, tuple[str, ...]], list[tuple[re.Pattern[str], tuple[str, ...]]]]:
    exact: dict[str, tuple[str, ...]] = {}
    wild: list[tuple[re.Pattern[str], tuple[str, ...]]] = []
    for kind, lines in _blocks():
        if "*" in kind:
            wild.append((re.compile(re.escape(kind).replace(r"\*", "[^/]*")), lines))
        else:
            exact[kind] = lines
    return exact, wild


def _blocks() -> Iterator[tuple[str, tuple[str, ...]]]:
    for file in sorted(files(__package__).joinpath("rules").iterdir(), key=lambda file: file.name):
        if file.name.endswith(".rules"):
            yield from _read(file.read_text())


def _read(table: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    kinds: list[str] = []
    lines: list[str] = []
    for line in [*table.splitlines(), "end"]:
        written = line.split(" # ", 1)[0].rstrip()
        if not written or written.startswith("#"):
            continue
        if written[0].isspace():
            lines.append(written.strip())
            continue
        if lines:
            yield from ((kind, tuple(lines)) for kind in kinds)
            kinds, lines = [], []
        kinds += written.split()
