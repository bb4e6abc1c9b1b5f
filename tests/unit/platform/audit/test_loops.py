"""What runs by itself: anchoring, retention and its schedule; and the key that signs."""

from __future__ import annotations

import asyncio
import os
import stat
from pathlib import Path

import msgspec
import pytest

from argosy.contracts.cron import TICKED, NewSchedule, Schedule, Ticked
from argosy.contracts.events import event
from argosy.domain.chain import Head
from argosy.kit.calls import Call
from argosy.kit.errors import Internal, Unavailable
from argosy.platform.audit import retention
from argosy.platform.audit.signing import FILE, Signer
from argosy.platform.audit.store import Chain
from tests.unit.platform.audit.conftest import ACCOUNT, OTHER, START, World, record


async def cancelled(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def anchored(world: World, account: str = ACCOUNT) -> list[int]:
    return [said.number for said in world.anchors.read(account, world.signer).statements]


async def test_a_start_anchors_what_a_crash_left_and_a_stop_anchors_the_rest(world: World) -> None:
    await world.seal(record(world.clock), record(world.clock))
    wrote = asyncio.Event()
    written = world.store.anchored

    async def told(heads: object) -> None:
        await written(heads)  # type: ignore[arg-type]
        wrote.set()

    world.store.anchored = told  # type: ignore[method-assign,assignment]
    running = asyncio.create_task(world.anchoring.run())
    async with asyncio.timeout(5):
        await wrote.wait()
    assert await anchored(world) == [2]

    await world.seal(record(world.clock))
    await cancelled(running)

    assert await anchored(world) == [2, 3]
    assert await world.anchoring.anchor() == 0


async def test_heads_of_all_accounts_are_anchored_in_files_of_their_own(world: World) -> None:
    await world.seal(record(world.clock), record(world.clock, account=OTHER), record(world.clock, account=""))
    await world.anchoring.anchor()

    files = sorted(path.name for path in (world.folder / "anchors").iterdir())
    assert files == [f"{ACCOUNT}.jsonl", f"{OTHER}.jsonl", "installation.jsonl"]


async def test_a_disk_that_takes_a_head_in_pieces_keeps_it_whole(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = os.write
    monkeypatch.setattr("argosy.platform.audit.anchors.os.write", lambda file, data: whole(file, data[:50]))
    await world.changes(1)

    assert await anchored(world) == [1]
    assert (await world.verify()).whole


async def test_a_large_anchor_file_is_set_aside_once_and_still_read(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("argosy.platform.audit.anchors._LARGEST", 300)
    for _ in range(4):
        await world.seal(record(world.clock))
        await world.anchoring.anchor()

    assert len(list((world.folder / "anchors").iterdir())) == 2
    assert (await anchored(world))[-1] == 4
    assert (await world.verify()).whole


async def test_its_own_tick_makes_retention_run_and_no_other(world: World) -> None:
    consumer = world.retention.consumer()
    world.retention._wanted.clear()

    async def tick(owner: str, name: str) -> bool:
        body = Ticked("s", owner, name, START, "")
        async with world.database.transaction("*") as tx:
            await consumer.handle(tx, [event(TICKED, account="", key="s", body=body)])
        return world.retention._wanted.is_set()

    assert [await tick("identity", "audit.retention"), await tick("audit", "other")] == [False, False]
    assert await tick("audit", "audit.retention")


async def test_retention_that_failed_begins_again_without_waiting_for_the_next_tick(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away() -> list[Chain]:
        raise Unavailable("the database does not answer")

    monkeypatch.setattr(world.store, "chains", away)
    with pytest.raises(Unavailable):
        await world.retention.run()

    assert world.retention._wanted.is_set()


async def test_retention_runs_after_a_start(world: World) -> None:
    await world.changes(3)
    await world.seal(record(world.clock, kind="read"))
    world.clock.move(days=20)
    running = asyncio.create_task(world.retention.run())
    stop_looking = asyncio.get_running_loop().time() + 10
    while (await world.verify()).entries > 3 and asyncio.get_running_loop().time() < stop_looking:
        pass
    await cancelled(running)

    assert {entry.kind for entry in await world.list()} == {"change"}


async def test_the_schedule_is_put_as_soon_as_cron_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    put: list[tuple[str, str, NewSchedule]] = []
    done = asyncio.Event()

    class LateCron:
        attempts = 0

        async def put(self, *, call: Call, request: NewSchedule) -> Schedule:
            self.attempts += 1
            if self.attempts < 3:
                raise Unavailable("cron is starting")
            put.append((call.principal.id, call.account, request))
            done.set()
            return Schedule(
                "", "audit", request.name, request.expression, "UTC", "one", True, None, None, None
            )

    async def at_once(_seconds: float, sleep=asyncio.sleep) -> None:
        await sleep(0.001)

    cron = LateCron()
    monkeypatch.setattr("argosy.platform.audit.retention.asyncio.sleep", at_once)
    running = asyncio.create_task(retention.keep_schedule(lambda contract: cron))  # type: ignore[arg-type,return-value]
    await done.wait()
    await cancelled(running)

    assert put[0] == ("audit", "", retention.SCHEDULE)


def test_the_key_is_made_once_for_the_owner_only(tmp_path: Path) -> None:
    first, second = Signer(tmp_path), Signer(tmp_path)
    said = first.sign("head", ACCOUNT, "change", Head(1, bytes(32)), START)

    assert second.genuine(said)
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


@pytest.mark.parametrize(
    "change", [{"number": 2}, {"account": OTHER}, {"chain": "read"}, {"what": "checkpoint"}, {"hash": "00" * 31 + "01"},
               {"time": "2026-05-01T12:00:00.001Z"}, {"key": "x"}, {"signature": ""}, {"signature": "é"}]
)  # fmt: skip
def test_no_part_of_a_signed_statement_can_be_changed(tmp_path: Path, change: dict[str, object]) -> None:
    signer = Signer(tmp_path)
    said = signer.sign("head", ACCOUNT, "change", Head(1, bytes(32)), START)

    assert signer.genuine(said)
    assert not signer.genuine(msgspec.structs.replace(said, **change))


@pytest.mark.parametrize("content", [b"", b"{}", b'{"keys":[]}', b'{"keys":[{"id":"a","private":"no"}]}'])
def test_an_unreadable_key_says_so_and_is_not_replaced(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)

    with pytest.raises(Internal) as caught:
        Signer(tmp_path)

    assert caught.value.code == "audit.key" and (tmp_path / FILE).read_bytes() == content
