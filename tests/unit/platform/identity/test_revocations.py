"""Who listens hears at once what ended, also at another instance."""

from __future__ import annotations

import asyncio

import pytest

from argosy.contracts import identity as c
from argosy.contracts.paging import ById
from argosy.kit.errors import Unavailable
from argosy.kit.operations import Nothing
from tests.unit.platform.identity.world import World


async def listen(world):
    stream = world.api.revocations(call=world.gateway(), request=Nothing())
    async with asyncio.timeout(10):
        assert await anext(stream) == c.Revoked()  # live
    return stream


async def heard(stream, wanted):
    async with asyncio.timeout(10):
        async for revoked in stream:
            if revoked == wanted:
                return


async def test_a_revocation_at_one_instance_is_heard_at_another(world, tmp_path):
    boss = await world.boss()
    member = await world.add(boss, "member@example.org")
    other = await World.start(world.dsns, tmp_path)
    stream = await listen(other)

    await world.api.remove_user(call=boss, request=ById(member.principal.id))

    await heard(stream, c.Revoked(principal=member.principal.id, account=boss.account))
    await stream.aclose()
    await other.stop()


async def test_what_is_rolled_back_is_not_heard(world):
    boss = await world.boss()
    stream = await listen(world)

    async def fails():
        async with world.database.transaction(boss.account) as tx:
            await world.parts.revoke(tx, boss.account, c.Revoked(credential="session:never"))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await fails()
    async with world.database.transaction(boss.account) as tx:
        await world.parts.revoke(tx, boss.account, c.Revoked(credential="session:really"))

    async with asyncio.timeout(10):
        assert await anext(stream) == c.Revoked(credential="session:really")
    await stream.aclose()


async def test_a_stream_that_may_have_missed_something_ends_with_an_error(world):
    await world.boss()
    stream = await listen(world)

    async with world.superuser() as link:
        await link.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'"
        )

    with pytest.raises(Unavailable) as ended:
        async with asyncio.timeout(20):
            await anext(stream)
    assert ended.value.code == "auth.revocations_interrupted"
    again = await listen(world)
    await again.aclose()
