"""kill -9 of the process that runs the clusters, in the middle of writes, watches and rollouts: what was acknowledged is there once,
revisions only rise, an informer converges without a word too many, and what was begun is finished."""

from __future__ import annotations

import asyncio
import os
import random
import secrets
import signal
from collections import Counter
from collections.abc import Callable

import pytest

from argosy.kube.client import Client, Informer, from_kubeconfig
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object
from argosy.kube.types import Kind
from tests.faults.test_kill_everything import state_of
from tests.installation import Installation

CONFIG_MAP, POD = Kind("", "v1", "ConfigMap"), Kind("", "v1", "Pod")
DEPLOYMENT, REPLICA_SET = Kind("apps", "v1", "Deployment"), Kind("apps", "v1", "ReplicaSet")
WRITERS = 4
REPLICAS = 12
IMAGES = ("nginx:1", "nginx:2", "nginx:3")


class Writer:
    """Creates and changes objects of its own as fast as they are answered; each is asked for until it is answered."""

    def __init__(self, client: Client, name: str) -> None:
        self._client, self._name = client, name
        self.acknowledged: dict[str, tuple[str, int]] = {}  # name → uid, how often it was changed
        self.revisions: list[int] = []
        self.answers = 0
        self.enough = False
        """Ends after the object under way: a write that is merely given up may still come about."""

    async def run(self) -> None:
        number = 0
        while not self.enough:
            number += 1
            made = await self._create(f"{self._name}-{number}")
            name, uid = made["metadata"]["name"], made["metadata"]["uid"]
            self.acknowledged[name] = (uid, 0)
            for change in (1, 2):
                await self._change(name, change)
                self.acknowledged[name] = (uid, change)

    async def _create(self, name: str) -> Object:
        body = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": name, "namespace": "default", "labels": {"written": "yes"}},
            "data": {"change": "0"},
        }
        while True:
            try:
                return self._seen(await self._client.create(body))
            except ApiError as error:
                if error.reason == "AlreadyExists":  # written, and killed before it could say so
                    return self._seen(await self._read(name))
                await self._again(error)

    async def _change(self, name: str, change: int) -> None:
        while True:
            try:
                patch = {"data": {"change": str(change)}}
                self._seen(await self._client.patch(CONFIG_MAP, name, patch, namespace="default"))
                return
            except ApiError as error:
                await self._again(error)

    async def _read(self, name: str) -> Object:
        while True:
            try:
                return await self._client.get(CONFIG_MAP, name, "default")
            except ApiError as error:
                await self._again(error)

    async def _again(self, error: ApiError) -> None:
        assert error.code == 503, error
        await asyncio.sleep(0.02)

    def _seen(self, obj: Object) -> Object:
        self.revisions.append(int(obj["metadata"]["resourceVersion"]))
        self.answers += 1
        return obj


class Told:
    """What an informer tells. Each change begins where the one before it ended."""

    def __init__(self) -> None:
        self.objects: dict[str, Object] = {}
        self.wrong: list[str] = []

    def __call__(self, before: Object | None, after: Object | None) -> None:
        name = str((after or before or {})["metadata"]["name"])
        if self.objects.get(name) != before:
            self.wrong.append(f"{name}: {before} is not what was told last")
        if (
            before
            and after
            and int(after["metadata"]["resourceVersion"]) <= int(before["metadata"]["resourceVersion"])
        ):
            self.wrong.append(f"{name}: went back to {after['metadata']['resourceVersion']}")
        if after is None:
            self.objects.pop(name, None)
        else:
            self.objects[name] = after


async def eventually(true: Callable[[], object], what: str, seconds: float = 60) -> None:
    try:
        async with asyncio.timeout(seconds):
            while not true():
                await asyncio.sleep(0.02)
    except TimeoutError:
        pytest.fail(what)


