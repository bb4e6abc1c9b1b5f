"""What the edge remembers of a credential, and how it forgets: an ending overtakes whatever is being asked meanwhile."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import cast

import pytest

from argosy.backends.hosting.service import Clients
from argosy.contracts.identity import Credential, Exchanged, Revoked
from argosy.kit.calls import Call, Principal
from argosy.kit.errors import Unauthenticated
from argosy.platform.gateway.credentials import Credentials, Shown

SHOWN = Shown("key", "argk_x")


class Identity:
    """Answers when it is told to, from what held when it was asked."""

    def __init__(self) -> None:
        self.good, self.asked = True, 0
        self.may_answer = asyncio.Event()
        self.may_answer.set()

    async def exchange(self, *, call: Call, request: Credential) -> Exchanged:
        self.asked += 1
        good = self.good
        await self.may_answer.wait()
        if not good:
            raise Unauthenticated("ended")
        who = Principal(kind="user", id="u", account="a", credential="key:k")
        return Exchanged(f"token {self.asked}", time.time() + 60, who)


class FakeClients:
    def __init__(self, identity: Identity) -> None:
        self._identity = identity

    def __call__(self, contract: type) -> Identity:
        return self._identity

    def remember(self, exchanged: Exchanged, audience: str) -> None:
        pass


def beginning() -> tuple[Identity, Credentials]:
    identity = Identity()
    return identity, Credentials(cast(Clients, FakeClients(identity)))


def ended_by_event(credentials: Credentials) -> None:
    credentials.forget(Revoked(credential="key:k"))


def connection_lost(credentials: Credentials) -> None:
    credentials.forget_all()


ENDINGS: list[Callable[[Credentials], None]] = [ended_by_event, connection_lost]


async def test_many_requests_of_one_page_ask_once() -> None:
    identity, credentials = beginning()

    await asyncio.gather(*(credentials.exchange(SHOWN, "audit", "r") for _ in range(50)))

    assert identity.asked == 1


@pytest.mark.parametrize("end", ENDINGS)
async def test_what_ended_is_not_good_any_more(end: Callable[[Credentials], None]) -> None:
    identity, credentials = beginning()
    await credentials.exchange(SHOWN, "audit", "r")
    identity.good = False

    end(credentials)

    with pytest.raises(Unauthenticated):
        await credentials.exchange(SHOWN, "audit", "r")


@pytest.mark.parametrize("end", ENDINGS)
async def test_an_answer_from_before_the_ending_is_not_kept(end: Callable[[Credentials], None]) -> None:
    identity, credentials = beginning()
    identity.may_answer.clear()
    early = asyncio.create_task(credentials.exchange(SHOWN, "audit", "r"))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert identity.asked == 1

    identity.good = False
    end(credentials)
    identity.may_answer.set()

    assert (await early).token  # whoever asked before it ended is answered as before
    with pytest.raises(Unauthenticated):
        await credentials.exchange(SHOWN, "audit", "r")


async def test_nobody_new_waits_for_an_answer_from_before_the_ending() -> None:
    identity, credentials = beginning()
    identity.may_answer.clear()
    early = asyncio.create_task(credentials.exchange(SHOWN, "audit", "r"))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    identity.good = False
    ended_by_event(credentials)
    late = asyncio.create_task(credentials.exchange(SHOWN, "audit", "r"))
    await asyncio.sleep(0)
    identity.may_answer.set()

    await early
    with pytest.raises(Unauthenticated):
        await late


async def test_only_what_identity_accepted_counts_as_good() -> None:
    identity, credentials = beginning()
    identity.good = False
    with pytest.raises(Unauthenticated):
        await credentials.exchange(SHOWN, "audit", "r")
    assert not credentials.was_good(SHOWN)

    identity.good = True
    await credentials.exchange(SHOWN, "audit", "r")

    assert credentials.was_good(SHOWN)
    assert not credentials.was_good(Shown("session", SHOWN.secret))
