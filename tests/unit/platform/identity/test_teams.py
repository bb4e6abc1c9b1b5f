"""Teams, service accounts and their keys."""

from __future__ import annotations

import asyncio

import pytest

from argosy.contracts import identity as c
from argosy.contracts.paging import ById, PageRequest
from argosy.kit.calls import service_call
from argosy.kit.errors import Conflict, Forbidden, Invalid, NotFound
from argosy.kit.operations import Nothing
from argosy.platform.identity.store import accounts, users


async def test_a_team_gains_and_loses_members_who_are_told(world):
    boss = await world.boss()
    member = await world.add(boss, "member@example.org")
    me = member.principal.id
    team = await world.api.create_team(call=boss, request=c.NewTeam("ops", "Operators", [me]))
    assert team.members == 1
    assert team.id in (await world.signed_in("member@example.org")).principal.teams

    request = c.TeamChange(id=team.id, name="operations", remove_members=[me])
    changed = await world.api.change_team(call=boss, request=request)

    assert (changed.name, changed.members) == ("operations", 0)
    assert (await world.revoked()).count(c.Revoked(principal=me, account=boss.account)) == 2
    changes = [each for each in await world.recorded() if (each.resource, each.kind) == ("team", "change")]
    assert bytes(changes[0].before) == b"null"
    assert me.encode() in bytes(changes[1].before) and me.encode() not in bytes(changes[1].after)


async def test_everyone_is_in_the_team_of_everyone(world):
    boss = await world.boss()
    member = await world.add(boss, "member@example.org")
    await world.api.create_service_account(call=boss, request=c.NewServiceAccount("robot"))
    page = await world.api.teams(call=boss, request=PageRequest())
    everyone = page.items[0]

    assert everyone.everyone and everyone.members == 3
    assert everyone.id in member.principal.teams
    assert (await world.api.users(call=boss, request=c.UserQuery(team=everyone.id))).total == 2
    for attempt in (
        lambda: world.api.remove_team(call=boss, request=ById(everyone.id)),
        lambda: world.api.change_team(
            call=boss, request=c.TeamChange(id=everyone.id, remove_members=[member.principal.id])
        ),
    ):
        with pytest.raises(Conflict) as refused:
            await attempt()
        assert refused.value.code == "team.everyone"


async def test_team_names_are_unique_in_any_case(world):
    boss = await world.boss()
    await world.api.create_team(call=boss, request=c.NewTeam("ops"))
    other = await world.api.create_team(call=boss, request=c.NewTeam("dev"))
    for attempt in (
        lambda: world.api.create_team(call=boss, request=c.NewTeam("OPS")),
        lambda: world.api.change_team(call=boss, request=c.TeamChange(id=other.id, name="Ops")),
    ):
        with pytest.raises(Conflict) as refused:
            await attempt()
        assert refused.value.code == "team.exists"
    with pytest.raises(Invalid) as unknown:
        await world.api.create_team(call=boss, request=c.NewTeam("x", members=["e" * 24]))
    assert unknown.value.context["field"] == "members[0]"


async def test_rules_for_a_removed_team_alone_go_with_it(world):
    boss = await world.boss()
    one = await world.api.create_team(call=boss, request=c.NewTeam("one"))
    two = await world.api.create_team(call=boss, request=c.NewTeam("two"))

    async def rule(name, teams):
        request = c.NewAccessRule(name, "applications", teams, ["SYNC"])
        return await world.api.create_access_rule(call=boss, request=request)

    alone, shared = await rule("alone", [one.id]), await rule("shared", [one.id, two.id])
    version = (
        await world.api.rules_for_account(call=service_call("gitops", boss.account), request=Nothing())
    ).version

    await world.api.remove_team(call=boss, request=ById(one.id))

    with pytest.raises(NotFound):
        await world.api.access_rule(call=boss, request=ById(alone.id))
    left = await world.api.access_rule(call=boss, request=ById(shared.id))
    assert [team.name for team in left.teams] == ["two"]
    assert (
        await world.api.rules_for_account(call=service_call("gitops", boss.account), request=Nothing())
    ).version > version


async def test_a_service_account_acts_through_its_keys(world):
    boss = await world.boss()
    team = await world.api.create_team(call=boss, request=c.NewTeam("ops"))
    robot = await world.api.create_service_account(
        call=boss, request=c.NewServiceAccount("robot", "admin", [team.id])
    )
    key = await world.api.create_api_key(call=boss, request=c.NewApiKey("ci", service_account=robot.id))

    principal = (await world.exchange(key.key, "key")).principal

    assert (principal.kind, principal.id, principal.admin) == ("service_account", robot.id, True)
    assert team.id in principal.teams
    me = await world.api.me(call=world.call(principal), request=Nothing())
    assert (me.kind, me.name, me.account.name) == ("service_account", "robot", "main")
    listed = await world.api.service_accounts(call=boss, request=PageRequest(search="rob"))
    assert listed.items[0].keys == 1 and listed.total == 1
    own = await world.api.create_api_key(call=world.call(principal), request=c.NewApiKey("own"))
    assert own.api_key.owner_kind == "service_account"


async def test_a_removed_service_account_takes_its_keys_along(world):
    boss = await world.boss()
    robot = await world.api.create_service_account(call=boss, request=c.NewServiceAccount("robot"))
    key = await world.api.create_api_key(call=boss, request=c.NewApiKey("ci", service_account=robot.id))

    await world.api.remove_service_account(call=boss, request=ById(robot.id))

    assert not await world.is_good(key.key, "key")
    assert c.Revoked(principal=robot.id, account=boss.account) in await world.revoked()
    with pytest.raises(NotFound):
        await world.api.service_account(call=boss, request=ById(robot.id))


async def test_service_accounts_are_changed_and_named_once(world):
    boss = await world.boss()
    robot = await world.api.create_service_account(call=boss, request=c.NewServiceAccount("robot"))
    await world.api.create_service_account(call=boss, request=c.NewServiceAccount("other"))
    changed = await world.api.change_service_account(
        call=boss, request=c.ServiceAccountChange(id=robot.id, role="admin")
    )
    assert changed.role == "admin"
    with pytest.raises(Conflict) as refused:
        await world.api.change_service_account(
            call=boss, request=c.ServiceAccountChange(id=robot.id, name="OTHER")
        )
    assert refused.value.code == "service_account.exists"


async def test_only_an_admin_makes_keys_for_service_accounts(world):
    boss = await world.boss()
    member = await world.add(boss, "member@example.org")
    robot = await world.api.create_service_account(call=boss, request=c.NewServiceAccount("robot"))
    with pytest.raises(Forbidden):
        await world.api.create_api_key(call=member, request=c.NewApiKey("x", service_account=robot.id))


async def test_a_team_made_while_a_member_is_removed_has_no_member_who_is_gone(world):
    """Else they would be in it again, unseen, should they ever come back."""
    boss = await world.boss()
    member = await world.add(boss, "member@example.org")
    async with world.database.transaction(boss.account) as tx:
        await accounts.lock_account(tx, boss.account)  # as the removal does
        await users.remove_member(tx, boss.account, member.principal.id)
        making = asyncio.create_task(
            world.api.create_team(call=boss, request=c.NewTeam("ops", members=[member.principal.id]))
        )
        await asyncio.wait([making], timeout=0.3)

    with pytest.raises(Invalid):
        await making
