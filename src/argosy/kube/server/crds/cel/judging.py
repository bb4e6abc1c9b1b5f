"""The rules that a CRD brings: what is wrong with them, and which of them this cluster cannot run."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.crds import printing
from argosy.kube.server.crds.cel.environment import Mistake
from argosy.kube.server.crds.cel.rule import Expression, NotEvaluated, Rule
from argosy.kube.server.crds.cel.types import as_root, type_of
from argosy.kube.server.rules.wording import internal, invalid

_WRONG_TYPE = {
    "bool": "cel expression must evaluate to a bool",
    "string": "messageExpression must evaluate to a string",
}


def check(schema: Object, path: str, wrong: Collection[str]) -> list[Cause]:
    """Of a whole version. `wrong`: the paths of what is wrong with the schema otherwise; rules above it are not read yet."""
    causes: list[Cause] = []
    _walk(as_root(schema), path, "", causes, wrong)
    return causes


def _walk(schema: Any, path: str, uncorrelated: str, causes: list[Cause], wrong: Collection[str]) -> None:
    """`uncorrelated`: from where on nobody can tell what a value was before."""
    if not isinstance(schema, dict):
        return
    atomic = uncorrelated or (path if schema.get("x-kubernetes-list-type") != "map" else "")
    _walk(schema.get("additionalProperties"), f"{path}.additionalProperties", uncorrelated, causes, wrong)
    for name, one in (schema.get("properties") or {}).items():
        _walk(one, f"{path}.properties[{name}]", uncorrelated, causes, wrong)
    _walk(schema.get("items"), f"{path}.items", atomic, causes, wrong)
    given = schema.get("x-kubernetes-validations")
    if given and not any(one.startswith(path) for one in wrong):
        causes += _check_all(given, schema, f"{path}.x-kubernetes-validations", uncorrelated)


def _check_all(given: list[Object], schema: Object, path: str, uncorrelated: str) -> list[Cause]:
    if not type_of(schema):
        why = "unable to convert structural schema to CEL declarations"
        told = f"failed to construct type information for x-kubernetes-validations rules: {why}"
        return [internal(path, f"internal error: {told}")]
    return [
        cause
        for at, raw in enumerate(given)
        for cause in _check_rule(raw, schema, f"{path}[{at}]", uncorrelated)
    ]


def _check_rule(raw: Object, schema: Object, path: str, uncorrelated: str) -> list[Cause]:
    rule = Rule(raw, schema)
    causes: list[Cause] = []
    if told := _wrong(rule.expression, "compilation failed: "):
        return [invalid(f"{path}.rule", printing.rule(raw), told)]
    if rule.message is not None and (told := _wrong(rule.message, "messageExpression compilation failed: ")):
        causes.append(invalid(f"{path}.messageExpression", printing.rule(raw), told))
    try:
        looks_back = rule.expression.looks_back
    except NotEvaluated:
        return causes
    if looks_back and uncorrelated:
        told = f"oldSelf cannot be used on the uncorrelatable portion of the schema within {uncorrelated}"
        causes.append(invalid(f"{path}.rule", rule.expression.text, told))
    elif not looks_back and raw.get("optionalOldSelf") is not None:
        told = "may not be set if oldSelf is not used in rule"
        causes.append(invalid(f"{path}.optionalOldSelf", raw["optionalOldSelf"], told))
    return causes


def _wrong(expression: Expression, prefix: str) -> str:
    try:
        expression.check()
    except NotEvaluated:
        return ""
    except Mistake as mistake:
        return f"{prefix}{mistake}" if str(mistake) else _WRONG_TYPE[expression.wanted]
    return ""


def unevaluated(schema: Any, path: str) -> Iterator[str]:
    """The paths of the rules that are kept and published but not run."""
    if isinstance(schema, dict):
        yield from _unevaluated(as_root(schema), path)


def _unevaluated(schema: Any, path: str) -> Iterator[str]:
    if not isinstance(schema, dict):
        return
    for at, raw in enumerate(schema.get("x-kubernetes-validations") or ()):
        if not Rule(raw, schema).runs:
            yield f"{path}.x-kubernetes-validations[{at}]"
    for name, one in (schema.get("properties") or {}).items():
        yield from _unevaluated(one, f"{path}.properties[{name}]")
    for key in ("items", "additionalProperties"):
        yield from _unevaluated(schema.get(key), f"{path}.{key}")
