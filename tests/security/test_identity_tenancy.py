"""Two accounts in which everything has the same name: neither learns that the other exists."""

from __future__ import annotations

import importlib.resources
import re

import pytest

from argosy.backends.database import EVERY_ACCOUNT
from argosy.contracts import identity as c
from argosy.contracts.paging import ById, PageRequest
from argosy.kit.errors import ArgosyError, NotFound
from argosy.kit.operations import Nothing
from argosy.platform.identity.service import SERVICE
from tests.unit.platform.identity.conftest import dsns, world  # noqa: F401


async def furnish(world, admin):  # noqa: F811
    """The same of everything; the ids by kind."""
    team = await world.api.create_team(call=admin, request=c.NewTeam("ops"))
    user = await world.add(admin, f"u-{admin.principal.name}@example.org", teams=(team.id,))
    robot = await world.api.create_service_account(call=admin, request=c.NewServiceAccount("robot"))
    key = await world.api.create_api_key(call=admin, request=c.NewApiKey("ci", service_account=robot.id))
    rule = await world.api.create_access_rule(
        call=admin, request=c.NewAccessRule("sync", "applications", [team.id], ["SYNC"])
    )
    invited = await world.api.invite(call=admin, request=c.NewInvitation("guest@example.org"))
    return {
        "team": team.id,
        "user": user.principal.id,
        "robot": robot.id,
        "key": key.api_key.id,
        "rule": rule.id,
        "invitation": invited.invitation.id,
    }


@pytest.fixture
async def two(world):  # noqa: F811
    boss = await world.boss()
    owner = await world.account(boss, "acme", "owner@example.org")
    stranger = await world.account(boss, "acme two", "stranger@example.org")
    await world.api.change_account(
        call=stranger, request=c.AccountChange(name="acme")
    )  # may be equal, and says nothing
    return owner, stranger, await furnish(world, owner), await furnish(world, stranger)


def attempts(api, call, ids):
    """Everything that takes an id, on somebody else's things."""
    yield api.team(call=call, request=ById(ids["team"]))
    yield api.change_team(call=call, request=c.TeamChange(id=ids["team"], name="mine"))
    yield api.remove_team(call=call, request=ById(ids["team"]))
    yield api.user(call=call, request=ById(ids["user"]))
    yield api.change_user(call=call, request=c.UserChange(id=ids["user"], role="admin"))
    yield api.remove_user(call=call, request=ById(ids["user"]))
    yield api.reset_password(call=call, request=ById(ids["user"]))
    yield api.service_account(call=call, request=ById(ids["robot"]))
    yield api.change_service_account(call=call, request=c.ServiceAccountChange(id=ids["robot"], role="admin"))
    yield api.remove_service_account(call=call, request=ById(ids["robot"]))
    yield api.create_api_key(call=call, request=c.NewApiKey("x", service_account=ids["robot"]))
    yield api.revoke_api_key(call=call, request=ById(ids["key"]))
    yield api.access_rule(call=call, request=ById(ids["rule"]))
    yield api.change_access_rule(call=call, request=c.AccessRuleChange(id=ids["rule"], enabled=False))
    yield api.remove_access_rule(call=call, request=ById(ids["rule"]))
    yield api.withdraw_invitation(call=call, request=ById(ids["invitation"]))
    yield api.why(call=call, request=c.Why(user=ids["user"], action="VIEW", entity="applications"))


async def answers(api, call, ids):
    found = []
    for attempt in attempts(api, call, ids):
        with pytest.raises(NotFound) as refused:
            await attempt
        found.append((refused.value.code, refused.value.message))
    return found


async def test_absent_and_foreign_are_one_answer(world, two):  # noqa: F811
    owner, stranger, _, strangers = two
    absent = dict.fromkeys(strangers, "abcdef" * 4)
    for foreign, missing in zip(
        await answers(world.api, owner, strangers), await answers(world.api, owner, absent), strict=True
    ):
        assert foreign[0] == missing[0]
        assert strip_ids(foreign[1], strangers) == strip_ids(missing[1], absent)
    # and nothing of it had an effect
    assert (await world.api.team(call=stranger, request=ById(strangers["team"]))).name == "ops"
    assert (await world.api.user(call=stranger, request=ById(strangers["user"]))).role == "user"


def strip_ids(message, ids):
    for id in ids.values():
        message = message.replace(id, "ID")
    return message


