"""How an installation begins."""

from __future__ import annotations

import asyncio

import pytest

from argosy.contracts import identity as c
from argosy.kit.errors import Conflict, Invalid, Unauthenticated
from argosy.kit.operations import Nothing
from tests.unit.platform.identity.world import PASSWORD


async def test_the_first_run_makes_an_admin_with_a_one_time_password(world):
    first = await world.api.first_run(call=world.as_host(), request=Nothing())

    assert first.email == "admin@argosy.local"
    created = await world.sign_in(first.email, first.password)
    assert created.must_change_password


async def test_a_later_run_gives_only_a_link(world):
    first = await world.api.first_run(call=world.as_host(), request=Nothing())
    second = await world.api.first_run(call=world.as_host(), request=Nothing())

    assert (second.email, second.password) == (first.email, "")
    assert second.link_token not in ("", first.link_token)


async def test_a_first_start_that_was_stopped_before_it_showed_the_password_is_made_good_by_the_next(world):
    begun = await world.api.first_run(call=world.as_host(), request=c.Begin("never-shown"))
    assert (begun.password, begun.replaced) == ("never-shown", False)

    again = await world.api.first_run(call=world.as_host(), request=c.Begin("shown-at-last"))

    assert (again.password, again.replaced) == ("shown-at-last", True)
    with pytest.raises(Unauthenticated):
        await world.sign_in(again.email, "never-shown")
    with pytest.raises(Unauthenticated):
        await world.api.redeem_link(call=world.gateway(), request=c.RedeemLink(begun.link_token))
    assert (await world.sign_in(again.email, "shown-at-last")).must_change_password
    assert "shown-at-last" not in str(await world.recorded())


async def test_asking_again_during_one_start_does_not_change_what_was_shown(world):
    first = await world.api.first_run(call=world.as_host(), request=c.Begin("of-this-start"))
    again = await world.api.first_run(call=world.as_host(), request=c.Begin("of-this-start"))

    assert (again.password, again.replaced) == (first.password, False)
    assert await world.sign_in(first.email, "of-this-start")


@pytest.mark.parametrize("how", ["password", "link", "reset"])
async def test_once_somebody_got_in_or_was_given_another_password_no_start_hands_one_out(world, how):
    first = await world.api.first_run(call=world.as_host(), request=c.Begin("the-first"))
    good = "the-first"
    match how:
        case "password":
            await world.sign_in(first.email, good)
        case "link":
            await world.api.redeem_link(call=world.gateway(), request=c.RedeemLink(first.link_token))
        case "reset":  # where the start writes to a journal, this is the way to a password
            by_email = c.ResetByEmail(first.email)
            good = (await world.api.reset_by_email(call=world.as_host(), request=by_email)).one_time_password

    again = await world.api.first_run(call=world.as_host(), request=c.Begin("another"))

    assert (again.password, again.replaced) == ("", False)
    assert await world.sign_in(first.email, good)


async def test_two_first_runs_at_once_make_one_account(world):
    runs = await asyncio.gather(
        *(world.api.first_run(call=world.as_host(), request=Nothing()) for _ in range(4))
    )

    assert sum(bool(run.password) for run in runs) == 1
    async with world.superuser() as link:
        assert await link.fetchval("SELECT count(*) FROM identity.accounts") == 1


async def test_a_link_signs_in_once(world):
    first = await world.api.first_run(call=world.as_host(), request=Nothing())
    request = c.RedeemLink(first.link_token, "127.0.0.1", "browser")

    created = await world.api.redeem_link(call=world.gateway(), request=request)

    assert await world.is_good(created.token)
    with pytest.raises(Unauthenticated) as refused:
        await world.api.redeem_link(call=world.gateway(), request=request)
    assert refused.value.code == "auth.link"


async def test_a_link_is_worthless_after_ten_minutes(world):
    first = await world.api.first_run(call=world.as_host(), request=Nothing())
    world.pass_time(minutes=10, seconds=1)

    with pytest.raises(Unauthenticated):
        await world.api.redeem_link(call=world.gateway(), request=c.RedeemLink(first.link_token))


async def test_who_must_change_the_password_may_do_nothing_else(world):
    first = await world.api.first_run(call=world.as_host(), request=Nothing())
    call = await world.signed_in(first.email, first.password)

    assert call.principal.scopes == (c.PASSWORD_SCOPE,)
    assert not call.principal.admin and not call.principal.platform_admin
    assert (await world.api.me(call=call, request=Nothing())).must_change_password

    with pytest.raises(Invalid, match="to replace"):
        await world.api.change_password(call=call, request=c.PasswordChange(new=first.password))
    await world.api.change_password(call=call, request=c.PasswordChange(new=PASSWORD))

    again = await world.signed_in(first.email)
    assert again.principal.scopes is None and again.principal.platform_admin


async def test_everyone_sees_all_in_a_new_account(world):
    boss = await world.boss()
    await world.add(boss, "member@example.org")

    for entity, action, tags in (("applications", "VIEW", []), ("pipeline", "read", ["x"])):
        why = c.Why(user="member@example.org", action=action, entity=entity, resource="shop", tags=tags)
        assert (await world.api.why(call=boss, request=why)).allowed
    denied = c.Why(user="member@example.org", action="SYNC", entity="applications")
    assert not (await world.api.why(call=boss, request=denied)).allowed


async def test_whoever_owns_the_machine_resets_by_email(world):
    boss = await world.boss()
    session = await world.sign_in("admin@argosy.local")

    reset = await world.api.reset_by_email(call=world.as_host(), request=c.ResetByEmail("Admin@Argosy.local"))

    assert not await world.is_good(session.token)
    created = await world.sign_in("admin@argosy.local", reset.one_time_password)
    assert created.must_change_password
    assert c.Revoked(principal=boss.principal.id) in await world.revoked()


async def test_an_account_is_made_with_a_new_admin_whose_password_is_shown_once(world):
    boss = await world.boss()
    request = c.NewAccount("second", "Europe/Berlin", "owner@example.org")

    made = await world.api.create_account(call=boss, request=request)

    owner = await world.sign_in("owner@example.org", made.one_time_password)
    assert owner.must_change_password and made.users == 1
    with pytest.raises(Conflict) as refused:
        await world.api.create_account(call=boss, request=c.NewAccount("SECOND"))
    assert refused.value.code == "account.exists"


async def test_a_platform_admin_enters_an_account_that_they_made_for_themselves(world):
    boss = await world.boss()
    made = await world.api.create_account(call=boss, request=c.NewAccount("mine"))

    me = await world.api.switch_account(call=boss, request=c.SwitchAccount(made.id))

    assert made.one_time_password == ""
    assert me.account == c.MyAccount(made.id, "mine", "admin")
    assert {account.name for account in me.accounts} == {"main", "mine"}
