"""Pieces that several kinds' cells are made of: containers, labels, selectors, the first few of many."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from argosy.kube.objects import Object

NONE, UNSET = "<none>", "<unset>"


def containers(spec: Object) -> list[str]:
    """Two cells: the names and the images of a pod template's containers."""
    found: list[Object] = spec.get("containers") or []
    return [",".join(str(one.get(field, "")) for one in found) for field in ("name", "image")]


def labels(found: Mapping[str, str] | None) -> str:
    return ",".join(f"{key}={value}" for key, value in sorted((found or {}).items())) or NONE


def selector(found: Object | None) -> str:
    return selector_or_nothing(found) or NONE


def selector_or_nothing(found: Object | None) -> str:
    if not found:
        return ""
    terms = [(key, f"{key}={value}") for key, value in (found.get("matchLabels") or {}).items()]
    terms += [(str(one.get("key", "")), _term(one)) for one in found.get("matchExpressions") or ()]
    return ",".join(text for _, text in sorted(terms, key=lambda term: term[0]))


def _term(expression: Object) -> str:
    key, values = expression.get("key", ""), ",".join(sorted(expression.get("values") or ()))
    match expression.get("operator"):
        case "In":
            return f"{key} in ({values})"
        case "NotIn":
            return f"{key} notin ({values})"
        case "Exists":
            return str(key)
        case _:
            return f"!{key}"


def first(found: Sequence[str], *, most: int = 3, count: int | None = None) -> str:
    """`a,b,c + 4 more...`; `count` when there are more than were collected."""
    shown, total = ",".join(found[:most]), len(found) if count is None else count
    if len(found) > most:
        return f"{shown} + {total - most} more..."
    return shown or UNSET


def condition(obj: Object, kind: str) -> Object | None:
    return next((one for one in conditions(obj) if one.get("type") == kind), None)


def conditions(obj: Object) -> Iterable[Object]:
    return (obj.get("status") or {}).get("conditions") or ()


def has_condition(obj: Object, kind: str) -> bool:
    found = condition(obj, kind)
    return found is not None and found.get("status") == "True"


def address(host: str, port: object) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
