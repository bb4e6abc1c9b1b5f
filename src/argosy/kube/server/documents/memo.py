"""A document that is made once per state of a registry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from argosy.kube.server.registry import Registry

T = TypeVar("T")


class PerRegistry(Generic[T]):
    def __init__(self, make: Callable[[Registry], T]) -> None:
        self._make = make
        self._made: WeakKeyDictionary[Registry, tuple[int, T]] = WeakKeyDictionary()

    def of(self, registry: Registry) -> T:
        found = self._made.get(registry)
        if found is None or found[0] != registry.generation:
            found = self._made[registry] = (registry.generation, self._make(registry))
        return found[1]
