"""The other end of the clusters' socket, for verbs and backups: what is said there, and how it is asked for.

Apart from `control`, which answers, because who only asks needs nothing of a cluster and should start at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager

import aiohttp
import msgspec

from argosy.host.lifecycle import failures
from argosy.host.paths import DataDir
from argosy.kit.errors import ArgosyError, ErrorBody, Internal, Unavailable, from_body
from argosy.kit.ids import token
from argosy.kit.tokens.files import create_once

NAME = "cluster"
OBJECTS = "/objects"
_TOKEN = "clusters-token"
_SECONDS = 60


class ClusterState(msgspec.Struct, frozen=True):
    name: str
    url: str
    kubeconfig: str
    created: str
    error: str = ""


class Reached(msgspec.Struct, frozen=True):
    """One URL of an Ingress, and the Service behind it."""

    cluster: str
    namespace: str
    name: str
    url: str
    service: str
    port: str


class Taking(msgspec.Struct, frozen=True):
    """What the Ingresses of a cluster may take of the gateway (`home.Settings`)."""

    hosts: list[str] | None
    own_paths: bool


def ask(data: DataDir, method: str, path: str, sent: object = None) -> bytes:
    async def asking() -> bytes:
        try:
            async with _asked(data, method, path, sent) as answered:
                return await answered.read()
        except (aiohttp.ClientConnectionError, FileNotFoundError) as error:
            raise failures.not_running(data.root, note="its embedded clusters do not answer") from error

    return asyncio.run(asking())


def objects(data: DataDir, name: str) -> Iterator[bytes]:
    """Everything that the cluster holds, as of one moment, in the pieces in which it comes (`store.snapshot`)."""
    with asyncio.Runner() as loop:
        held_open = AsyncExitStack()
        try:
            answered = loop.run(
                held_open.enter_async_context(_asked(data, "GET", f"/clusters/{name}{OBJECTS}"))
            )
            while piece := loop.run(answered.content.readany()):
                yield piece
        except (aiohttp.ClientError, FileNotFoundError) as error:
            raise Unavailable(
                "the process of the embedded clusters ended before it had answered",
                code="kube.broke_off",
                cure="try again: it is started anew by itself",
            ) from error
        finally:
            loop.run(held_open.aclose())


@asynccontextmanager
async def _asked(
    data: DataDir, method: str, path: str, sent: object = None
) -> AsyncIterator[aiohttp.ClientResponse]:
    """An answer that is no refusal."""
    connector = aiohttp.UnixConnector(path=str(data.socket(NAME)))
    timeout = aiohttp.ClientTimeout(total=None, sock_read=_SECONDS)
    headers = {"authorization": f"Bearer {secret(data)}"}
    body = None if sent is None else msgspec.json.encode(sent)
    async with (
        aiohttp.ClientSession(connector=connector, timeout=timeout) as session,
        session.request(method, f"http://cluster{path}", headers=headers, data=body) as answered,
    ):
        if answered.status >= 400:
            raise _error(await answered.read())
        yield answered


def _error(body: bytes) -> ArgosyError:
    try:
        return from_body(msgspec.json.decode(body, type=ErrorBody))
    except msgspec.MsgspecError:
        return Internal(body[:200].decode(errors="replace") or "no answer")


def secret(data: DataDir) -> str:
    """What every request must bring; made by whoever needs it first."""
    file = data.secrets / _TOKEN
    create_once(file, token().encode(), 0o600)
    return file.read_text().strip()
