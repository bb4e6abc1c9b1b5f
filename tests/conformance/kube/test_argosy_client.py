"""Our own client against our own cluster: each verb, each way to sign in, and an informer through restarts and lost history."""

from __future__ import annotations

import asyncio
import base64
import json
import socket
import stat
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from argosy.kit.errors import BadRequest
from argosy.kube.client import Client, Informer, from_kubeconfig, over_unix_socket
from argosy.kube.client import informer as informers
from argosy.kube.client.transport import Transport
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object
from argosy.kube.server import listening
from argosy.kube.server.access import User
from argosy.kube.server.api.pipeline import Pipeline
from argosy.kube.server.opening import open_cluster
from argosy.kube.types import Kind
from argosy.kube.wire import Request, Response
from tests.conformance.kube.live import Embedded
from tests.conformance.kube.test_python_client import DEPLOYMENT
from tests.embedded_cluster import NoNodes

CONFIG_MAP, POD = Kind("", "v1", "ConfigMap"), Kind("", "v1", "Pod")
DEPLOYMENTS = Kind("apps", "v1", "Deployment")


def settings(namespace: str, name: str = "settings", **data: str) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": namespace, "labels": {"app": "web"}},
        "data": data or {"colour": "green"},
    }


@pytest.fixture
async def client(embedded: Embedded) -> AsyncIterator[Client]:
    made = from_kubeconfig(embedded.kubeconfig, manager="tests")
    yield made
    await made.close()


@pytest.fixture
def own(tmp_path: Path) -> Any:
    """A cluster that may be stopped."""
    cluster = Embedded(tmp_path)
    cluster.start()
    yield cluster
    cluster.stop()


async def eventually(true: Callable[[], object], seconds: float = 20) -> None:
    async with asyncio.timeout(seconds):
        while not true():
            await asyncio.sleep(0.02)


async def refused(what: Any) -> ApiError:
    with pytest.raises(ApiError) as caught:
        await what
    return caught.value


# Verbs


async def test_every_verb_does_what_it_says(client: Client, namespace: str) -> None:
    made = await client.create(settings(namespace))
    assert (await refused(client.create(settings(namespace)))).reason == "AlreadyExists"
    made["data"]["size"] = "1"
    replaced = await client.replace(made)
    assert (await refused(client.replace(made))).reason == "Conflict"
    patched = await client.patch(CONFIG_MAP, "settings", {"data": {"size": None}}, namespace=namespace)
    assert patched["data"] == {"colour": "green"}
    operations = [
        {"op": "test", "path": "/data/colour", "value": "green"},
        {"op": "remove", "path": "/data/colour"},
    ]
    changed = await client.patch(CONFIG_MAP, "settings", operations, namespace=namespace, form="json")
    assert "data" not in changed
    assert int(changed["metadata"]["resourceVersion"]) > int(replaced["metadata"]["resourceVersion"])
    assert await client.get(CONFIG_MAP, "settings", namespace) == changed
    assert await client.find(CONFIG_MAP, "nobody", namespace) is None
    listed = await client.list(CONFIG_MAP, namespace, labels="app=web")
    assert [(one["kind"], one["metadata"]["name"]) for one in listed.items] == [("ConfigMap", "settings")]
    wrong = await refused(client.delete(CONFIG_MAP, "settings", namespace, uid="not-this-one"))
    assert (wrong.code, wrong.reason) == (409, "Conflict")
    await client.delete(CONFIG_MAP, "settings", namespace, uid=made["metadata"]["uid"])
    assert await client.find(CONFIG_MAP, "settings", namespace) is None


async def test_a_dry_run_leaves_nothing(client: Client, namespace: str) -> None:
    told = await client.create(settings(namespace), dry_run=True)
    assert told["metadata"]["uid"]
    assert await client.find(CONFIG_MAP, "settings", namespace) is None
    await client.create(settings(namespace))
    await client.delete(CONFIG_MAP, "settings", namespace, dry_run=True)
    assert await client.find(CONFIG_MAP, "settings", namespace) is not None


async def test_pages_bring_everything_once(client: Client, namespace: str) -> None:
    for number in range(7):
        await client.create(settings(namespace, f"settings-{number}"))
    pages = [page.items async for page in client.pages(CONFIG_MAP, namespace, labels="app=web", size=3)]
    assert [len(page) for page in pages] == [3, 3, 1]
    assert len({one["metadata"]["name"] for page in pages for one in page}) == 7
    await client.delete_collection(CONFIG_MAP, namespace, labels="app=web")
    assert (await client.list(CONFIG_MAP, namespace, labels="app=web")).items == []


