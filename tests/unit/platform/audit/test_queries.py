"""The list, its filters and pages; following; exports; settings."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from datetime import timedelta

import pytest

from argosy.contracts.audit import RECORDED, Actor, AuditQuery, AuditSettings, ExportQuery
from argosy.kit.errors import Forbidden
from argosy.kit.operations import Nothing
from argosy.platform.audit import store
from argosy.platform.audit.words import prefix_query
from tests.unit.platform.audit.conftest import ACCOUNT, OTHER, START, World, admin, record


async def test_pages_go_from_newest_to_oldest_across_both_chains_without_gap_or_double(world: World) -> None:
    records = [record(world.clock, kind="read" if n % 3 else "change") for n in range(25)]
    same = [record(world.clock, time=records[7].time, kind="read") for _ in range(3)]
    await world.seal(*records, *same)

    seen: list[str] = []
    after = ""
    while True:
        page = await world.api.entries(call=admin(), request=AuditQuery(limit=4, after=after))
        seen += [entry.id for entry in page.items]
        if not (after := page.next):
            break

    assert seen == [each.id for each in sorted([*records, *same], key=lambda r: (r.time, r.id), reverse=True)]


@pytest.mark.parametrize(
    "filters, expected",
    [
        ({"kind": "read"}, "b"),
        ({"result": "denied"}, "c"),
        ({"resource": "api-key"}, "d"),
        ({"resource_id": "e" * 24}, "e"),
        ({"actor": "u2"}, "f"),
        ({"operation": "sign_in"}, "g"),
        ({"since": START + timedelta(days=1)}, "h"),
        ({"until": START}, "i"),
        ({"search": "ÖSTEN"}, "j"),
        ({"search": "create tea"}, "abcdefhijk"),
        ({"search": "crew deck"}, "abcdefghijk"),
        ({"search": "eck"}, ""),
        ({"search": "deck", "actor": "u2", "kind": "change", "result": "ok"}, "f"),
        ({"search": "harbour"}, "k"),
        ({"search": "'); -- "}, "abcdefghijk"),
        ({"actor": "' OR true"}, ""),
    ],
)
async def test_filters(world: World, filters: dict[str, object], expected: str) -> None:
    fields: dict[str, dict[str, object]] = {
        "a": {},
        "b": {"kind": "read"},
        "c": {"result": "denied"},
        "d": {"resource": "api-key"},
        "e": {"resource_id": "e" * 24},
        "f": {"actor": Actor("user", "u2", "Other")},
        "g": {"operation": "sign_in"},
        "h": {"time": START + timedelta(days=2)},
        "i": {"time": START - timedelta(days=2)},
        "j": {"actor": Actor("user", "u1", "Per Östensson")},
        "k": {"resource_name": "Deck crew (harbour@example.test)"},
    }
    await world.seal(*(record(world.clock, request_id=name, **given) for name, given in fields.items()))
    await world.seal(record(world.clock, account=OTHER), record(world.clock, account=""))

    found = await world.list(**filters)

    assert "".join(sorted(entry.request_id for entry in found)) == expected


@pytest.mark.parametrize("window, candidates", [(1000, 4000), (3, 4000), (3, 5)])
async def test_a_search_finds_the_same_by_each_of_its_ways(
    world: World, monkeypatch: pytest.MonkeyPatch, window: int, candidates: int
) -> None:
    monkeypatch.setattr(store, "_WINDOW", window)
    monkeypatch.setattr(store, "_CANDIDATES", candidates)
    await world.seal(
        *(record(world.clock, resource_name=f"{'mast' if n % 2 else 'keel'}-{n}") for n in range(40))
    )
    await world.seal(*(record(world.clock, account=OTHER, resource_name="keel") for _ in range(4)))

    first = await world.api.entries(call=admin(), request=AuditQuery(search="kee", limit=15))
    rest = await world.api.entries(call=admin(), request=AuditQuery(search="kee", limit=15, after=first.next))

    names = [entry.resource_name for entry in (*first.items, *rest.items)]
    assert names == [f"keel-{n}" for n in range(38, -1, -2)] and not rest.next


async def test_search_by_index_is_bound_to_the_transactions_account(world: World) -> None:
    await world.seal(record(world.clock, account=OTHER))
    words = prefix_query(OTHER, "deck")
    ask = "SELECT count(*) FROM entries_with($1, $2::text::tsquery, 10)"

    async with world.database.transaction(ACCOUNT) as tx:
        foreign = await tx.fetchval(ask, OTHER, words)
    async with world.database.transaction(OTHER) as tx:
        own = await tx.fetchval(ask, OTHER, words)

    assert (foreign, own) == (0, 1)


async def test_entries_of_no_account_are_for_platform_admins(world: World) -> None:
    await world.seal(record(world.clock, account=""), record(world.clock))
    request = AuditQuery(installation=True)

    shown = await world.api.entries(call=admin(platform_admin=True), request=request)
    with pytest.raises(Forbidden):
        await world.api.entries(call=admin(), request=request)

    assert [entry.account for entry in shown.items] == [""]


async def test_a_watcher_gets_entries_as_they_are_sealed_and_ends_with_the_service(world: World) -> None:
    await world.seal(record(world.clock))
    got: asyncio.Queue[str] = asyncio.Queue()

    async def watch() -> None:
        async for entry in world.api.follow(call=admin(), request=Nothing()):
            got.put_nowait(entry.request_id)

    watcher = asyncio.create_task(watch())
    async with asyncio.timeout(10):
        marker = 0
        while got.empty():  # what was sealed before it began to watch is not shown, so seal until one is
            marker += 1
            await world.seal(record(world.clock, request_id=f"m{marker}"))
            await asyncio.sleep(0.01)
        while (await got.get()) != f"m{marker}":
            pass
        await world.seal(
            record(world.clock, account=OTHER, request_id="foreign"),
            record(world.clock, kind="read", request_id="x"),
            record(world.clock, request_id="y"),
        )
        assert [await got.get(), await got.get()] == ["x", "y"]
        world.following.stop()
        await watcher
    assert got.empty() and not world.following._watchers[ACCOUNT]


async def test_a_watcher_ends_at_the_calls_deadline(world: World) -> None:
    async with asyncio.timeout(5):
        assert [entry async for entry in world.api.follow(call=admin(seconds=0.2), request=Nothing())] == []


async def exported(world: World, **query: object) -> tuple[str, list[bytes]]:
    chunks = [
        chunk
        async for chunk in world.api.export(call=admin(), request=ExportQuery(**query))  # type: ignore[arg-type]
    ]
    return chunks[0].filename, [chunk.data for chunk in chunks]


async def test_a_csv_runs_no_formula(world: World) -> None:
    names = ["=HYPERLINK(1)", "+1", "-1", "@SUM(A1)", "\t=1", 'quote " comma , line\nbreak', "plain"]
    await world.seal(*(record(world.clock, resource_name=name) for name in names))
    world.clock.move(seconds=1)

    filename, chunks = await exported(world, format="csv")

    rows = list(csv.DictReader(io.StringIO(b"".join(chunks).decode(), newline="")))
    assert filename == f"audit-{ACCOUNT}-2026-05-01.csv"
    assert [row["resource_name"] for row in rows] == [f"'{name}" for name in names[:5]] + names[5:]
    assert rows[0]["after"] == '{"name": "Deck crew"}' and rows[0]["before"] == ""


async def test_json_lines_come_complete_and_in_chunks(world: World) -> None:
    records = [record(world.clock, kind="read" if n % 2 else "change") for n in range(1200)]
    await world.seal(*records)
    await world.seal(record(world.clock, account=OTHER))
    world.clock.move(seconds=1)

    _, chunks = await exported(world)

    lines = [json.loads(line) for line in b"".join(chunks).splitlines()]
    assert [line["id"] for line in lines] == [
        each.id for each in sorted(records, key=lambda r: (r.time, r.id))
    ]
    assert len(chunks) > 3 and all(64 * 1024 <= len(chunk) < 80 * 1024 for chunk in chunks[:-1])
    assert lines[0]["after"] == {"name": "Deck crew"}


async def test_an_export_obeys_the_filters(world: World) -> None:
    await world.seal(record(world.clock, resource_name="keel"), record(world.clock, resource_name="mast"))
    world.clock.move(seconds=1)

    _, chunks = await exported(world, search="kee", kind="change")

    assert [json.loads(line)["resource_name"] for line in b"".join(chunks).splitlines()] == ["keel"]


async def test_an_export_of_nothing_is_an_empty_file_with_a_name(world: World) -> None:
    assert await exported(world) == (f"audit-{ACCOUNT}-2026-05-01.jsonl", [b""])


async def test_a_change_of_settings_is_recorded_with_before_and_after(world: World) -> None:
    before = await world.api.settings(call=admin(), request=Nothing())
    wanted = AuditSettings(reads_kept_days=3, changes_kept_days=400)
    await world.api.change_settings(call=admin(), request=wanted)
    await world.api.change_settings(call=admin(), request=wanted)

    async with world.database.transaction("*") as tx:
        (row,) = await tx.fetch("SELECT body FROM outbox WHERE type = $1", RECORDED)
    told = json.loads(row["body"])
    assert before == AuditSettings() and await world.api.settings(call=admin(), request=Nothing()) == wanted
    assert await world.api.settings(call=admin(OTHER), request=Nothing()) == before
    assert (told["before"]["reads_kept_days"], told["after"]["reads_kept_days"]) == (14, 3)
