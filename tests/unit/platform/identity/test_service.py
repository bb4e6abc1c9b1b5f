"""Identity as its host sees it."""

from __future__ import annotations

import asyncio
import inspect

import pytest

from argosy.backends.database import EVERY_ACCOUNT
from argosy.contracts import identity as c
from argosy.kit.errors import Internal, Unavailable
from argosy.kit.operations import Nothing, operations
from argosy.platform.identity.housekeeping import tidy
from argosy.platform.identity.issuer import Issuer
from argosy.platform.identity.service import SERVICE
from argosy.platform.identity.settings import IdentitySettings
from tests.unit.platform.identity.world import CHEAP, World


async def test_every_operation_of_the_contract_is_answered(world):
    running = await SERVICE.build(world.resources)
    for name, operation in operations(c.Identity).items():
        method = getattr(running.api, name)
        kind = inspect.isasyncgenfunction if operation.streams else inspect.iscoroutinefunction
        assert kind(method), name
        assert set(inspect.signature(method).parameters) == {"call", "request"}, name


async def test_open_streams_end_when_a_stop_begins(world):
    running = await SERVICE.build(world.resources)
    stream = running.api.revocations(call=world.gateway(), request=Nothing())
    async with asyncio.timeout(10):
        await anext(stream)
        running.stopping()
        with pytest.raises(Unavailable):
            await anext(stream)


async def test_what_was_noted_is_written_when_the_loop_is_stopped(world):
    boss = await world.boss()
    made = await world.api.create_api_key(call=boss, request=c.NewApiKey("ci"))
    loop = asyncio.create_task(world.parts.touches.run())
    await asyncio.sleep(0)
    await world.exchange(made.key, "key")

    loop.cancel()
    await asyncio.wait([loop])

    page = await world.api.api_keys(call=boss, request=c.ApiKeyQuery())
    assert page.items[0].last_used == world.moment


async def test_what_has_expired_is_forgotten_and_locks_are_not(world):
    boss = await world.boss()
    await world.api.invite(call=boss, request=c.NewInvitation("guest@example.org"))
    async with world.database.transaction(EVERY_ACCOUNT) as tx:
        await tx.execute(
            "INSERT INTO throttles VALUES ('a', 9, $1, NULL), ('b', 9, $1, $1::timestamptz + interval '9 days')",
            world.moment,
        )
    world.pass_time(days=8)

    await tidy(world.parts)

    async with world.superuser() as link:
        for table in ("sessions", "links", "invitations"):
            assert await link.fetchval(f"SELECT count(*) FROM identity.{table}") == 0
        left = await link.fetch("SELECT key FROM identity.throttles WHERE key IN ('a', 'b')")
    assert [row["key"] for row in left] == ["b"]


async def test_whoever_owns_the_machine_gets_in_although_somebody_locked_them_out(world):
    boss = await world.boss()
    for number in range(6):
        with pytest.raises(Exception, match=r"password is wrong|too many"):
            await world.sign_in("admin@argosy.local", f"guess {number}", remote=f"198.51.100.{number}")
    reset = await world.api.reset_by_email(call=world.as_host(), request=c.ResetByEmail("admin@argosy.local"))
    assert await world.sign_in("admin@argosy.local", reset.one_time_password)
    assert boss.principal.platform_admin


def test_a_broken_signing_key_is_named_with_a_cure(tmp_path):
    Issuer(tmp_path)
    (tmp_path / "identity-signing-first.json").write_text("{")
    with pytest.raises(Internal) as refused:
        Issuer(tmp_path)
    assert "identity-signing-first.json" in refused.value.message and refused.value.cure


async def test_settings_name_the_first_admin_and_account(dsns, tmp_path):
    settings = IdentitySettings(
        admin_email="Boss@Example.org", account_name="acme", hash_memory_kib=64, hash_rounds=1
    )
    world = await World.start(dsns, tmp_path, settings)
    boss = await world.boss()
    me = await world.api.me(call=boss, request=Nothing())
    await world.empty()
    await world.stop()
    assert (me.email, me.account.name, me.name) == ("boss@example.org", "acme", "boss")
    assert CHEAP.admin_email == "admin@argosy.local"