async def test_applies_conflict_until_forced(client: Client, namespace: str) -> None:
    await client.apply(settings(namespace), manager="one")
    conflict = await refused(client.apply(settings(namespace, colour="blue"), manager="two"))
    assert conflict.code == 409
    assert [cause.field for cause in conflict.causes] == [".data.colour"]
    forced = await client.apply(settings(namespace, colour="blue"), manager="two", force=True)
    assert forced["data"] == {"colour": "blue"}
    kept = await client.apply(settings(namespace, size="1"), manager="two")
    assert kept["data"] == {"size": "1"}, "nobody owned the colour any more"


async def test_subresources_and_logs(client: Client, namespace: str) -> None:
    deployment = {**DEPLOYMENT, "metadata": {"name": "web", "namespace": namespace}}
    await client.create(deployment)
    scaled = await client.patch(
        DEPLOYMENTS, "web", {"spec": {"replicas": 1}}, namespace=namespace, subresource="scale"
    )
    assert scaled["kind"] == "Scale"
    async with asyncio.timeout(20):
        async with aclosing(client.watch(DEPLOYMENTS, namespace, initial=True)) as events:
            async for event in events:
                if event.type != "BOOKMARK" and event.object["status"].get("availableReplicas") == 1:
                    break
    pods = [
        one for one in (await client.list(POD, namespace)).items if "deletionTimestamp" not in one["metadata"]
    ]
    said = b"".join([piece async for piece in client.logs(pods[0]["metadata"]["name"], namespace)])
    assert said == b"This container is simulated: nothing runs here, and this is its whole log.\n"
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    issued = await client.create(request, namespace=namespace, name="default", subresource="token")
    assert issued["status"]["token"].count(".") == 2


@pytest.mark.parametrize("version", ["policy/v1", "policy/v1beta1"])
async def test_evictions_are_taken_in_both_versions_that_drains_send(
    client: Client, namespace: str, version: str
) -> None:
    pod = {"containers": [{"name": "box", "image": "busybox"}], "terminationGracePeriodSeconds": 0}
    metadata = {"name": "box", "namespace": namespace}
    await client.create({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod})
    eviction = {"apiVersion": version, "kind": "Eviction", "metadata": metadata}
    told = await client.create(eviction, namespace=namespace, name="box", subresource="eviction")
    assert told["status"] == "Success"
    with pytest.raises(ApiError, match="cannot be handled|no kind"):
        await client.create({**eviction, "apiVersion": "policy/v2"}, name="box", subresource="eviction")


async def test_a_watch_brings_each_change_once_in_order(client: Client, namespace: str) -> None:
    start = (await client.list(CONFIG_MAP, namespace)).revision
    for number in range(20):
        await client.apply(settings(namespace, number=str(number)))
    await client.delete(CONFIG_MAP, "settings", namespace)
    seen: list[tuple[str, str]] = []
    revisions: list[int] = []
    async with asyncio.timeout(20):
        async with aclosing(client.watch(CONFIG_MAP, namespace, revision=start, labels="app=web")) as events:
            async for event in events:
                revisions.append(int(event.object["metadata"]["resourceVersion"]))
                if event.type != "BOOKMARK":
                    seen.append((event.type, event.object["data"]["number"]))
                if event.type == "DELETED":
                    break
    types = ["ADDED"] + ["MODIFIED"] * 19 + ["DELETED"]
    assert seen == list(zip(types, [*map(str, range(20)), "19"], strict=True))
    assert revisions == sorted(set(revisions))


async def test_kinds_that_nobody_knows_are_said_so(client: Client, namespace: str) -> None:
    assert (await refused(client.list(Kind("example.com", "v1", "Thing")))).code == 404
    assert (await refused(client.list(Kind("apps", "v1", "Thing")))).code == 404
    assert (await client.version())["major"] == "1"


# Ways to sign in


def config_of(embedded: Embedded) -> dict[str, Any]:
    return yaml.safe_load(embedded.kubeconfig.read_text())


async def works(config: dict[str, Any], folder: Path, **options: Any) -> Object:
    file = folder / "kubeconfig"
    file.write_text(yaml.safe_dump(config))
    client = from_kubeconfig(file, **options)
    try:
        return await client.get(Kind("", "v1", "Namespace"), "default")
    finally:
        await client.close()


