"""Users of an account: added, changed, removed; and there is always an admin left."""

from __future__ import annotations

import asyncio

import pytest

from argosy.contracts import identity as c
from argosy.contracts.paging import ById, PageRequest
from argosy.kit.errors import Conflict, Forbidden, Invalid, NotFound, Unauthenticated
from argosy.kit.operations import Nothing
from tests.unit.platform.identity.world import PASSWORD


async def test_somebody_new_gets_a_one_time_password_shown_once(world):
    boss = await world.boss()

    made = await world.api.create_user(
        call=boss, request=c.NewUser(email="Member@Example.org", name="Member")
    )

    assert made.user.email == "member@example.org" and made.user.status == "invited"
    assert (await world.sign_in("member@example.org", made.one_time_password)).must_change_password
    again = await world.api.user(call=boss, request=ById(made.user.id))
    assert again.status == "active" and again.last_seen == world.moment


async def test_a_user_cannot_be_added_twice(world):
    boss = await world.boss()
    await world.add(boss, "member@example.org")
    with pytest.raises(Conflict) as refused:
        await world.api.create_user(call=boss, request=c.NewUser(email="MEMBER@example.org"))
    assert refused.value.code == "user.exists"


@pytest.mark.parametrize(
    "request_, field",
    [
        (c.NewUser(email="member@ex\0ample.org"), "email"),
        (c.NewUser(email="member@example.org", name="a\x1bb"), "name"),
        (c.NewUser(email="member@example.org", teams=["f" * 24]), "teams[0]"),
    ],
)
async def test_what_is_wrong_with_a_new_user_is_named(world, request_, field):
    boss = await world.boss()
    with pytest.raises(Invalid) as refused:
        await world.api.create_user(call=boss, request=request_)
    assert refused.value.context["field"] == field


async def test_a_removed_user_loses_sessions_and_keys_of_this_account_at_once(world):
    boss = await world.boss()
    member = await world.add(boss, "member@example.org")
    session = await world.sign_in("member@example.org")
    key = await world.api.create_api_key(call=member, request=c.NewApiKey("ci"))

    await world.api.remove_user(call=boss, request=ById(member.principal.id))

    assert not await world.is_good(session.token)
    assert not await world.is_good(key.key, "key")
    assert c.Revoked(principal=member.principal.id, account=boss.account) in await world.revoked()
    with pytest.raises(Unauthenticated):
        await world.sign_in("member@example.org")
    with pytest.raises(NotFound):
        await world.api.user(call=boss, request=ById(member.principal.id))


async def test_removal_from_one_account_leaves_the_other_alone(world):
    boss = await world.boss()
    owner = await world.account(boss, "second", "owner@example.org")
    world.pass_time(seconds=1)
    await world.bring(boss, "owner@example.org")
    world.pass_time(seconds=1)
    await world.api.switch_account(call=owner, request=c.SwitchAccount(owner.account))
    session = await world.sign_in("owner@example.org")
    call = world.call((await world.exchange(session.token)).principal)
    await world.api.switch_account(call=call, request=c.SwitchAccount(owner.account))

    await world.api.remove_user(call=boss, request=ById(owner.principal.id))

    assert await world.is_good(session.token)
    me = await world.api.me(call=owner, request=Nothing())
    assert [account.name for account in me.accounts] == ["second"]


async def test_a_disabled_user_is_out_until_enabled(world):
    boss = await world.boss()
    member = await world.add(boss, "member@example.org")
    session = await world.sign_in("member@example.org")
    key = await world.api.create_api_key(call=member, request=c.NewApiKey("ci"))

    changed = await world.api.change_user(
        call=boss, request=c.UserChange(id=member.principal.id, disabled=True)
    )

    assert changed.status == "disabled"
    assert not await world.is_good(session.token) and not await world.is_good(key.key, "key")
    with pytest.raises(Unauthenticated):
        await world.sign_in("member@example.org")
    await world.api.change_user(call=boss, request=c.UserChange(id=member.principal.id, disabled=False))
    assert await world.is_good((await world.sign_in("member@example.org")).token)


