"""What a JSON value may look like, in one form for built-in types and for custom resources.

Decoding, defaulting, strategic merge, server-side apply and OpenAPI all walk these nodes beside the value, so none of
them cares where the schema came from: `builtin` makes nodes of the table, `server.crds` of a CRD's structural schema.
Nodes are made when they are reached, because types refer to themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

ListType: TypeAlias = Literal["atomic", "set", "map"]


@dataclass(frozen=True, slots=True)
class Scalar:
    """`string`, `bool`, `int32`, `int64`, `float64`, `bytes`, `Time`, `MicroTime`, `Quantity`, `IntOrString`."""

    type: str


@dataclass(frozen=True, slots=True)
class Untyped:
    """Any JSON: kept as it is. `embedded`: an object of its own, with apiVersion, kind and metadata."""

    embedded: bool = False


class Fields(Protocol):
    """The fields of a struct, made when looked up."""

    def __getitem__(self, name: str, /) -> Member: ...
    def __contains__(self, name: object, /) -> bool: ...
    def __iter__(self) -> Any: ...
    def get(self, name: str, /) -> Member | None: ...


@dataclass(frozen=True, slots=True)
class Member:
    """A field of a struct. Strategy and merge key are for strategic merge patches only."""

    node: Node
    required: bool = False
    default: Any = None
    strategy: str = ""
    merge_key: str = ""
    presence: str = ""
    """As `types.Field` has it: what is written of a field that nobody set."""


@dataclass(frozen=True, slots=True)
class Struct:
    fields: Fields | Mapping[str, Member]
    name: str = ""
    """The type's name in the table; empty for a custom resource."""
    atomic: bool = False
    open: bool = False
    """Keeps fields that it does not know (`x-kubernetes-preserve-unknown-fields`)."""


@dataclass(frozen=True, slots=True)
class Map:
    value: Node
    atomic: bool = False


@dataclass(frozen=True, slots=True)
class List:
    item: Node
    type: ListType = "atomic"
    keys: tuple[str, ...] = ()
    key_defaults: Mapping[str, Any] = field(default_factory=dict)
    """What a key is when an item leaves it out (`protocol` is TCP)."""


Node: TypeAlias = Scalar | Untyped | Struct | Map | List