async def test_certificates_may_lie_in_files_beside_the_kubeconfig(
    embedded: Embedded, tmp_path: Path
) -> None:
    config = config_of(embedded)
    for holder, names in (
        (config["clusters"][0]["cluster"], ["certificate-authority"]),
        (config["users"][0]["user"], ["client-certificate", "client-key"]),
    ):
        for name in names:
            (tmp_path / f"{name}.pem").write_bytes(base64.b64decode(holder.pop(f"{name}-data")))
            holder[name] = f"{name}.pem"
    assert (await works(config, tmp_path))["metadata"]["name"] == "default"


async def test_a_context_is_chosen_by_name(embedded: Embedded, tmp_path: Path) -> None:
    config = config_of(embedded)
    good = config["contexts"][0]["name"]
    config["contexts"].append({"name": "broken", "context": {"cluster": "nowhere", "user": "nobody"}})
    config["current-context"] = "broken"
    assert (await works(config, tmp_path, context=good))["metadata"]["name"] == "default"
    with pytest.raises(BadRequest, match="no cluster 'nowhere'"):
        await works(config, tmp_path)
    with pytest.raises(BadRequest, match="no context 'missing'"):
        await works(config, tmp_path, context="missing")


@pytest.mark.parametrize(
    ("section", "name", "value"),
    [
        ("cluster", "certificate-authority-data", "not base64"),
        ("cluster", "certificate-authority-data", base64.b64encode("no certificate é".encode()).decode()),
        ("cluster", "certificate-authority-data", base64.b64encode(b"no certificate").decode()),
        ("cluster", "server", "cluster.example.com"),
        ("user", "client-key-data", base64.b64encode(b"no key").decode()),
    ],
)
async def test_a_kubeconfig_that_is_wrong_is_refused(
    embedded: Embedded, tmp_path: Path, section: str, name: str, value: str
) -> None:
    config = config_of(embedded)
    config[f"{section}s"][0][section][name] = value
    with pytest.raises(BadRequest) as caught:
        await works(config, tmp_path)
    assert caught.value.code == "kube.kubeconfig"


async def test_nobody_is_trusted_whose_certificate_another_made(
    embedded: Embedded, own: Embedded, tmp_path: Path
) -> None:
    config = config_of(embedded)
    theirs = config_of(own)["clusters"][0]["cluster"]["certificate-authority-data"]
    config["clusters"][0]["cluster"]["certificate-authority-data"] = theirs
    error = await refused(works(config, tmp_path))
    assert error.code == 503
    assert "certificate" in error.message.lower()


def token_of(embedded: Embedded, namespace: str) -> str:
    path = f"/api/v1/namespaces/{namespace}/serviceaccounts/default/token"
    return str(embedded.ask("POST", path, {"spec": {}})["status"]["token"])


def viewer(embedded: Embedded, namespace: str) -> None:
    embedded.ask(
        "POST",
        "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
        {
            "metadata": {"name": namespace},
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io",
                "kind": "ClusterRole",
                "name": "cluster-admin",
            },
            "subjects": [{"kind": "ServiceAccount", "name": "default", "namespace": namespace}],
        },
    )


async def test_tokens_come_from_the_kubeconfig_or_a_file(
    embedded: Embedded, namespace: str, tmp_path: Path
) -> None:
    viewer(embedded, namespace)
    config = config_of(embedded)
    config["users"][0]["user"] = {"token": token_of(embedded, namespace)}
    assert await works(config, tmp_path)
    (tmp_path / "token").write_text(token_of(embedded, namespace) + "\n")
    config["users"][0]["user"] = {"tokenFile": "token"}
    assert await works(config, tmp_path)
    config["users"][0]["user"] = {"token": "nonsense"}
    assert (await refused(works(config, tmp_path))).code == 401


def plugin(folder: Path, script: str) -> None:
    file = folder / "plugin"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)


def using(embedded: Embedded, **more: Any) -> dict[str, Any]:
    config = config_of(embedded)
    exec_ = {"apiVersion": "client.authentication.k8s.io/v1", "command": "./plugin", **more}
    config["users"][0]["user"] = {"exec": exec_}
    return config


