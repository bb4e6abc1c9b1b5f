"""An expression as a tree. The library hands a compiled one out as a protobuf message (`cel.expr.CheckedExpr`); this reads it, so
that `reading` can tell what it speaks of and `cost` how long it takes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from argosy.kube.server.protobuf import wire_format


@dataclass(frozen=True, slots=True)
class Literal:
    place: int
    size: int
    text: str | None = None
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Name:
    place: int
    name: str


@dataclass(frozen=True, slots=True)
class Select:
    """`place` of each node is an index into the source, in characters, where the library says one."""

    place: int
    operand: Tree
    field: str


@dataclass(frozen=True, slots=True)
class Apply:
    """A function or operator; a method's target is its first argument."""

    place: int
    function: str
    arguments: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Several:
    """The items of a list, or the keys and values of a map."""

    place: int
    parts: tuple[Tree, ...]
    is_list: bool


@dataclass(frozen=True, slots=True)
class Loop:
    """What the macros become (`all`, `map`, `bind`…): `step` makes of the result so far and one item of `over` the next result."""

    place: int
    names: tuple[str, ...]
    over: Tree
    so_far: str
    start: Tree
    condition: Tree
    step: Tree
    result: Tree


Tree: TypeAlias = Literal | Name | Select | Apply | Several | Loop
_Fields: TypeAlias = list[tuple[int, int | bytes]]


def read(packed: bytes) -> Tree:
    """Of what `Expression.serialize` answers: the message inside an envelope that names its type."""
    checked = list(wire_format.fields(_bytes(_last(list(wire_format.fields(packed)), 2))))
    source = list(wire_format.fields(_bytes(_last(checked, 5))))
    places: dict[int, int] = {}
    for number, entry in source:
        if number == 4:
            pair = dict(wire_format.fields(_bytes(entry)))
            places[_int(pair.get(1, 0))] = _int(pair.get(2, 0))
    return _Reader(places).node(_bytes(_last(checked, 4)))


class _Reader:
    def __init__(self, places: dict[int, int]) -> None:
        self._places = places

    def node(self, packed: bytes) -> Tree:
        found = list(wire_format.fields(packed))
        place = self._places.get(_int(_last(found, 2, 0)), 0)
        kind, content = next(((kind, value) for kind, value in found if kind != 2), (3, b""))
        inner = list(wire_format.fields(_bytes(content)))
        match kind:
            case 4:
                return Name(place, _text(inner, 1))
            case 5:
                return Select(place, self._at(inner, 1), _text(inner, 2))
            case 6:
                given = tuple(self._each(inner, 1)) + tuple(self._each(inner, 3))
                return Apply(place, _text(inner, 2), given)
            case 7:
                return Several(place, tuple(self._each(inner, 1)), is_list=True)
            case 8:
                return Several(place, tuple(self._entries(inner)), is_list=False)
            case 9:
                return self._loop(place, inner)
        return _literal(place, inner)

    def _at(self, found: _Fields, number: int) -> Tree:
        return self.node(_bytes(_last(found, number)))

    def _each(self, found: _Fields, number: int) -> Iterator[Tree]:
        return (self.node(_bytes(value)) for one, value in found if one == number)

    def _entries(self, found: _Fields) -> Iterator[Tree]:
        for number, entry in found:
            if number == 2:
                inner = list(wire_format.fields(_bytes(entry)))
                yield from self._each(inner, 3)
                yield from self._each(inner, 4)

    def _loop(self, place: int, found: _Fields) -> Loop:
        names = tuple(name for name in (_text(found, 1), _text(found, 8)) if name)
        return Loop(
            place,
            names,
            over=self._at(found, 2),
            so_far=_text(found, 3),
            start=self._at(found, 4),
            condition=self._at(found, 5),
            step=self._at(found, 6),
            result=self._at(found, 7),
        )


def _literal(place: int, found: _Fields) -> Literal:
    for number, value in found:
        if number == 6:
            return Literal(place, len(_bytes(value)), _bytes(value).decode())
        if number == 3 and isinstance(value, int):
            return Literal(place, 8, number=wire_format.signed(value))
        if isinstance(value, bytes):
            return Literal(place, len(value))
    return Literal(place, 8)


def _last(found: _Fields, number: int, missing: int | bytes = b"") -> int | bytes:
    return next((value for one, value in reversed(found) if one == number), missing)


def _text(found: _Fields, number: int) -> str:
    return _bytes(_last(found, number)).decode()


def _bytes(value: int | bytes) -> bytes:
    return value if isinstance(value, bytes) else b""


def _int(value: int | bytes) -> int:
    return value if isinstance(value, int) else 0