async def test_foreign_ids_inside_requests_are_unknown(world, two):  # noqa: F811
    owner, _, owners, strangers = two
    for attempt in (
        lambda: world.api.create_user(
            call=owner, request=c.NewUser(email="x@example.org", teams=[strangers["team"]])
        ),
        lambda: world.api.change_user(
            call=owner, request=c.UserChange(id=owners["user"], teams=[strangers["team"]])
        ),
        lambda: world.api.invite(
            call=owner, request=c.NewInvitation("x@example.org", teams=[strangers["team"]])
        ),
        lambda: world.api.create_team(call=owner, request=c.NewTeam("t", members=[strangers["user"]])),
        lambda: world.api.change_team(
            call=owner, request=c.TeamChange(id=owners["team"], add_members=[strangers["robot"]])
        ),
        lambda: world.api.create_access_rule(
            call=owner, request=c.NewAccessRule("r", "applications", [strangers["team"]], ["SYNC"])
        ),
    ):
        with pytest.raises(ArgosyError) as refused:
            await attempt()
        assert refused.value.status == 422


async def test_lists_counts_filters_and_searches_show_ones_own(world, two):  # noqa: F811
    owner, stranger, owners, strangers = two
    api = world.api
    for call, own, other in ((owner, owners, strangers), (stranger, strangers, owners)):
        pages = [
            await api.users(call=call, request=c.UserQuery()),
            await api.users(call=call, request=c.UserQuery(search="example.org")),
            await api.users(call=call, request=c.UserQuery(team=other["team"])),
            await api.teams(call=call, request=PageRequest(search="ops")),
            await api.service_accounts(call=call, request=PageRequest(search="robot")),
            await api.api_keys(call=call, request=c.ApiKeyQuery(all=True)),
            await api.api_keys(call=call, request=c.ApiKeyQuery(owner=other["robot"])),
            await api.access_rules(call=call, request=c.AccessRuleQuery(search="sync")),
            await api.access_rules(call=call, request=c.AccessRuleQuery(team=other["team"])),
            await api.invitations(call=call, request=PageRequest()),
        ]
        assert [page.total for page in pages] == [2, 2, 0, 1, 1, 1, 0, 1, 0, 1]
        shown = {item.id for page in pages for item in page.items}
        assert not shown & set(other.values()) and set(own.values()) <= shown


async def test_a_cursor_of_one_account_shows_nothing_of_it_in_another(world, two):  # noqa: F811
    owner, stranger, _, _ = two
    first = await world.api.users(call=owner, request=c.UserQuery(limit=1))
    page = await world.api.users(call=stranger, request=c.UserQuery(limit=50, after=first.next))
    own = {user.id for user in (await world.api.users(call=stranger, request=c.UserQuery())).items}
    assert {user.id for user in page.items} <= own


async def test_row_level_security_stands_behind_every_table(world, two):  # noqa: F811
    owner, _, _, _ = two
    migration = importlib.resources.files(SERVICE.migrations).joinpath("0001_identity.sql").read_text()
    names = set(re.findall(r"isolate_accounts\('(\w+)'\)", migration))
    with_account = re.findall(r"CREATE TABLE (\w+) \([^;]*?\n    account +text", migration)
    assert names == set(with_account) and len(names) == 9
    for name in names:
        async with world.database.transaction(EVERY_ACCOUNT) as tx:
            everything = {row["account"] for row in await tx.fetch(f"SELECT account FROM {name}")}
        async with world.database.transaction(owner.account) as tx:
            visible = {row["account"] for row in await tx.fetch(f"SELECT account FROM {name}")}
            changed = await tx.execute(
                f"UPDATE {name} SET account = account WHERE account <> $1", owner.account
            )
        assert len(everything) > 1 and visible == {owner.account} and changed == 0, name


async def test_inside_an_account_only_its_members_are_people(world, two):  # noqa: F811
    owner, stranger, _, _ = two
    async with world.database.transaction(owner.account) as tx:
        seen = {row["email"] for row in await tx.fetch("SELECT email FROM users")}
        touched = await tx.execute(
            "UPDATE users SET password_hash = 'x' WHERE id = $1", stranger.principal.id
        )
    assert seen == {"owner@example.org", "u-owner@example.org"} and touched == 0


async def test_without_an_account_nothing_is_visible(world, two):  # noqa: F811
    async with world.database.autocommit() as statements:
        for table in ("accounts", "users", "memberships", "sessions", "api_keys"):
            assert await statements.fetchval(f"SELECT count(*) FROM {table}") == 0


async def test_every_change_is_recorded_in_its_own_account_and_without_secrets(world, two):  # noqa: F811
    owner, stranger, _, _ = two
    entries = await world.recorded()
    by_account = {entry.account for entry in entries}
    assert {owner.account, stranger.account} <= by_account
    mine = [entry for entry in entries if (entry.account, entry.kind) == (owner.account, "change")]
    assert {
        "account",
        "session",
        "user",
        "team",
        "service-account",
        "api-key",
        "access-rule",
        "invitation",
    } <= {entry.resource for entry in mine}
    assert all(entry.resource_id for entry in mine)
    text = " ".join(str(await world.events("audit.recorded.v1")).split())
    for secret in ("$argon2id$", "password_hash", "token_hash", "key_hash"):
        assert secret not in text
    assert (await world.api.me(call=owner, request=Nothing())).account.name == "acme"
