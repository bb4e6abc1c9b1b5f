"""How fast sources become manifests, how little an unrelated commit costs, and how long the engine's loop stands still meanwhile.

One repository with 1,000 folders of ten objects (a Deployment, a Service, eight ConfigMaps), an overlay, a chart. Workers are warm but for the line that says how long one
takes to start.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

if __name__ == "__main__":  # a script sees its neighbours, not the repository
    sys.path[0] = str(Path(__file__).parents[2])

import uvloop

from argosy.manifests.workers.worker import Worker
from tests.unit.argo.cd.repositories.world import World, asked

Row = tuple[str, str, str]
APPLICATIONS, AT_ONCE = 1000, 20
URL = "https://git.test/shop"

DEPLOYMENT = """apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: 'nginx:1.27', ports: [{containerPort: 80}]}]}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
"""


def ten_objects(mark: str) -> str:
    config = (
        "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{}}}\ndata: {{mark: '{}', key: value}}\n"
    )
    return DEPLOYMENT + "".join(config.format(number, mark) for number in range(8))


def files() -> dict[str, str]:
    found = {f"apps/{number}/all.yaml": ten_objects(str(number)) for number in range(APPLICATIONS)}
    return found | {
        "base/all.yaml": ten_objects("base"),
        "base/kustomization.yaml": "resources: [all.yaml]",
        "overlay/kustomization.yaml": "resources: [../base]\nnamePrefix: prod-\nimages: [{name: nginx, newTag: '1.28'}]\n"
        "patches: [{target: {kind: Deployment}, patch: '- {op: replace, path: /spec/replicas, value: 5}'}]\n",
        "chart/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0",
        "chart/values.yaml": "replicas: 2",
        "chart/templates/all.yaml": ten_objects("chart").replace("replicas: 2", "replicas: {{ .Values.replicas }}"),
        "large/all.yaml": "---\n".join(ten_objects(str(number)) for number in range(300)),
        "jsonnet/all.jsonnet": "[{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'c%d' % n}} for n in std.range(1, 10)]",
    }  # fmt: skip


@asynccontextmanager
async def watched(pauses: list[float]) -> AsyncIterator[None]:
    """How late a timer of a millisecond comes."""

    async def watch() -> None:
        while True:
            before = time.perf_counter()
            await asyncio.sleep(0.001)
            pauses.append(time.perf_counter() - before - 0.001)

    watching = asyncio.create_task(watch())
    try:
        yield
    finally:
        watching.cancel()


async def per_second(work: Callable[[], Awaitable[object]], *, seconds: float = 4) -> float:
    await work()
    began, done = time.perf_counter(), 0
    while time.perf_counter() - began < seconds:
        await work()
        done += 1
    return done / (time.perf_counter() - began)


async def rates(world: World) -> list[Row]:
    found: list[Row] = []
    for what, path, target in (
        ("a folder of ten objects", "apps/7", ""),
        ("an overlay of ten objects", "overlay", ""),
        ("a chart of ten objects (helm)", "chart", ""),
        ("jsonnet of ten objects", "jsonnet", ""),
        ("a folder of 3,000 objects", "large", ""),
    ):
        rate = await per_second(lambda path=path: world.render({"path": path}, fresh=True, resolve=False))  # type: ignore[misc]
        found.append((f"renders a second: {what}", f"{rate:.1f}", target))
    return found


async def start() -> Row:
    times = []
    for _ in range(5):
        began = time.perf_counter()
        worker = await Worker.start()
        times.append(time.perf_counter() - began)
        await worker.kill()
    return ("start of a worker", f"p50 {statistics.median(times) * 1e3:.0f} ms", "")


async def all_of(world: World) -> float:
    """As many at once as the engine looks at."""
    began, names = time.perf_counter(), iter(range(APPLICATIONS))

    async def look() -> None:
        for number in names:
            await world.renderer.render(asked({"path": f"apps/{number}"}, application=str(number)))

    await asyncio.gather(*(look() for _ in range(AT_ONCE)))
    return time.perf_counter() - began


async def thousand(world: World) -> list[Row]:
    work = world.work()
    pauses: list[float] = []
    async with watched(pauses):
        cold = await all_of(world)
        await asyncio.to_thread(work.commit, {"README": "unrelated"})
        world.git.announced(URL)
        renders = world.renderer.renders
        unrelated = await all_of(world)
        none = world.renderer.renders - renders
        again = await all_of(world)
        await asyncio.to_thread(work.commit, {"apps/7/all.yaml": ten_objects("changed")})
        world.git.announced(URL)
        renders = world.renderer.renders
        touched = await all_of(world)
        one = world.renderer.renders - renders
    late = sorted(pauses)
    return [
        (f"{APPLICATIONS} applications of one repository, cold", f"{cold:.1f} s, {APPLICATIONS / cold:.0f}/s", "≥ 20/s"),
        ("after an unrelated commit", f"{unrelated:.2f} s, {none} renders", "≤ 1 s, none"),
        ("after a commit that touches one", f"{touched:.2f} s, {one} render", "≤ 1.5 s, 1"),
        ("nothing new", f"{again * 1e3:.0f} ms", ""),
        ("the loop stood still meanwhile", f"p99 {late[int(len(late) * 0.99)] * 1e3:.1f} ms, at most {late[-1] * 1e3:.1f} ms", "≤ 20 ms"),
    ]  # fmt: skip


async def measure() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        async with World(Path(folder), announcing=True) as world:
            world.work().commit(files())
            await world.pool.warm()
            return [await start(), *await rates(world), *await thousand(world)]


def run() -> list[Row]:
    return uvloop.run(measure())


if __name__ == "__main__":
    for what, measured, target in run():
        print(f"{what:<70} {measured:<32} {target}")