async def test_a_plugin_hands_out_tokens_and_is_asked_once(
    embedded: Embedded, namespace: str, tmp_path: Path
) -> None:
    viewer(embedded, namespace)
    answer = {
        "kind": "ExecCredential",
        "apiVersion": "client.authentication.k8s.io/v1",
        "status": {"token": "%s"},
    }
    plugin(tmp_path, f"echo asked >> {tmp_path}/asked\nprintf '{json.dumps(answer)}' \"$TOKEN\"")
    file = tmp_path / "kubeconfig"
    env = [{"name": "TOKEN", "value": token_of(embedded, namespace)}]
    file.write_text(yaml.safe_dump(using(embedded, env=env)))
    client = from_kubeconfig(file)
    await asyncio.gather(*(client.version() for _ in range(5)))
    await client.get(Kind("", "v1", "Namespace"), "default")
    await client.close()
    assert (tmp_path / "asked").read_text() == "asked\n"


async def test_a_token_that_is_not_taken_is_asked_for_anew(
    embedded: Embedded, namespace: str, tmp_path: Path
) -> None:
    viewer(embedded, namespace)
    (tmp_path / "token").write_text("revoked")
    answer = {"kind": "ExecCredential", "status": {"token": "%s"}}
    plugin(tmp_path, f"printf '{json.dumps(answer)}' \"$(cat {tmp_path}/token)\"")
    (tmp_path / "kubeconfig").write_text(yaml.safe_dump(using(embedded)))
    client = from_kubeconfig(tmp_path / "kubeconfig")
    assert (await refused(client.get(Kind("", "v1", "Namespace"), "default"))).code == 401
    (tmp_path / "token").write_text(token_of(embedded, namespace))
    assert await client.get(Kind("", "v1", "Namespace"), "default")
    await client.close()


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("echo not signed in >&2; exit 3", "not signed in"),
        ("echo nonsense", "did not answer with an ExecCredential"),
        ("echo '{\"status\": {}}'", "did not answer with an ExecCredential"),
        ("echo '[]'", "did not answer with an ExecCredential"),
    ],
)
async def test_a_plugin_that_fails_is_quoted(
    embedded: Embedded, tmp_path: Path, script: str, expected: str
) -> None:
    plugin(tmp_path, script)
    error = await refused(works(using(embedded), tmp_path))
    assert error.code == 401
    assert expected in error.message


async def test_a_plugin_that_is_missing_says_how_to_get_it(embedded: Embedded, tmp_path: Path) -> None:
    error = await refused(works(using(embedded, installHint="install it first"), tmp_path))
    assert "install it first" in error.message


async def test_a_unix_socket_is_as_good_as_a_port(tmp_path: Path) -> None:
    users = {"secret": User(name="tests", groups=("system:masters",))}
    cluster = await open_cluster(
        "test", objects=None, keys=tmp_path / "pki", hosts=["127.0.0.1"], tokens=users, kubelet=NoNodes()
    )  # fmt: skip
    door = socket.socket(socket.AF_UNIX)
    door.bind(str(tmp_path / "socket"))
    door.setblocking(False)
    door.listen()
    stop = asyncio.Event()
    serving = asyncio.create_task(listening.serve(Pipeline(cluster).handle, door, None, stop))
    client = over_unix_socket(tmp_path / "socket", "secret")
    await client.create(settings("default"))
    async with asyncio.timeout(10):
        async with aclosing(client.watch(CONFIG_MAP, "default", initial=True)) as events:
            async for event in events:
                if event.type == "ADDED" and event.object["metadata"]["name"] == "settings":
                    break
    await client.close()
    stranger = over_unix_socket(tmp_path / "socket", "guessed")
    assert (await refused(stranger.list(CONFIG_MAP))).code == 401
    await stranger.close()
    stop.set()
    await serving
    await cluster.store.close()


# Informers


