"""Services put schedules; people see those of their account."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest

from argosy.contracts.audit import RECORDED, Recorded
from argosy.contracts.cron import CheckExpression, NewSchedule
from argosy.contracts.events import Event
from argosy.contracts.identity import ACCOUNT_CHANGED, AccountChanged
from argosy.contracts.paging import ById, PageRequest
from argosy.kit.errors import Invalid, NotFound
from argosy.platform.cron.zones import consumer
from tests.unit.platform.cron.conftest import ACCOUNT, OTHER, World, person, service

NIGHTLY = NewSchedule(name="nightly", expression="30 4 * * *", time_zone="Europe/Berlin", payload="p")


async def test_putting_the_same_schedule_again_changes_nothing(world: World) -> None:
    first = await world.api.put(call=service(), request=NIGHTLY)
    world.clock.move(days=2)
    second = await world.api.put(call=service(), request=NIGHTLY)

    assert first == second
    assert first.next_due == datetime(2026, 5, 2, 2, 30, tzinfo=UTC)
    assert len(await world.events(RECORDED)) == 1, "and is recorded once"


async def test_another_expression_counts_from_now(world: World) -> None:
    first = await world.api.put(call=service(), request=NIGHTLY)
    world.clock.move(days=2)
    changed = await world.api.put(
        call=service(), request=msgspec.structs.replace(NIGHTLY, expression="0 * * * *")
    )

    assert changed.id == first.id
    assert changed.next_due == datetime(2026, 5, 3, 13, tzinfo=UTC)
    recorded = [event.decode(Recorded) for event in await world.events(RECORDED)]
    assert b"30 4 * * *" in bytes(recorded[1].before) and b"0 * * * *" in bytes(recorded[1].after)


async def test_a_schedule_enabled_again_makes_up_for_nothing(world: World) -> None:
    await world.api.put(call=service(), request=msgspec.structs.replace(NIGHTLY, enabled=False, missed="all"))
    world.clock.move(days=3)
    await world.scheduler().fire()
    enabled = await world.api.put(call=service(), request=msgspec.structs.replace(NIGHTLY, missed="all"))
    await world.scheduler().fire()

    assert await world.ticks() == []
    assert enabled.next_due == datetime(2026, 5, 5, 2, 30, tzinfo=UTC)


async def test_a_wrong_expression_is_refused_and_nothing_is_stored(world: World) -> None:
    with pytest.raises(Invalid, match="hour: '25'"):
        await world.api.put(call=service(), request=NewSchedule(name="x", expression="0 25 * * *"))

    assert (await world.api.schedules(call=person(), request=PageRequest())).items == []


async def test_a_service_removes_only_its_own_schedule(world: World) -> None:
    put = await world.api.put(call=service("audit"), request=NIGHTLY)

    with pytest.raises(NotFound):
        await world.api.remove(call=service("identity"), request=ById(put.id))
    with pytest.raises(NotFound):
        await world.api.remove(call=service("audit", OTHER), request=ById(put.id))
    await world.api.remove(call=service("audit"), request=ById(put.id))

    assert (await world.api.schedules(call=person(), request=PageRequest())).items == []


async def test_people_see_their_account_and_a_platform_admin_also_the_installation(world: World) -> None:
    for account in (ACCOUNT, OTHER, ""):
        await world.api.put(call=service(account=account), request=NIGHTLY)

    mine = await world.api.schedules(call=person(), request=PageRequest())
    all_mine = await world.api.schedules(
        call=person(platform_admin=True), request=PageRequest(search="NIGHT")
    )
    none = await world.api.schedules(call=person(), request=PageRequest(search="%"))

    assert [len(page.items) for page in (mine, all_mine, none)] == [1, 2, 0]


async def test_lists_are_pages(world: World) -> None:
    for number in range(5):
        await world.api.put(call=service(), request=msgspec.structs.replace(NIGHTLY, name=f"n{number}"))

    first = await world.api.schedules(call=person(), request=PageRequest(limit=3, sort="-name"))
    rest = await world.api.schedules(
        call=person(), request=PageRequest(limit=3, sort="-name", after=first.next)
    )

    assert [item.name for item in (*first.items, *rest.items)] == ["n4", "n3", "n2", "n1", "n0"]
    assert first.next and not rest.next


async def test_a_preview_shows_the_next_ten_times(world: World) -> None:
    times = await world.api.preview(call=person(), request=CheckExpression("0 12 * * *", "Europe/Berlin"))

    assert len(times.times) == 10 and times.times[0] == datetime(2026, 5, 2, 10, tzinfo=UTC)


async def test_a_schedule_without_a_zone_follows_its_account(world: World) -> None:
    zones = consumer(world.store, world.database, world.clock)
    request = NewSchedule(name="morning", expression="0 9 * * *")

    async def tell(zone: str) -> None:
        body = msgspec.Raw(msgspec.json.encode(AccountChanged(ACCOUNT, "Acme", zone)))
        async with world.database.transaction(zones.accounts) as tx:
            await zones.handle(tx, [Event("e", ACCOUNT_CHANGED, ACCOUNT, ACCOUNT, world.clock(), body)])

    unknown = await world.api.put(call=service(), request=request)
    await world.api.put(call=service(account=OTHER), request=request)
    fixed = await world.api.put(call=service(), request=NIGHTLY)
    await tell("America/New_York")

    listed = {
        item.name: item for item in (await world.api.schedules(call=person(), request=PageRequest())).items
    }
    other = (await world.api.schedules(call=person(OTHER), request=PageRequest())).items
    assert (unknown.time_zone, unknown.next_due) == ("UTC", datetime(2026, 5, 2, 9, tzinfo=UTC))
    assert (listed["morning"].time_zone, listed["morning"].next_due) == (
        "America/New_York",
        datetime(2026, 5, 1, 13, tzinfo=UTC),
    )
    assert listed["nightly"] == fixed
    assert other[0].next_due == datetime(2026, 5, 2, 9, tzinfo=UTC)
    assert await world.api.put(call=service(), request=request) == listed["morning"]
