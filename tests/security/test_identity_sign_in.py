"""Guessing passwords and guessing who exists: neither gets anywhere, whatever is restarted or tried at once."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from argosy.backends.database import Statements
from argosy.contracts import identity as c
from argosy.contracts.paging import ById
from argosy.kit.errors import TooMany, Unauthenticated
from argosy.platform.identity.housekeeping import tidy
from tests.unit.platform.identity.conftest import dsns, world  # noqa: F401
from tests.unit.platform.identity.world import PASSWORD

ADMIN = "admin@argosy.local"


async def guess(world, email=ADMIN, password="wrong", remote="198.51.100.66", device=""):  # noqa: F811
    """The error's code."""
    with pytest.raises((Unauthenticated, TooMany)) as refused:
        await world.sign_in(email, password, remote, device)
    return refused.value


async def test_after_five_failures_even_the_right_password_waits(world):  # noqa: F811
    await world.boss()
    assert [(await guess(world)).code for _ in range(5)] == ["auth.failed"] * 5

    locked = await guess(world, password=PASSWORD)

    assert (locked.code, locked.status, locked.context["retry_after"]) == ("auth.locked", 429, 30)
    world.pass_time(seconds=31)
    assert await world.sign_in(ADMIN)


async def test_a_lock_survives_a_restart(world):  # noqa: F811
    await world.boss()
    for _ in range(5):
        await guess(world)
    await world.stop()
    await world.boot()
    assert (await guess(world, password=PASSWORD)).code == "auth.locked"


async def test_waits_grow_with_each_further_failure(world):  # noqa: F811
    await world.boss()
    waits = []
    for _ in range(4):
        while (error := await guess(world)).code != "auth.locked":
            pass
        waits.append(error.context["retry_after"])
        world.pass_time(seconds=waits[-1] + 1)
    assert waits == [30, 60, 120, 240]


async def test_many_guesses_at_once_are_counted_one_by_one(world):  # noqa: F811
    await world.boss()
    outcomes = await asyncio.gather(
        *(world.sign_in(ADMIN, f"guess {number}") for number in range(18)), return_exceptions=True
    )
    codes = [each.code for each in outcomes]
    assert codes.count("auth.failed") == 5 and codes.count("auth.locked") == 13


async def test_guesses_at_two_instances_count_together(world, tmp_path):  # noqa: F811
    from tests.unit.platform.identity.world import World

    await world.boss()
    other = await World.start(world.dsns, tmp_path)
    outcomes = await asyncio.gather(
        *((world if number % 2 else other).sign_in(ADMIN, "guess") for number in range(14)),
        return_exceptions=True,
    )
    assert [each.code for each in outcomes].count("auth.failed") == 5
    await other.stop()


async def test_a_person_may_sign_in_ten_times_at_once(world):  # noqa: F811
    await world.boss()
    created = await asyncio.gather(*(world.sign_in(ADMIN) for _ in range(10)))
    assert len({each.token for each in created}) == 10


async def test_a_lock_cannot_be_washed_out_by_other_failures(world):  # noqa: F811
    """CVE-2024-21652: a cache of failures that overflows forgets. Here nothing is evicted."""
    await world.boss()
    for _ in range(5):
        await guess(world)
    async with world.superuser() as link:
        await link.execute(
            """INSERT INTO identity.throttles SELECT 'email:' || number, 1, now(), NULL
            FROM generate_series(1, 50000) AS number"""
        )
    assert (await guess(world, password=PASSWORD)).code == "auth.locked"


async def test_an_address_that_tries_many_people_is_locked_too(world):  # noqa: F811
    await world.boss()
    for number in range(50):
        assert (await guess(world, f"user{number}@example.org")).code == "auth.failed"

    assert (await guess(world, "user99@example.org")).code == "auth.locked"
    assert (await guess(world, ADMIN, PASSWORD)).code == "auth.locked"
    assert await world.sign_in(ADMIN, remote="203.0.113.1")


async def test_a_success_forgives_the_e_mail_but_not_the_address(world):  # noqa: F811
    """Else whoever has one good password could try everybody else's without end."""
    await world.boss()
    for round_ in range(12):
        for number in range(4):
            assert (await guess(world, f"victim{round_}{number}@example.org")).code == "auth.failed"
        await world.sign_in(ADMIN, remote="198.51.100.66")
    await guess(world, "one@example.org")
    await guess(world, "two@example.org")
    assert (await guess(world, "three@example.org")).code == "auth.locked"