async def survive(installation: Installation, rounds: int, seed: int) -> None:
    dice = random.Random(seed)
    client = from_kubeconfig(installation.data_dir / "clusters" / "local" / "kubeconfig", manager="tests")
    await client.create(web(IMAGES[0]))
    told = Told()
    informer = Informer(client, CONFIG_MAP, namespace="default", labels="written=yes", on_change=told)
    watching = asyncio.create_task(informer.run())
    writers = [Writer(client, f"{secrets.token_hex(3)}-{number}") for number in range(WRITERS)]
    writing = [asyncio.create_task(one.run()) for one in writers]
    killed: set[int] = set()
    for number in range(rounds):
        await roll(client, IMAGES[number % len(IMAGES)])
        await asyncio.sleep(dice.uniform(0.05, 0.6))  # at any point of the work
        before = sum(one.answers for one in writers)
        kill(installation, killed)
        await eventually(progress_since(writers, before), "no write is answered")
    for writer in writers:
        writer.enough = True
    await asyncio.gather(*writing)
    try:
        await check_writes(client, writers, informer, told)
        await check_rollout(client, IMAGES[(rounds - 1) % len(IMAGES)])
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
        await client.close()


def progress_since(writers: list[Writer], before: int) -> Callable[[], bool]:
    return lambda: sum(one.answers for one in writers) > before + WRITERS


def kill(installation: Installation, killed: set[int]) -> None:
    pid = state_of(installation)["cluster"]
    assert pid not in killed, "it was not started again"
    os.kill(pid, signal.SIGKILL)
    killed.add(pid)


def web(image: str) -> Object:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": "default"},
        "spec": {
            "replicas": REPLICAS,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "web", "image": image}]},
            },
        },
    }


async def roll(client: Client, image: str) -> None:
    await client.apply(web(image), force=True)


async def check_writes(client: Client, writers: list[Writer], informer: Informer, told: Told) -> None:
    there = {
        one["metadata"]["name"]: one for one in (await client.list(CONFIG_MAP, labels="written=yes")).items
    }
    for writer in writers:
        assert writer.revisions == sorted(set(writer.revisions)), "a revision did not rise"
        for name, (uid, change) in writer.acknowledged.items():
            assert name in there, f"{name} was acknowledged and is lost"
            assert there[name]["metadata"]["uid"] == uid, f"{name} was made twice"
            assert int(there[name]["data"]["change"]) >= change, (
                f"a change of {name} was acknowledged and is lost"
            )
    revisions = Counter(one["metadata"]["resourceVersion"] for one in there.values())
    assert max(revisions.values()) == 1
    await eventually(
        lambda: {one["metadata"]["name"]: one for one in informer} == there, "the informer differs"
    )
    assert not told.wrong
    assert told.objects == there


async def check_rollout(client: Client, image: str) -> None:
    async with asyncio.timeout(60):
        while not finished(await client.get(DEPLOYMENT, "web", "default")):
            await asyncio.sleep(0.05)
        while len(pods := (await client.list(POD, "default", labels="app=web")).items) != REPLICAS:
            await asyncio.sleep(0.05)
    assert {one["spec"]["containers"][0]["image"] for one in pods} == {image}
    assert {one["status"]["phase"] for one in pods} == {"Running"}
    assert len({one["status"]["podIP"] for one in pods}) == REPLICAS
    sets = [one for one in (await client.list(REPLICA_SET, "default")).items if one["spec"]["replicas"]]
    assert [one["status"]["readyReplicas"] for one in sets] == [REPLICAS]


def finished(deployment: Object) -> bool:
    status = deployment["status"]
    return (
        status.get("observedGeneration") == deployment["metadata"]["generation"]
        and status.get("updatedReplicas")
        == status.get("availableReplicas")
        == status.get("replicas")
        == REPLICAS
    )


async def test_a_cluster_killed_in_the_middle_loses_and_doubles_nothing() -> None:
    with Installation() as installation:
        await survive(installation, rounds=3, seed=1)


@pytest.mark.long
@pytest.mark.timeout(900)
async def test_a_cluster_killed_twenty_times_loses_and_doubles_nothing() -> None:
    with Installation() as installation:
        await survive(installation, rounds=20, seed=secrets.randbits(32))
