"""What a function of templates takes. Its annotations are Go's types: `int` takes no `Int64`, `object` takes everything.

`evaluator` brings each argument into the type that is asked for, or says as Go does why it cannot.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from argosy.domain.templates.values import NOTHING, Moment

Implementation: TypeAlias = Callable[..., object]
Map: TypeAlias = dict[str, object]
Raw: TypeAlias = object
"""As `object`, but told apart whether there is nothing at all."""

GO_NAMES = {
    "str": "string",
    "int": "int",
    "float": "float64",
    "bool": "bool",
    "Map": "map[string]interface {}",
    "Moment": "time.Time",
    "object": "interface {}",
    "Raw": "reflect.Value",
}
_ACCEPTED: dict[str, type] = {
    "str": str,
    "int": int,
    "float": float,
    "bool": bool,
    "Map": dict,
    "Moment": Moment,
}
_VARIADIC = 0x04


class Signature(NamedTuple):
    fixed: tuple[str, ...]
    rest: str | None

    def type_at(self, index: int) -> str:
        return self.fixed[index] if index < len(self.fixed) else self.rest or "object"


@lru_cache(maxsize=1024)
def signature(function: Implementation) -> Signature:
    plain = getattr(function, "__func__", function)
    code, said = plain.__code__, plain.__annotations__
    names = [*code.co_varnames[: code.co_argcount]]
    if plain is not function:  # bound: what it is bound to is nobody's argument
        names = names[1:]
    rest = code.co_varnames[code.co_argcount] if code.co_flags & _VARIADIC else None
    return Signature(tuple(said[name] for name in names), said[rest] if rest else None)


def accepts(kind: str, value: object) -> bool:
    if kind in {"object", "Raw"}:
        return True
    return type(value) is _ACCEPTED[kind]


def nothing_as(kind: str) -> object:
    """What stands for nothing at all where this is asked for. `NotImplemented`: it cannot."""
    match kind:
        case "Raw":
            return NOTHING
        case "object":
            return None
        case "Map":
            return {}
    return NotImplemented