async def test_a_success_starts_the_count_of_the_e_mail_anew(world):  # noqa: F811
    await world.boss()
    for _ in range(3):
        for _ in range(4):
            await guess(world)
        await world.sign_in(ADMIN)


def counted(monkeypatch):
    """Every statement that goes to the database, without the hints that earlier commits still send."""
    seen = []
    for name in ("fetch", "fetchrow", "fetchval", "execute", "executemany"):
        plain = getattr(Statements, name)

        def counting(self, sql, *values, plain=plain):
            if "pg_notify" not in sql:
                seen.append(sql)
            return plain(self, sql, *values)

        monkeypatch.setattr(Statements, name, counting)
    return seen


async def test_nobody_learns_who_exists(world, monkeypatch):  # noqa: F811
    """The same words, and the same work: one hash is computed whoever it is."""
    boss = await world.boss()
    member = await world.add(boss, "member@example.org")
    await world.api.change_user(call=boss, request=c.UserChange(id=member.principal.id, disabled=True))

    answers, costs = [], []
    statements = counted(monkeypatch)
    for email, password in (
        (ADMIN, "wrong"),
        ("nobody@example.org", "wrong"),
        ("member@example.org", PASSWORD),  # right, but disabled
        ("not an e-mail", "wrong"),
        ("a\0b@example.org", "wrong"),
        ("", ""),
    ):
        before = world.parts.passwords.hashes
        statements.clear()
        error = await guess(world, email, password, remote="203.0.113.2")
        answers.append(error.body())
        costs.append((world.parts.passwords.hashes - before, len(statements)))

    assert len({answer.message for answer in answers}) == 1 and all(each == answers[0] for each in answers)
    # only who knows the right password of a disabled user costs a statement more
    assert {cost for number, cost in enumerate(costs) if number != 2} == {costs[0]} and costs[0][0] == 1


async def test_nobody_elsewhere_keeps_somebody_out_of_a_browser_they_have_signed_in_with(world):  # noqa: F811
    await world.boss()
    home = (await world.sign_in(ADMIN, remote="203.0.113.7")).device
    for number in range(60):  # more than the address may, too: it may be the proxy's that all share
        await guess(world, remote="203.0.113.7" if number % 2 else f"198.51.100.{number}")
    assert (await guess(world, password=PASSWORD)).code == "auth.locked"

    again = await world.sign_in(ADMIN, remote="203.0.113.7", device=home)

    assert again.device == home
    await world.stop()
    await world.boot()
    assert await world.sign_in(ADMIN, remote="203.0.113.7", device=home)
    # and what succeeds there opens nothing to who guesses elsewhere
    assert (await guess(world, password=PASSWORD)).code == "auth.locked"


async def test_guessing_from_a_known_device_is_bounded_as_from_elsewhere_and_survives_a_restart(world):  # noqa: F811
    await world.boss()
    device = (await world.sign_in(ADMIN)).device
    assert [(await guess(world, device=device)).code for _ in range(5)] == ["auth.failed"] * 5
    await world.stop()
    await world.boot()

    locked = await guess(world, password=PASSWORD, device=device)

    assert (locked.code, locked.context["retry_after"]) == ("auth.locked", 30)
    assert await world.sign_in(ADMIN)  # the others' allowance is whole
    world.pass_time(seconds=31)
    assert (await guess(world, device=device)).code == "auth.failed"
    assert (await guess(world, device=device)).context["retry_after"] == 60


async def test_a_device_counts_for_its_person_alone(world):  # noqa: F811
    boss = await world.boss()
    await world.add(boss, "member@example.org")
    device = (await world.sign_in("member@example.org")).device
    for _ in range(5):
        await guess(world)
    for shown in (device, "made up", "a\0b"):
        assert (await guess(world, password=PASSWORD, device=shown)).code == "auth.locked"
    answers = []
    for email in ("nobody@example.org", "another@example.org"):
        answers.append([(await guess(world, email, device=device)).body() for _ in range(6)])
    assert answers[0] == answers[1]
    world.pass_time(days=1)
    created = await world.sign_in(ADMIN, device=device)
    assert created.device != device  # the browser is somebody else's now


