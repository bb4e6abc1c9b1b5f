"""One rule of `x-kubernetes-validations`: read against the schema that it stands in, compiled, and run on values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from argosy.kube.objects import Object
from argosy.kube.server.crds.cel import cost, environment
from argosy.kube.server.crds.cel.cost import Cost, TooLarge
from argosy.kube.server.crds.cel.environment import ABSENT, Failure, Mistake, Program, TooCostly
from argosy.kube.server.crds.cel.functions import MISSING
from argosy.kube.server.crds.cel.reading import OLD_SELF, SELF, Read, part_of, read
from argosy.kube.server.crds.cel.types import type_of


class NotEvaluated(Exception):
    """The expression may be right, but this cluster cannot run it."""


@dataclass(frozen=True)
class Expression:
    """`wanted`: the type that it must have."""

    text: str
    schema: Object
    optional: bool
    wanted: str

    @cached_property
    def program(self) -> Program:
        """Raises `Mistake` or `NotEvaluated`."""
        if MISSING.search(self.text):
            raise NotEvaluated(self.text)
        try:
            return environment.program(self.text, type_of(self.schema), optional=self.optional)
        except Mistake as mistake:
            if MISSING.search(str(mistake)):
                raise NotEvaluated(self.text) from mistake
            raise

    @cached_property
    def found(self) -> Read:
        return read(self.program.tree, self.schema, optional=self.optional)

    @cached_property
    def _cost(self) -> Cost:
        return Cost(self.program.tree, self.found.flat)

    @property
    def looks_back(self) -> bool:
        return OLD_SELF in self.found.parts

    def check(self) -> None:
        """Raises `Mistake` with everything that is wrong with it, or `NotEvaluated`."""
        program, found = self.program, self.found
        if found.unknown:
            raise Mistake("\n".join(_undefined(self.text, place, name) for place, name in found.unknown))
        result = found.result if program.result == "dyn" and found.result else program.result
        if result not in {self.wanted, "dyn"}:
            raise Mistake("")
        if found.unable:
            raise NotEvaluated(self.text)

    def run(self, value: Any, old: Any) -> tuple[object, int]:
        """What it becomes, and what that may have cost. Raises `Failure`, and `TooCostly` before it would take too long."""
        parts = self.found.parts
        value = part_of(value, parts.get(SELF, {}))
        old = old if old is ABSENT else part_of(old, parts.get(OLD_SELF, {}))
        try:
            bound = self._cost.bound(cost.size(value, None if old is ABSENT else old))
        except TooLarge:
            raise TooCostly from None
        if bound > cost.MOST:
            raise TooCostly
        return self.program.run(value, old), bound


class Rule:
    """`text` of an expression is what upstream shows of it."""

    def __init__(self, raw: Object, schema: Object) -> None:
        self.raw = raw
        self.optional = bool(raw.get("optionalOldSelf"))
        self.expression = Expression(raw.get("rule", ""), schema, self.optional, "bool")
        message = raw.get("messageExpression") or ""
        self.message = Expression(message, schema, self.optional, "string") if message else None

    @cached_property
    def runs(self) -> bool:
        """Whether it is evaluated; what is not was told when the definition was written."""
        try:
            self.expression.check()
        except (Mistake, NotEvaluated):
            return False
        return bool(self.expression.text.strip())

    @property
    def shown(self) -> str:
        return str(self.raw.get("message") or self.raw.get("rule", "")).strip()

    def told(self, value: Any, old: Any) -> str:
        """What is said when it does not hold."""
        return self._expressed(value, old) or self._said

    @property
    def _said(self) -> str:
        return str(self.raw.get("message") or "").strip() or f"failed rule: {self.shown}"

    def _expressed(self, value: Any, old: Any) -> str:
        """Nothing where that goes wrong: then the message counts. Upstream gives it a bare old value even where that is optional,
        so it always goes wrong there."""
        if self.message is None:
            return ""
        try:
            self.message.check()
            if self.optional and self.message.looks_back:
                return ""
            made, _ = self.message.run(value, old)
        except (Mistake, NotEvaluated, Failure, TooCostly):
            return ""
        text = made.strip() if isinstance(made, str) else ""
        return "" if "\n" in text or len(text.encode()) > _MOST_BYTES else text


_MOST_BYTES = 5 * 1024


def _undefined(text: str, place: int, name: str) -> str:
    """As the compiler says such things: the line, and an arrow below the place."""
    before = text[:place]
    line, column = before.count("\n") + 1, place - (before.rfind("\n") + 1)
    shown = text.split("\n")[line - 1]
    return f"ERROR: <input>:{line}:{column + 1}: undefined field '{name}'\n | {shown}\n | {'.' * column}^"
