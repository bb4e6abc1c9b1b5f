"""What git asks before anything else (which refs are there), and clones and fetches: `git upload-pack`, streamed."""

from __future__ import annotations

import asyncio
import contextlib
import re
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Final, Literal, TypeAlias

from argosy.kit.errors import Internal, Unavailable
from argosy.kit.git.failing import last_words
from argosy.kit.git.running import process
from argosy.kit.log import get_logger
from argosy.platform.git_server.bodies import limited
from argosy.platform.git_server.folders import Folder
from argosy.platform.git_server.packets import FLUSH, packet

log = get_logger(__name__)
Verb: TypeAlias = Literal["git-upload-pack", "git-receive-pack"]
Send: TypeAlias = Callable[[bytes], Awaitable[None]]

_PIECE = 64 * 1024
_ASKED_LIMIT = 64 * 1024 * 1024  # wants and haves, unpacked
_SILENT_SECONDS = 120.0  # git sends a sign of life every five
_PROTOCOL = re.compile(r"version=[0-2]")
_SAID_LIMIT = 32 * 1024
READING: Final = {
    "uploadpack.allowFilter": "true",
    "uploadpack.allowReachableSHA1InWant": "true",
    "uploadpack.keepAlive": "5",
    "pack.threads": "1",
}


def protocol(header: str) -> dict[str, str]:
    """Of what a client wishes for, only what is a version."""
    found = _PROTOCOL.search(header[:200])
    return {"GIT_PROTOCOL": found[0]} if found else {}


async def advertise(folder: Folder, verb: Verb, wished: str, send: Send) -> None:
    chosen = protocol(wished)
    if verb == "git-receive-pack" or chosen.get("GIT_PROTOCOL") != "version=2":
        await send(packet(f"# service={verb}\n".encode()) + FLUSH)
    words = (verb.removeprefix("git-"), "--stateless-rpc", "--http-backend-info-refs", str(folder.path))
    async with process(*words, repository=folder.path, settings=READING, variables=chosen) as git:
        await _converse(git, None, send)


async def upload(folder: Folder, wished: str, body: AsyncIterator[bytes], send: Send) -> None:
    words = ("upload-pack", "--strict", "--stateless-rpc", str(folder.path))
    async with process(*words, repository=folder.path, settings=READING, variables=protocol(wished)) as git:
        await _converse(git, limited(body, _ASKED_LIMIT), send)


async def _converse(git: Process, body: AsyncIterator[bytes] | None, send: Send) -> None:
    with alone():
        async with asyncio.TaskGroup() as group:
            group.create_task(feed(git, body))
            said = group.create_task(complaint(git))
            group.create_task(pass_on(git, send, silent=_SILENT_SECONDS))
    if await git.wait():
        reason = last_words(said.result())
        log.info("git.failed", reason=reason)
        raise Internal("git could not answer", detail=reason)


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """What went wrong first, as itself: the tasks beside it were only ended for it."""
    try:
        yield
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None


async def feed(git: Process, body: AsyncIterator[bytes] | None) -> None:
    """As fast as git takes it. When git has ended, the rest is not wanted."""
    assert git.stdin is not None
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        if body is not None:
            async for piece in body:
                git.stdin.write(piece)
                await git.stdin.drain()
        git.stdin.close()


async def pass_on(git: Process, send: Send, *, silent: float | None = None) -> None:
    assert git.stdout is not None
    while True:
        try:
            async with asyncio.timeout(silent):
                piece = await git.stdout.read(_PIECE)
        except TimeoutError as error:
            raise Unavailable("git says nothing any more", code="git.deadline") from error
        if not piece:
            return
        await send(piece)


async def complaint(git: Process) -> str:
    """The end of what it says on stderr, which is read to its end so that git never waits for us."""
    assert git.stderr is not None
    said = bytearray()
    while piece := await git.stderr.read(4096):
        said += piece
        del said[:-_SAID_LIMIT]
    return said.decode(errors="replace")
