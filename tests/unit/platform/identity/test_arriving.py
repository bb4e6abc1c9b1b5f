"""Somebody is added to an account by e-mail: whether they are known here opens nothing, and is nobody's to learn."""

from __future__ import annotations

import time

import msgspec
import pytest

from argosy.contracts import identity as c
from argosy.contracts.paging import ById
from argosy.kit.errors import Conflict, Forbidden, NotFound, TooMany, Unauthenticated
from argosy.kit.operations import Nothing
from argosy.platform.identity.housekeeping import tidy
from tests.unit.platform.identity.world import PASSWORD


async def test_whether_an_e_mail_is_known_elsewhere_cannot_be_told_from_the_answer(world):
    boss = await world.boss()
    owner = await world.account(boss, "second", "owner@example.org")
    await world.api.change_profile(call=owner, request=c.ProfileChange(name="Owner the Great"))
    world.pass_time(days=300)
    boss = await world.signed_in("admin@argosy.local")

    answers, costs = [], []
    for email in ("owner@example.org", "nobody@example.org"):
        before = world.parts.passwords.hashes
        made = await world.api.create_user(call=boss, request=c.NewUser(email=email, role="admin"))
        reset = await world.api.reset_password(call=boss, request=ById(made.user.id))
        costs.append(world.parts.passwords.hashes - before)
        listed = await world.api.users(call=boss, request=c.UserQuery(search=email))
        assert listed.items == [made.user]
        assert abs(int(made.user.id[:8], 16) - time.time()) < 60  # made now, not when the person was
        answers.append([
            msgspec.structs.replace(made.user, id="", name="", email=""), bool(made.one_time_password),
            [len(part) for part in reset.one_time_password.split("-")], [team.name for team in made.user.teams],
        ])  # fmt: skip
        with pytest.raises(Conflict):
            await world.api.create_user(call=boss, request=c.NewUser(email=email))
        with pytest.raises(Conflict):
            await world.api.invite(call=boss, request=c.NewInvitation(email))

    assert answers[0] == answers[1] and costs[0] == costs[1]
    assert made.user.name == "nobody" and made.user.status == "invited"
    assert await world.sign_in("owner@example.org")  # the password from there still holds


async def test_somebody_known_comes_in_with_the_one_time_password_and_their_own(world):
    boss = await world.boss()
    owner = await world.account(boss, "second", "owner@example.org")
    team = await world.api.create_team(call=boss, request=c.NewTeam("ops"))
    made = await world.api.create_user(
        call=boss, request=c.NewUser(email="owner@example.org", name="Guest", role="admin", teams=[team.id])
    )
    before = await world.api.me(call=owner, request=Nothing())
    token = c.InvitationToken(made.one_time_password)
    preview = await world.api.preview_invitation(call=world.gateway(), request=token)

    def accept(password):
        request = c.AcceptInvitation(made.one_time_password, "", password, "198.51.100.7", "browser")
        return world.api.accept_invitation(call=world.gateway(), request=request)

    with pytest.raises(Unauthenticated):
        await accept("not the password")
    session = await accept(PASSWORD)

    assert preview == c.InvitationPreview("main", "owner@example.org", existing_user=True)
    assert [account.name for account in before.accounts] == ["second"]  # not in before they accepted
    principal = (await world.exchange(session.token)).principal
    assert (principal.id, principal.account) == (owner.principal.id, boss.account)
    assert principal.admin and team.id in principal.teams and principal.name == "Guest"
    with pytest.raises(NotFound):  # once, and the stand-in is gone
        await accept(PASSWORD)
    with pytest.raises(NotFound):
        await world.api.user(call=boss, request=ById(made.user.id))


async def test_who_made_a_person_first_does_not_come_into_the_account_that_adds_their_e_mail_later(world):
    """Pre-hijacking: an admin of one account makes `victim@second`, knows the password, and waits."""
    boss = await world.boss()
    attacker = await world.account(boss, "attackers", "attacker@example.org")
    hijacked = await world.add(attacker, "victim@second.example")
    owner = await world.account(boss, "second", "owner@second.example")

    made = await world.api.create_user(call=owner, request=c.NewUser(email="victim@second.example"))

    session = await world.sign_in("victim@second.example")  # the attacker, with the password they chose
    assert (await world.exchange(session.token)).principal.account == attacker.account
    with pytest.raises(NotFound):
        await world.api.switch_account(call=hijacked, request=c.SwitchAccount(owner.account))
    with pytest.raises(Unauthenticated) as refused:  # the victim, with what their admin gave them
        await world.sign_in("victim@second.example", made.one_time_password)
    assert refused.value.code == "auth.joining"
    by_link = c.AcceptInvitation(made.one_time_password, "", "a password of their own", "", "")
    with pytest.raises(Unauthenticated):
        await world.api.accept_invitation(call=world.gateway(), request=by_link)
    assert len((await world.api.me(call=hijacked, request=Nothing())).accounts) == 1


