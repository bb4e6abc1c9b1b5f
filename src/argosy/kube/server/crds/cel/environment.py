"""The library behind CEL (`cel-expr-python`, Google's own implementation), loaded when the first rule is met.

Its errors come in upstream's words, because both are made from one grammar. What differs otherwise is put right here: how it says
what went wrong while an expression ran, and `oldSelf` as something that may be missing, for which it has no way in from outside.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, Final, Protocol

from argosy.kube.server.crds.cel import tree
from argosy.kube.server.crds.cel.tree import Tree

ABSENT: Final = object()
_EXTENSIONS: Final = """
extensions:
- name: optional
- name: two-var-comprehensions
- name: strings
  version: 2
- name: lists
- name: sets
"""
_BINDINGS: Final = "- name: bindings\n"
_HAD, _WAS = "argosy_had", "argosy_was"
_BEFORE: Final = f"cel.bind(oldSelf, {_HAD} ? optional.of({_WAS}) : optional.none(),\n"
_LINE = re.compile(r"(?<=<input>:)(\d+)")
_MISSING_KEY = re.compile(r'Key not found in map : "(.*)"', re.DOTALL)
_MISSING_ITEM = re.compile(r"Index error: index=(-?\d+)")


class Mistake(Exception):
    """The expression cannot be compiled."""


class Failure(Exception):
    """It could be, and then went wrong; the text is upstream's."""


class TooCostly(Exception):
    """It went round more often than the library allows."""


class _Type(Protocol):
    def name(self) -> str: ...


class _Value(Protocol):
    def type(self) -> _Type: ...
    def value(self) -> Any: ...


class _Expression(Protocol):
    def eval(self, *, data: Mapping[str, object]) -> _Value: ...
    def return_type(self) -> _Type: ...
    def serialize(self) -> bytes: ...


class _Env(Protocol):
    def compile(self, expression: str) -> _Expression: ...


class Program:
    """A compiled expression."""

    __slots__ = ("_expression", "_optional", "result", "tree")

    def __init__(self, expression: _Expression, *, optional: bool) -> None:
        self._expression, self._optional = expression, optional
        self.result: str = _ANY.get(expression.return_type().name(), expression.return_type().name().lower())
        self.tree: Tree = tree.read(expression.serialize())
        if optional and isinstance(self.tree, tree.Loop):
            self.tree = self.tree.result  # without what is put around it

    def run(self, value: object, old: object) -> object:
        """What it becomes, if that is true, false or a text; `old` may be `ABSENT`."""
        data: dict[str, object] = {"self": value}
        if self._optional:
            data |= {_HAD: old is not ABSENT, _WAS: None if old is ABSENT else old}
        elif old is not ABSENT:
            data["oldSelf"] = old
        try:
            found = self._expression.eval(data=data)
        except RuntimeError as error:
            if "Iteration budget exceeded" in str(error):
                raise TooCostly from None
            raise Failure(_worded(str(error))) from None
        match found.type().name():
            case "BOOL" | "STRING":
                result: object = found.value()
                return result
            case "ERROR":
                raise Failure(_worded(str(found.value())))
        return None


_ANY = {"DYN": "dyn"}


@lru_cache(maxsize=1024)
def program(text: str, kind: str, *, optional: bool = False) -> Program:
    """`kind`: the type of `self`, as `types.type_of` names it. Raises `Mistake` with the library's words."""
    env = _environment(kind, optional=optional)
    try:
        made = env.compile(f"{_BEFORE}{text}\n)" if optional else text)
    except RuntimeError as error:
        told = str(error).removeprefix("INVALID_ARGUMENT: ")
        told = re.sub(r" \[[A-Z_]+\]$", "", told)
        raise Mistake(_LINE.sub(lambda found: str(int(found[0]) - 1), told) if optional else told) from None
    return Program(made, optional=optional)


@lru_cache(maxsize=64)
def _environment(kind: str, *, optional: bool) -> _Env:
    from argosy.kube.server.crds.cel.functions import declared

    cel = library()
    own = _type(kind)
    names = {"self": own, _HAD: cel.Type.BOOL, _WAS: own} if optional else {"self": own, "oldSelf": own}
    made: _Env = cel.NewEnv(
        config=cel.NewEnvConfigFromYaml(_EXTENSIONS + (_BINDINGS if optional else "")),
        variables=names,
        functions=declared(cel),
    )
    return made


@cache
def library() -> Any:
    """25 MB that only clusters with rules need."""
    return importlib.import_module("cel_expr_python.cel")


def _type(kind: str) -> object:
    types = library().Type
    if kind.startswith("list<"):
        return types.List(_type(kind[5:-1]))
    if kind.startswith("map<"):
        return types.Map(types.STRING, _type(kind[len("map<string, ") : -1]))
    if kind == "object":
        return types.Map(types.STRING, types.DYN)
    return getattr(types, kind.upper())


def _worded(text: str) -> str:
    text = re.sub(r"^[A-Z_]+: ", "", re.sub(r" \[[A-Z_]+\]$", "", text))
    if found := _MISSING_KEY.fullmatch(text):
        return f"no such key: {found[1]}"
    if found := _MISSING_ITEM.match(text):
        return f"index out of bounds: {found[1]}"
    if text.startswith(("No matching overloads", "Applying SELECT to non-message")):
        return "no such overload"
    return {"divide by zero": "division by zero"}.get(text, text)
