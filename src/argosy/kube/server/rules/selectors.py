"""The selectors of a request's query: `labelSelector=app in (a,b),!old` and `fieldSelector=status.phase!=Running`.

The API parses them once per request and asks `matches` for each object. What cannot be read raises `SelectorError`, with
upstream's words; which fields a kind has is said by its rules (`Rules.fields`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from argosy.kube.errors import ApiError, bad_request
from argosy.kube.server.rules.requirements import Requirement, SelectorError, parse
from argosy.kube.server.rules.wording import quoted


class LabelSelector(NamedTuple):
    requirements: tuple[Requirement, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        return all(one.holds(labels) for one in self.requirements)

    def __str__(self) -> str:
        return ",".join(str(one) for one in self.requirements)


class FieldTerm(NamedTuple):
    field: str
    value: str
    equal: bool


class FieldSelector(NamedTuple):
    terms: tuple[FieldTerm, ...] = ()

    def matches(self, fields: Mapping[str, str]) -> bool:
        return all((fields.get(one.field, "") == one.value) is one.equal for one in self.terms)

    def exact(self, field: str) -> str | None:
        """The one value that the field must have, for a quicker way to find it."""
        return next((one.value for one in self.terms if one.field == field and one.equal), None)


def label_selector(text: str) -> LabelSelector:
    found = parse(text)
    return LabelSelector(tuple(sorted(found, key=lambda one: one.key)))


def field_selector(text: str) -> FieldSelector:
    terms = [_term(part, text) for part in sorted(_split(text)) if part]
    return FieldSelector(tuple(terms))


def check_fields(
    selector: FieldSelector, known: Collection[str], *, namespaced: bool = True, custom: bool = False
) -> None:
    """400 for a field that cannot be asked. `known` is what the kind's rules name (`Rules.fields`); built-in kinds that name
    none know the name and the namespace, whether they have one or not."""
    allowed = {"metadata.name", *known}
    if namespaced or not (known or custom):
        allowed.add("metadata.namespace")
    for term in selector.terms:
        if term.field not in allowed:
            raise unknown_field(term.field, special=custom or bool(known))


def unknown_field(field: str, *, special: bool = False) -> ApiError:
    """`special`: of a kind with fields of its own."""
    if special:
        return bad_request(f"field label not supported: {field}")
    told = 'is not a known field selector: only "metadata.name", "metadata.namespace"'
    return bad_request(f"{quoted(field)} {told}")


def _split(text: str) -> list[str]:
    """At each comma that no backslash stands before."""
    parts, start, escaped = [], 0, False
    for index, one in enumerate(text):
        if escaped:
            escaped = False
        elif one == "\\":
            escaped = True
        elif one == ",":
            parts.append(text[start:index])
            start = index + 1
    return [*parts, text[start:]]


_operator: Callable[[str], re.Match[str] | None] = re.compile("!=|==|=").search


def _term(part: str, whole: str) -> FieldTerm:
    found = _operator(part)
    if found is None:
        raise SelectorError(f"invalid selector: '{whole}'; can't understand '{part}'")
    return FieldTerm(part[: found.start()], _unescaped(part[found.end() :]), found[0] != "!=")


def _unescaped(text: str) -> str:
    plain: list[str] = []
    escaped = False
    for one in text:
        if escaped:
            if one not in "\\,=":
                raise SelectorError(f"invalid field selector: invalid escape sequence: \\{one}")
            plain.append(one)
            escaped = False
        elif one == "\\":
            escaped = True
        elif one in ",=":
            raise SelectorError(f"invalid field selector: unescaped character in value: {ord(one)}")
        else:
            plain.append(one)
    if escaped:
        raise SelectorError("invalid field selector: invalid escape sequence: \\")
    return "".join(plain)


__all__ = [
    "FieldSelector",
    "FieldTerm",
    "LabelSelector",
    "Requirement",
    "SelectorError",
    "check_fields",
    "field_selector",
    "label_selector",
    "unknown_field",
]
