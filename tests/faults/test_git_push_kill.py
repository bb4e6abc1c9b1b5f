"""kill -9 at every stage of a push: each ref update is announced exactly once, and what was answered ok is never lost."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from argosy.backends.database import EVERY_ACCOUNT, Database
from argosy.backends.database.migrations import migrate
from argosy.contracts.git_server import PUSHED, Pushed
from argosy.kit.clock import now
from argosy.kit.errors import Unavailable
from argosy.kit.ids import new_id
from argosy.platform.git_server.asking import write_hook
from argosy.platform.git_server.folders import Folders
from argosy.platform.git_server.store import Store, Stored
from tests.faults.git_push_worker import ACCOUNT, announcer
from tests.git_repository import Work
from tests.postgres import TestPostgres

STAGES = ("received", "intended", "allowed", "moved", "announced")


@dataclass
class World:
    dsn: str
    database: Database
    folders: Folders
    stored: Stored
    work: Work

    @property
    def path(self) -> Path:
        return self.folders.of(ACCOUNT, self.stored.id).path

    def body(self, *commands: str) -> bytes:
        """What git would send: commands, then a pack of everything."""
        lines = [f"{command}\n" for command in commands]
        lines[0] = lines[0].rstrip("\n") + "\0report-status side-band-64k\n"
        head = b"".join(f"{len(line) + 4:04x}{line}".encode() for line in lines) + b"0000"
        pack = subprocess.run(
            ["git", "pack-objects", "--all", "--stdout", "--quiet"], cwd=self.work.folder, stdin=subprocess.DEVNULL,
            capture_output=True, check=True,
        )  # fmt: skip
        return head + pack.stdout

    def start(self, dies_at: str) -> subprocess.Popen[bytes]:
        words = [
            sys.executable,
            "-m",
            "tests.faults.git_push_worker",
            self.dsn,
            str(self.folders.root),
            self.stored.id,
        ]
        return subprocess.Popen([*words, dies_at], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    async def push(self, *commands: str, dies_at: str = "never") -> bytes:
        worker = self.start(dies_at)
        said, _ = await asyncio.to_thread(worker.communicate, self.body(*commands), 60)
        assert worker.returncode == (0 if dies_at == "never" else -9)
        return said

    async def reconcile(self) -> int:
        """As another instance, after a restart."""
        again = Folders(self.folders.root)
        return await announcer(self.database, again).reconcile(self.stored)

    async def announced(self) -> list[Pushed]:
        async with self.database.transaction(EVERY_ACCOUNT) as tx:
            rows = await tx.fetch("SELECT body FROM outbox WHERE type = $1 ORDER BY seq", PUSHED)
        return [msgspec.json.decode(row["body"], type=Pushed) for row in rows]

    def by_hand(self, *words: str) -> None:
        subprocess.run(["git", f"--git-dir={self.path}", *words], check=True)

    def ref(self, name: str) -> str:
        done = subprocess.run(
            ["git", f"--git-dir={self.path}", "rev-parse", "--verify", "--quiet", name],
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout.strip()


@pytest.fixture(scope="module")
def server() -> Iterator[TestPostgres]:
    with TestPostgres() as postgres:
        yield postgres


@pytest.fixture
async def world(server: TestPostgres, tmp_path: Path) -> AsyncIterator[World]:
    dsns = server.new_database(services=["git_server"])
    database = Database(dsns["git_server"], service="git_server")
    await database.open()
    await migrate(database, "argosy.platform.git_server.migrations")
    folders, store = Folders(tmp_path / "git"), Store(database)
    stored = Stored(new_id(), ACCOUNT, "shop", "", "main", [], None, None, now())
    async with database.transaction(ACCOUNT) as tx:
        await store.add(tx, stored)
    await folders.make(stored)
    try:
        yield World(dsns["git_server"], database, folders, stored, Work(tmp_path / "work"))
    finally:
        await database.close()
        server.drop_database(dsns["admin"])


ZERO = "0" * 40


@pytest.mark.parametrize("stage", STAGES)
async def test_a_push_killed_at_any_stage_is_announced_once_or_did_not_happen(
    world: World, stage: str
) -> None:
    first = world.work.commit({"a": "1"})
    said = await world.push(f"{ZERO} {first} refs/heads/main", dies_at=stage)

    await world.reconcile()
    await world.reconcile()

    moved = world.ref("refs/heads/main")
    events = await world.announced()
    assert [(one.ref, one.before, one.after) for one in events] == (
        [("refs/heads/main", "", first)] if moved else []
    )
    assert moved == ("" if stage in ("received", "intended") else first)
    assert b"ok refs/heads/main" not in said, "killed before it was announced, nobody heard ok"
    if moved:
        assert events[0].pusher is not None
        assert events[0].pusher.name == "Ada"
        assert [one.subject for one in events[0].commits] == ["change"]


async def test_an_answer_of_ok_means_that_it_is_announced(world: World) -> None:
    first = world.work.commit({"a": "1"})
    said = await world.push(f"{ZERO} {first} refs/heads/main", f"{ZERO} {first} refs/tags/v1")
    assert b"ok refs/heads/main" in said
    events = await world.announced()
    assert sorted((one.ref, one.before, one.after, one.default_branch) for one in events) == [
        ("refs/heads/main", "", first, True),
        ("refs/tags/v1", "", first, False),
    ]
    assert await world.reconcile() == 0


async def test_the_next_push_does_not_swallow_one_that_was_never_announced(world: World) -> None:
    first = world.work.commit({"a": "1"})
    await world.push(f"{ZERO} {first} refs/heads/main", dies_at="moved")
    second = world.work.commit({"a": "2"})
    await world.push(f"{first} {second} refs/heads/main")
    found = [(one.before, one.after) for one in await world.announced()]
    assert found == [("", first), (first, second)]


async def test_a_start_waits_for_a_git_that_outlived_us(world: World, tmp_path: Path) -> None:
    """Killed the moment it had said yes: git, held up here, moves the ref only after the next instance began to look."""
    first, go = world.work.commit({"a": "1"}), tmp_path / "go"
    write_hook(world.folders.hooks)
    hold = world.folders.hooks / "reference-transaction"
    hold.write_text(f"#!/bin/sh\nwhile [ ! -e '{go}' ]; do sleep 0.05; done\n")
    hold.chmod(0o700)
    await world.push(f"{ZERO} {first} refs/heads/main", dies_at="allowed")

    looking = asyncio.create_task(world.reconcile())
    done, _ = await asyncio.wait([looking], timeout=0.5)
    assert not done
    assert world.ref("refs/heads/main") == ""
    go.touch()

    assert await looking == 1
    assert [one.after for one in await world.announced()] == [first] == [world.ref("refs/heads/main")]


async def test_what_somebody_did_by_hand_is_announced_as_nobodys(world: World) -> None:
    first = world.work.commit({"a": "1"})
    await world.push(f"{ZERO} {first} refs/heads/main")
    world.by_hand("update-ref", "refs/heads/by-hand", first)
    world.by_hand("update-ref", "-d", "refs/heads/main")
    assert await world.reconcile() == 2
    told = [(one.ref, one.before, one.after, one.pusher) for one in (await world.announced())[1:]]
    assert told == [("refs/heads/by-hand", "", first, None), ("refs/heads/main", first, "", None)]


async def test_locks_that_a_dead_machine_left_do_not_refuse_pushes_for_ever(world: World) -> None:
    first = world.work.commit({"a": "1"})
    (world.path / "refs/heads").mkdir(parents=True, exist_ok=True)
    (world.path / "refs/heads/main.lock").touch()
    await world.reconcile()
    assert b"ok refs/heads/main" in await world.push(f"{ZERO} {first} refs/heads/main")


async def test_a_folder_that_is_gone_is_said_to_be_and_no_branch_is_taken_for_deleted(world: World) -> None:
    first = world.work.commit({"a": "1"})
    await world.push(f"{ZERO} {first} refs/heads/main")
    await asyncio.to_thread(shutil.rmtree, world.path)
    async with world.database.transaction(ACCOUNT, read_only=True) as tx:
        now_stored = await Store(world.database).of_id(tx, ACCOUNT, world.stored.id)
    assert now_stored is not None
    with pytest.raises(Unavailable, match="the folder of the repository shop is gone"):
        await announcer(world.database, Folders(world.folders.root)).reconcile(now_stored)
    assert len(await world.announced()) == 1


async def test_many_killed_pushes_in_a_row_leave_one_chain(world: World) -> None:
    before, happened = ZERO, []
    for number, stage in enumerate((*STAGES, "never", *reversed(STAGES))):
        after = world.work.commit({"a": str(number)})
        await world.push(f"{before} {after} refs/heads/main", dies_at=stage)
        if world.ref("refs/heads/main") == after or stage not in ("received", "intended"):
            await world.reconcile()
            happened.append(after)
            before = after
    events = await world.announced()
    assert [one.after for one in events] == happened
    assert [one.before for one in events] == ["", *happened[:-1]]
