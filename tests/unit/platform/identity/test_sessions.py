"""Signing in and out, and how sessions end."""

from __future__ import annotations

import hashlib

import pytest

from argosy.contracts import identity as c
from argosy.contracts.paging import ById, PageRequest
from argosy.kit.errors import Forbidden, Invalid, NotFound, Unauthenticated
from argosy.kit.operations import Nothing
from argosy.platform.identity.settings import IdentitySettings
from tests.unit.platform.identity.world import PASSWORD


def session_id(call):
    return call.principal.credential.removeprefix("session:")


async def test_a_session_is_stored_as_a_hash_only(world):
    await world.boss()
    created = await world.sign_in("admin@argosy.local")

    async with world.superuser() as link:
        stored = await link.fetchval(
            "SELECT token_hash FROM identity.sessions WHERE id = $1", created.session
        )
        everything = str(await link.fetch("SELECT body::text FROM identity.outbox"))
    assert stored == hashlib.sha256(created.token.encode()).digest()
    assert created.token not in everything


async def test_e_mails_are_the_same_in_any_case(world):
    await world.boss()
    assert await world.is_good((await world.sign_in(" ADMIN@argosy.local ")).token)


async def test_a_session_ends_when_idle(world):
    await world.boss()
    created = await world.sign_in("admin@argosy.local")

    world.pass_time(hours=12, seconds=1)

    assert not await world.is_good(created.token)


async def test_a_used_session_lives_on_but_not_for_ever(world):
    await world.boss()
    created = await world.sign_in("admin@argosy.local")
    for _ in range(16):
        world.pass_time(hours=10)
        assert await world.is_good(created.token)
        await world.parts.touches.flush()

    world.pass_time(hours=9)

    assert not await world.is_good(created.token)


async def test_a_token_that_a_client_brought_is_never_made_valid(world):
    """Session fixation: what was known before signing in opens nothing afterwards."""
    await world.boss()
    brought = "A" * 43
    created = await world.sign_in("admin@argosy.local")

    assert created.token != brought and not await world.is_good(brought)
    assert created.token != (await world.sign_in("admin@argosy.local")).token


async def test_signing_out_ends_the_session_that_asks(world):
    await world.boss()
    one, two = await world.sign_in("admin@argosy.local"), await world.sign_in("admin@argosy.local")
    call = world.call((await world.exchange(one.token)).principal)

    await world.api.sign_out(call=call, request=Nothing())

    assert not await world.is_good(one.token) and await world.is_good(two.token)
    assert c.Revoked(credential=f"session:{one.session}") in await world.revoked()


async def test_one_sees_and_ends_ones_own_sessions_only(world):
    boss = await world.boss()
    member = await world.add(boss, "member@example.org")

    mine = await world.api.sessions(call=member, request=PageRequest(sort="-created"))
    assert [each.current for each in mine.items].count(True) == 1
    assert mine.total == len(mine.items) == 2  # the one that changed the password, and this one

    with pytest.raises(NotFound):
        await world.api.end_session(call=member, request=ById(session_id(boss)))
    other = next(each.id for each in mine.items if not each.current)
    await world.api.end_session(call=member, request=ById(other))
    assert (await world.api.sessions(call=member, request=PageRequest())).total == 1


async def test_a_password_change_ends_the_other_sessions(world):
    boss = await world.boss()
    other = await world.sign_in("admin@argosy.local")

    new = "another five random words here"
    await world.api.change_password(call=boss, request=c.PasswordChange(new=new, current=PASSWORD))

    assert not await world.is_good(other.token)
    assert (await world.api.sessions(call=boss, request=PageRequest())).total == 1
    with pytest.raises(Unauthenticated):
        await world.sign_in("admin@argosy.local", PASSWORD)
    await world.sign_in("admin@argosy.local", new)


