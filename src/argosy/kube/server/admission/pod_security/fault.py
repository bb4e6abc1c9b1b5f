"""What a check finds, and the turns of phrase that all checks share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeAlias

from argosy.kube.objects import Object


class Fault(NamedTuple):
    reason: str
    detail: str

    def __str__(self) -> str:
        return f"{self.reason} ({self.detail})" if self.detail else self.reason


Look: TypeAlias = Callable[[Object, Object], Fault | None]
"""At a pod's metadata and its spec."""


def containers(spec: Object) -> Iterator[Object]:
    for part in ("initContainers", "containers", "ephemeralContainers"):
        yield from spec.get(part) or ()


def security(holder: Object) -> Object:
    """Of a pod's spec or a container."""
    return holder.get("securityContext") or {}


def quoted(items: Iterable[str]) -> str:
    return ", ".join(f'"{one}"' for one in items)


def told(names: list[str], what: str = "container") -> str:
    """`container "a"`, `containers "a", "b"`."""
    return f"{plural(what, names)} {quoted(names)}"


def plural(what: str, items: list[str]) -> str:
    return what if len(items) == 1 else f"{what}s"


def setters(spec: Object, is_bad: Callable[[Object], bool]) -> list[str]:
    """Who sets something that is bad: the pod, its containers."""
    found = ["pod"] if is_bad(security(spec)) else []
    bad = [one["name"] for one in containers(spec) if is_bad(security(one))]
    return found + ([told(bad)] if bad else [])


def uses_own_users(spec: Object) -> bool:
    """Root in there is nobody out here."""
    return spec.get("hostUsers") is False
