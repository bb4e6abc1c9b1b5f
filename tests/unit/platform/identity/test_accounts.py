"""Accounts: what others are told of them."""

from __future__ import annotations

import msgspec

from argosy.contracts import identity as c


async def test_accounts_are_announced_when_made_and_when_name_or_zone_change(world):
    boss = await world.boss()
    made = await world.api.create_account(call=boss, request=c.NewAccount("second", "Asia/Tokyo"))
    for change in (
        c.AccountChange(time_zone="Europe/Berlin"),
        c.AccountChange(name="First"),
        c.AccountChange(name="First"),
    ):
        await world.api.change_account(call=boss, request=change)

    told = await world.events(c.ACCOUNT_CHANGED)

    bodies = [msgspec.json.decode(body, type=c.AccountChanged) for body in told]
    assert [(body.id, body.name, body.time_zone) for body in bodies] == [
        (boss.account, "main", "UTC"),
        (made.id, "second", "Asia/Tokyo"),
        (boss.account, "main", "Europe/Berlin"),
        (boss.account, "First", "Europe/Berlin"),
    ]