async def test_a_password_change_needs_the_current_one_and_a_session(world):
    boss = await world.boss()
    with pytest.raises(Unauthenticated):
        await world.api.change_password(call=boss, request=c.PasswordChange(new="some new password"))
    with pytest.raises(Unauthenticated):
        await world.api.change_password(
            call=boss, request=c.PasswordChange(new="some new password", current="wrong")
        )

    key = await world.api.create_api_key(call=boss, request=c.NewApiKey("mine"))
    by_key = world.call((await world.exchange(key.key, "key")).principal)
    with pytest.raises(Forbidden):
        await world.api.change_password(
            call=by_key, request=c.PasswordChange(new="some new password", current=PASSWORD)
        )


async def test_the_same_password_is_no_change(world):
    boss = await world.boss()
    with pytest.raises(Invalid, match="to replace"):
        await world.api.change_password(call=boss, request=c.PasswordChange(new=PASSWORD, current=PASSWORD))


@pytest.mark.parametrize("weak", ["admin@argosy.local", "Password123", "aaaaaaaaaaaa", "short"])
async def test_weak_passwords_are_refused(world, weak):
    boss = await world.boss()
    with pytest.raises(Invalid) as refused:
        await world.api.change_password(call=boss, request=c.PasswordChange(new=weak, current=PASSWORD))
    assert refused.value.code == "password.weak" and refused.value.context["field"] == "password"


async def test_a_hash_with_old_parameters_is_renewed_when_the_password_is_at_hand(world):
    await world.boss()
    async with world.superuser() as link:
        before = await link.fetchval("SELECT password_hash FROM identity.users")
    await world.stop()
    world.settings = IdentitySettings(hash_memory_kib=128, hash_rounds=1)
    await world.boot()

    await world.sign_in("admin@argosy.local")

    async with world.superuser() as link:
        after = await link.fetchval("SELECT password_hash FROM identity.users")
    assert "m=64" in before and "m=128" in after


async def test_switching_needs_membership_and_a_session(world):
    boss = await world.boss()
    owner = await world.account(boss, "second", "owner@example.org")

    with pytest.raises(NotFound):
        await world.api.switch_account(call=owner, request=c.SwitchAccount(boss.account))
    with pytest.raises(NotFound):
        await world.api.switch_account(call=owner, request=c.SwitchAccount("f" * 24))


async def test_switching_changes_this_session_only_and_ends_its_streams(world):
    boss = await world.boss()
    owner = await world.account(boss, "second", "owner@example.org")
    await world.bring(owner, "admin@argosy.local")
    one, two = await world.sign_in("admin@argosy.local"), await world.sign_in("admin@argosy.local")
    call = world.call((await world.exchange(one.token)).principal)

    target = owner.account if call.account == boss.account else boss.account
    await world.api.switch_account(call=call, request=c.SwitchAccount(target))

    moved = (await world.exchange(one.token)).principal
    stayed = (await world.exchange(two.token)).principal
    assert moved.account == target != stayed.account
    assert c.Revoked(credential=f"session:{one.session}") in await world.revoked()
    assert {moved.admin, stayed.admin} == {True, False}  # a role in each account


async def test_last_seen_is_kept_roughly_and_never_in_the_requests_way(world):
    await world.boss()
    created = await world.sign_in("admin@argosy.local")
    world.pass_time(seconds=59)
    await world.exchange(created.token)
    assert not world.parts.touches._sessions

    world.pass_time(seconds=2)
    await world.exchange(created.token)
    await world.parts.touches.flush()

    async with world.superuser() as link:
        seen = await link.fetchval("SELECT last_seen FROM identity.sessions WHERE id = $1", created.session)
    assert seen == world.moment


async def test_the_profile_is_ones_own(world):
    boss = await world.boss()
    request = c.ProfileChange(name="Renamed", time_zone="Asia/Tokyo")
    me = await world.api.change_profile(call=boss, request=request)
    assert (me.name, me.time_zone) == ("Renamed", "Asia/Tokyo")
    with pytest.raises(Invalid):
        await world.api.change_profile(call=boss, request=c.ProfileChange(time_zone="Mars/Olympus"))
    with pytest.raises(Invalid):
        await world.api.change_profile(call=boss, request=c.ProfileChange(name="a\0b"))
