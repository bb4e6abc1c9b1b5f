"""A structural schema as the nodes that server-side apply and patches walk (`argosy.kube.schema`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from argosy.kube.objects import Object
from argosy.kube.schema import List, Map, Member, Node, Scalar, Struct, Untyped, struct
from argosy.kube.schema.node import ListType

_SCALARS = {"string": "string", "boolean": "bool", "integer": "int64", "number": "float64"}
_LISTS: dict[str, ListType] = {"set": "set", "map": "map"}
_TEXT = Member(Scalar("string"))


def root(schema: Object) -> Struct:
    """Of a kind: what every object has stands beside what the schema says."""
    return Struct(_Fields(schema, whole=True), open=bool(schema.get("x-kubernetes-preserve-unknown-fields")))


class _Fields:
    """The members of an object, made when looked up: most objects need few of them."""

    def __init__(self, schema: Object, *, whole: bool) -> None:
        self._schemas: Object = schema.get("properties") or {}
        self._required = frozenset(schema.get("required") or ())
        self._made: dict[str, Member] = {}
        if whole:
            self._made = {
                "apiVersion": _TEXT,
                "kind": _TEXT,
                "metadata": Member(struct("meta.v1.ObjectMeta")),
            }

    def __contains__(self, name: object) -> bool:
        return name in self._made or name in self._schemas

    def __iter__(self) -> Iterator[str]:
        return iter({**self._made, **self._schemas})

    def __getitem__(self, name: str) -> Member:
        if name not in self._made:
            schema = self._schemas[name]
            self._made[name] = Member(
                _node(schema), required=name in self._required, default=schema.get("default")
            )
        return self._made[name]

    def get(self, name: str) -> Member | None:
        if name in self._made or name in self._schemas:
            return self[name]
        return None


def _node(schema: Any) -> Node:
    if not isinstance(schema, dict):
        return Untyped()
    if schema.get("x-kubernetes-int-or-string"):
        return Scalar("IntOrString")
    atomic = schema.get("x-kubernetes-map-type") == "atomic"
    embedded = bool(schema.get("x-kubernetes-embedded-resource"))
    kept = bool(schema.get("x-kubernetes-preserve-unknown-fields"))
    match schema.get("type"):
        case "array":
            return _list(schema)
        case "object":
            if isinstance(rest := schema.get("additionalProperties"), dict):
                return Map(_node(rest), atomic=atomic)
            if not schema.get("properties"):
                return Struct({}, atomic=True, open=kept) if atomic else Untyped(embedded=embedded)
            return Struct(_Fields(schema, whole=embedded), atomic=atomic, open=kept)
        case kind if kind in _SCALARS:
            return Scalar(_SCALARS[kind])
    return Untyped(embedded=embedded)


def _list(schema: Object) -> List:
    items = schema.get("items")
    kind: ListType = _LISTS.get(schema.get("x-kubernetes-list-type") or "", "atomic")
    keys = tuple(schema.get("x-kubernetes-list-map-keys") or ())
    properties: Object = (items.get("properties") or {}) if isinstance(items, dict) else {}
    defaults = {
        key: properties[key]["default"]
        for key in keys
        if (properties.get(key) or {}).get("default") is not None
    }
    return List(_node(items), kind, keys, defaults)
