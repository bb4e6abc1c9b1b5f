"""The embedded cluster's store: durable writes, with and without waiting for the disk itself, and a start with 10,000 objects.

Targets: a create may take 3 ms in all, a start 0.3 s; an object about 300 bytes beside its body. `synchronous=NORMAL`, which may
lose the newest writes with the power, is measured only to say what the safe setting costs.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import uvloop

from argosy.kit.log import configure
from argosy.kube.objects import Key
from argosy.kube.server.store import Store
from tests.bench.running import data_directory

OBJECTS, SECONDS = 10_000, 2.0
BODY = b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":{"text":"%s"}}' % (b"x" * 900)


def run() -> list[tuple[str, str, str]]:
    with data_directory() as folder:
        folder.mkdir()
        rows = [
            uvloop.run(_writing(folder / f"{setting}-{writers}.db", setting, writers))
            for setting in ("FULL", "NORMAL")
            for writers in (1, 16)
        ]
        uvloop.run(_fill(folder / "full.db"))
        opened = _in_another_process("opened", folder / "full.db")
        traced = _in_another_process("traced", folder / "full.db")
    return [
        *rows,
        ("kube store: open with 10,000 objects of 1 KB", f"{opened['open'] * 1000:.0f} ms", "≤ 300 ms"),
        ("kube store: list of 10,000, now", f"{opened['list'] * 1000:.1f} ms", ""),
        ("kube store: list of 10,000, 50 changes ago", f"{opened['then'] * 1000:.1f} ms", ""),
        ("kube store: memory of 10,000 objects of 1 KB", f"{opened['memory'] / 1e6:.1f} MB", "in the 120 MB"),
        (
            "kube store: per object beside its body",
            f"{traced['object']:.0f} bytes",
            "about 300 bytes, name included",
        ),
        ("kube store: per change in the history", f"{traced['change']:.0f} bytes", ""),
    ]


def _in_another_process(what: str, path: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.bench.bench_kube_store", what, str(path)]
    told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    found: dict[str, float] = json.loads(told)
    return found


def _key(number: int) -> Key:
    return Key("configmaps", f"namespace-{number % 20}", f"config-of-something-{number}")


async def _writing(path: Path, setting: str, writers: int) -> tuple[str, str, str]:
    store = await Store.open(path)
    await store._disk._journal.read(f"PRAGMA synchronous = {setting}")
    took: list[float] = []
    end = time.perf_counter() + SECONDS

    async def write(writer: int) -> None:
        while (started := time.perf_counter()) < end:
            await store.stage(_key(len(took) % OBJECTS), store.reserve(), BODY)
            took.append(time.perf_counter() - started)

    await asyncio.gather(*(write(number) for number in range(writers)))
    await store.close()
    centiles = statistics.quantiles(took, n=20)
    told = f"{len(took) / SECONDS:,.0f}/s, p50 {centiles[9] * 1000:.1f} ms, p95 {centiles[18] * 1000:.1f} ms"
    who = "1 writer" if writers == 1 else f"{writers} writers"
    return f"kube store: durable writes, {who}, {setting}", told, "p50 ≤ 2 ms" if setting == "FULL" else ""


async def _fill(path: Path) -> None:
    store = await Store.open(path)
    await asyncio.gather(*(store.stage(_key(number), store.reserve(), BODY) for number in range(OBJECTS)))
    await store.close()


async def _opened(path: Path) -> dict[str, float]:
    before, started = _resident(), time.perf_counter()
    store = await Store.open(path)
    found = {"open": time.perf_counter() - started, "memory": _resident() - before}
    for number in range(50):
        await store.stage(_key(number), store.reserve(), BODY)
    for name, at in (("list", 0), ("then", store.revision - 50)):
        started = time.perf_counter()
        if len(list(store.list("configmaps", at=at))) != OBJECTS:
            raise RuntimeError("this lists something else")
        found[name] = time.perf_counter() - started
    await store.close()
    return found


async def _traced(path: Path) -> dict[str, float]:
    """Once with a history of all objects, once with none."""
    used: list[float] = []
    for keep in (OBJECTS, 1):
        tracemalloc.start()
        store = await Store.open(path, keep=keep)
        bodies = sum(len(stored.body) for stored in store.list("configmaps"))
        used.append((tracemalloc.get_traced_memory()[0] - bodies) / OBJECTS)
        tracemalloc.stop()
        await store.close()
    return {"object": used[1], "change": used[0] - used[1]}


def _resident() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096.0


if __name__ == "__main__":
    configure(service="bench")
    match sys.argv[1:]:
        case ["opened", path]:
            print(json.dumps(uvloop.run(_opened(Path(path)))))
        case ["traced", path]:
            print(json.dumps(uvloop.run(_traced(Path(path)))))
        case _:
            for row in run():
                print("  ".join(row))
