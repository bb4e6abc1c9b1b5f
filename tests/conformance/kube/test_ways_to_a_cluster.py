"""Our client where the way is not straight: through a proxy, with a certificate that a program hands out, and past long silences."""

from __future__ import annotations

import asyncio
import base64
import json
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from argosy.kube.client import Client, Informer, from_kubeconfig
from argosy.kube.client import informer as informers
from argosy.kube.client import transport as transports
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object
from argosy.kube.server.access import Authority
from argosy.kube.types import Kind
from tests.conformance.kube.live import Embedded
from tests.conformance.kube.test_argosy_client import config_of, plugin, refused, using, works

NAMESPACE, CONFIG_MAP = Kind("", "v1", "Namespace"), Kind("", "v1", "ConfigMap")
LISTED = {"kind": "ConfigMapList", "apiVersion": "v1", "metadata": {"resourceVersion": "7"}, "items": []}


# Proxies


class Proxy:
    """Answers CONNECT, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.url = ""
        self._links: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def running(self, tls: ssl.SSLContext | None = None) -> AsyncIterator[Proxy]:
        server = await asyncio.start_server(self._take, "127.0.0.1", 0, ssl=tls)
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with server:
            yield self
            for link in self._links:
                link.cancel()
            await asyncio.gather(*self._links, return_exceptions=True)

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._links.add(task)
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.asked.append(head)
        host, _, port = head.split()[1].rpartition(":")
        to_reader, to_writer = await asyncio.open_connection(host, int(port))
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        try:
            await asyncio.gather(_pour(reader, to_writer), _pour(to_reader, writer))
        finally:
            for one in (writer, to_writer):
                one.transport.abort()


async def _pour(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65_536):
        writer.write(data)
        await writer.drain()


async def test_a_proxy_is_gone_through_with_its_credentials(embedded: Embedded, tmp_path: Path) -> None:
    config = config_of(embedded)
    async with Proxy().running() as proxy:
        config["clusters"][0]["cluster"]["proxy-url"] = proxy.url.replace("//", "//me:secret@")
        assert (await works(config, tmp_path))["metadata"]["name"] == "default"
    [asked] = proxy.asked
    assert asked.startswith(f"CONNECT {config['clusters'][0]['cluster']['server'].removeprefix('https://')} ")
    assert f"Proxy-Authorization: Basic {base64.b64encode(b'me:secret').decode()}" in asked


@pytest.mark.parametrize("anyio_backend", [("asyncio", {"use_uvloop": each}) for each in (False, True)])
async def test_a_proxy_may_speak_tls_itself(embedded: Embedded, tmp_path: Path) -> None:
    config = config_of(embedded)
    authority = Authority.load(embedded.kubeconfig.parent / "pki", hosts=["127.0.0.1"])
    async with Proxy().running(authority.ssl_context()) as proxy:
        config["clusters"][0]["cluster"]["proxy-url"] = proxy.url
        assert (await works(config, tmp_path))["metadata"]["name"] == "default"
    assert len(proxy.asked) == 1


async def test_a_proxy_that_is_not_there_is_told(embedded: Embedded, tmp_path: Path) -> None:
    config = config_of(embedded)
    config["clusters"][0]["cluster"]["proxy-url"] = "http://127.0.0.1:1"
    assert (await refused(works(config, tmp_path))).code == 503


# Certificates from programs


def handing_out(folder: Path, status: Object) -> None:
    (folder / "answer").write_text(json.dumps({"kind": "ExecCredential", "status": status}))
    plugin(folder, f"echo asked >> {folder}/asked\ncat {folder}/answer")


def pair_of(embedded: Embedded) -> Object:
    user = config_of(embedded)["users"][0]["user"]
    return {
        name: base64.b64decode(user[written]).decode()
        for name, written in (
            ("clientCertificateData", "client-certificate-data"),
            ("clientKeyData", "client-key-data"),
        )
    }


async def test_a_plugin_may_hand_out_a_certificate(embedded: Embedded, tmp_path: Path) -> None:
    handing_out(tmp_path, pair_of(embedded))
    assert (await works(using(embedded), tmp_path))["metadata"]["name"] == "default"


async def test_a_certificate_that_expires_is_replaced_and_the_new_one_is_shown(
    embedded: Embedded, tmp_path: Path
) -> None:
    stranger = Authority.load(tmp_path / "pki", hosts=[])
    [user] = yaml.safe_load(stranger.kubeconfig(cluster="x", url="https://x"))["users"]
    theirs = {
        "clientCertificateData": base64.b64decode(user["user"]["client-certificate-data"]).decode(),
        "clientKeyData": base64.b64decode(user["user"]["client-key-data"]).decode(),
    }
    handing_out(tmp_path, {**pair_of(embedded), "expirationTimestamp": "2020-01-01T00:00:00Z"})
    (tmp_path / "kubeconfig").write_text(yaml.safe_dump(using(embedded)))
    client = from_kubeconfig(tmp_path / "kubeconfig")
    assert await client.get(NAMESPACE, "default")
    handing_out(tmp_path, theirs)
    assert (await refused(client.get(NAMESPACE, "default"))).code in (401, 503)
    handing_out(tmp_path, pair_of(embedded))
    await client.close()


@pytest.mark.parametrize("missing", ["clientCertificateData", "clientKeyData"])
async def test_half_a_pair_is_refused_with_words(embedded: Embedded, tmp_path: Path, missing: str) -> None:
    status = pair_of(embedded)
    del status[missing]
    handing_out(tmp_path, {**status, "token": "one"})
    assert "certificate with its key" in (await refused(works(using(embedded), tmp_path))).message


async def test_a_certificate_with_the_key_of_another_is_refused_with_words(
    embedded: Embedded, tmp_path: Path
) -> None:
    handing_out(tmp_path, {**pair_of(embedded), "clientKeyData": "no key"})
    error = await refused(works(using(embedded), tmp_path))
    assert (error.code, "no pair" in error.message) == (401, True)


# Silence


class Silent:
    """A real API server as it is at night: it lists, and of what is watched nothing happens."""

    def __init__(self) -> None:
        self.watched: list[str] = []
        self.released = asyncio.Event()
        self.url = ""

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Silent]:
        server = await asyncio.start_server(self._take, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with server:
            yield self
            self.released.set()

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")[0]:
                await self._answer(line.split()[1], writer)
        except (asyncio.IncompleteReadError, ConnectionResetError):
            pass
        finally:
            writer.close()

    async def _answer(self, target: str, writer: asyncio.StreamWriter) -> None:
        if "watch=true" not in target:
            body = json.dumps(LISTED).encode()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
            return
        self.watched.append(target)
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        await self.released.wait()
        writer.write(b"0\r\n\r\n")

    def client(self) -> Client:
        return from_kubeconfig(
            {
                "contexts": [{"name": "x", "context": {"cluster": "x"}}],
                "clusters": [{"name": "x", "cluster": {"server": self.url}}],
                "current-context": "x",
            }
        )


async def until(true: Callable[[], object]) -> None:
    async with asyncio.timeout(20):
        while not true():
            await asyncio.sleep(0.01)


async def test_a_watch_is_quiet_for_longer_than_an_answer_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transports, "_READ_SECONDS", 0.05)
    async with Silent().running() as server:
        client = server.client()
        informer = Informer(client, CONFIG_MAP)
        following = asyncio.create_task(informer.run())
        await until(lambda: server.watched)
        await asyncio.sleep(0.3)  # six times what would have been too long
        assert len(server.watched) == 1
        assert not informer.trouble
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
        await client.close()


async def test_a_watch_that_a_server_does_not_end_in_time_is_ended_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(transports, "_LATE_SECONDS", -0.9)
    async with Silent().running() as server:
        client = server.client()
        with pytest.raises(ApiError) as late:
            async with asyncio.timeout(10), aclosing(client.watch(CONFIG_MAP, seconds=1)) as events:
                async for _ in events:
                    pass
        assert late.value.code == 503
        await client.close()


async def test_a_watch_that_ends_in_its_time_is_taken_up_again_without_a_word(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    warned: list[Any] = []
    monkeypatch.setattr(informers.log, "warning", lambda *_, **about: warned.append(about), raising=False)
    async with Silent().running() as server:
        client = server.client()
        following = asyncio.create_task(Informer(client, CONFIG_MAP).run())
        server.released.set()
        await until(lambda: len(server.watched) > 2)
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
        await client.close()
    assert not warned
    assert all("timeoutSeconds=" in one and "resourceVersion=7" in one for one in server.watched)
