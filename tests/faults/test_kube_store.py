"""kill -9 of a cluster's store in mid-flight, again and again: no acknowledged write is lost, no revision comes twice.

The worker says which revision it reserves and which one was acknowledged. After each kill the store must hold what the history
since the last kill makes of the state before: an informer that goes on over the restart misses nothing.
"""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from argosy.kube.objects import Key
from argosy.kube.server.store import Store
from tests.faults.kube_store_worker import COLLECTION, KEEP, body_of, key_of

WORKER = [sys.executable, "-m", "tests.faults.kube_store_worker"]
DEADLINE = 60.0


@dataclass
class Informer:
    """What a client of the cluster knows: it lists once, then only watches."""

    since: int = 0
    copy: dict[Key, bytes] = field(default_factory=dict)
    reserved: int = 0

    async def verify(self, path: Path, said: Sequence[str]) -> None:
        reserved, acknowledged = spoken(said)
        assert reserved == sorted(set(reserved)), "a revision was given out twice by one process"
        assert not reserved or reserved[0] > self.reserved, "a revision was given out again after a kill"
        self.reserved = max([self.reserved, *reserved])
        store = await Store.open(path, keep=KEEP)
        changed: dict[int, Key] = {}
        watch = store.changes(COLLECTION, self.since)
        news = watch.ready()
        while watch.behind:
            news += watch.ready()
        for change in news:
            assert change.revision > self.since
            assert self.copy.pop(change.key, None) == change.previous
            assert (change.body or change.last) == body_of(change.key.name, change.revision)
            if change.body is not None:
                self.copy[change.key] = change.body
            changed[change.revision], self.since = change.key, change.revision
        lost = [entry for entry in acknowledged.items() if changed.get(entry[0]) != entry[1]]
        assert not lost, f"acknowledged and lost: {lost[:5]}"
        assert {stored.key: stored.body for stored in store.list(COLLECTION)} == self.copy
        assert store.revision == self.since
        self.reserved = max(self.reserved, store.reserve())
        await store.close()


def spoken(lines: Sequence[str]) -> tuple[list[int], dict[int, Key]]:
    """What was reserved and what was acknowledged; the last line may be torn."""
    whole = [line.split() for line in lines if line.endswith("\n")]
    reserved = [int(words[1]) for words in whole if words[0] == "r"]
    return reserved, {int(words[1]): key_of(words[2]) for words in whole if words[0] == "a"}


def storm(folder: Path, kills: int, chance: random.Random) -> None:
    informer, path = Informer(), folder / "objects.db"
    for number in range(kills):
        out = folder / f"{number}.out"
        with out.open("wb") as said, (folder / f"{number}.err").open("wb") as complained:
            process = subprocess.Popen(
                [*WORKER, "write", str(path), str(chance.randrange(10**6))], stdout=said, stderr=complained
            )
            try:
                until_it_has_said(process, out, chance.choice([1, 100, 3_000, 30_000]))
                time.sleep(chance.random() / 100)  # the instant of a kill is what is sampled
            finally:
                process.kill()
                process.wait()
        asyncio.run(informer.verify(path, out.read_text().splitlines(keepends=True)))
    assert informer.copy


def until_it_has_said(process: subprocess.Popen[bytes], out: Path, many: int) -> None:
    deadline = time.monotonic() + DEADLINE
    while out.stat().st_size < many:
        assert process.poll() is None, out.with_suffix(".err").read_text()
        assert time.monotonic() < deadline, "nothing is written any more"
        time.sleep(0.002)


def test_kills_lose_no_acknowledged_write_and_repeat_no_revision(tmp_path: Path) -> None:
    storm(tmp_path, 6, random.Random())


@pytest.mark.long
@pytest.mark.timeout(600)
def test_a_storm_of_kills_loses_no_acknowledged_write_and_repeats_no_revision(tmp_path: Path) -> None:
    storm(tmp_path, 150, random.Random())


def test_a_full_disk_refuses_loses_nothing_and_is_forgiven(tmp_path: Path) -> None:
    path = tmp_path / "objects.db"
    done = subprocess.run(
        [*WORKER, "fill", str(path), str(512 << 10)], capture_output=True, text=True, check=False, timeout=60
    )
    said = done.stdout.splitlines(keepends=True)
    assert said[-1] == "done\n", done.stderr
    assert [line for line in said if line.startswith("refused 503")]
    assert said[-2].startswith("a "), "it did not write again when there was room"
    asyncio.run(Informer().verify(path, said))
