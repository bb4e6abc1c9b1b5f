"""Is the log as it was sealed? Recomputes both chains of an account and compares them with the signed heads.

Asked by `argosy audit verify` through `api`. The reasoning is `domain.chain`'s; here are the three things it needs:
entries as they would be shown, a trusted start (a signed checkpoint), and the heads kept outside the database.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import get_args

from argosy.contracts.audit import ChainState, Kind, Verification
from argosy.domain.chain import GENESIS, Fault, Link, Verifier
from argosy.kit.clock import Clock
from argosy.platform.audit.anchors import Anchored, Anchors
from argosy.platform.audit.signing import Signer, Statement
from argosy.platform.audit.store import Chain, Store

_STEP = 250  # so few that reading and writing them as bytes never holds up the others on this loop
_ANCHOR_DUE = timedelta(seconds=60)
_ATTEMPTS = 3


class Verifying:
    def __init__(self, store: Store, anchors: Anchors, signer: Signer, clock: Clock) -> None:
        self._store, self._anchors, self._signer, self._clock = store, anchors, signer, clock

    async def verify(self, account: str) -> Verification:
        """The anchors are read before the chains, so that they never know of more unless something was cut off."""
        anchored = await asyncio.to_thread(self._anchors.read, account, self._signer)
        kinds: tuple[Kind, ...] = get_args(Kind)
        states = tuple([await self._chain(account, kind, anchored) for kind in kinds])
        faulty = next((state for state in states if state.problem), None)
        problem = faulty.problem if faulty else ""
        if not problem and anchored.forged:
            problem = f"{anchored.forged} of the anchors was not signed by this installation, or was altered"
        return Verification(
            whole=not problem,
            entries=sum(state.entries for state in states),
            head=states[0].head,
            anchored=states[0].anchored,
            problem=problem,
            entry=faulty.entry if faulty else 0,
            chain=faulty.kind if faulty else "",
            chains=states,
        )

    async def attested(self, account: str, kind: Kind) -> dict[int, bytes]:
        """The hashes, by number, for which signed heads outside the database vouch."""
        return _attested(await asyncio.to_thread(self._anchors.read, account, self._signer), kind)

    async def oldest(
        self, chain: Chain, links: Sequence[Link], attested: Mapping[int, bytes]
    ) -> Fault | None:
        """Are these, with which the chain begins, as they were sealed? What was tampered with must not be forgotten.

        Hashes can be computed anew by anybody, so the next signed head has to agree with what follows from them.
        """
        verifier, reached = Verifier(chain.start, attested), links[-1].number
        fault = self._before(chain.kind, chain, chain.account) or _feed(verifier, links)
        until = min((number for number in attested if number >= reached), default=0)
        while fault is None and reached < until:
            step = await self._store.links(chain.account, chain.kind, reached, until, _STEP)
            fault = _feed(verifier, [link for _, link in step]) if step else verifier.end()
            reached += len(step)
        return fault

    async def _chain(self, account: str, kind: Kind, anchored: Anchored) -> ChainState:
        """Once more from the start, if retention moved the start meanwhile."""
        attested = _attested(anchored, kind)
        for _ in range(_ATTEMPTS):
            chain = await self._store.chain(account, kind)
            state = await self._walk(account, kind, chain, attested)
            after = await self._store.chain(account, kind)
            if not state.problem or _checkpoint(chain) == _checkpoint(after):
                break
        return state

    async def _walk(
        self, account: str, kind: Kind, chain: Chain | None, vouched: Mapping[int, bytes]
    ) -> ChainState:
        verifier = Verifier(GENESIS if chain is None else chain.start, vouched)
        start = verifier.head.number
        fault = self._before(kind, chain, account)
        if fault is None and chain is not None:
            fault = await self._entries(chain, verifier)
        fault = (
            fault
            or verifier.end()
            or await self._beyond(account, kind, chain, verifier, max(vouched, default=0))
        )
        return ChainState(
            kind=kind,
            first=start + 1 if verifier.head.number > start else 0,
            entries=verifier.head.number - start,
            head=verifier.head.hash.hex(),
            anchored=verifier.vouched_up_to,
            problem="" if fault is None else f"{kind}s: {fault.problem}",
            entry=0 if fault is None else fault.number,
        )

    def _before(self, kind: Kind, chain: Chain | None, account: str) -> Fault | None:
        """The start of what is left after pruning must be ours."""
        said = chain.checkpoint if chain is not None else None
        if said is None:
            return None
        if (said.what, said.account, said.chain) == ("checkpoint", account, kind) and self._signer.genuine(
            said
        ):
            return None
        return Fault(
            said.number + 1,
            f"the checkpoint before entry {said.number + 1} was not signed by this installation",
        )

    async def _entries(self, chain: Chain, verifier: Verifier) -> Fault | None:
        reached = chain.start.number
        while True:
            step = await self._store.links(chain.account, chain.kind, reached, chain.number, _STEP)
            if not step:
                break
            links = [link for _, link in step]
            if (fault := await asyncio.to_thread(_feed, verifier, links)) is not None:
                return fault
            reached = links[-1].number
        if verifier.head.number < chain.number:
            first = verifier.head.number + 1
            return Fault(first, f"the end is cut off: entries {first} to {chain.number} are gone")
        if verifier.head.hash != chain.hash:
            return Fault(chain.number, f"entry {chain.number} is not the one that was sealed last")
        return None

    async def _beyond(
        self, account: str, kind: Kind, chain: Chain | None, verifier: Verifier, anchored: int
    ) -> Fault | None:
        """What the chain itself cannot tell: entries beside it, and anchors that were taken away."""
        if (stray := await self._store.outside(account, kind)) is not None:
            return Fault(stray, f"entry {stray} stands outside the chain")
        if chain is None or chain.number <= anchored:
            return None
        late = self._clock() - chain.sealed > _ANCHOR_DUE
        if chain.anchored > max(anchored, chain.start.number) or (late and chain.number > chain.start.number):
            first = max(anchored, verifier.vouched_up_to) + 1
            return Fault(first, f"no signed head vouches for entries from {first} on: anchors are missing")
        return None


def _feed(verifier: Verifier, links: Sequence[Link]) -> Fault | None:
    for link in links:
        if (fault := verifier.feed(link)) is not None:
            return fault
    return None


def _attested(anchored: Anchored, kind: Kind) -> dict[int, bytes]:
    vouched: dict[int, bytes] = {}
    for said in anchored.statements:
        if (said.what, said.chain) == ("head", kind):
            # The oldest statement counts: a later one may be regrown.
            vouched.setdefault(said.number, said.head.hash)
    return vouched


def _checkpoint(chain: Chain | None) -> Statement | None:
    return None if chain is None else chain.checkpoint
