"""The embedded API server and the embedded engine, each in a process of its own, as in `argosy up`; started by `bench_argo_cd`."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvloop

from argosy.argo.cd.engine import Engine
from argosy.argo.cd.repositories.sources import Sources
from argosy.kit import log
from argosy.kube.client import from_kubeconfig
from tests.embedded_cluster import bare_cluster


@dataclass(frozen=True)
class Started:
    process: subprocess.Popen[str]

    @property
    def pid(self) -> int:
        return self.process.pid

    def tell(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def answer(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()


@contextmanager
def cluster(folder: Path) -> Iterator[Path]:
    """Without controllers. Its kubeconfig."""
    folder.mkdir(parents=True)
    with _started("cluster", folder):
        yield folder / "kubeconfig"


@contextmanager
def engine(kubeconfig: Path, folder: Path) -> Iterator[Started]:
    """A line is the URL of a repository to which something was pushed, `renders` asks how many there were."""
    with _started("engine", kubeconfig, folder) as started:
        yield started


@contextmanager
def _started(what: str, *arguments: Path) -> Iterator[Started]:
    command = [sys.executable, "-m", "tests.bench.argo_processes", what, *map(str, arguments)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        started = Started(process)
        if started.answer() != "ready":
            raise RuntimeError(f"the {what} of the benchmark did not start")
        try:
            yield started
        finally:
            assert process.stdin is not None
            process.stdin.close()


def _serve(folder: Path) -> None:
    with bare_cluster(folder):
        print("ready", flush=True)
        sys.stdin.read()


async def _work(kubeconfig: Path, folder: Path) -> None:
    log.configure(service="engine", level="warning")
    client = from_kubeconfig(kubeconfig, manager="argocd-application-controller")
    engine: Engine | None = None

    def pushed(url: str) -> None:
        if engine is not None:
            engine.pushed(url)

    sources = Sources(client, folder, namespace="argocd", on_change=pushed)
    engine = Engine(client, renderer=sources.renderer, jq=sources.jq, trees=sources)
    running = [asyncio.create_task(sources.run())]
    await sources.known()
    running.append(asyncio.create_task(engine.run()))
    print("ready", flush=True)
    while line := (await asyncio.to_thread(sys.stdin.readline)).strip():
        if line == "renders":
            print(sources.renderer.renders, flush=True)
        else:
            sources.git.announced(line)
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
    await engine.clusters.close()
    await sources.close()
    await client.close()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        if sys.argv[1] == "cluster":
            _serve(Path(sys.argv[2]))
        else:
            uvloop.run(_work(Path(sys.argv[2]), Path(sys.argv[3])))
