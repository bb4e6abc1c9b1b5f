"""Applications from Git to Synced: the embedded engine, and beside it the real Argo CD in the same run where `make oracle` has built it.

Both at an embedded API server of their own in a process of its own, without controllers, from one repository on this machine, with the
settings they come with. The real one is told of pushes as its webhook tells it: by a refresh of every application of the repository. It has
100 applications; a thousand take it a quarter of an hour.
"""

from __future__ import annotations

import asyncio
import functools
import os
import statistics
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from argosy.host.supervisor import procfs
from argosy.kube.client import from_kubeconfig
from tests.bench import argo_processes
from tests.bench.argo_applications import Applications, Repository
from tests.bench.running import data_directory
from tests.conformance.argo_cd.cluster import prepare
from tests.conformance.argo_cd.folders import served

Row = tuple[str, str, str]
Push = Callable[[Applications], Awaitable[None]]
FEW, MANY, ROUNDS = 100, 1000, 10


@dataclass(frozen=True)
class Figures:
    cold: float
    warm: float
    one_of_them: float
    memory: float
    """Bytes of all its processes, when everything is Synced."""
    idle: float
    """Of one processor."""


def run() -> list[Row]:
    from tools import argo_oracle_build

    with data_directory() as folder:
        folder.mkdir()
        single = _ours_alone(folder / "single")
        few, many = _ours(folder / "few", FEW), _ours(folder / "many", MANY)
        rows = [
            ("engine: 1 application, push to Synced", f"p50 {single * 1000:.0f} ms", "p50 ≤ 700 ms"),
            *_rows("engine", FEW, few, ""),
            *_rows("engine", MANY, many, "≥ 20 apps/s; ≤ 3 s; ≤ 1.5 s; ≤ 0.5 MB; ≤ 2 %"),
        ]
        if why := argo_oracle_build.missing():
            return [*rows, ("Argo CD beside it", why, "")]
        real_single = _theirs_alone(folder / "real-single")
        real = _theirs(folder / "real", FEW)
    beside = "the real one, same run"
    return [
        *rows,
        ("Argo CD: 1 application, push to Synced", f"p50 {real_single * 1000:.0f} ms", beside),
        *_rows("Argo CD", FEW, real, beside),
        (f"engine and Argo CD, cold, {FEW} applications", f"{real.cold / few.cold:.1f} times as fast", "≥ 3"),
    ]


def _rows(who: str, count: int, told: Figures, targets: str) -> list[Row]:
    cold = f"{told.cold:.1f} s, {count / told.cold:.0f} apps/s"
    measured = [
        ("of ten objects, cold", cold),
        ("all refreshed", f"{told.warm:.1f} s"),
        ("a commit that touches one, until it is Synced", f"{told.one_of_them * 1000:.0f} ms"),
        ("memory for each (PSS)", f"{told.memory / count / 1e6:.2f} MB, {told.memory / 1e6:.0f} MB in all"),
        ("CPU when idle", f"{told.idle:.1f} %"),
    ]
    wanted = targets.split("; ") if "; " in targets else [targets] * len(measured)
    return [
        (f"{who}: {count} applications, {what}", value, target)
        for (what, value), target in zip(measured, wanted, strict=True)
    ]


def _ours(folder: Path, count: int) -> Figures:
    names = [f"app-{number}" for number in range(count)]
    repository = Repository(folder / "git" / "all", names)
    with argo_processes.cluster(folder / "cluster") as kubeconfig, served(folder / "git") as address:
        asyncio.run(prepare(kubeconfig))
        with argo_processes.engine(kubeconfig, folder / "engine") as engine:
            url = f"{address}/all/.git"

            async def push(_: Applications) -> None:
                engine.tell(url)

            family = functools.partial(_family, engine.pid)
            return asyncio.run(_measured(kubeconfig, url, repository, names, push, family))


def _theirs(folder: Path, count: int) -> Figures:
    from tools import argo_oracle

    names = [f"app-{number}" for number in range(count)]
    repository = Repository(folder / "git" / "all", names)
    wanted = argo_oracle.Wanted(flags=(), quick=False)
    with (
        argo_processes.cluster(folder / "cluster") as kubeconfig,
        argo_oracle.running(kubeconfig, wanted) as argo,
    ):
        url = f"file://{folder / 'git' / 'all'}"
        return asyncio.run(
            _measured(kubeconfig, url, repository, names, Applications.refresh, argo.pids.values)
        )


async def _measured(
    kubeconfig: Path,
    url: str,
    repository: Repository,
    names: list[str],
    push: Push,
    processes: Callable[[], Iterable[int]],
) -> Figures:
    client = from_kubeconfig(kubeconfig)
    try:
        apps = Applications(client, url, names)
        await apps.begin()
        cold = await apps.cold()
        warm = await apps.warm()
        touched = names[len(names) // 2]
        revision = repository.change(touched, "second")
        one = await apps.changed(touched, revision, lambda: push(apps))
        await apps.warm()  # what the push left behind is done
        pids = list(processes())
        return Figures(cold, warm, one, sum(map(procfs.pss_bytes, pids)), await _idle(pids))
    finally:
        await client.close()


def _ours_alone(folder: Path) -> float:
    repository = Repository(folder / "git" / "all", ["app"])
    with argo_processes.cluster(folder / "cluster") as kubeconfig, served(folder / "git") as address:
        asyncio.run(prepare(kubeconfig))
        with argo_processes.engine(kubeconfig, folder / "engine") as engine:
            url = f"{address}/all/.git"

            async def push(_: Applications) -> None:
                engine.tell(url)

            return asyncio.run(_alone(kubeconfig, url, repository, push))


def _theirs_alone(folder: Path) -> float:
    from tools import argo_oracle

    repository = Repository(folder / "git" / "all", ["app"])
    wanted = argo_oracle.Wanted(flags=(), quick=False)
    with argo_processes.cluster(folder / "cluster") as kubeconfig, argo_oracle.running(kubeconfig, wanted):
        url = f"file://{folder / 'git' / 'all'}"
        return asyncio.run(_alone(kubeconfig, url, repository, Applications.refresh))


async def _alone(kubeconfig: Path, url: str, repository: Repository, push: Push) -> float:
    client = from_kubeconfig(kubeconfig)
    try:
        apps = Applications(client, url, ["app"])
        await apps.begin()
        await apps.cold()
        took: list[float] = []
        for number in range(ROUNDS):
            revision = repository.change("app", f"round-{number}")
            took.append(await apps.changed("app", revision, lambda: push(apps)))
        return statistics.median(took)
    finally:
        await client.close()


async def _idle(pids: list[int], seconds: float = 5.0) -> float:
    before = sum(map(_cpu_seconds, pids))
    began = time.monotonic()
    await asyncio.sleep(seconds)
    return (sum(map(_cpu_seconds, pids)) - before) / (time.monotonic() - began) * 100


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _family(pid: int) -> list[int]:
    """The process and those it started: workers, git."""
    found = [pid]
    for parent in found:
        for children in Path(f"/proc/{parent}/task").glob("*/children"):
            found += [int(child) for child in children.read_text().split()]
    return found
