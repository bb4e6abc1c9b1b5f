"""What the engine asks of whoever turns sources into objects. `repositories` answers it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from argosy.contracts.argo.source import Source
from argosy.contracts.argo.status import SourceType
from argosy.kube.objects import Object


class RenderError(Exception):
    """In words for the application's condition: what, where, what to do; without a secret."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """`revisions` beside `sources`; an empty one means what its source says.

    `resolve`: branches and tags are looked up again, and not taken from a recent answer. `fresh`: nothing is taken from a cache.
    """

    application: str
    """The instance name, for messages and the build environment."""
    name: str
    namespace: str
    """Of the destination."""
    project: str
    sources: Sequence[Source]
    revisions: Sequence[str]
    resolve: bool = False
    fresh: bool = False
    kube_version: str = ""
    api_versions: Sequence[str] = ()
    permits: Callable[[str], bool] = lambda _: True
    """Whether the project lets anything be fetched from a repository that a source names besides its own."""


@dataclass(frozen=True, slots=True, eq=False)
class Rendering:
    """Answered again as the same object while nothing of it has changed."""

    revisions: tuple[str, ...]
    """Resolved: commits, chart versions."""
    types: tuple[SourceType, ...]
    objects: Sequence[Object]
    digest: str
    """Of the objects."""
    warnings: tuple[str, ...] = field(default=())


class Renderer(Protocol):
    async def render(self, asked: Asked) -> Rendering:
        """Raises `RenderError`."""