async def test_the_last_admin_can_neither_go_nor_be_demoted_nor_disabled(world):
    boss = await world.boss()
    owner = await world.account(boss, "second", "owner@example.org")
    me = owner.principal.id

    for attempt in (
        lambda: world.api.remove_user(call=owner, request=ById(me)),
        lambda: world.api.change_user(call=owner, request=c.UserChange(id=me, role="user")),
        lambda: world.api.change_user(call=owner, request=c.UserChange(id=me, disabled=True)),
    ):
        with pytest.raises(Conflict) as refused:
            await attempt()
        assert refused.value.code == "user.last_admin"
    assert (await world.api.user(call=owner, request=ById(me))).role == "admin"


async def test_of_admins_who_remove_each_other_at_once_one_stays(world):
    boss = await world.boss()
    owner = await world.account(boss, "second", "owner@example.org")
    others = [await world.add(owner, f"admin{number}@example.org", role="admin") for number in range(3)]
    admins = [owner, *others]

    outcomes = await asyncio.gather(
        *(
            world.api.remove_user(call=call, request=ById(victim.principal.id))
            for call, victim in zip(admins, [*admins[1:], admins[0]], strict=True)
        ),
        return_exceptions=True,
    )

    refused = [each for each in outcomes if isinstance(each, Exception)]
    assert [each.code for each in refused] == ["user.last_admin"]
    async with world.superuser() as link:
        left = await link.fetchval(
            "SELECT count(*) FROM identity.memberships WHERE account = $1 AND role = 'admin'", owner.account
        )
    assert left == 1


async def test_the_last_platform_admin_stays_somewhere(world):
    boss = await world.boss()
    member = await world.add(boss, "member@example.org", role="admin")
    with pytest.raises(Conflict):
        await world.api.remove_user(call=member, request=ById(boss.principal.id))
    with pytest.raises(Conflict):
        await world.api.change_user(call=member, request=c.UserChange(id=boss.principal.id, disabled=True))


async def test_a_changed_role_is_told_to_whoever_remembers_the_old_one(world):
    boss = await world.boss()
    member = await world.add(boss, "member@example.org")

    await world.api.change_user(call=boss, request=c.UserChange(id=member.principal.id, role="admin"))

    assert c.Revoked(principal=member.principal.id, account=boss.account) in await world.revoked()
    assert (await world.signed_in("member@example.org")).principal.admin


async def test_a_reset_gives_a_one_time_password_and_ends_all_sessions(world):
    boss = await world.boss()
    member = await world.add(boss, "member@example.org")
    session = await world.sign_in("member@example.org")

    reset = await world.api.reset_password(call=boss, request=ById(member.principal.id))

    assert not await world.is_good(session.token)
    with pytest.raises(Unauthenticated):
        await world.sign_in("member@example.org", PASSWORD)
    assert (await world.sign_in("member@example.org", reset.one_time_password)).must_change_password


async def test_an_admin_cannot_open_another_account_by_resetting_a_shared_users_password(world):
    boss = await world.boss()
    owner = await world.account(boss, "second", "owner@example.org")
    other = await world.account(boss, "third", "other@example.org")
    await world.bring(owner, "other@example.org")
    await world.bring(owner, "admin@argosy.local")

    answers = []
    for victim in (other, boss):
        with pytest.raises(Forbidden) as refused:
            await world.api.reset_password(call=owner, request=ById(victim.principal.id))
        answers.append(refused.value.body())

    assert answers[0] == answers[1]  # says not why: member elsewhere or platform admin
    assert await world.sign_in("other@example.org", PASSWORD)


async def test_somebody_who_comes_into_another_account_during_a_reset_keeps_the_password(world, monkeypatch):
    boss = await world.boss()
    owner = await world.account(boss, "second", "owner@example.org")
    member = await world.add(owner, "member@example.org")
    hashed = world.parts.passwords.hash

    async def slowly(password: str) -> str:
        monkeypatch.setattr(world.parts.passwords, "hash", hashed)
        await world.bring(boss, "member@example.org")
        return await hashed(password)

    monkeypatch.setattr(world.parts.passwords, "hash", slowly)
    with pytest.raises(Forbidden):
        await world.api.reset_password(call=owner, request=ById(member.principal.id))

    assert await world.sign_in("member@example.org", PASSWORD)


