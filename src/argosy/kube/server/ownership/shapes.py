"""How ownership sees a schema: what is one field, and what has fields or items of its own.

Walking the nodes of `argosy.kube.schema` for every value would ask the same questions again and again; a shape has the
answers. Shapes are made once per schema and when they are reached, because types refer to themselves. All the walks of
this package (`leaves`, `compare`, `merge`, `remove`, `reconcile`, `check`) go by them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from argosy.kube.schema import List, Map, Member, Node, Scalar, Struct, Untyped, struct

Kind: TypeAlias = Literal["leaf", "map", "list", "any"]
"""`any` is as the value happens to be: its maps have fields, its lists are one field."""

_ZERO: Mapping[str, object] = {"string": "", "bool": False, "int32": 0, "int64": 0, "float64": 0}
_UNNAMED = {"core.v1.LocalObjectReference"}
"""Their key may be left out and is empty then."""
_OBJECT = "meta.v1.ObjectMeta"


class Shape:
    __slots__ = ("_custom", "_fields", "_open", "defaults", "item", "keys", "kind", "node", "rest")

    def __init__(self, node: Node, *, custom: bool, open: bool = False) -> None:
        self.node = node
        self.kind: Kind = _kind(node, custom=custom)
        self._custom, self._open = custom, open or (isinstance(node, Struct) and node.open)
        self._fields: dict[str, Shape] | None = None
        self.rest: Shape | None = None
        """What fields without a name of their own are, if there may be any."""
        self.item: Shape | None = None
        self.keys: tuple[str, ...] = ()
        self.defaults: Mapping[str, object] = {}
        if isinstance(node, List):
            self.item = Shape(node.item, custom=custom, open=self._open)
            self.keys = node.keys if node.type == "map" else ()
            self.defaults = (
                {**_required(node), **node.key_defaults} if self.keys and not custom else node.key_defaults
            )
        elif isinstance(node, Map):
            self.rest = Shape(node.value, custom=custom, open=self._open)
        elif self.kind == "any":
            self.rest = self
        elif isinstance(node, Untyped):
            self.rest = ANY

    @property
    def fields(self) -> dict[str, Shape]:
        """Those that the schema names."""
        if self._fields is None:
            self._fields = self._named()
        return self._fields

    def child(self, name: str) -> Shape:
        """Of a field that is there; what no schema knows is taken as it is."""
        return self.fields.get(name) or self.rest or ANY

    @property
    def container(self) -> bool:
        """A list or a map that is one field."""
        return self.kind == "leaf" and not isinstance(self.node, Scalar)

    @property
    def free(self) -> bool:
        """Nothing is known of what is inside."""
        return self.kind == "any" or (not self.fields and self.rest is ANY)

    def _named(self) -> dict[str, Shape]:
        match self.node:
            case Struct(fields=fields):
                named = {name: self._member(fields[name]) for name in fields}
                if self._open or not named:
                    self.rest = ANY
                return named
            case Untyped(embedded=True) if self._custom:
                scalar = Shape(Scalar("string"), custom=False)
                return {
                    "apiVersion": scalar,
                    "kind": scalar,
                    "metadata": Shape(struct(_OBJECT), custom=False),
                }
        return {}

    def _member(self, member: Member) -> Shape:
        node = member.node
        if isinstance(node, Struct) and node.name == _OBJECT:
            return Shape(node, custom=False)
        return Shape(node, custom=self._custom, open=self._open)


def _kind(node: Node, *, custom: bool) -> Kind:
    match node:
        case Scalar(type="IntOrString"):
            return "any"
        case Scalar() | Struct(atomic=True) | Map(atomic=True):
            return "leaf"
        case List(type=type):
            return "leaf" if type == "atomic" else "list"
        case Untyped(embedded=True):
            return "map" if custom else "leaf"
        case Untyped():
            return "any"
    return "map"


def _required(node: List) -> dict[str, object]:
    """A key that a built-in type must have is its zero where it is missing: Go would have written it."""
    members = node.item.fields if isinstance(node.item, Struct) else {}
    out: dict[str, object] = {}
    for key in node.keys:
        member = members.get(key)
        if member is None or not isinstance(member.node, Scalar):
            continue
        if member.required or (isinstance(node.item, Struct) and node.item.name in _UNNAMED):
            out[key] = _ZERO.get(member.node.type, "")
    return out


ANY = Shape(Untyped(), custom=False)


class Root(Shape):
    """Of a whole object, which always has the metadata that every object has."""

    __slots__ = ()

    def _named(self) -> dict[str, Shape]:
        named = super()._named()
        scalar = Shape(Scalar("string"), custom=False)
        named["apiVersion"] = named["kind"] = scalar
        named["metadata"] = Shape(struct(_OBJECT), custom=False)
        return named


_KNOWN: dict[int, tuple[Struct, Root]] = {}
_KEPT = 512


def root(schema: Struct) -> Root:
    """The schema is kept with its shape: as long as it lives, nothing else has its identity."""
    known = _KNOWN.get(id(schema))
    if known is None:
        if len(_KNOWN) >= _KEPT:
            _KNOWN.pop(next(iter(_KNOWN)))
        known = _KNOWN[id(schema)] = (schema, Root(schema, custom=not schema.name))
    return known[1]
