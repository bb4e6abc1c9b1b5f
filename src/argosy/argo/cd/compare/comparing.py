"""Judges pairs: the same, or not, and why.

The server's own dry run is the truth, because it knows its defaults, its webhooks and who owns what. Most objects need it never: when the
live object has all that Git says and nothing of ours besides, they are equal; and what was judged once is remembered
until either side changes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from argosy.argo.cd.compare import containment, managed
from argosy.argo.cd.compare.differences import Difference, differences
from argosy.argo.cd.compare.keeping import kept
from argosy.argo.cd.compare.rules import Overlooked, Rule, about, cleaned
from argosy.argo.cd.resources import Pair, ResourceKey
from argosy.argo.cd.secrets import masked
from argosy.kube.client import Client
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object, annotations_of, revision_of, uid_of

Jq = Callable[[Object, tuple[str, ...]], Awaitable[Object]]
"""The object less what the expressions find. Slow or endless ones are stopped by whoever gives this."""
_MANAGER = "argocd-controller"
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
_AT_ONCE, _BREATH = 20, 50


@dataclass(frozen=True, slots=True)
class Verdict:
    """`trouble`: why the server would not say; such an object counts as different."""

    modified: bool
    differences: tuple[Difference, ...] = ()
    trouble: str = ""


_SAME = Verdict(modified=False)


class Comparer:
    """Of one cluster. Remembers by object, its version, what was desired, and what was to be overlooked."""

    def __init__(self, client: Client, jq: Jq) -> None:
        self._client, self._jq = client, jq
        self._known: dict[str, tuple[tuple[str, str, Overlooked], Verdict]] = {}
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self.dry_runs = 0

    async def compare(
        self, pairs: Sequence[Pair], digests: dict[ResourceKey, str], rules: Sequence[Rule]
    ) -> dict[ResourceKey, Verdict]:
        """Of those that have both sides."""
        found: dict[ResourceKey, Verdict] = {}
        unsure: list[tuple[Pair, Object, Overlooked]] = []
        for number, pair in enumerate(pairs):
            if number % _BREATH == _BREATH - 1:
                await asyncio.sleep(0)
            if pair.target is None or pair.live is None:
                continue
            overlooked = about(rules, pair.key)
            verdict = self._remembered(pair.live, digests.get(pair.key, ""), overlooked)
            if verdict is None and await self._obvious(pair.target, pair.live, overlooked):
                verdict = self._remember(pair.live, digests.get(pair.key, ""), overlooked, _SAME)
            if verdict is None:
                unsure.append((pair, pair.live, overlooked))
            else:
                found[pair.key] = verdict
        asked = [self._ask(pair, live, overlooked) for pair, live, overlooked in unsure]
        for (pair, live, overlooked), verdict in zip(unsure, await asyncio.gather(*asked), strict=True):
            if not verdict.trouble:
                self._remember(live, digests.get(pair.key, ""), overlooked, verdict)
            found[pair.key] = verdict
        return found

    async def respecting(self, pair: Pair, rules: Sequence[Rule]) -> Pair:
        """With a target that leaves alone what the rules overlook of the live object."""
        overlooked = about(rules, pair.key)
        if pair.target is None or pair.live is None or overlooked.nothing:
            return pair
        whole = cleaned(pair.live, Overlooked(), live=None)
        compared = await self._clean(pair.live, overlooked, pair.live)
        return Pair(pair.key, kept(pair.target, whole, compared), pair.live)

    def forget(self, uid: str) -> None:
        self._known.pop(uid, None)

    async def _obvious(self, target: Object, live: Object, overlooked: Overlooked) -> bool:
        own = managed.applied_by(live, _MANAGER)
        if own is None:
            if _LAST_APPLIED in annotations_of(live):
                return False
        elif not managed.covers(target, own):
            return False
        return containment.contains(
            await self._clean(live, overlooked, live), await self._clean(target, overlooked, live)
        )

    async def _ask(self, pair: Pair, live: Object, overlooked: Overlooked) -> Verdict:
        assert pair.target is not None
        async with self._slots:
            self.dry_runs += 1
            try:
                predicted = await self._client.apply(pair.target, force=True, manager=_MANAGER, dry_run=True)
            except ApiError as error:
                if error.code >= 500:
                    raise  # the cluster says nothing about the object
                return Verdict(modified=True, trouble=masked(error.message, pair.target, live))
        after = await self._clean(predicted, overlooked, live)
        now = await self._clean(live, overlooked, live)
        if after == now:
            return _SAME
        return Verdict(modified=True, differences=tuple(differences(after, now, owners=live)))

    async def _clean(self, obj: Object, overlooked: Overlooked, live: Object) -> Object:
        found = cleaned(obj, overlooked, live=live)
        return await self._jq(found, overlooked.expressions) if overlooked.expressions else found

    def _remembered(self, live: Object, digest: str, overlooked: Overlooked) -> Verdict | None:
        known = self._known.get(uid_of(live))
        return known[1] if known and known[0] == (revision_of(live), digest, overlooked) else None

    def _remember(self, live: Object, digest: str, overlooked: Overlooked, verdict: Verdict) -> Verdict:
        self._known[uid_of(live)] = ((revision_of(live), digest, overlooked), verdict)
        return verdict