async def test_lists_are_paged_searched_sorted_and_counted(world):
    boss = await world.boss()
    team = await world.api.create_team(call=boss, request=c.NewTeam("ops"))
    for number in range(5):
        request = c.NewUser(email=f"u{number}@example.org", name=f"User {number}", teams=[team.id])
        await world.api.create_user(call=boss, request=request)

    seen, after = [], ""
    while True:
        page = await world.api.users(call=boss, request=c.UserQuery(limit=2, after=after, sort="-email"))
        assert page.total == 6
        seen += [user.email for user in page.items]
        if not (after := page.next):
            break
    assert seen == sorted(seen, reverse=True) and len(seen) == 6

    async def emails(**query):
        page = await world.api.users(call=boss, request=c.UserQuery(**query))
        return [user.email for user in page.items]

    assert await emails(search="ser 3") == ["u3@example.org"]
    assert await emails(search="%") == [] and await emails(search="_") == []
    assert len(await emails(team=team.id)) == 5
    assert await emails(role="admin") == ["admin@argosy.local"]
    first = (await world.api.users(call=boss, request=c.UserQuery(search="u0"))).items[0]
    assert first.teams == [c.NamedRef(team.id, "ops")]
    for sort in ("name", "created", "last_seen", "-last_seen"):
        pages = await world.api.users(call=boss, request=c.UserQuery(sort=sort, limit=3))
        rest = await world.api.users(call=boss, request=c.UserQuery(sort=sort, limit=3, after=pages.next))
        assert len({user.id for user in [*pages.items, *rest.items]}) == 6
    with pytest.raises(Invalid):
        await emails(sort="password_hash")
    with pytest.raises(Invalid):
        await emails(search="\0")


async def test_an_invitation_brings_somebody_new_in(world):
    boss = await world.boss()
    team = await world.api.create_team(call=boss, request=c.NewTeam("ops"))
    invited = await world.api.invite(
        call=boss, request=c.NewInvitation("new@example.org", role="admin", teams=[team.id])
    )

    token = c.InvitationToken(invited.token)
    preview = await world.api.preview_invitation(call=world.gateway(), request=token)
    accept = c.AcceptInvitation(invited.token, "New One", PASSWORD, "198.51.100.7", "browser")
    session = await world.api.accept_invitation(call=world.gateway(), request=accept)

    assert preview == c.InvitationPreview("main", "new@example.org", existing_user=False)
    principal = (await world.exchange(session.token)).principal
    assert principal.admin and team.id in principal.teams and principal.name == "New One"
    with pytest.raises(NotFound):  # once
        await world.api.accept_invitation(call=world.gateway(), request=accept)
    assert (await world.api.invitations(call=boss, request=PageRequest())).total == 0


async def test_an_invitation_asks_somebody_known_for_their_password(world):
    boss = await world.boss()
    owner = await world.account(boss, "second", "owner@example.org")
    invited = await world.api.invite(call=boss, request=c.NewInvitation("owner@example.org"))

    def accept(password):
        request = c.AcceptInvitation(invited.token, "", password, "198.51.100.7", "browser")
        return world.api.accept_invitation(call=world.gateway(), request=request)

    with pytest.raises(Unauthenticated):
        await accept("not the password")
    session = await accept(PASSWORD)
    assert (await world.exchange(session.token)).principal.account == boss.account
    assert await world.sign_in("owner@example.org")
    assert owner.account != boss.account


async def test_invitations_expire_are_withdrawn_and_replaced(world):
    boss = await world.boss()
    first = await world.api.invite(call=boss, request=c.NewInvitation("new@example.org"))
    second = await world.api.invite(call=boss, request=c.NewInvitation("new@example.org"))

    async def works(token):
        try:
            await world.api.preview_invitation(call=world.gateway(), request=c.InvitationToken(token))
        except NotFound:
            return False
        return True

    assert not await works(first.token) and await works(second.token)
    assert (await world.api.invitations(call=boss, request=PageRequest())).total == 1
    await world.api.withdraw_invitation(call=boss, request=ById(second.invitation.id))
    assert not await works(second.token)

    third = await world.api.invite(call=boss, request=c.NewInvitation("new@example.org"))
    world.pass_time(days=7, seconds=1)
    assert not await works(third.token)


async def test_of_two_who_accept_at_once_one_joins(world):
    boss = await world.boss()
    invited = await world.api.invite(call=boss, request=c.NewInvitation("new@example.org"))
    accept = c.AcceptInvitation(invited.token, "", PASSWORD)

    outcomes = await asyncio.gather(
        *(world.api.accept_invitation(call=world.gateway(), request=accept) for _ in range(3)),
        return_exceptions=True,
    )

    assert sum(isinstance(each, c.SessionCreated) for each in outcomes) == 1
