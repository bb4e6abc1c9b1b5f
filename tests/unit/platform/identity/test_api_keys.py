"""API keys: told once, stored hashed, limited, listed, revoked."""

from __future__ import annotations

import hashlib
import re

import pytest

from argosy.contracts import identity as c
from argosy.contracts.paging import ById
from argosy.kit.errors import Forbidden, Invalid, NotFound
from argosy.kit.operations import Nothing


async def test_a_key_is_told_once_and_stored_as_a_hash(world):
    boss = await world.boss()

    made = await world.api.create_api_key(call=boss, request=c.NewApiKey("ci"))

    assert re.fullmatch(r"argk_[A-Za-z0-9_-]{43}", made.key)
    assert made.api_key.prefix == made.key[:13]
    principal = (await world.exchange(made.key, "key")).principal
    assert (principal.id, principal.admin, principal.scopes) == (boss.principal.id, True, None)
    assert principal.credential == f"key:{made.api_key.id}"
    await world.recorder.flush()
    async with world.superuser() as link:
        rows = str(await link.fetch("SELECT * FROM identity.api_keys"))
        everything = str(await link.fetch("SELECT body::text FROM identity.outbox"))
        stored = await link.fetchval("SELECT key_hash FROM identity.api_keys")
    assert made.key not in rows and made.key not in everything
    assert stored == hashlib.sha256(made.key.encode()).digest()


@pytest.mark.parametrize("shown", ["", "argk_", "argk_" + "A" * 43, "x" * 512, "argk_" + "A" * 42 + "é"])
async def test_what_is_no_key_is_refused(world, shown):
    await world.boss()
    assert not await world.is_good(shown, "key")
    assert not await world.is_good(shown, "session")


async def test_a_revoked_key_ends_at_once(world):
    boss = await world.boss()
    made = await world.api.create_api_key(call=boss, request=c.NewApiKey("ci"))
    await world.api.revoke_api_key(call=boss, request=ById(made.api_key.id))
    assert not await world.is_good(made.key, "key")
    assert c.Revoked(credential=f"key:{made.api_key.id}") in await world.revoked()


async def test_a_key_expires(world):
    boss = await world.boss()
    made = await world.api.create_api_key(call=boss, request=c.NewApiKey("ci", expires_days=1))
    assert await world.is_good(made.key, "key")
    world.pass_time(days=1, seconds=1)
    assert not await world.is_good(made.key, "key")


async def test_a_key_cannot_make_one_that_may_do_more(world):
    boss = await world.boss()
    narrow = await world.api.create_api_key(
        call=boss, request=c.NewApiKey("narrow", scopes=["api-keys", "users:read"])
    )
    call = world.call((await world.exchange(narrow.key, "key")).principal)
    assert call.principal.scopes == ("api-keys", "users:read")

    for wanted in (None, ["users:write"], ["users"]):
        with pytest.raises(Forbidden):
            await world.api.create_api_key(call=call, request=c.NewApiKey("wide", scopes=wanted))
    same = await world.api.create_api_key(
        call=call, request=c.NewApiKey("same", scopes=["users:read", "api-keys:read"])
    )
    assert same.api_key.scopes == ["api-keys:read", "users:read"]


async def test_scopes_come_from_the_contracts(world):
    boss = await world.boss()
    names = {scope.name for scope in (await world.api.scopes(call=boss, request=Nothing())).scopes}
    assert {"users", "users:read", "users:write", "audit:read", "system:write", "access-rules"} <= names
    assert c.PASSWORD_SCOPE not in names
    for wrong in ("users:destroy", c.PASSWORD_SCOPE):
        with pytest.raises(Invalid) as refused:
            await world.api.create_api_key(call=boss, request=c.NewApiKey("x", scopes=[wrong]))
        assert refused.value.context["field"] == "scopes[0]"


async def test_one_sees_and_revokes_ones_own_keys_an_admin_everyones(world):
    boss = await world.boss()
    member, other = await world.add(boss, "member@example.org"), await world.add(boss, "other@example.org")
    members = await world.api.create_api_key(call=member, request=c.NewApiKey("members"))
    others = await world.api.create_api_key(call=other, request=c.NewApiKey("others"))

    own = await world.api.api_keys(call=member, request=c.ApiKeyQuery())
    assert [key.name for key in own.items] == ["members"] and own.items[0].owner.name == "member"
    for query in (c.ApiKeyQuery(all=True), c.ApiKeyQuery(owner=other.principal.id)):
        with pytest.raises(Forbidden):
            await world.api.api_keys(call=member, request=query)
    with pytest.raises(NotFound):
        await world.api.revoke_api_key(call=member, request=ById(others.api_key.id))
    every = await world.api.api_keys(call=boss, request=c.ApiKeyQuery(all=True, sort="name"))
    assert [key.name for key in every.items] == ["members", "others"]
    await world.api.revoke_api_key(call=boss, request=ById(members.api_key.id))
    assert not await world.is_good(members.key, "key")


async def test_the_last_use_is_written_at_most_once_a_minute_and_in_groups(world):
    boss = await world.boss()
    made = await world.api.create_api_key(call=boss, request=c.NewApiKey("ci"))

    async def last_used():
        page = await world.api.api_keys(call=boss, request=c.ApiKeyQuery())
        return page.items[0].last_used

    await world.exchange(made.key, "key")
    assert await last_used() is None  # not in the request's way
    await world.parts.touches.flush()
    first = await last_used()
    world.pass_time(seconds=30)
    await world.exchange(made.key, "key")
    await world.parts.touches.flush()
    assert await last_used() == first
    world.pass_time(seconds=30)
    await world.exchange(made.key, "key")
    await world.parts.touches.flush()
    assert await last_used() == world.moment
