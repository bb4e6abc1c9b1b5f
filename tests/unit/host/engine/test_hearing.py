"""The engine hears of a push from the Git server, and from nobody else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from argosy.host.engine import hearing
from argosy.host.paths import DataDir
from argosy.kit.web.listeners import listener, unix_socket
from argosy.platform.git_server.hinting import Hints


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    made = DataDir(tmp_path / "data")
    made.create()
    return made


@pytest.fixture
async def heard(data: DataDir) -> AsyncIterator[asyncio.Queue[str]]:
    found: asyncio.Queue[str] = asyncio.Queue()
    server = listener(hearing.app(data, found.put_nowait))
    serving = asyncio.create_task(server.serve(sockets=[unix_socket(data.socket(hearing.NAME))]))
    await server.listening.wait()
    yield found
    server.stop()
    await serving


async def test_a_push_is_heard_of_at_once(data: DataDir, heard: asyncio.Queue[str]) -> None:
    hints = Hints(str(data.socket(hearing.NAME)), str(hearing.token_file(data)))
    hints.pushed("/git/1/shop.git")
    async with asyncio.timeout(5):
        assert await heard.get() == "/git/1/shop.git"


@pytest.mark.parametrize(
    ("token", "body", "status"),
    [
        ("", b'{"path": "x"}', 401),
        ("wrong", b'{"path": "x"}', 401),
        (None, b"{", 400),
        (None, b"x" * 5000, 413),
    ],
)
async def test_whoever_else_comes_is_sent_away(
    data: DataDir, heard: asyncio.Queue[str], token: str | None, body: bytes, status: int
) -> None:
    shown = hearing.token_file(data).read_text() if token is None else token
    connector = aiohttp.UnixConnector(path=str(data.socket(hearing.NAME)))
    async with aiohttp.ClientSession(connector=connector) as session:
        headers = {"authorization": f"Bearer {shown}"}
        answer = await session.post("http://engine/pushed", data=body, headers=headers)
        assert answer.status == status
    assert heard.empty()


async def test_nobody_waits_for_an_engine_that_is_not_there(data: DataDir) -> None:
    hints = Hints(str(data.socket("nobody")), str(data.root / "no-token"))
    hints.pushed("/git/1/shop.git")
    async with asyncio.timeout(5):
        await asyncio.gather(*hints._sending)
    Hints("", "").pushed("/git/1/shop.git")
