"""What was rendered of one source, and what it was made from, so that it can be found again instead of being made again."""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

import msgspec

from argosy.argo.cd.rendering import Asked
from argosy.contracts.argo.source import Source
from argosy.contracts.argo.status import SourceType
from argosy.kube.objects import Object
from argosy.manifests.environment import OF_REVISION
from argosy.manifests.jobs import Rendered
from argosy.manifests.places import Place
from argosy.manifests.rendering import Chosen
from argosy.manifests.tree import Inputs

_OBJECTS = msgspec.json.Decoder(list[Object])
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Located:
    """A source and where it is now."""

    source: Source
    place: Place
    revision: str


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Manifests:
    """Equal ones are one object, whoever they are of."""

    objects: Sequence[Object]
    digest: str


NOTHING = Manifests((), "")


@dataclass(slots=True, weakref_slot=True)
class Part:
    """`submodules` of the place that were read. `error` instead of manifests: it cannot be rendered. `retry_at`: then it is tried again by itself."""

    place: Place
    others: dict[str, Place]
    manifests: Manifests = NOTHING
    type: SourceType = "Directory"
    inputs: Inputs = field(default_factory=dict)
    other_inputs: dict[str, Inputs] = field(default_factory=dict)
    depends_on_revision: bool = False
    is_anybodys: bool = False
    cluster: tuple[str, tuple[str, ...]] | None = None
    """What was told of the cluster's version and APIs, if something may have looked at it."""
    submodules: tuple[tuple[str, Place], ...] = ()
    error: str = ""
    retry_at: float = 0.0

    def is_of(self, at: Located, others: dict[str, Place]) -> bool:
        return self.place == at.place and self.others == others

    def at(self, place: Place) -> Place:
        """Another commit, with the submodules that were read of this one; where it has other ones, they are changes."""
        return msgspec.structs.replace(place, submodules=self.submodules) if self.submodules else place

    def fits(self, asked: Asked) -> bool:
        return self.cluster is None or self.cluster == cluster_of(asked)


def cluster_of(asked: Asked) -> tuple[str, tuple[str, ...]]:
    return asked.kube_version, tuple(asked.api_versions)


class Shelf:
    """Of manifests that are in use somewhere, so that the same ones are kept once."""

    def __init__(self) -> None:
        self._known: WeakValueDictionary[str, Manifests] = WeakValueDictionary()

    async def part(self, answer: Rendered, place: Place, others: dict[str, Place], asked: Asked) -> Part:
        return Part(
            place,
            dict(others),
            await self._manifests(answer.objects),
            answer.type,
            answer.inputs,
            answer.others,
            depends_on_revision=bool(OF_REVISION.intersection(answer.variables)),
            is_anybodys=answer.is_anybodys,
            cluster=cluster_of(asked) if answer.looks_at_cluster else None,
        )

    async def _manifests(self, pieces: Sequence[bytes]) -> Manifests:
        """Piece by piece: reading all of a large rendering at once would hold up everybody."""
        summed = hashlib.sha256()
        for piece in pieces:
            summed.update(piece)
        known = self._known.get(summed.hexdigest())
        if known is not None:
            return known
        objects: list[Object] = []
        for piece in pieces:
            objects += _OBJECTS.decode(piece)
            await asyncio.sleep(0)
        return self._known.setdefault(summed.hexdigest(), Manifests(objects, summed.hexdigest()))


class Remembered(OrderedDict[str, _Value], Generic[_Value]):
    """The newest ones, up to a number."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: str, value: _Value) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        while len(self) > self._most:
            self.popitem(last=False)


def key_of(source: Source, asked: Asked, chosen: Chosen) -> str:
    """Everything a rendering depends on but its revision."""
    return _digest(
        repr(
            (
                msgspec.json.encode(source),
                asked.application,
                asked.name,
                asked.namespace,
                asked.project,
                msgspec.json.encode(chosen),
            )
        ).encode()
    )


def common_key(at: Located, others: dict[str, Place], chosen: Chosen) -> str:
    """Under which applications find what is anybody's."""
    said = (msgspec.json.encode(at.source), at.place, sorted(others.items()), msgspec.json.encode(chosen))
    return _digest(repr(said).encode())


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
