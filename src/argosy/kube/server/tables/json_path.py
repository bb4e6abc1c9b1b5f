"""The JSONPath of printer columns, as Kubernetes reads it: `.status.conditions[?(@.type=="Ready")].status`.

`custom` finds cells with it and `crds` refuses columns that cannot be read. A path is a chain of steps; each takes the values
found so far and answers those one step further.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

Values: TypeAlias = list[Any]
Step: TypeAlias = Callable[[Values], Values]

_STOPS = frozenset(" \t\r\n.,[]$@{}")
_KEY = re.compile(r"'([^']*)'")
_SLICE = re.compile(r"(-?\d*)(:-?\d*)?(:-?\d*)?")
_COMPARISON = re.compile(r"([^!<>=]+)([!<>=]+)(.+)", re.DOTALL)
_NUMBER = re.compile(r"[+-]?[.\d]*")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}


class PathError(ValueError):
    """A path that cannot be read, or that does not fit the value."""


class JsonPath:
    def __init__(self, text: str) -> None:
        self._steps = _Parser(text + "}").steps()

    def find(self, value: object) -> Values:
        """Everything that it leads to. `PathError` when it asks a list of what is none, or beyond its end."""
        return _walk(self._steps, [value])


def _walk(steps: list[Step], values: Values) -> Values:
    for step in steps:
        values = step(values)
    return values


class _Parser:
    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0

    def steps(self) -> list[Step]:
        found: list[Step] = []
        while not self._text.startswith("}", self._at):
            step = self._step(found)
            if step is not None:
                found.append(step)
        return found

    def _step(self, before: list[Step]) -> Step | None:
        if self._text.startswith("[?(", self._at):
            return self._filter()
        if self._text.startswith("..", self._at):
            return self._recursive(before)
        char = self._next()
        match char:
            case "" | "\r" | "\n":
                raise PathError("unclosed action")
            case " " | "@" | "$":
                return None
            case "[":
                return self._brackets(before)
            case '"' | "'":
                return _constant(self._quoted(char))
            case ".":
                return self._field()
        self._at -= 1
        if char in "+-" or char.isdigit():
            return self._number()
        if char == "_" or char.isalpha():
            return self._word()
        raise PathError(f"unrecognized character in action: U+{ord(char):04X} {char!r}")

    def _next(self) -> str:
        char = self._text[self._at : self._at + 1]
        self._at += len(char)
        return char

    def _until_stop(self) -> str:
        found = ""
        while char := self._next():
            if char == "\\":
                found += self._next()
            elif char in _STOPS:
                self._at -= 1
                break
            else:
                found += char
        return found

    def _field(self) -> Step:
        name = self._until_stop()
        return _every if name == "*" else _member(name)

    def _recursive(self, before: list[Step]) -> Step:
        if before and before[-1] is _descend:
            raise PathError("invalid multiple recursive descent")
        self._at += 2
        if self._text[self._at : self._at + 1].replace("_", "a").isalnum():
            # The name of a field may follow without another dot.
            self._text, self._at = "." + self._text[self._at :], 0
        return _descend

    def _word(self) -> Step:
        word = self._until_stop()
        return _constant(word == "true") if word in {"true", "false"} else _refuse(word)

    def _number(self) -> Step:
        found = _NUMBER.match(self._text, self._at)
        text = found[0] if found else ""
        self._at += len(text)
        try:
            return _constant(int(text) if "." not in text else float(text))
        except ValueError:
            raise PathError(f"cannot parse number {text}") from None

    def _quoted(self, quote: str) -> str:
        found = ""
        while char := self._next():
            if char == quote:
                return found
            if char == "\n":
                break
            if char == "\\":
                escaped = self._next()
                char = _ESCAPES.get(escaped, escaped)
            found += char
        raise PathError("unterminated quoted string")

    def _brackets(self, before: list[Step]) -> Step | None:
        end = self._text.find("]", self._at)
        if end < 0 or "\n" in self._text[self._at : end]:
            raise PathError("unterminated array")
        inside, self._at = self._text[self._at : end], end + 1
        if "," in inside:
            return _union([_Parser(f"[{one.strip(' ')}]}}").steps() for one in inside.split(",")])
        key = _KEY.fullmatch(inside)
        if key is not None:
            before += _Parser(f".{key[1]}}}").steps()
            return None
        return _part(":" if inside == "*" else inside)

    def _filter(self) -> Step:
        self._at += 3
        start = self._at
        self._skip_condition()
        text = self._text[start : self._at - 1]
        if self._next() != "]":
            raise PathError("unclosed array expect ]")
        comparison = _COMPARISON.fullmatch(text)
        if comparison is None:
            return _existing(_Parser(text + "}").steps())
        left, operator, right = comparison.groups()
        return _compared(_Parser(left + "}").steps(), operator, _Parser(right + "}").steps())

    def _skip_condition(self) -> None:
        """To behind its closing bracket; one inside a quoted text is none."""
        opened = closed = ""
        while char := self._next():
            if char == "\n":
                break
            if char in "\"'" and not opened:
                opened = char
            elif char == opened and self._text[self._at - 2] != "\\":
                closed = char
            elif char == ")" and opened == closed:
                return
        raise PathError("unterminated filter")


def _constant(value: object) -> Step:
    return lambda values: [value for _ in values]


def _refuse(word: str) -> Step:
    def step(_: Values) -> Values:
        raise PathError(f"unrecognized identifier {word}")

    return step


def _member(name: str) -> Step:
    return lambda values: [one[name] for one in values if type(one) is dict and name in one]


def _every(values: Values) -> Values:
    return [inner for one in values for inner in _inside(one)]


def _descend(values: Values) -> Values:
    found: Values = []
    for one in values:
        if inner := list(_inside(one)):
            found += [one, *_descend(inner)]
    return found


def _inside(value: object) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _union(paths: list[list[Step]]) -> Step:
    return lambda values: [one for steps in paths for one in _walk(steps, values)]


def _part(text: str) -> Step:
    """`[2]`, `[-1]`, `[1:3]`, `[::2]`."""
    found = _SLICE.fullmatch(text)
    if found is None:
        raise PathError(f"invalid array index {text}")
    try:
        start, end, step = (
            int(one.removeprefix(":")) if one and one != ":" else None for one in found.groups()
        )
    except ValueError:
        raise PathError(f"array index {text} is not a number") from None
    single = found[2] is None

    def take(values: Values) -> Values:
        return [
            inner
            for one in values
            if one is not None
            for inner in _slice(one, start, end, step, single=single)
        ]

    return take


def _slice(value: object, start: int | None, end: int | None, step: int | None, *, single: bool) -> Values:
    if not isinstance(value, list):
        raise PathError("not a list")
    size = len(value)
    first = start or 0
    last = first + 1 if single else size if end is None else end
    if first < 0:
        first += size
    if last < 0 or (single and last == 0):
        last += size
    if first == last:
        return []
    if not 0 <= first < size or not 0 <= last <= size or first > last:
        raise PathError("array index out of bounds")
    if step is not None and step <= 0:
        raise PathError("step must be > 0")
    return value[first : last : step or 1]


def _existing(steps: list[Step]) -> Step:
    def keep(values: Values) -> Values:
        return [one for one in _items(values) if _found(steps, one)]

    return keep


def _found(steps: list[Step], value: object) -> bool:
    try:
        return bool(_walk(steps, [value]))
    except PathError:
        return True  # upstream looks at what it had before the mistake


def _compared(left: list[Step], operator: str, right: list[Step]) -> Step:
    def keep(values: Values) -> Values:
        kept: Values = []
        for item in _items(values):
            lefts, rights = _walk(left, [item]), _walk(right, [item])
            if len(lefts) > 1 or len(rights) > 1:
                raise PathError("can only compare one element at a time")
            if lefts and rights and _holds(lefts[0], operator, rights[0]):
                kept.append(item)
        return kept

    return keep


def _items(values: Values) -> Iterator[Any]:
    for one in values:
        if not isinstance(one, list):
            raise PathError("not a list and cannot be filtered")
        yield from one


def _holds(left: Any, operator: str, right: Any) -> bool:
    if type(left) is not type(right) or not isinstance(left, bool | int | float | str):
        raise PathError("incompatible types for comparison")
    if operator in {"==", "!="}:
        return bool(left == right) is (operator == "==")
    if isinstance(left, bool):
        raise PathError("invalid type for comparison")
    match operator:
        case "<":
            return bool(left < right)
        case ">":
            return bool(left > right)
        case "<=":
            return bool(left <= right)
        case ">=":
            return bool(left >= right)
    raise PathError(f"unrecognized filter operator {operator}")
