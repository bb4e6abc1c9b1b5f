"""The requirements that a label selector in a request's query consists of (`app in (a,b),!old`); `selectors` calls it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from argosy.kube.server.rules import formats
from argosy.kube.server.rules.wording import invalid

_BINARY: Final = "in, notin, =, ==, !=, gt, lt"
_SYMBOLS: Final = "=!(),><"
_SPACES: Final = " \t\r\n"
_TOKENS: Final = frozenset({")", ",", "!", "==", "=", ">", "<", "!=", "("})
_END: Final = ""


class SelectorError(ValueError):
    """What is wrong with a selector. The API answers it as a 400."""


class Requirement(NamedTuple):
    key: str
    operator: str
    """`in`, `notin`, `=`, `==`, `!=`, `exists`, `!`, `gt`, `lt`."""
    values: tuple[str, ...] = ()

    def holds(self, labels: Mapping[str, str]) -> bool:
        found = labels.get(self.key)
        match self.operator:
            case "in" | "=" | "==":
                return found in self.values
            case "notin" | "!=":
                return found not in self.values
            case "exists":
                return found is not None
            case "!":
                return found is None
        return found is not None and _compared(found, self.values[0], self.operator)

    def __str__(self) -> str:
        match self.operator:
            case "exists":
                return self.key
            case "!":
                return f"!{self.key}"
            case "in" | "notin":
                return f"{self.key} {self.operator} ({','.join(sorted(self.values))})"
        return f"{self.key}{ {'gt': '>', 'lt': '<'}.get(self.operator, self.operator) }{self.values[0]}"


def parse(text: str) -> list[Requirement]:
    return _Parser(_tokens(text)).selector()


def _compared(found: str, wanted: str, operator: str) -> bool:
    left, right = _integer(found), _integer(wanted)
    if left is None or right is None:
        return False
    return left > right if operator == "gt" else left < right


_is_integer = re.compile(r"[+-]?[0-9]{1,19}").fullmatch


def _integer(text: str) -> int | None:
    if not _is_integer(text):
        return None
    found = int(text)
    return found if -(2**63) <= found < 2**63 else None


def _tokens(text: str) -> list[tuple[str, str]]:
    """(kind, literal): the kind is the symbol itself, `id`, `in`, `notin`, `error`, or the end."""
    found: list[tuple[str, str]] = []
    at = 0
    while at < len(text):
        one = text[at]
        if one in _SPACES:
            at += 1
        elif one == "\0":
            break
        elif one in _SYMBOLS:
            end = at + 2 if text[at : at + 2] in _TOKENS else at + 1
            found.append((text[at:end], text[at:end]))
            at = end
        else:
            end = at
            while end < len(text) and text[end] not in _SYMBOLS and text[end] not in _SPACES:
                end += 1
            literal = text[at:end]
            found.append((literal if literal in {"in", "notin"} else "id", literal))
            at = end
    return [*found, (_END, "")]


class _Parser:
    """Reads requirements off a list of tokens. Where a value may stand, `in` and `notin` are plain words."""

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self._tokens = tokens
        self._at = 0

    def selector(self) -> list[Requirement]:
        found: list[Requirement] = []
        while True:
            kind, literal = self._peek()
            if kind == _END:
                return found
            if kind not in {"id", "!"}:
                raise SelectorError(f"found '{literal}', expected: !, identifier, or 'end of string'")
            try:
                found.append(self._requirement())
            except SelectorError as error:
                raise SelectorError(f"unable to parse requirement: {error}") from None
            kind, literal = self._next()
            if kind == _END:
                return found
            if kind != ",":
                raise SelectorError(f"found '{literal}', expected: ',' or 'end of string'")
            kind, literal = self._peek()
            if kind not in {"id", "!"}:
                raise SelectorError(f"found '{literal}', expected: identifier after ','")

    def _requirement(self) -> Requirement:
        kind, literal = self._next()
        absent = kind == "!"
        if absent:
            kind, literal = self._next()
        if kind != "id":
            raise SelectorError(f"found '{literal}', expected: identifier")
        if told := formats.qualified_name(literal):
            raise SelectorError(_wrong("<nil>", literal, told))
        if absent:
            return Requirement(literal, "!")
        if self._peek()[0] in {_END, ","}:
            return Requirement(literal, "exists")
        operator = self._operator()
        values = self._values() if operator in {"in", "notin"} else self._value()
        return _checked(Requirement(literal, operator, tuple(sorted(set(values)))))

    def _operator(self) -> str:
        kind, literal = self._next(plain=False)
        if kind in {"in", "notin", "=", "==", "!="}:
            return kind
        if kind in {">", "<"}:
            return "gt" if kind == ">" else "lt"
        raise SelectorError(f"found '{literal}', expected: {_BINARY}")

    def _value(self) -> list[str]:
        if self._peek()[0] in {_END, ","}:
            return [""]
        kind, literal = self._next()
        if kind != "id":
            raise SelectorError(f"found '{literal}', expected: identifier")
        return [literal]

    def _values(self) -> list[str]:
        kind, literal = self._next()
        if kind != "(":
            raise SelectorError(f"found '{literal}' expected: '('")
        kind, literal = self._peek()
        if kind == ")":
            self._next()
            return [""]
        if kind not in {"id", ","}:
            raise SelectorError(f"found '{literal}', expected: ',', ')' or identifier")
        found = self._identifiers()
        if self._next()[0] != ")":
            raise SelectorError(f"found '{literal}', expected: ')'")
        return found

    def _identifiers(self) -> list[str]:
        found: list[str] = []
        while True:
            kind, literal = self._next()
            if kind == "id":
                found.append(literal)
                kind, literal = self._peek()
                if kind == ")":
                    return found
                if kind != ",":
                    raise SelectorError(f"found '{literal}', expected: ',' or ')'")
            elif kind == ",":
                found += [] if found else [""]
                following = self._peek()[0]
                if following in {")", ","}:
                    found.append("")
                if following == ")":
                    return found
            else:
                raise SelectorError(f"found '{literal}', expected: ',', or identifier")

    def _peek(self) -> tuple[str, str]:
        kind, literal = self._tokens[self._at]
        return ("id", literal) if kind in {"in", "notin"} else (kind, literal)

    def _next(self, *, plain: bool = True) -> tuple[str, str]:
        kind, literal = self._tokens[min(self._at, len(self._tokens) - 1)]
        self._at = min(self._at + 1, len(self._tokens) - 1)
        return ("id", literal) if plain and kind in {"in", "notin"} else (kind, literal)


def _checked(one: Requirement) -> Requirement:
    told: list[str] = []
    if one.operator in {"gt", "lt"} and _integer(one.values[0]) is None:
        message = "for 'Gt', 'Lt' operators, the value must be an integer"
        told.append(_wrong("values[0]", one.values[0], (message,)))
    for index, value in enumerate(one.values):
        if messages := formats.label_value(value):
            told.append(_wrong(f"values[{index}][{one.key}]", value, messages))
    if told:
        raise SelectorError(told[0] if len(told) == 1 else f"[{', '.join(told)}]")
    return one


def _wrong(field: str, value: str, messages: tuple[str, ...]) -> str:
    cause = invalid(field, value, "; ".join(messages))
    return f"{cause.field}: {cause.message}"
