"""What pipelines answer: fields, variables, functions and their arguments, with Go's errors. `evaluator` walks the statements around them.

Nothing here looks at an attribute of a value: a field is a key of a map, and methods stand in a table of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias

from argosy.domain.templates import budget
from argosy.domain.templates.calling import (
    GO_NAMES,
    Implementation,
    Raw,
    accepts,
    nothing_as,
    signature,
)
from argosy.domain.templates.errors import FunctionError, TemplateError, cure_for
from argosy.domain.templates.methods import METHODS
from argosy.domain.templates.nodes import (
    Bool,
    Branch,
    Chain,
    Command,
    Dot,
    Field,
    Function,
    Leave,
    Nil,
    Number,
    Operand,
    Pipe,
    Plain,
    Range,
    Statement,
    Text,
    Tree,
    Variable,
)
from argosy.domain.templates.quoting import quoted
from argosy.domain.templates.values import NOTHING, StringMap, octets, truth, type_of

Missing: TypeAlias = Literal["default", "zero", "error"]
_ABSENT = object()
"""No argument comes through the pipe."""


class Pipelines:
    """One walk over one template. `_node` is what Go would blame when something is wrong now."""

    def __init__(self, tree: Tree, functions: Mapping[str, Implementation], missing: Missing) -> None:
        self._tree, self._functions, self._missing = tree, functions, missing
        self._name = tree.name
        self._node: object = None
        self._at = -1
        self._variables: list[tuple[str, object]] = []
        self._loose = False  # the dot is an item of a list or map that holds anything

    def _pipe(self, dot: object, pipe: Pipe) -> object:
        self._look_at(pipe)
        value: object = _ABSENT
        for command in pipe.commands:
            value = self._command(dot, command, value)
            if value is None:
                value = NOTHING
        for variable in pipe.declares:
            if pipe.assigns:
                self._set(variable.names[0], value)
            else:
                self._variables.append((variable.names[0], value))
        return value

    def _command(self, dot: object, command: Command, final: object) -> object:
        budget.spend()
        first, args = command.args[0], command.args[1:]
        match first:
            case Field():
                self._look_at(first)
                return self._fields(dot, dot, first.names, args, final)
            case Chain():
                return self._chain(dot, first, args, final)
            case Function():
                return self._function(dot, first, command, args, final)
            case Pipe():
                self._no_arguments(command, final)
                return self._pipe(dot, first)
            case Variable():
                return self._variable(dot, first, args, final)
        self._look_at(first)
        self._no_arguments(command, final)
        if isinstance(first, Nil):
            raise self._failure("nil is not a command")
        return self._literal(dot, first)

    def _no_arguments(self, command: Command, final: object) -> None:
        if len(command.args) > 1 or final is not _ABSENT:
            raise self._failure(f"can't give argument to non-function {command.args[0]}")

    def _literal(self, dot: object, node: Operand) -> object:
        match node:
            case Dot():
                return dot
            case Bool() | Text():
                return node.value
            case Number():
                if node.ideal is None:
                    self._look_at(node)
                    raise self._failure(f"{node.text} overflows int")
                return node.ideal
        return NOTHING

    def _chain(self, dot: object, chain: Chain, args: Sequence[Operand], final: object) -> object:
        self._look_at(chain)
        inner = chain.inner
        value = self._pipe(dot, inner) if isinstance(inner, Pipe) else self._argument(dot, "Raw", inner)
        return self._fields(dot, value, chain.names, args, final)

    def _variable(self, dot: object, node: Variable, args: Sequence[Operand], final: object) -> object:
        self._look_at(node)
        value = next((held for name, held in reversed(self._variables) if name == node.names[0]), NOTHING)
        if len(node.names) == 1:
            if args or final is not _ABSENT:
                raise self._failure(f"can't give argument to non-function {node}")
            return value
        return self._fields(dot, value, node.names[1:], args, final)

    def _set(self, name: str, value: object) -> None:
        for at in range(len(self._variables) - 1, -1, -1):
            if self._variables[at][0] == name:
                self._variables[at] = (name, value)
                return
        raise self._failure(f"undefined variable: {name}", cure="declare it with :=")

    def _fields(
        self, dot: object, receiver: object, names: Sequence[str], args: Sequence[Operand], final: object
    ) -> object:
        """The arguments are for the last one, if it is a method."""
        wrapped = self._loose and receiver is dot
        for at, name in enumerate(names):
            last = at == len(names) - 1
            inside = type(receiver) is dict
            receiver = self._field(
                dot, receiver, name, args if last else (), final if last else _ABSENT, wrapped=wrapped
            )
            wrapped = inside
        return receiver

    def _field(
        self,
        dot: object,
        receiver: object,
        name: str,
        args: Sequence[Operand],
        final: object,
        *,
        wrapped: bool,
    ) -> object:
        if receiver is NOTHING:
            if self._missing == "error":
                raise self._failure(f"nil data; no entry for key {quoted(name)}")
            return NOTHING
        if receiver is None:
            raise self._failure(f"nil pointer evaluating interface {{}}.{name}")
        if (method := METHODS.get(type(receiver), {}).get(name)) is not None:
            held = receiver
            return self._apply(
                dot, name, lambda *given: method(held, *given), args, final, signature(method).fixed[1:], None
            )
        if isinstance(receiver, dict):
            if args or final is not _ABSENT:
                raise self._failure(f"{name} is not a method but has arguments")
            if name in receiver:
                return receiver[name]
            return self._missing_key(receiver, name)
        raise self._failure(
            f"can't evaluate field {name} in type {'interface {}' if wrapped else type_of(receiver)}"
        )

    def _missing_key(self, receiver: dict[str, object], name: str) -> object:
        if self._missing == "error":
            raise self._failure(f"map has no entry for key {quoted(name)}")
        if self._missing == "zero":
            return "" if isinstance(receiver, StringMap) else None
        return NOTHING

    def _function(
        self, dot: object, node: Function, place: Command | Function, args: Sequence[Operand], final: object
    ) -> object:
        self._look_at(node)
        if node.name in {"and", "or"}:
            return self._logic(dot, node, args, final)
        if node.name == "call" and args:
            value = self._argument(dot, "Raw", args[0])
            self._look_at(place)
            raise self._failure(f"error calling call: non-function {args[0]} of type {type_of(value)}")
        function = self._functions[node.name]
        fixed, rest = signature(function)
        return self._apply(dot, node.name, function, args, final, fixed, rest, place=place)

    def _logic(self, dot: object, node: Function, args: Sequence[Operand], final: object) -> object:
        if not args and final is _ABSENT:
            raise self._failure(f"wrong number of args for {node.name}: want at least 1 got 0")
        value: object = NOTHING
        for arg in args:
            value = self._argument(dot, "Raw", arg)
            if truth(value) is (node.name == "or"):
                return value
        return value if final is _ABSENT else final

    def _apply(
        self,
        dot: object,
        name: str,
        function: Callable[..., object],
        args: Sequence[Operand],
        final: object,
        fixed: Sequence[str],
        rest: str | None,
        *,
        place: Command | Function | None = None,
    ) -> object:
        given = len(args) + (final is not _ABSENT)
        if rest is not None and given < len(fixed):
            raise self._failure(
                f"wrong number of args for {name}: want at least {len(fixed)} got {len(args)}"
            )
        if rest is None and given != len(fixed):
            raise self._failure(f"wrong number of args for {name}: want {len(fixed)} got {given}")
        kinds = [fixed[at] if at < len(fixed) else rest or "object" for at in range(given)]
        values = [self._argument(dot, kind, arg) for kind, arg in zip(kinds, args, strict=False)]
        if final is not _ABSENT:
            values.append(self._typed(final, kinds[-1]))
        try:
            return _measured(function(*values))
        except FunctionError as error:
            if place is not None:
                self._look_at(place)
            raise self._failure(f"error calling {name}: {error}") from error

    def _argument(self, dot: object, kind: str, node: Operand) -> object:
        self._look_at(node)
        match node:
            case Dot():
                return self._typed(dot, kind)
            case Nil():
                if (nothing := nothing_as(kind)) is NotImplemented:
                    raise self._failure(f"cannot assign nil to {GO_NAMES[kind]}")
                return nothing
            case Field():
                return self._typed(self._fields(dot, dot, node.names, (), _ABSENT), kind)
            case Variable():
                return self._typed(self._variable(dot, node, (), _ABSENT), kind)
            case Pipe():
                return self._typed(self._pipe(dot, node), kind)
            case Function():
                return self._typed(self._function(dot, node, node, (), _ABSENT), kind)
            case Chain():
                return self._typed(self._chain(dot, node, (), _ABSENT), kind)
        return self._constant(dot, kind, node)

    def _constant(self, dot: object, kind: str, node: Bool | Number | Text) -> object:
        match kind, node:
            case "bool", Bool(value=value):
                return value
            case "str", Text(value=value):
                return value
            case "int", Number(whole=int(whole)):
                return whole
            case "float", Number(real=float(real)):
                return real
            case (("object" | "Raw"), _):
                return self._literal(dot, node)
        wanted = {"bool": "bool", "str": "string", "int": "integer", "float": "float"}.get(kind)
        if wanted is None:
            raise self._failure(f"can't handle {node} for arg of type {GO_NAMES[kind]}")
        raise self._failure(f"expected {wanted}; found {node}")

    def _typed(self, value: object, kind: str) -> object:
        if value is NOTHING:
            if (nothing := nothing_as(kind)) is NotImplemented:
                raise self._failure(f"invalid value; expected {GO_NAMES[kind]}")
            return nothing
        if not accepts(kind, value):
            raise self._failure(f"wrong type for value; expected {GO_NAMES[kind]}; got {type_of(value)}")
        return value

    def _look_at(self, node: Statement | Operand | Command) -> None:
        self._node, self._at = node, node.at

    def _failure(self, cause: str, *, cure: str = "") -> TemplateError:
        before = self._tree.source[: max(self._at, 0)]
        line, start = before.count("\n") + 1, before.rfind("\n") + 1
        column = len(octets(before[start:]))
        place = f"{self._tree.name}:{line}:{column}"
        told = f"template: {place}: executing {quoted(self._name)} at <{_short(self._node)}>: {cause}"
        return TemplateError(
            told, name=self._tree.name, line=line, column=column, cause=cause, cure=cure or cure_for(cause)
        )


def _measured(value: Raw) -> object:
    if isinstance(value, str):
        budget.text_of(len(value))
    elif isinstance(value, dict | list):
        budget.items_of(len(value))
    return value


def _short(node: object) -> str:
    if isinstance(node, Branch | Range | Plain | Leave):
        word = (
            node.word if isinstance(node, Branch | Leave) else "range" if isinstance(node, Range) else "text"
        )
        return f"{{{{{word}}}}}"
    return str(node)