async def test_a_one_time_password_of_another_accounts_admin_proves_nothing(world):
    boss = await world.boss()
    attacker = await world.account(boss, "attackers", "attacker@example.org")
    first = await world.api.create_user(call=attacker, request=c.NewUser(email="victim@second.example"))
    owner = await world.account(boss, "second", "owner@second.example")
    made = await world.api.create_user(call=owner, request=c.NewUser(email="victim@second.example"))

    request = c.AcceptInvitation(made.one_time_password, "", first.one_time_password, "", "")
    with pytest.raises(Forbidden) as refused:
        await world.api.accept_invitation(call=world.gateway(), request=request)

    assert refused.value.code == "auth.password"


async def test_a_new_accounts_admin_who_is_known_here_accepts_too(world):
    boss = await world.boss()
    attacker = await world.account(boss, "attackers", "attacker@example.org")
    await world.add(attacker, "victim@example.org")

    made = await world.api.create_account(
        call=boss, request=c.NewAccount("second", admin_email="victim@example.org")
    )

    victim = await world.signed_in("victim@example.org")
    assert victim.account == attacker.account
    with pytest.raises(NotFound):
        await world.api.switch_account(call=victim, request=c.SwitchAccount(made.id))
    accept = c.AcceptInvitation(made.one_time_password, "", PASSWORD, "", "")
    session = await world.api.accept_invitation(call=world.gateway(), request=accept)
    assert (await world.exchange(session.token)).principal.admin
    own = await world.api.create_account(
        call=boss, request=c.NewAccount("own", admin_email="admin@argosy.local")
    )
    assert own.one_time_password == ""
    await world.api.switch_account(call=boss, request=c.SwitchAccount(own.id))


async def test_who_is_in_no_account_any_more_starts_anew(world):
    boss = await world.boss()
    attacker = await world.account(boss, "attackers", "attacker@example.org")
    gone = await world.add(attacker, "victim@example.org")
    await world.api.remove_user(call=attacker, request=ById(gone.principal.id))

    made = await world.api.create_user(call=boss, request=c.NewUser(email="victim@example.org"))

    assert made.user.id != gone.principal.id
    with pytest.raises(Unauthenticated):
        await world.sign_in("victim@example.org", PASSWORD)
    assert (await world.sign_in("victim@example.org", made.one_time_password)).must_change_password


async def test_an_administrator_of_the_installation_who_lost_their_account_is_nobodys_to_make_anew(world):
    boss = await world.boss()
    owner = await world.account(boss, "second", "owner@example.org")
    await world.add(boss, "root@example.org")
    root = await world.api.add_administrator(call=boss, request=c.NewAdministrator("root@example.org"))
    await world.api.remove_user(call=boss, request=ById(root.id))

    made = await world.api.create_user(call=owner, request=c.NewUser(email="root@example.org"))

    with pytest.raises(Unauthenticated):
        await world.sign_in("root@example.org", made.one_time_password)
    accept = c.AcceptInvitation(made.one_time_password, "", PASSWORD, "", "")
    session = await world.api.accept_invitation(call=world.gateway(), request=accept)
    assert (await world.exchange(session.token)).principal.platform_admin


async def test_a_place_that_is_taken_back_or_given_another_password_opens_no_more(world):
    boss = await world.boss()
    await world.account(boss, "second", "owner@example.org")
    made = await world.api.create_user(call=boss, request=c.NewUser(email="owner@example.org"))

    async def works(token):
        try:
            await world.api.preview_invitation(call=world.gateway(), request=c.InvitationToken(token))
        except NotFound:
            return False
        return True

    reset = await world.api.reset_password(call=boss, request=ById(made.user.id))
    assert not await works(made.one_time_password) and await works(reset.one_time_password)
    await world.api.change_user(call=boss, request=c.UserChange(id=made.user.id, disabled=True))
    assert not await works(reset.one_time_password)
    await world.api.change_user(call=boss, request=c.UserChange(id=made.user.id, disabled=False))
    assert await works(reset.one_time_password)
    await world.api.remove_user(call=boss, request=ById(made.user.id))
    assert not await works(reset.one_time_password)
    await tidy(world.parts)
    async with world.superuser() as link:
        assert not await link.fetchval("SELECT count(*) FROM identity.users WHERE join_hash IS NOT NULL")


async def test_a_place_that_waits_does_not_wash_out_guesses_at_its_persons_password(world):
    boss = await world.boss()
    await world.account(boss, "second", "owner@example.org")
    made = await world.api.create_user(call=boss, request=c.NewUser(email="owner@example.org"))
    once = made.one_time_password
    codes = []
    for _ in range(3):
        for password in ("guess", once):
            try:
                await world.sign_in("owner@example.org", password)
            except (Unauthenticated, TooMany) as error:
                codes.append(error.code)
        once = (await world.api.reset_password(call=boss, request=ById(made.user.id))).one_time_password
    assert codes == ["auth.failed", "auth.joining"] * 2 + ["auth.failed", "auth.locked"]


async def test_an_admin_who_has_never_come_does_not_count_as_one_that_is_left(world):
    """Else the refusal would tell a stand-in from somebody new; and neither may ever come."""
    boss = await world.boss()
    owner = await world.account(boss, "second", "owner@example.org")
    await world.api.create_user(call=owner, request=c.NewUser(email="nobody@example.org", role="admin"))
    await world.api.create_user(call=owner, request=c.NewUser(email="admin@argosy.local", role="admin"))

    with pytest.raises(Conflict):
        await world.api.remove_user(call=owner, request=ById(owner.principal.id))
