"""Administrators of the installation: who they are, how they come and go, and that one is always left."""

from __future__ import annotations

import asyncio

import pytest

from argosy.contracts import identity as c
from argosy.contracts.paging import ById, PageRequest
from argosy.kit.errors import Conflict, Forbidden, Invalid, NotFound
from tests.unit.platform.identity.world import PASSWORD


async def add(world, call, email):
    return await world.api.add_administrator(call=call, request=c.NewAdministrator(email))


async def remove(world, call, id):
    return await world.api.remove_administrator(call=call, request=ById(id))


async def test_a_user_of_any_account_becomes_an_administrator(world):
    boss = await world.boss()
    await world.account(boss, "second", "owner@example.org")

    made = await add(world, boss, "OWNER@example.org")

    assert (made.name, made.email, made.status) == ("owner", "owner@example.org", "active")
    owner = await world.signed_in("owner@example.org")
    assert owner.principal.platform_admin
    await world.api.accounts(call=owner, request=PageRequest())  # may now


async def test_an_open_session_notices_and_the_callers_account_keeps_the_record(world):
    boss = await world.boss()
    owner = await world.account(boss, "second", "owner@example.org")
    session = await world.sign_in("owner@example.org")

    await add(world, boss, "owner@example.org")
    assert (await world.exchange(session.token)).principal.platform_admin
    await remove(world, boss, owner.principal.id)
    assert not (await world.exchange(session.token)).principal.platform_admin

    assert (await world.revoked())[-2:] == [c.Revoked(principal=owner.principal.id)] * 2
    entries = [entry for entry in await world.recorded() if entry.resource == "administrator"]
    assert [(entry.account, entry.resource_id, entry.resource_name) for entry in entries] == [
        (boss.account, owner.principal.id, "owner@example.org")
    ] * 2
    assert b"owner@example.org" in bytes(entries[0].after) and b"owner@example.org" in bytes(
        entries[1].before
    )


async def test_a_former_administrator_stays_a_user(world):
    boss = await world.boss()
    member = await world.add(boss, "member@example.org")
    await add(world, boss, "member@example.org")

    await remove(world, boss, member.principal.id)

    member = await world.signed_in("member@example.org")
    assert not member.principal.platform_admin and member.account == boss.account
    with pytest.raises(Forbidden):
        await world.api.administrators(call=member, request=PageRequest())
    with pytest.raises(NotFound):
        await remove(world, boss, member.principal.id)


async def test_only_an_administrator_makes_one(world):
    boss = await world.boss()
    admin = await world.add(boss, "admin@example.org", role="admin")
    with pytest.raises(Forbidden):
        await add(world, admin, "admin@example.org")


async def test_somebody_who_could_not_sign_in_does_not_become_one(world):
    boss = await world.boss()
    member = await world.add(boss, "member@example.org")
    await world.api.change_user(call=boss, request=c.UserChange(id=member.principal.id, disabled=True))
    for email in ("member@example.org", "nobody@example.org"):
        with pytest.raises(Invalid) as refused:
            await add(world, boss, email)
        assert refused.value.code == "user.unknown" and refused.value.context["field"] == "email"
    listed = await world.api.administrators(call=boss, request=PageRequest())
    assert [each.id for each in listed.items] == [boss.principal.id], "the refusal left nothing behind"


async def test_nobody_becomes_one_twice(world):
    boss = await world.boss()
    await world.add(boss, "member@example.org")
    await add(world, boss, "member@example.org")
    with pytest.raises(Conflict) as refused:
        await add(world, boss, "member@example.org")
    assert refused.value.code == "administrator.exists"


async def test_the_last_one_stays(world):
    boss = await world.boss()
    with pytest.raises(Conflict) as refused:
        await remove(world, boss, boss.principal.id)
    assert refused.value.code == "user.last_admin"
    assert (await world.signed_in(boss.principal.name + "@argosy.local", PASSWORD)).principal.platform_admin


async def test_one_who_can_sign_in_stays_although_there_are_disabled_ones(world):
    boss = await world.boss()
    member = await world.add(boss, "member@example.org")
    await add(world, boss, "member@example.org")
    await world.api.change_user(call=boss, request=c.UserChange(id=member.principal.id, disabled=True))

    with pytest.raises(Conflict):
        await remove(world, boss, boss.principal.id)
    listed = await world.api.administrators(call=boss, request=PageRequest(search="MEMBER"))
    assert [(each.email, each.status) for each in listed.items] == [("member@example.org", "disabled")]


async def test_of_administrators_who_remove_each_other_at_once_one_stays(world):
    boss = await world.boss()
    ring = [boss]
    for number in range(3):
        ring.append(await world.add(boss, f"root{number}@example.org"))
        await add(world, boss, f"root{number}@example.org")
    calls = [boss, *[await world.signed_in(f"root{number}@example.org") for number in range(3)]]

    outcomes = await asyncio.gather(
        *(
            remove(world, call, victim.principal.id)
            for call, victim in zip(calls, [*ring[1:], ring[0]], strict=True)
        ),
        return_exceptions=True,
    )

    assert [each.code for each in outcomes if isinstance(each, Exception)] == ["user.last_admin"]


async def test_of_two_removed_in_two_ways_at_once_one_stays(world):
    """One loses the right, the other the account: each alone would be fine."""
    boss = await world.boss()
    await world.add(boss, "admin@example.org", role="admin")
    owner = await world.account(boss, "second", "owner@example.org")
    await world.add(owner, "other@example.org", role="admin")
    other = await world.signed_in("other@example.org")
    await add(world, boss, "owner@example.org")

    outcomes = await asyncio.gather(
        remove(world, boss, boss.principal.id),
        world.api.remove_user(call=other, request=ById(owner.principal.id)),
        return_exceptions=True,
    )

    assert [each.code for each in outcomes if isinstance(each, Exception)] == ["user.last_admin"]


async def test_whoever_is_leaving_is_not_made_one_meanwhile(world):
    """Held by their removal, they are found gone."""
    boss = await world.boss()
    member = await world.add(boss, "member@example.org")

    outcomes = await asyncio.gather(
        add(world, boss, "member@example.org"),
        world.api.remove_user(call=boss, request=ById(member.principal.id)),
        return_exceptions=True,
    )

    assert {getattr(each, "code", "done") for each in outcomes} <= {
        "done",
        "user.unknown",
        "database.conflict",
    }
    listed = await world.api.administrators(call=boss, request=PageRequest())
    able = [each.email for each in listed.items if each.status != "disabled"]
    assert boss.principal.name in able[0]
