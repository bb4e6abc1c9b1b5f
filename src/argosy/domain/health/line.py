"""One line of a table: what must hold, and what the health is then. `table.py` says how tables are written.

Ready=False by Failed|Error & !.spec.paused -> Degraded {message|reason}
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from argosy.domain.health.model import RANK, Health
from argosy.domain.health.paths import Steps, count, every, first, steps_of, word
from argosy.domain.health.reading import maps, part
from argosy.kube.objects import Object

Test: TypeAlias = Callable[["Sight"], bool]
Fit: TypeAlias = Callable[["Sight", Object], bool]

_CONDITION = re.compile(r"(!?)([^=!\s]+)(?:(!?=)(\S+))?(?: by (!?)(\S+))?( now)?")
_FIELD = re.compile(r"(!?)(\.[^=!<\s]+)(?:(!=|=|<)(.+))?")
_PLACE = re.compile(r"\{([^}]+)\}")


class Sight:
    """An object while its table is asked: its conditions (they stand at `where`) by type, and the one that the current line has found."""

    __slots__ = ("found", "obj", "of_type")

    def __init__(self, obj: Object, where: Steps) -> None:
        self.obj = obj
        self.found: Object | None = None
        self.of_type: dict[str, list[Object]] = {}
        for one in maps(first(obj, where)):
            self.of_type.setdefault(word(one.get("type")), []).append(one)

    def named(self, kinds: str) -> list[Object]:
        if kinds == "*":
            return [one for listed in self.of_type.values() for one in listed]
        return [one for kind in kinds.split("|") for one in self.of_type.get(kind, ())]


@dataclass(frozen=True, slots=True)
class Line:
    tests: tuple[Test, ...]
    status: str
    message: str

    def judge(self, sight: Sight) -> Health | None:
        sight.found = None
        if not all(test(sight) for test in self.tests):
            return None
        if "{" not in self.message:
            return Health(self.status, self.message)
        return Health(self.status, _PLACE.sub(lambda place: _filled(place[1], sight), self.message))


def parse(written: str) -> Line:
    """Raises `ValueError` for what is no line."""
    before, arrow, said = written.partition(" -> ")
    if not arrow:
        before, said = "", written.removeprefix("else ")
    tests = [one.strip() for one in before.split(" & ")] if before else []
    status, _, message = said.strip().partition(" ")
    if status not in RANK:
        raise ValueError(f"no health: {written!r}")
    of_conditions = any(test not in _GENERATIONS and not test.startswith(("!", ".")) for test in tests)
    message = message.strip() or ("{message}" if of_conditions else "")
    return Line(tuple(map(_test, tests)), status, "" if message == '""' else message)


def _test(written: str) -> Test:
    if written in _GENERATIONS:
        return _GENERATIONS[written]
    if match := _FIELD.fullmatch(written):
        return _field(match[1] == "!", steps_of(match[2]), match[3], match[4])
    if match := _CONDITION.fullmatch(written):
        negated, kinds, sign, statuses, not_by, reasons, now = match.groups()
        fits = [
            _is("status", statuses, sign == "="),
            _is("reason", reasons, not not_by),
            _is_of_now if now else None,
        ]
        has = _condition(kinds, [fit for fit in fits if fit])
        return (lambda sight: not has(sight)) if negated else has
    raise ValueError(f"no test: {written!r}")


def _stale(sight: Sight) -> bool:
    """The controller has not seen the newest spec, or does not say."""
    return part(sight.obj, "status").get("observedGeneration") != part(sight.obj, "metadata").get(
        "generation"
    )


def _behind(sight: Sight) -> bool:
    """The controller says that it has not seen the newest spec."""
    return part(sight.obj, "status").get("observedGeneration") is not None and _stale(sight)


_GENERATIONS: dict[str, Test] = {
    "stale": _stale,
    "!stale": lambda sight: not _stale(sight),
    "behind": _behind,
}


def _condition(kinds: str, fits: list[Fit]) -> Test:
    def has(sight: Sight) -> bool:
        found = next((one for one in sight.named(kinds) if all(fit(sight, one) for fit in fits)), None)
        sight.found = sight.found or found
        return found is not None

    return has


def _is(field: str, words: str | None, wanted: bool) -> Fit | None:
    if words is None:
        return None
    listed = frozenset(words.split("|"))
    return lambda _, one: (word(one.get(field)) in listed) == wanted


def _is_of_now(sight: Sight, one: Object) -> bool:
    """It is about the newest spec, or nobody says which is."""
    observed, generation = one.get("observedGeneration"), part(sight.obj, "metadata").get("generation")
    return observed is None or generation is None or observed == generation


def _field(negated: bool, at: Steps, sign: str | None, wanted: str | None) -> Test:
    if sign is None or wanted is None:
        return lambda sight: any(every(sight.obj, at)) != negated
    if sign == "<":
        least = steps_of(wanted)
        return lambda sight: bool(every(sight.obj, at)) and count(sight.obj, at) < count(sight.obj, least)
    if wanted.startswith("."):
        other = steps_of(wanted)
        return lambda sight: (first(sight.obj, at) == first(sight.obj, other)) == (sign == "=")
    is_one = _one_of(wanted)
    return lambda sight: (
        (any(is_one(word(value)) for value in every(sight.obj, at)) == (sign == "=")) != negated
    )


def _one_of(words: str) -> Callable[[str], bool]:
    """`a|b*`: equal to one, or begins so."""
    listed = words.split("|")
    exact = frozenset(one for one in listed if not one.endswith("*"))
    starts = tuple(one[:-1] for one in listed if one.endswith("*"))
    return lambda said: said in exact or (bool(starts) and said.startswith(starts))


def _filled(place: str, sight: Sight) -> str:
    return next(filter(None, (_said(one, sight) for one in place.split("|"))), "")


def _said(what: str, sight: Sight) -> str:
    if what.startswith("'"):
        return what.strip("'")
    if what.startswith("."):
        return word(first(sight.obj, steps_of(what)))
    if what in {"kind", "name"}:
        return word(sight.obj.get("kind") if what == "kind" else part(sight.obj, "metadata").get("name"))
    kind, colon, field = what.partition(":")
    if colon:
        return next((word(one.get(field)) for one in sight.named(kind)), "")
    return word((sight.found or {}).get(what))
