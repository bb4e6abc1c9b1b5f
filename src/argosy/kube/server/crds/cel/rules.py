"""The rules of a schema, held against an object and what it was before.

A tree beside the schema, of the nodes that have rules in them or below; `custom_rules` asks it for every write. Order, words and
paths are upstream's. What did not change is let pass with a warning, unless its rule compares with the old value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.crds.cel import cost
from argosy.kube.server.crds.cel.environment import ABSENT, Failure, TooCostly
from argosy.kube.server.crds.cel.rule import Rule
from argosy.kube.server.crds.cel.types import as_root, seen
from argosy.kube.server.crds.unchanged import NOTHING, correlated, inside, unchanged
from argosy.kube.server.rules.wording import OMITTED, duplicate, forbidden, invalid, required

_BLOCKING: Final = frozenset(
    {
        "FieldValueNotSupported",
        "FieldValueRequired",
        "FieldValueTooLong",
        "FieldValueTooMany",
        "FieldValueTypeInvalid",
    }
)
_EXHAUSTED = "validation failed due to running out of cost budget, no further validation rules will be run"


@dataclass(slots=True)
class Judged:
    causes: list[Cause] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def rules_of(schema: Object, *, root: bool = True) -> Rules | None:
    """None when there are none."""
    return _node(schema, as_root(schema) if root else schema)


def blocked(causes: list[Cause]) -> bool:
    """Whether an object is too wrong for its rules to be asked."""
    return any(one.reason in _BLOCKING for one in causes)


BLOCKED: Final = invalid(
    "<nil>",
    None,
    "some validation rules were not checked because the object was invalid; correct the existing errors to complete "
    "validation",
)


class _Spent(Exception):
    """No further rule is run."""


@dataclass(frozen=True, slots=True)
class _Place:
    """A value, where it is, and what it was. `kept` answers whether it is what it was; asked only when a rule fails."""

    path: str
    value: Any
    old: Any
    kept: _Kept | None


@dataclass(frozen=True, slots=True)
class _Kept:
    value: Any
    old: Any
    schema: Object

    def __bool__(self) -> bool:
        return unchanged(self.value, self.old, self.schema)


class Rules:
    """Of one node of the schema and what is below it."""

    __slots__ = ("_all", "_fields", "_items", "_rest", "_rules", "schema")

    def __init__(self, raw: Object, schema: Object) -> None:
        """`raw` has the rules, `schema` describes the value: two things inside of `allOf` only."""
        self.schema = schema
        self._rules = [Rule(one, schema) for one in raw.get("x-kubernetes-validations") or ()]
        self._all = [one for each in raw.get("allOf") or () if (one := _node(each, schema)) is not None]
        fields: Object = schema.get("properties") or {}
        self._fields = {
            name: one
            for name, each in (raw.get("properties") or {}).items()
            if (one := _node(each, fields.get(name))) is not None
        }
        self._items = _node(raw.get("items"), schema.get("items"))
        self._rest = _node(raw.get("additionalProperties"), schema.get("additionalProperties"))

    @property
    def is_empty(self) -> bool:
        return not (self._rules or self._all or self._fields or self._items or self._rest)

    def judge(self, value: Any, old: Any = NOTHING, *, path: str = "") -> Judged:
        run = _Run()
        kept = None if old is NOTHING else _Kept(value, old, self.schema)
        try:
            self.judge_at(_Place(path, value, old, kept), run)
        except _Spent:
            pass
        return run.judged

    def judge_at(self, at: _Place, run: _Run) -> None:
        if at.value is None:
            return
        if self._rules:
            self._here(at, run)
        for one in self._all:
            one.judge_at(_Place(at.path, at.value, at.old, None), run)
        for rules, place in self._below(at):
            rules.judge_at(place, run)

    def _here(self, at: _Place, run: _Run) -> None:
        value = seen(at.value, self.schema)
        old = ABSENT if at.old is NOTHING or at.old is None else seen(at.old, self.schema)
        for rule in self._rules:
            if not rule.runs or (old is ABSENT and rule.expression.looks_back and not rule.optional):
                continue
            run.rule(rule, at, value, old, self.schema)

    def _below(self, at: _Place) -> Iterator[tuple[Rules, _Place]]:
        value = at.value
        if type(value) is list and self._items is not None:
            before, schema = correlated(at.old, self.schema), inside(self.schema.get("items"))
            for index, one in enumerate(value):
                yield self._items, _child(at, f"{at.path}[{index}]", one, before(one), schema)
        elif type(value) is dict:
            known = at.old if type(at.old) is dict else {}
            for name, one in value.items():
                if (rules := self._fields.get(name)) is not None:
                    path = f"{at.path}.{name}" if at.path else name
                elif self._rest is not None:
                    rules, path = self._rest, f"{at.path}[{name}]"
                else:
                    continue
                yield rules, _child(at, path, one, known.get(name, NOTHING), rules.schema)


def _child(parent: _Place, path: str, value: Any, old: Any, schema: Object) -> _Place:
    """What cannot be told apart from its neighbours is what it was when all of them are."""
    return _Place(path, value, old, parent.kept if old is NOTHING else _Kept(value, old, schema))


def _node(raw: Any, schema: Any) -> Rules | None:
    if not isinstance(raw, dict) or not isinstance(schema, dict):
        return None
    made = Rules(raw, schema)
    return None if made.is_empty else made


@dataclass(slots=True)
class _Run:
    judged: Judged = field(default_factory=Judged)
    spent: int = 0

    def rule(self, rule: Rule, at: _Place, value: Any, old: Any, schema: Object) -> None:
        kind, path = schema.get("type", ""), at.path or "<nil>"
        if self.spent > cost.MOST_TOGETHER:
            self._stop(invalid(path, kind, _EXHAUSTED))
        try:
            holds, bound = rule.expression.run(value, old)
        except TooCostly:
            told = (
                "'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost "
                f"exceeds limit for rule: {rule.shown}"
            )
            self._stop(invalid(path, kind, told))
        except Failure as failure:
            self.judged.causes.append(invalid(path, kind, _went_wrong(str(failure), rule.shown)))
            return
        self.spent += bound
        if holds is not True:
            self._fails(rule, at, value, old, kind)

    def _fails(self, rule: Rule, at: _Place, value: Any, old: Any, kind: str) -> None:
        cause = _cause(
            rule.raw, _path(at.path, rule.raw.get("fieldPath") or ""), at.value, kind, rule.told(value, old)
        )
        if at.kept is not None and not rule.expression.looks_back and at.kept:
            self.judged.warnings.append(f"{cause.field}: {cause.message}")
        else:
            self.judged.causes.append(cause)

    def _stop(self, cause: Cause) -> None:
        self.judged.causes.append(cause)
        raise _Spent


def _went_wrong(why: str, shown: str) -> str:
    if why.startswith("no such overload"):
        return f"'{why}': call arguments did not match a supported operator, function or macro signature for rule: {shown}"
    return f"{why} evaluating rule: {shown}"


def _path(path: str, inner: str) -> str:
    inner = inner.removeprefix(".").replace("['", "[").replace("']", "]")
    return (f"{path}.{inner}" if path and inner else path or inner) or "<nil>"


def _cause(raw: Object, path: str, value: Any, kind: str, told: str) -> Cause:
    shown = OMITTED if kind in {"object", "array"} else value
    match raw.get("reason"):
        case "FieldValueForbidden":
            return forbidden(path, told)
        case "FieldValueRequired":
            return required(path, told)
        case "FieldValueDuplicate":
            return duplicate(path, shown)
    return invalid(path, shown, told)
