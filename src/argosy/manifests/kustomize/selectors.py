"""Which resources a patch or a replacement is for: regular expressions over group, version, kind, name and namespace, and selectors of labels and
annotations.

A name may be the one that a resource had in its own file, or the one that it has now.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from argosy.manifests.kustomize.identity import Gvk
from argosy.manifests.kustomize.kustomization import Selector
from argosy.manifests.kustomize.resource import Resource
from argosy.manifests.tree import SourceError

_REQUIREMENT = re.compile(
    r"""\s*(?:
        (?P<absent>!)\s*(?P<missing>[^\s!=,()<>]+)
      | (?P<key>[^\s!=,()<>]+)\s*(?:
            (?P<equals>==|=|!=)\s*(?P<value>[^\s!=,()<>]*)
          | (?P<set>in|notin)\s*\((?P<values>[^()]*)\)
          | (?P<compare>[<>])\s*(?P<number>-?\d+)
        )?
    )\s*(?:,|$)""",
    re.VERBOSE,
)


def selected(resources: Sequence[Resource], by: Selector) -> list[Resource]:
    for pattern in (by.group, by.version, by.kind, by.name, by.namespace):
        compiled(pattern)  # a bad one is an error even if nobody is there to be asked
    return [
        one
        for one in resources
        if _called(one, by)
        and matches_gvk(by, one.gvk)
        and meets(requirements(by.label_selector), one.texts("labels"))
        and meets(requirements(by.annotation_selector), one.texts("annotations"))
    ]


def _called(one: Resource, by: Selector) -> bool:
    now, first = one.id, one.first_id
    return (matches(by.namespace, first.scope) or matches(by.namespace, now.scope)) and (
        matches(by.name, first.name) or matches(by.name, now.name)
    )


def matches_gvk(by: Selector, gvk: Gvk) -> bool:
    return matches(by.group, gvk.group) and matches(by.version, gvk.version) and matches(by.kind, gvk.kind)


def matches(pattern: str, text: str) -> bool:
    """The whole text. An empty pattern says nothing."""
    return not pattern or compiled(pattern).fullmatch(text) is not None


@lru_cache(maxsize=512)
def compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(as_python(pattern))
    except re.error as error:
        raise SourceError(f"error parsing regexp: {error}: `{pattern}`") from error


_POSIX = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "digit": "0-9",
    "lower": "a-z",
    "upper": "A-Z",
    "space": r"\s",
    "word": r"\w",
    "xdigit": "0-9A-Fa-f",
    "punct": r"!-/:-@\[-`{-~",
}


def as_python(pattern: str) -> str:
    """Go's expressions are Python's but for the names of classes and the end of the text."""
    named = re.sub(r"\[:(\w+):\]", lambda found: _POSIX.get(found[1], found[0]), pattern)
    return named.replace(r"\z", r"\Z")


class Requirement:
    """One of the comma-separated parts of a selector."""

    def __init__(
        self, key: str, wanted: Iterable[str] | None, *, negated: bool, number: tuple[str, int] | None
    ) -> None:
        self.key, self.wanted, self.negated, self.number = key, wanted, negated, number

    def met(self, values: Mapping[str, str]) -> bool:
        value = values.get(self.key)
        if self.number is not None:
            return value is not None and _compared(value, *self.number)
        found = value is not None and (self.wanted is None or value in self.wanted)
        return found != self.negated


def _compared(value: str, operator: str, number: int) -> bool:
    try:
        return int(value) < number if operator == "<" else int(value) > number
    except ValueError:
        return False


@lru_cache(maxsize=512)
def requirements(selector: str) -> tuple[Requirement, ...]:
    found: list[Requirement] = []
    rest = selector.strip()
    while rest:
        part = _REQUIREMENT.match(rest)
        if part is None:
            raise SourceError(f"unable to parse requirement: {rest!r} of the selector {selector!r}")
        found.append(_requirement(part))
        rest = rest[part.end() :]
    return tuple(found)


def _requirement(part: re.Match[str]) -> Requirement:
    if part["absent"]:
        return Requirement(part["missing"], None, negated=True, number=None)
    if part["equals"]:
        return Requirement(part["key"], (part["value"],), negated=part["equals"] == "!=", number=None)
    if part["set"]:
        values = frozenset(one.strip() for one in part["values"].split(","))
        return Requirement(part["key"], values, negated=part["set"] == "notin", number=None)
    number = (part["compare"], int(part["number"])) if part["compare"] else None
    return Requirement(part["key"], None, negated=False, number=number)


def meets(wanted: Sequence[Requirement], values: Mapping[str, str]) -> bool:
    return all(one.met(values) for one in wanted)