async def test_a_person_has_few_devices_and_they_are_forgotten_when_they_are_not_used(world):  # noqa: F811
    boss = await world.boss()
    devices = []
    for _ in range(12):
        world.pass_time(seconds=1)
        devices.append((await world.sign_in(ADMIN)).device)
    for _ in range(5):
        await guess(world)
    assert (await guess(world, password=PASSWORD, device=devices[1])).code == "auth.locked"
    assert await world.sign_in(ADMIN, device=devices[2])
    world.pass_time(days=181)
    for _ in range(5):
        await guess(world)
    assert (await guess(world, password=PASSWORD, device=devices[-1])).code == "auth.locked"
    await tidy(world.parts)
    async with world.superuser() as link:
        assert await link.fetchval("SELECT count(*) FROM identity.devices") == 0
        stored = await link.fetch("SELECT key FROM identity.throttles")
    assert boss.principal.id and not any(each in row["key"] for row in stored for each in devices)


async def test_whoever_has_a_session_changes_the_password_while_others_guess(world):  # noqa: F811
    boss = await world.boss()
    for _ in range(8):
        with suppress(TooMany, Unauthenticated):
            await world.sign_in(ADMIN, "wrong", "198.51.100.66")
    change = c.PasswordChange(new="some new password", current=PASSWORD)
    await world.api.change_password(call=boss, request=change)


async def test_a_lock_tells_nothing_either(world):  # noqa: F811
    await world.boss()
    for email in (ADMIN, "nobody@example.org"):
        for _ in range(5):
            await guess(world, email)
    one, two = await guess(world, ADMIN), await guess(world, "nobody@example.org")
    assert one.body() == two.body()


async def test_failures_are_in_the_audit_log_of_the_account_without_what_was_typed(world):  # noqa: F811
    boss = await world.boss()
    await guess(world, ADMIN, "my real passphrase")
    await guess(world, "my real passphrase", "x")

    denied = [each for each in await world.recorded() if each.result == "denied"]

    known = [each for each in denied if each.account == boss.account]
    assert [(each.error, each.actor.id, each.remote) for each in known] == [
        ("auth.failed", boss.principal.id, "198.51.100.66")
    ]
    assert [(each.account, each.actor.kind) for each in denied if each not in known] == [("", "anonymous")]
    assert "my real passphrase" not in str(denied)


async def test_guessing_the_current_password_of_a_stolen_session_is_throttled(world):  # noqa: F811
    boss = await world.boss()
    for _ in range(5):
        with pytest.raises(Unauthenticated):
            await world.api.change_password(
                call=boss, request=c.PasswordChange(new="some new password", current="wrong")
            )
    with pytest.raises(TooMany):
        await world.api.change_password(
            call=boss, request=c.PasswordChange(new="some new password", current=PASSWORD)
        )


async def test_guessing_through_an_invitation_is_throttled(world):  # noqa: F811
    boss = await world.boss()
    await world.account(boss, "second", "owner@example.org")
    invited = await world.api.invite(call=boss, request=c.NewInvitation("owner@example.org"))

    async def accept():
        await world.api.accept_invitation(
            call=world.gateway(), request=c.AcceptInvitation(invited.token, "", "guess", "203.0.113.3")
        )

    for _ in range(5):
        with pytest.raises(Unauthenticated):
            await accept()
    with pytest.raises(TooMany):
        await accept()


async def test_a_session_cannot_slip_past_a_reset(world):  # noqa: F811
    """The password was right when it was compared; it is reset before the session opens."""
    boss = await world.boss()
    member = await world.add(boss, "member@example.org")
    verify = world.parts.passwords.verify

    async def verify_then_reset(stored, password):
        found = await verify(stored, password)
        await world.api.reset_password(call=boss, request=ById(member.principal.id))
        return found

    world.parts.passwords.verify = verify_then_reset
    with pytest.raises(Unauthenticated):
        await world.sign_in("member@example.org")
    async with world.superuser() as link:
        assert not await link.fetchval(
            "SELECT count(*) FROM identity.sessions WHERE user_id = $1", member.principal.id
        )
