"""An event that cannot be handled stops its own key and nothing else, and can be replayed when the cause is mended."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

import pytest

from argosy.backends.database import Transaction
from argosy.backends.events import Consumer, DeadLetters, effects
from argosy.contracts.events import Event
from argosy.kit.errors import ArgosyError, DeadlineExceeded, Unavailable
from tests.conformance.events.conftest import ACCOUNT, Moved, Stage

OTHER = "5f0000000000000000000002"


class Fussy:
    """Chokes on number 13 until it is cured. What it wrote before it choked must be undone."""

    def __init__(self, stage: Stage) -> None:
        self.stage, self.cured, self.tried = stage, False, 0
        self.consumer = Consumer("mover", ("stage.*",), self.handle)

    async def handle(self, tx: Transaction, events: Sequence[Event]) -> None:
        await self.stage.effects.handle(tx, events)
        for one in events:
            if one.decode(Moved).number == 13 and not self.cured:
                self.tried += 1
                raise ValueError("unlucky: postgresql://user:hunter2@db/x, \udcff\x00")  # no UTF-8


async def test_poison_parks_its_key_and_the_other_keys_go_on(stage: Stage) -> None:
    fussy = Fussy(stage)
    async with stage.consuming(fussy.consumer):
        for number in range(11, 16):
            await stage.publish("bad", number)
            await stage.publish("good", number + 100)
        await stage.effects.reach(2 + 5)
        await stage.publish("bad", 16)
        await stage.publish("good", 116)
        await stage.effects.reach(2 + 6)
    assert await stage.effects.by_key() == {"bad": [11, 12], "good": list(range(111, 117))}
    page = await DeadLetters(stage.consumer).list(consumer="mover")
    assert [letter.event.decode(Moved).number for letter in page.items] == [13, 14, 15, 16]
    assert [letter.attempts for letter in page.items] == [4, 0, 0, 0]
    assert "hunter2" not in page.items[0].error
    assert "unlucky" in page.items[0].error


async def test_a_bad_event_that_gets_better_on_its_own_is_not_parked(stage: Stage) -> None:
    failures = 2

    async def handle(tx: Transaction, events: Sequence[Event]) -> None:
        nonlocal failures
        if failures:
            failures -= 1
            raise KeyError("not yet")
        await stage.effects.handle(tx, events)

    async with stage.consuming(Consumer("mover", ("stage.*",), handle)):
        await stage.publish("thing", 1, 2, 3)
        await stage.effects.reach(3)
    assert await stage.effects.by_key() == {"thing": [1, 2, 3]}
    assert (await DeadLetters(stage.consumer).list()).items == []


async def test_an_outage_is_nobodys_poison(stage: Stage) -> None:
    outage = 5

    async def handle(tx: Transaction, events: Sequence[Event]) -> None:
        nonlocal outage
        if outage:
            outage -= 1
            raise Unavailable("gone for a moment", code="database.unavailable")
        await stage.effects.handle(tx, events)

    async with stage.consuming(Consumer("mover", ("stage.*",), handle)):
        await stage.publish("thing", 1)
        await stage.effects.reach(1)
    assert (await DeadLetters(stage.consumer).list()).items == []


class Slow:
    """Has a statement that runs into its deadline for some keys, and counts how often each event was tried."""

    def __init__(self, stage: Stage, *keys: str) -> None:
        self.stage, self.keys, self.tried = stage, set(keys), Counter[str]()
        self.consumer = Consumer("mover", ("stage.*",), self.handle)

    async def handle(self, tx: Transaction, events: Sequence[Event]) -> None:
        for one in events:
            self.tried[one.key] += 1
            if one.key in self.keys:
                await tx.execute("SET LOCAL statement_timeout = 20")
                await tx.execute("SELECT pg_sleep(60)")
        await self.stage.effects.handle(tx, events)


async def test_an_event_whose_statement_is_always_too_slow_is_parked_like_any_other(stage: Stage) -> None:
    slow = Slow(stage, "bad")
    async with stage.consuming(slow.consumer):
        await stage.publish("bad", 1, 2)
        await stage.publish("good", 3)
        await stage.effects.reach(1)
        assert await stage.effects.by_key() == {"good": [3]}
        letters = (await DeadLetters(stage.consumer).list()).items
        assert [letter.error[:17] for letter in letters] == ["database.deadline", "waits behind an e"]
        slow.keys.clear()
        assert await DeadLetters(stage.consumer).replay(slow.consumer, "bad") == 2


async def test_where_everything_is_too_slow_each_further_event_is_tried_longer_before_it_is_parked(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(effects, "LONGEST_PAUSE", 0.01)
    slow = Slow(stage, "a", "b", "c", "d")
    async with stage.consuming(slow.consumer):
        for key in "abc":
            await stage.publish(key, 1)
        await stage.publish("good", 2)
        await stage.effects.reach(1)
        # when one was handled again, then the next has no more tries than the first
        tried = [slow.tried[key] for key in "abc"]
        await stage.publish("d", 3)
        await stage.publish("good", 4)
        await stage.effects.reach(2)
    assert tried == [5, 8, 16]  # the first once more, in the batch in which nobody knew yet which one it was
    assert slow.tried["d"] in (4, 5)


async def test_a_deadline_of_a_database_that_does_not_answer_any_more_is_nobodys_poison(stage: Stage) -> None:
    outage = 6

    async def handle(tx: Transaction, events: Sequence[Event]) -> None:
        nonlocal outage
        if outage:
            outage -= 1
            with suppress(ArgosyError):
                await tx.execute("SELECT pg_terminate_backend(pg_backend_pid())")
            raise DeadlineExceeded("no answer in time", code="database.deadline")
        await stage.effects.handle(tx, events)

    async with stage.consuming(Consumer("mover", ("stage.*",), handle)):
        await stage.publish("thing", 1)
        await stage.effects.reach(1)
    assert (await DeadLetters(stage.consumer).list()).items == []


async def test_a_fault_of_the_handler_that_the_driver_finds_is_no_outage(stage: Stage) -> None:
    async def handle(tx: Transaction, events: Sequence[Event]) -> None:
        if any(one.key == "bad" for one in events):
            await tx.execute("SELECT $1::integer", "no number")
        await stage.effects.handle(tx, events)

    async with stage.consuming(Consumer("mover", ("stage.*",), handle)):
        await stage.publish("bad", 1)
        await stage.publish("good", 2)
        await stage.effects.reach(1)
    assert len((await DeadLetters(stage.consumer).list(key="bad")).items) == 1


async def test_a_handler_that_breaks_its_transaction_and_hides_it_is_found_out(stage: Stage) -> None:
    async def handle(tx: Transaction, events: Sequence[Event]) -> None:
        if any(one.key == "bad" for one in events):
            try:
                await tx.execute("SELECT 1/0")
            except Exception:
                return
        await stage.effects.handle(tx, events)

    async with stage.consuming(Consumer("mover", ("stage.*",), handle)):
        await stage.publish("bad", 1)
        await stage.publish("good", 2)
        await stage.effects.reach(1)
    assert await stage.effects.by_key() == {"good": [2]}
    assert len((await DeadLetters(stage.consumer).list(key="bad")).items) == 1


async def test_a_handler_that_hangs_is_given_up_like_one_that_fails(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(effects, "HANDLE_SECONDS", 0.2)

    async def handle(tx: Transaction, events: Sequence[Event]) -> None:
        if any(one.key == "bad" for one in events):
            await asyncio.Event().wait()
        await stage.effects.handle(tx, events)

    async with stage.consuming(Consumer("mover", ("stage.*",), handle)):
        await stage.publish("bad", 1)
        await stage.publish("good", 2)
        await stage.effects.reach(1)
    letters = (await DeadLetters(stage.consumer).list()).items
    assert [(letter.event.key, letter.error[:15]) for letter in letters] == [("bad", "events.deadline")]


async def test_equal_keys_of_two_accounts_do_not_wait_for_each_other(stage: Stage) -> None:
    fussy = Fussy(stage)
    async with stage.consuming(fussy.consumer):
        await stage.publish("same", 13, 14)
        await stage.publish("same", 15, account=OTHER)
        await stage.effects.reach(1)
    assert await stage.effects.by_key() == {"same": [15]}


async def test_a_replay_handles_the_parked_events_in_order_and_frees_the_key(stage: Stage) -> None:
    fussy, letters = Fussy(stage), DeadLetters(stage.consumer)
    async with stage.consuming(fussy.consumer):
        await stage.publish("bad", 12, 13, 14, 15)
        await stage.publish("good", 1)
        await stage.effects.reach(2)
        # when replayed before the cause is mended, then nothing moves and the reason stays
        assert await letters.replay(fussy.consumer, "bad") == 0
        assert [letter.attempts for letter in (await letters.list()).items] == [5, 0, 0]
        # when it is mended, then all go through
        fussy.cured = True
        assert await letters.replay(fussy.consumer, "bad") == 3
        await stage.publish("bad", 16)
        await stage.effects.reach(6)
    assert (await stage.effects.by_key())["bad"] == [12, 13, 14, 15, 16]
    assert (await letters.list()).items == []


async def test_events_that_arrive_during_a_replay_keep_their_place(stage: Stage) -> None:
    fussy, letters = Fussy(stage), DeadLetters(stage.consumer)
    async with stage.consuming(fussy.consumer):
        await stage.publish("bad", *range(13, 40))
        await stage.publish("good", 1)
        await stage.effects.reach(1)
        fussy.cured = True
        done, number = 0, 40
        while done < 27:
            await stage.publish("bad", number)
            number += 1
            done += await letters.replay(fussy.consumer, "bad")
        done += await letters.replay(fussy.consumer, "bad")
        await stage.effects.reach(1 + number - 13)
    assert (await stage.effects.by_key())["bad"] == list(range(13, number))


async def test_an_event_given_up_lets_those_behind_it_pass(stage: Stage) -> None:
    fussy, letters = Fussy(stage), DeadLetters(stage.consumer)
    async with stage.consuming(fussy.consumer):
        await stage.publish("bad", 13, 14)
        await stage.publish("good", 1)
        await stage.effects.reach(1)
        poison = (await letters.list()).items[0].event.id
        assert await letters.discard("mover", poison)
        assert not await letters.discard("mover", poison)
        assert await letters.replay(fussy.consumer, "bad") == 1
    assert (await stage.effects.by_key())["bad"] == [14]


async def test_dead_letters_are_listed_in_pages_and_by_key(stage: Stage) -> None:
    fussy, letters = Fussy(stage), DeadLetters(stage.consumer)
    async with stage.consuming(fussy.consumer):
        await stage.publish("a", 13, *range(20, 24))
        await stage.publish("b", 13)
        await stage.publish("good", 1)
        await stage.effects.reach(1)
    seen, after = [], ""
    while True:
        page = await letters.list(limit=2, after=after)
        seen += [letter.event.key for letter in page.items]
        if not (after := page.next):
            break
    assert seen == ["a"] * 5 + ["b"]
    assert [letter.event.account for letter in (await letters.list(key="b")).items] == [ACCOUNT]
