"""What a cluster serves at the moment: the built-in resources, and those that CRDs add while it runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from argosy.kube.schema import Struct
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


@dataclass(frozen=True, slots=True)
class Served:
    """One resource in one version. `collection` is where its objects are stored, whatever the version asked for;
    `stored_version` is the one they are stored in."""

    resource: Resource
    schema: Struct
    rules: Rules
    collection: str
    stored_version: str
    custom: bool = False
    columns: tuple[Column, ...] = ()
    openapi: dict[str, object] | None = None
    """The published schema of a custom resource."""


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
