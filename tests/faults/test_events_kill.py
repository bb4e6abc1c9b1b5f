"""kill -9 of a producer, a consumer and PostgreSQL in mid-flight: each acknowledged event has exactly one effect.

The producers write a row of their own with each event, so the effects must be exactly those rows: nothing that was
acknowledged is missing, nothing is doubled, and nothing happened that was not committed.
"""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncpg
import pytest

from argosy.backends.database import Database
from argosy.backends.database.migrations import migrate
from tests.postgres import TestPostgres

DEADLINE = 60.0


class Stage:
    def __init__(self, server: TestPostgres, folder: Path) -> None:
        self.server, self.folder = server, folder
        self.there, self.here = server.new_database(["producer"]), server.new_database(["consumer"])
        asyncio.run(self._prepare())
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.incarnation = 0

    async def _prepare(self) -> None:
        for dsn, name, table in (
            (self.there["producer"], "producer", "things (number bigint)"),
            (self.here["consumer"], "consumer", "effects (place bigserial, key text, number bigint)"),
        ):
            database = Database(dsn, service=name)
            await migrate(database)
            link = await asyncpg.connect(dsn)
            await link.execute(f"CREATE TABLE {table}")
            await link.close()

    def start(self, role: str) -> None:
        self.incarnation += 1
        arguments = {
            "produce": ["produce", self.there["producer"], str(self.incarnation)],
            "consume": ["consume", self.here["consumer"], self.there["events"]],
        }[role]
        with (
            (self.folder / f"{role}-{self.incarnation}.out").open("wb") as out,
            (self.folder / f"{role}-{self.incarnation}.err").open("wb") as err,
        ):
            self.running[role] = subprocess.Popen(
                [sys.executable, "-m", "tests.faults.events_worker", *arguments], stdout=out, stderr=err
            )

    def kill(self, role: str) -> None:
        self.running[role].kill()
        self.running[role].wait()

    def restart(self, role: str) -> None:
        if role == "postgres":
            self.server.kill()
            self.server.start()
        else:
            self.kill(role)
            self.start(role)

    def acknowledged(self) -> list[int]:
        lines = [
            line
            for file in self.folder.glob("produce-*.out")
            for line in file.read_text().splitlines(keepends=True)
        ]
        return [int(line) for line in lines if line.endswith("\n")]

    def written(self) -> list[int]:
        return [row["number"] for row in self._fetch(self.there["producer"], "SELECT number FROM things")]

    def effects(self) -> list[tuple[str, int]]:
        rows = self._fetch(self.here["consumer"], "SELECT key, number FROM effects ORDER BY place")
        return [(row["key"], row["number"]) for row in rows]

    def progresses(self, count: Callable[[], int], by: int) -> None:
        """Waits until work has gone on, so that each fault falls in the middle of it."""
        goal = count() + by
        self.until(lambda: count() >= goal, "no progress")

    def until(self, done: Callable[[], bool], complaint: str) -> None:
        deadline = time.monotonic() + DEADLINE
        while not done():
            for role, process in self.running.items():
                assert process.poll() is None or process.returncode == -9, f"{role} ended: {self._errors()}"
            assert time.monotonic() < deadline, f"{complaint}: {self._errors()}"
            time.sleep(0.05)

    def _errors(self) -> str:
        return "\n".join(file.read_text()[-2000:] for file in self.folder.glob("*.err"))

    def _fetch(self, dsn: str, sql: str) -> list[asyncpg.Record]:
        async def fetch() -> list[asyncpg.Record]:
            link = await asyncpg.connect(dsn)
            try:
                return await link.fetch(sql)
            finally:
                await link.close()

        return asyncio.run(fetch())


@contextmanager
def staged(folder: Path) -> Iterator[Stage]:
    with TestPostgres("synchronous_commit=on") as server:
        stage = Stage(server, folder)
        try:
            stage.start("produce")
            stage.start("consume")
            yield stage
        finally:
            for process in stage.running.values():
                process.kill()
                process.wait()


def check(stage: Stage) -> None:
    stage.kill("produce")
    acknowledged, written = stage.acknowledged(), stage.written()
    assert acknowledged
    assert set(acknowledged) <= set(written), "an acknowledged event was lost with its producer"
    stage.until(lambda: len(stage.effects()) >= len(written), "not every event has had its effect")
    effects = stage.effects()
    assert sorted(number for _, number in effects) == sorted(written)
    by_key: dict[str, list[int]] = defaultdict(list)
    for key, number in effects:
        by_key[key].append(number)
    assert all(numbers == sorted(numbers) for numbers in by_key.values()), "the order of a key was broken"


def play(stage: Stage, faults: list[str], between: int) -> None:
    stage.progresses(lambda: len(stage.effects()), between)
    for fault in faults:
        stage.restart(fault)
        stage.progresses(lambda: len(stage.acknowledged()), between)
        stage.progresses(lambda: len(stage.effects()), between)
    check(stage)


def test_killing_producer_consumer_and_postgresql_loses_and_doubles_no_event(tmp_path: Path) -> None:
    with staged(tmp_path) as stage:
        play(stage, ["postgres", "consume", "produce"], between=50)


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(3))
def test_a_storm_of_kills_loses_and_doubles_no_event(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    with staged(tmp_path) as stage:
        play(
            stage,
            chance.choices(["postgres", "consume", "produce"], k=20),
            between=chance.choice([1, 20, 300]),
        )
