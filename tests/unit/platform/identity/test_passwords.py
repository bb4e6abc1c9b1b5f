"""What is accepted as a password, and how a flood of checks is held back."""

from __future__ import annotations

import asyncio

import pytest

from argosy.kit.errors import Invalid, TooMany
from argosy.platform.identity.one_time import one_time_password
from argosy.platform.identity.passwords import Passwords, check_acceptable
from tests.unit.platform.identity.world import CHEAP


@pytest.fixture
def passwords():
    made = Passwords(CHEAP)
    yield made
    made.close()


@pytest.mark.parametrize("good", ["four random words", "ünïcödé-pässwörd", "no digits needed", "0123456788"])
def test_anything_long_and_not_obvious_is_accepted(good):
    check_acceptable(good, "member@example.org")


@pytest.mark.parametrize(
    "bad",
    ["", "short", "member@example.org", "MEMBER@example.ORG", "password123", "1234567890", "zzzzzzzzzzzz"],
)
def test_what_attackers_try_first_is_not(bad):
    with pytest.raises(Invalid):
        check_acceptable(bad, "member@example.org")


async def test_a_hash_is_argon2id_and_salted(passwords):
    one, two = await passwords.hash("four random words"), await passwords.hash("four random words")
    assert one.startswith("$argon2id$") and one != two
    assert await passwords.verify(one, "four random words")
    assert not await passwords.verify(one, "four random wordz")


async def test_nobodys_password_is_never_right_and_costs_a_hash(passwords):
    before = passwords.hashes
    assert not await passwords.verify("", "anything")
    assert passwords.hashes == before + 1


async def test_the_same_character_typed_two_ways_is_the_same_password(passwords):
    assert await passwords.verify(await passwords.hash("caf\u00e9 au lait"), "cafe\u0301 au lait")
    await passwords.verify(await passwords.hash("x"), "\ud800")  # no surprise on what is no text


async def test_a_flood_is_told_to_come_back(passwords):
    outcomes = await asyncio.gather(
        *(passwords.verify("", "guess") for _ in range(200)), return_exceptions=True
    )
    assert any(isinstance(each, TooMany) and each.code == "auth.busy" for each in outcomes)
    assert any(each is False for each in outcomes)


def test_one_time_passwords_are_readable_and_differ():
    made = {one_time_password() for _ in range(100)}
    assert len(made) == 100
    assert all(len(each) == 23 and not set(each) & set("0o1liIO") for each in made)
    for each in made:
        check_acceptable(each, "member@example.org")