class Copy:
    """What an informer told, applied in order: it must always be what the informer has."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str]] = []
        self.objects: dict[str, Object] = {}

    def __call__(self, before: Object | None, after: Object | None) -> None:
        name = str((after or before or {})["metadata"]["name"])
        assert self.objects.get(name) == before
        if after is None:
            del self.objects[name]
        else:
            self.objects[name] = after
        self.told.append((name, "gone" if after is None else "new" if before is None else "changed"))


async def ended(running: asyncio.Task[None]) -> None:
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_an_informer_misses_nothing_over_a_restart(own: Embedded) -> None:
    client = from_kubeconfig(own.kubeconfig)
    copy = Copy()
    informer = Informer(client, CONFIG_MAP, namespace="default", labels="app=web", on_change=copy)
    running = asyncio.create_task(informer.run())
    await informer.wait_synced()
    await client.create(settings("default", "one"))
    await client.create(settings("default", "two"))
    await eventually(lambda: len(informer) == 2)
    await asyncio.to_thread(own.stop)
    await eventually(lambda: informer.trouble)
    assert len(informer) == 2, "an old copy is better than none"
    assert (await refused(client.version())).code == 503
    await asyncio.to_thread(own.start)
    await client.delete(CONFIG_MAP, "one", "default")
    await client.patch(CONFIG_MAP, "two", {"data": {"colour": "blue"}}, namespace="default")
    await client.create(settings("default", "three"))
    await eventually(lambda: informer.get("three", "default"))
    assert copy.told == [
        ("one", "new"),
        ("two", "new"),
        ("one", "gone"),
        ("two", "changed"),
        ("three", "new"),
    ]
    assert not informer.trouble
    await ended(running)
    await client.close()


class Faulty:
    """A transport whose watches are answered as `answers` says, one after the other, before the real ones."""

    def __init__(self, inner: Transport, answers: list[Callable[[], Response]]) -> None:
        self._inner, self._answers = inner, answers
        self.lists = 0

    async def send(self, request: Request, *, stream: bool = False) -> Response:
        if stream and self._answers:
            return self._answers.pop(0)()
        self.lists += ("limit", "500") in request.query
        return await self._inner.send(request, stream=stream)

    async def close(self) -> None:
        await self._inner.close()


def gone() -> Response:
    status = {
        "kind": "Status",
        "code": 410,
        "reason": "Expired",
        "message": "too old resource version: 1 (5)",
    }

    async def lines() -> AsyncIterator[bytes]:
        yield json.dumps({"type": "ERROR", "object": status}).encode() + b"\n"

    return Response(200, {}, lines())


async def test_an_informer_that_lost_the_history_lists_again_and_tells_the_difference(
    client: Client, namespace: str
) -> None:
    await client.create(settings(namespace, "kept"))
    await client.create(settings(namespace, "going"))
    released = asyncio.Event()

    def held_until_changed() -> Response:
        async def lines() -> AsyncIterator[bytes]:
            await released.wait()
            async for line in gone().body:  # type: ignore[union-attr]
                yield line

        return Response(200, {}, lines())

    transport = Faulty(client._transport, [held_until_changed, gone, gone])
    copy = Copy()
    informer = Informer(Client(transport), CONFIG_MAP, namespace=namespace, labels="app=web", on_change=copy)
    running = asyncio.create_task(informer.run())
    await informer.wait_synced()
    await client.delete(CONFIG_MAP, "going", namespace)
    await client.create(settings(namespace, "coming"))
    released.set()
    await eventually(lambda: informer.get("coming", namespace))
    assert copy.told == [("going", "new"), ("kept", "new"), ("going", "gone"), ("coming", "new")]
    await client.create(settings(namespace, "later"))
    await eventually(lambda: informer.get("later", namespace))
    await eventually(lambda: transport.lists == 4)
    await ended(running)


async def test_an_informer_backs_off_while_the_server_is_away_and_starts_over_with_short_pauses(
    client: Client, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    awake = asyncio.Event()
    real = asyncio.sleep

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 12:
            awake.set()
            await asyncio.Event().wait()
        await real(0)

    def broken() -> Response:
        raise ApiError(503, "ServiceUnavailable", "away")

    def ended_after_an_event() -> Response:
        event = {"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "1"}}}

        async def lines() -> AsyncIterator[bytes]:
            yield json.dumps(event).encode() + b"\n"
            raise ApiError(503, "ServiceUnavailable", "broke off")

        return Response(200, {}, lines())

    # Its name for the module alone: the cluster sleeps in this process too.
    monkeypatch.setattr(informers, "asyncio", SimpleNamespace(sleep=sleep, Event=asyncio.Event))
    transport = Faulty(client._transport, [*[broken] * 10, ended_after_an_event, *[broken] * 5])
    informer = Informer(Client(transport), CONFIG_MAP, namespace=namespace)
    running = asyncio.create_task(informer.run())
    await awake.wait()
    await ended(running)
    assert pauses[9] > 10 * pauses[0]
    assert max(pauses) <= 30
    assert pauses[10] < 1, "a watch that had worked is no reason to wait long"
