"""What a kind needs to be printed: its columns, and the function that fills them; with short names for common columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from argosy.kube.objects import Object
from argosy.kube.server.registry import Column
from argosy.kube.server.tables.ages import since

Cells: TypeAlias = list[Any]


class Printer(NamedTuple):
    columns: tuple[Column, ...]
    cells: Callable[[Object], Cells]
    conditions: Callable[[Object], list[Object]] | None = None
    """Of the whole row: whether what it shows has ended."""


NAME = Column("Name", "string", "name", "What it is called.")


def text(name: str, told: str | None = None) -> Column:
    """What a column is told to be is its name again: people see only that."""
    return Column(name, "string", description=f"{name}." if told is None else told)


def whole(name: str) -> Column:
    return Column(name, "integer", description=f"{name}.")


def truth(name: str) -> Column:
    return Column(name, "boolean", description=f"{name}.")


def wide(name: str, *, format: str = "") -> Column:
    """Shown only by `kubectl get -o wide`; the server always sends it."""
    return Column(name, "string", format, description=f"{name}.", priority=1)


AGE = text("Age", "How long ago it was made.")
TEMPLATE = (wide("Containers"), wide("Images"))
SELECTOR = wide("Selector")


def part(obj: Object, name: str) -> Object:
    """A struct inside, empty when it is missing."""
    found = obj.get(name)
    return found if isinstance(found, dict) else {}


def spec(obj: Object) -> Object:
    return part(obj, "spec")


def status(obj: Object) -> Object:
    return part(obj, "status")


def name(obj: Object) -> str:
    return str(obj["metadata"].get("name", ""))


def age(obj: Object) -> str:
    return since(obj["metadata"].get("creationTimestamp"))
