"""The embedded API server over loopback HTTPS, beside the real one in the same run where `make oracle` has built it.

Both are asked by the same client in this process, one request at a time, so the figures hold the client's share too. Ours runs in a
process of its own, as in `argosy up`, with its journal on the disk; memory is that process's.
"""

from __future__ import annotations

import asyncio
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import uvloop

from argosy.host.supervisor import procfs
from argosy.kube.client import Client, from_kubeconfig
from argosy.kube.objects import Object
from argosy.kube.types import Kind
from tests.bench.running import data_directory

Row = tuple[str, str, str]
ROUNDS, MANY = 300, 10_000
CONFIG_MAP, DEPLOYMENT = Kind("", "v1", "ConfigMap"), Kind("apps", "v1", "Deployment")


def run() -> list[Row]:
    with data_directory() as folder:
        folder.mkdir()
        with _ours(folder) as (kubeconfig, pid, ready):
            ours = uvloop.run(_measured(kubeconfig))
            memory = procfs.pss_bytes(pid) / 1e6
            busy = _busy(pid)
    rows = [(f"kube API: {what}", told, target) for what, told, target in ours]
    return [
        ("kube API: ready, new cluster", f"{ready:.2f} s", "≤ 0.5 s"),
        *rows,
        ("kube API: memory (PSS) at 10,000 objects", f"{memory:.0f} MB", "≤ 120 MB"),
        ("kube API: CPU when idle", f"{busy:.1f} %", "≤ 1 %"),
        *_beside(),
    ]


def _beside() -> list[Row]:
    """The real server's figures, when it is there."""
    from tools import oracle_build, oracle_cluster

    if oracle_build.missing():
        return [("kube API: the real server beside it", "not built: make oracle", "")]
    with oracle_cluster.running(controllers=False, durable=True) as oracle:
        real = uvloop.run(_measured(Path(oracle.kubeconfig)))
    return [(f"kube-apiserver: {what}", told, "the real one, same run") for what, told, _ in real]


async def _measured(kubeconfig: Path) -> list[Row]:
    client = from_kubeconfig(kubeconfig)
    try:
        await client.create(_config_map("read"))
        await client.create(_deployment())
        rows = [
            await _timed("get", ROUNDS, lambda n: client.get(CONFIG_MAP, "read", "default"), "p50 ≤ 1 ms"),
            await _timed("create", ROUNDS, lambda n: client.create(_config_map(f"c-{n}")), "p50 ≤ 3 ms"),
            await _timed(
                "apply, nothing changes", ROUNDS, lambda n: client.apply(_deployment()), "p50 ≤ 2 ms"
            ),
            await _timed(
                "apply, one change",
                ROUNDS,
                lambda n: client.apply(_deployment(replicas=n), force=True),
                "p50 ≤ 2 ms",
            ),
            await _watching(client),
        ]
        await _fill(client)
        started = time.perf_counter()
        listed = await client.request("GET", "/api/v1/namespaces/default/configmaps")
        seconds = time.perf_counter() - started
        assert isinstance(listed.body, bytes)
        size = len(listed.body) / 1e6
        rows.append((f"list of {MANY:,} ConfigMaps ({size:.0f} MB)", f"{seconds * 1000:.0f} ms", "≤ 300 ms"))
        return rows
    finally:
        await client.close()


async def _timed(what: str, rounds: int, act: Callable[[int], Awaitable[object]], target: str) -> Row:
    took: list[float] = []
    for number in range(rounds):
        started = time.perf_counter()
        await act(number)
        took.append((time.perf_counter() - started) * 1000)
    centiles = statistics.quantiles(took, n=100)
    return what, f"p50 {centiles[49]:.2f} ms, p99 {centiles[98]:.1f} ms", target


async def _watching(client: Client) -> Row:
    """From sending the create to having the event of a watch that was open before."""
    listing = await client.list(CONFIG_MAP, "kube-public")
    seen: asyncio.Queue[float] = asyncio.Queue()

    async def watch() -> None:
        async for event in client.watch(CONFIG_MAP, "kube-public", revision=listing.revision):
            if event.type == "ADDED":
                seen.put_nowait(time.perf_counter())

    watching = asyncio.create_task(watch())
    took: list[float] = []
    for number in range(100):
        started = time.perf_counter()
        _, at = await asyncio.gather(
            client.create(_config_map(f"w-{number}"), namespace="kube-public"), seen.get()
        )
        took.append((at - started) * 1000)
    watching.cancel()
    centiles = statistics.quantiles(took, n=100)
    return "create to watch event", f"p50 {centiles[49]:.2f} ms, p99 {centiles[98]:.1f} ms", "≤ 5 ms"


async def _fill(client: Client) -> None:
    todo = iter(range(ROUNDS, MANY))

    async def some() -> None:
        for number in todo:
            await client.create(_config_map(f"c-{number}"))

    await asyncio.gather(*(some() for _ in range(16)))


def _config_map(name: str) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "labels": {"app": "bench"}},
        "data": {"text": "x" * 900},
    }


def _deployment(replicas: int = 1) -> Object:
    container = {
        "name": "web",
        "image": "nginx:1.27",
        "ports": [{"containerPort": 80}],
        "env": [{"name": f"V{n}", "value": str(n)} for n in range(10)],
        "resources": {"limits": {"cpu": "1", "memory": "128Mi"}},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "labels": {"app": "web"}},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}},
        },
    }


@contextmanager
def _ours(folder: Path) -> Iterator[tuple[Path, int, float]]:
    command = [sys.executable, "-m", "tests.bench.bench_kube_api", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        told = re.fullmatch(r"ready (\S+)\n", server.stdout.readline())
        assert told is not None
        yield folder / "kubeconfig", server.pid, float(told[1])
        server.stdin.close()


def _busy(pid: int) -> float:
    """Of one processor, over three seconds in which nobody asks."""
    before = _cpu_seconds(pid)
    time.sleep(3)
    return (_cpu_seconds(pid) - before) / 3 * 100


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _serve(folder: Path) -> None:
    from tests.embedded_cluster import bare_cluster

    started = time.perf_counter()
    with bare_cluster(folder):
        print(f"ready {time.perf_counter() - started}", flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    _serve(Path(sys.argv[1]))
