"""Whatever is done to the database or to the anchors, verification names the first entry that is not as it was."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from argosy.domain.chain import GENESIS, link_hash, seal
from argosy.platform.audit.signing import Signer
from tests.unit.platform.audit.conftest import ACCOUNT, OTHER, World, record


async def test_an_untouched_log_is_whole(world: World) -> None:
    await world.changes(5)
    await world.seal(*(record(world.clock, kind="read") for _ in range(3)))
    await world.anchoring.anchor()

    found = await world.verify()

    assert found.whole and found.problem == "" and found.entries == 8
    assert [(chain.kind, chain.entries, chain.anchored) for chain in found.chains] == [
        ("change", 5, 5),
        ("read", 3, 3),
    ]


async def test_an_empty_log_is_whole(world: World) -> None:
    assert (await world.verify()).whole


@pytest.mark.parametrize(
    "column, value",
    [
        ("actor_name", "'Somebody Else'"),
        ("actor_id", "'u2'"),
        ("time", "time + interval '1 microsecond'"),
        ("result", "'denied'"),
        ("after", '\'{"name":  "Deck crew"}\''),
        ("remote", "''"),
        ("id", "'" + "d" * 24 + "'"),
        ("hash", "sha256('x')"),
        ("previous", "sha256('x')"),
    ],
)
async def test_an_altered_column_is_found_and_the_entry_named(world: World, column: str, value: str) -> None:
    await world.changes(5)
    await world.attack(f"UPDATE entries SET {column} = {value} WHERE number = 3")

    found = await world.verify()

    assert (found.whole, found.entry, found.chain) == (False, 3, "change"), found


async def test_a_removed_entry_is_named(world: World) -> None:
    await world.changes(5)
    await world.attack("DELETE FROM entries WHERE number = 2")

    found = await world.verify()

    assert (found.whole, found.entry) == (False, 2) and "missing" in found.problem


async def test_a_removed_beginning_is_named(world: World) -> None:
    await world.changes(5)
    await world.attack("DELETE FROM entries WHERE number <= 2")

    assert (await world.verify()).entry == 1


async def test_a_cut_off_end_is_noticed(world: World) -> None:
    await world.changes(5)
    await world.attack("DELETE FROM entries WHERE number > 3")

    found = await world.verify()

    assert (found.whole, found.entry) == (False, 4) and "cut off" in found.problem


async def test_a_cut_off_end_is_noticed_though_the_chain_was_set_back_too(world: World) -> None:
    await world.changes(5)
    await world.attack("DELETE FROM entries WHERE number > 3")
    await world.attack(
        "UPDATE chains SET number = 3, anchored = 3, hash = (SELECT hash FROM entries WHERE number = 3 AND kind = 'change')"
    )

    found = await world.verify()

    assert (found.whole, found.entry) == (False, 4) and "signed head vouches for 5" in found.problem


async def test_a_lost_database_is_noticed(world: World) -> None:
    await world.changes(3)
    await world.attack("TRUNCATE entries, chains")

    assert (await world.verify()).entry == 1


async def test_an_old_database_put_back_is_noticed_even_after_it_has_grown_again(world: World) -> None:
    await world.changes(3)
    await world.changes(2)
    await world.attack("DELETE FROM entries WHERE number > 3")
    await world.attack("UPDATE chains SET number = 3, hash = (SELECT hash FROM entries WHERE number = 3)")
    await world.changes(5)

    found = await world.verify()

    assert (found.whole, found.entry) == (False, 4) and "rewritten" in found.problem


async def test_a_rewritten_tail_is_noticed(world: World) -> None:
    await world.changes(5)
    previous = bytes(32)
    await world.attack("UPDATE entries SET actor_name = 'Nobody' WHERE number = 2")
    for _, link in await world.store.links(ACCOUNT, "change", 0, 5, 10):
        forged = link_hash(previous, link.number, link.content)
        await world.attack(
            "UPDATE entries SET previous = $1, hash = $2 WHERE number = $3", previous, forged, link.number
        )
        previous = forged
    await world.attack("UPDATE chains SET hash = $1 WHERE kind = 'change'", previous)

    found = await world.verify()

    assert (found.whole, found.entry, found.anchored) == (False, 1, 0) and "rewritten" in found.problem


async def test_an_entry_beside_the_chain_is_noticed(world: World) -> None:
    await world.changes(3)
    for number in (0, -4, 99):
        await world.attack("UPDATE entries SET number = $1 WHERE number = 3", number)
        assert not (await world.verify()).whole
        await world.attack("UPDATE entries SET number = 3 WHERE number = $1", number)
    await world.attack(
        "INSERT INTO entries SELECT (jsonb_populate_record(e, jsonb_build_object('number', 0, 'id', 'x'))).* "
        "FROM entries e WHERE number = 1 AND kind = 'change'"
    )

    found = await world.verify()

    assert (found.whole, found.entry) == (False, 0) and "outside the chain" in found.problem


async def test_a_forged_anchor_is_noticed(world: World, tmp_path: Path) -> None:
    await world.changes(2)
    (tmp_path / "elsewhere").mkdir()
    stranger = Signer(tmp_path / "elsewhere")
    chain = await world.store.chain(ACCOUNT, "change")
    assert chain is not None
    world.anchors.append(ACCOUNT, [stranger.sign("head", ACCOUNT, "change", chain.head, world.clock())])

    found = await world.verify()

    assert not found.whole and "was not signed by this installation" in found.problem


async def test_an_edited_anchor_is_noticed(world: World) -> None:
    await world.changes(2)
    file = world.folder / "anchors" / f"{ACCOUNT}.jsonl"
    file.write_bytes(file.read_bytes().replace(b'"number":2', b'"number":1'))

    assert not (await world.verify()).whole


async def test_another_accounts_anchor_counts_for_nothing(world: World) -> None:
    await world.changes(2)
    await world.changes(2, account=OTHER)
    folder = world.folder / "anchors"
    (folder / f"{ACCOUNT}.jsonl").write_bytes((folder / f"{OTHER}.jsonl").read_bytes())

    assert not (await world.verify()).whole


async def test_missing_anchors_are_noticed(world: World) -> None:
    await world.changes(2)
    (world.folder / "anchors" / f"{ACCOUNT}.jsonl").unlink()
    known_to_be_anchored = await world.verify()
    await world.attack("UPDATE chains SET anchored = 0")
    fresh = await world.verify()
    world.clock.move(minutes=2)
    old = await world.verify()

    assert "anchors are missing" in known_to_be_anchored.problem and known_to_be_anchored.entry == 1
    assert fresh.whole and fresh.anchored == 0, "it may just not be anchored yet"
    assert "anchors are missing" in old.problem


async def test_an_anchor_cut_by_a_crash_is_no_fault_and_is_written_again(world: World) -> None:
    await world.changes(2)
    file = world.folder / "anchors" / f"{ACCOUNT}.jsonl"
    whole = file.read_bytes()
    file.write_bytes(whole[:-20])
    await world.attack("UPDATE chains SET anchored = 0")

    assert (await world.verify()).whole
    await world.anchoring.anchor()

    found = await world.verify()
    assert found.whole and found.anchored == 2 and len(file.read_bytes().splitlines()) == 1


async def test_what_is_left_after_pruning_is_whole(world: World) -> None:
    await world.changes(4)
    world.clock.move(days=4000)
    await world.changes(3)
    await prune(world)

    found = await world.verify()

    assert found.whole and (found.chains[0].first, found.entries, found.anchored) == (5, 3, 7)
    assert [entry.number for entry in await world.list()] == [7, 6, 5]
    assert await world.list(search="team 0") == [entry for entry in await world.list() if entry.number == 5]


async def looks_old(world: World) -> None:
    await world.attack("UPDATE entries SET time = '2000-01-01Z' WHERE number <= 3")


async def rewritten_as_old(world: World) -> None:
    """With every hash recomputed, by somebody who knows the formula but not the key."""
    await looks_old(world)
    head = GENESIS
    for _, link in await world.store.links(ACCOUNT, "change", 0, 5, 5):
        (fresh,) = seal(head, [link.content])
        await world.attack(
            "UPDATE entries SET previous = $2, hash = $3 WHERE number = $1",
            fresh.number,
            head.hash,
            fresh.hash,
        )
        head = fresh.head
    await world.attack("UPDATE chains SET hash = $1", head.hash)


async def removed_under_a_forged_checkpoint(world: World) -> None:
    _, link = (await world.store.links(ACCOUNT, "change", 1, 2, 1))[0]
    statement = world.signer.sign("head", ACCOUNT, "change", link.head, world.clock())
    forged = msgspec.json.encode(msgspec.structs.replace(statement, what="checkpoint")).decode()
    await world.attack("DELETE FROM entries WHERE number <= 2")
    await world.attack("UPDATE chains SET checkpoint = $1", forged)
    world.clock.move(days=4000)


@pytest.mark.parametrize("tamper", [looks_old, rewritten_as_old, removed_under_a_forged_checkpoint])
async def test_retention_signs_away_nothing_that_was_tampered_with(
    world: World, tamper: Callable[[World], Awaitable[None]]
) -> None:
    await world.changes(5)
    await tamper(world)
    left = [entry.number for entry in await world.list()]

    await prune(world)

    assert [entry.number for entry in await world.list()] == left
    assert not (await world.verify()).whole


async def test_entries_removed_beyond_the_checkpoint_are_noticed(world: World) -> None:
    await world.changes(4)
    world.clock.move(days=4000)
    await world.changes(3)
    await prune(world)
    await world.attack("DELETE FROM entries WHERE number = 5")

    assert (await world.verify()).entry == 5


async def test_a_forged_checkpoint_is_noticed(world: World) -> None:
    await world.changes(5)
    _, link = (await world.store.links(ACCOUNT, "change", 2, 3, 1))[0]
    statement = world.signer.sign("head", ACCOUNT, "change", link.head, world.clock())
    forged = msgspec.json.encode(msgspec.structs.replace(statement, what="checkpoint")).decode()
    await world.attack("DELETE FROM entries WHERE number <= 3")
    await world.attack("UPDATE chains SET checkpoint = $1", forged)

    found = await world.verify()

    assert (found.whole, found.entry) == (False, 4) and "checkpoint" in found.problem


async def test_a_head_cannot_serve_as_a_checkpoint(world: World) -> None:
    await world.changes(5)
    _, link = (await world.store.links(ACCOUNT, "change", 2, 3, 1))[0]
    head = msgspec.json.encode(
        world.signer.sign("head", ACCOUNT, "change", link.head, world.clock())
    ).decode()
    await world.attack("DELETE FROM entries WHERE number <= 3")
    await world.attack("UPDATE chains SET checkpoint = $1", head)

    assert not (await world.verify()).whole


async def test_the_chain_is_the_published_formula(world: World) -> None:
    """So that somebody else's program can verify an export."""
    await world.changes(2)
    (_, first), (entry, second) = await world.store.links(ACCOUNT, "change", 0, 2, 5)

    assert first.previous == bytes(32) and second.previous == first.hash
    assert second.hash == hashlib.sha256(first.hash + (2).to_bytes(8, "big") + second.content).digest()
    assert second.content.startswith(b'[1,"' + entry.id.encode())


async def prune(world: World) -> None:
    for chain in await world.store.chains():
        await world.retention.prune(chain)


async def test_pruning_removes_what_is_older_than_the_settings_and_tells(world: World) -> None:
    await world.seal(*(record(world.clock, kind="read") for _ in range(3)))
    await world.changes(3)
    world.clock.moment += timedelta(days=15)
    await world.seal(record(world.clock, kind="read"))
    await prune(world)

    assert sorted((entry.kind, entry.number) for entry in await world.list()) == [
        ("change", 1), ("change", 2), ("change", 3), ("read", 4),
    ]  # fmt: skip
    async with world.database.transaction("*") as tx:
        told = await tx.fetchval("SELECT body FROM outbox WHERE type = 'audit.recorded.v1'")
        words = await tx.fetchval("SELECT count(*) FROM entry_words")
    assert '"first":1,"last":3' in told.replace(" ", "") and words == 4
