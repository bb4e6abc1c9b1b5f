"""Who has which host and path, over all clusters behind one gateway: the oldest Ingress that asks for it.

Kept in step with the controllers, which put what each Ingress wants; whoever loses is told, and told again when it gets what it
wanted. No I/O, nothing awaits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from argosy.kube.controllers.ingress.wishes import Wish

Place: TypeAlias = tuple[object, ...]


class Owner(NamedTuple):
    """An Ingress. Sorts from the oldest."""

    created: str
    cluster: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name} of the cluster {self.cluster}"


class Claim(NamedTuple):
    owner: Owner
    wish: Wish

    @property
    def place(self) -> Place:
        """A path of its own is nobody else's."""
        return self.wish.place if self.wish.host else (self.owner, self.wish.place)


class Claims:
    def __init__(self) -> None:
        self._wanted: dict[Place, list[Claim]] = {}
        self._of: dict[Owner, list[Claim]] = {}
        self._reached: set[tuple[str, str, str, str]] | None = None
        self._on_verdict: list[Callable[[Owner], None]] = []
        self._on_change: list[Callable[[], None]] = []

    def on_verdict(self, handler: Callable[[Owner], None]) -> Callable[[], None]:
        """Told of every Ingress that gained or lost something by what another one did. Answers how to end that."""
        self._on_verdict.append(handler)
        return lambda: self._on_verdict.remove(handler)

    def on_change(self, handler: Callable[[], None]) -> Callable[[], None]:
        """Told when something else is granted. Answers how to end that."""
        self._on_change.append(handler)
        return lambda: self._on_change.remove(handler)

    def put(self, owner: Owner, wanted: list[Wish]) -> None:
        """All that this Ingress wants from now on; nothing, when it is gone."""
        first: dict[Place, Claim] = {}
        for claim in (Claim(owner, wish) for wish in wanted):
            first.setdefault(claim.place, claim)
        new = list(first.values())
        old = self._of.pop(owner, [])
        if new:
            self._of[owner] = new
        if set(old) == set(new):
            return
        touched: set[Owner] = set()
        for claim in old:
            touched.update(self._remove(claim))
        for claim in new:
            touched.update(self._add(claim))
        self._reached = None
        for handler in list(self._on_change):
            handler()
        for other in touched - {owner}:
            for told in list(self._on_verdict):
                told(other)

    def granted(self) -> Iterator[Claim]:
        for waiting in self._wanted.values():
            yield waiting[0]

    def reaches(self, cluster: str, namespace: str, service: str, port: str) -> bool:
        """Whether anything that is granted goes there."""
        if self._reached is None:
            self._reached = {
                (owner.cluster, owner.namespace, wish.service, wish.port) for owner, wish in self.granted()
            }
        return (cluster, namespace, service, port) in self._reached

    def lost(self, owner: Owner) -> list[tuple[Wish, Owner]]:
        """What somebody else has, and who."""
        found = []
        for claim in self._of.get(owner, ()):
            holder = self._wanted[claim.place][0].owner
            if holder != owner:
                found.append((claim.wish, holder))
        return found

    def _add(self, claim: Claim) -> list[Owner]:
        waiting = self._wanted.setdefault(claim.place, [])
        waiting.append(claim)
        waiting.sort(key=lambda one: one.owner)
        return [one.owner for one in waiting]

    def _remove(self, claim: Claim) -> list[Owner]:
        waiting = self._wanted[claim.place]
        waiting.remove(claim)
        if not waiting:
            del self._wanted[claim.place]
        return [one.owner for one in waiting]
