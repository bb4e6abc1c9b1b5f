"""What a cluster serves at the moment: the built-in resources, and those that CRDs add while it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from argosy.kube.objects import Object
from argosy.kube.schema import Struct
from argosy.kube.server.decoding import Decoded
from argosy.kube.server.rules import Rules
from argosy.kube.types import Resource


@dataclass(frozen=True, slots=True)
class Column:
    """Of a Table. `path` is the JSON path of a custom resource's column; built-in ones have functions (`tables`)."""

    name: str
    type: str
    format: str = ""
    description: str = ""
    priority: int = 0
    path: str = ""


class ScalePaths(NamedTuple):
    """Where a kind keeps what its `scale` shows; no selector path: `spec.selector`, as built-in kinds have it."""

    spec: tuple[str, ...]
    status: tuple[str, ...]
    selector: tuple[str, ...]


class Decode(Protocol):
    """`decoding.decode` for a built-in type, pruning by the structural schema for a custom resource."""

    def __call__(self, value: object, /, *, fill: bool = True) -> Decoded: ...


@dataclass(frozen=True, slots=True)
class Served:
    """One resource in one version. `collection` is where its objects are stored, whatever the version asked for."""

    resource: Resource
    schema: Struct
    rules: Rules
    decode: Decode
    collection: str
    to_stored: Callable[[Object], Object]
    """From this version to the one that is stored; `from_stored` back. Both answer a new object or the same."""
    from_stored: Callable[[Object], Object]
    as_stored: bool = True
    """Whether this is the stored version: its bytes can go out as they are."""
    custom: bool = False
    since: int = 0
    """Objects older than this revision must go through `from_stored` all the same: the schema has changed since."""
    scale: ScalePaths | None = None
    columns: tuple[Column, ...] = ()
    deprecated: str = ""
    """What every request to this version is told, if it is not to be used any more."""
    openapi: Object | None = None
    """The schema of a custom resource, as its definition has it; `crds.published` makes of it what is shown."""


class Registry:
    def __init__(self, served: Iterable[Served] = ()) -> None:
        self._served = {_address(one): one for one in served}
        self.generation = 1
        """Rises with each change: discovery and OpenAPI are made anew then."""

    def __iter__(self) -> Iterator[Served]:
        return iter(self._served.values())

    def find(self, group: str, version: str, plural: str) -> Served | None:
        return self._served.get((group, version, plural))

    def of_kind(self, group: str, version: str, kind: str) -> Served | None:
        return next(
            (one for one in self._served.values() if one.resource.kind == (group, version, kind)), None
        )

    def add(self, *served: Served) -> None:
        self._served |= {_address(one): one for one in served}
        self.generation += 1

    def remove(self, collection: str) -> None:
        """Every version of it."""
        self._served = {address: one for address, one in self._served.items() if one.collection != collection}
        self.generation += 1


def _address(one: Served) -> tuple[str, str, str]:
    kind = one.resource.kind
    return kind.group, kind.version, one.resource.plural
