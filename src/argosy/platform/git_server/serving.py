"""What git asks for over HTTP, and nothing else: which refs are there, fetch, push. The gateway passes `/git/…` on to here, with the caller.

Answers are streams; what went wrong is plain text, because that is what git shows to people.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qs

from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send

from argosy.backends.hosting import Recorder
from argosy.backends.hosting.progress import InProgress, current
from argosy.contracts.audit import Kind, Result
from argosy.kit.calls import Call
from argosy.kit.errors import ArgosyError, BadRequest, DeadlineExceeded, Internal, NotFound, Unavailable
from argosy.kit.git import GitFailed
from argosy.kit.ids import is_id
from argosy.kit.log import get_logger
from argosy.kit.rpc.passages import CALL
from argosy.platform.git_server.bodies import received, unpacked
from argosy.platform.git_server.fetching import Verb, advertise, upload
from argosy.platform.git_server.folders import Folders
from argosy.platform.git_server.pushing import Pushing
from argosy.platform.git_server.rights import Rights, absent
from argosy.platform.git_server.settings import GitServerSettings
from argosy.platform.git_server.store import Store, Stored

log = get_logger(__name__)
VERBS: Final[Mapping[Verb, str]] = {"git-upload-pack": "read", "git-receive-pack": "write"}
_WAIT_SECONDS = 30.0
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


@dataclass(frozen=True, slots=True)
class Wanted:
    account: str
    name: str
    verb: Verb
    advertisement: bool

    @property
    def media_type(self) -> str:
        return f"application/x-{self.verb}-{'advertisement' if self.advertisement else 'result'}"

    @property
    def operation(self) -> str:
        """As the audit log calls it."""
        return "fetch" if self.verb == "git-upload-pack" else "push"


def wanted(method: str, path: str, query: str) -> Wanted:
    """Only these paths exist. Nothing of them ever becomes a path on disk."""
    match path.strip("/").split("/"):
        case [account, repository, "info", "refs"] if method == "GET":
            service = parse_qs(query).get("service", [""])[0]
            verb = next((verb for verb in VERBS if verb == service), None)
            if verb is None:
                raise BadRequest(
                    "this is a Git repository", code="git.protocol", cure="use it with git clone"
                )
            advertisement = True
        case [account, repository, said] if method == "POST":
            verb = next((verb for verb in VERBS if verb == said), None)
            advertisement = False
        case _:
            verb, account, repository, advertisement = None, "", "", False
    repository = repository.removesuffix(".git")
    if verb is None or not is_id(account) or not _NAME.fullmatch(repository):
        raise NotFound(
            "there is nothing under this path", cure="use the URL that argosy git list shows, with git"
        )
    return Wanted(account, repository, verb, advertisement)


class Serving:
    def __init__(
        self,
        store: Store,
        folders: Folders,
        rights: Rights,
        pushing: Pushing,
        recorder: Recorder,
        settings: GitServerSettings,
    ) -> None:
        self._store, self._folders, self._rights = store, folders, rights
        self._pushing, self._recorder, self._settings = pushing, recorder, settings
        self._room = asyncio.Semaphore(settings.at_once)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        call: Call = scope[CALL]
        answer = _Answer(send)
        try:
            async with asyncio.timeout(self._settings.transfer_seconds):
                await self._serve(scope, call, receive, answer)
        except ClientDisconnect:
            return
        except TimeoutError:
            await answer.fail(
                DeadlineExceeded("this takes longer than it may", cure="fetch or push less at once")
            )
        except ArgosyError as error:
            if error.status >= 500:
                log.warning("git.refused", path=scope["path"], code=error.code, reason=error.told)
            await answer.fail(error)
        except Exception:  # the loop's top: what nobody foresaw is logged whole and told as ours
            log.exception("git.broken", path=scope["path"])
            await answer.fail(Internal("something went wrong on our side", cure="the log has it"))
        else:
            await answer.end()

    async def _serve(self, scope: Scope, call: Call, receive: Receive, answer: _Answer) -> None:
        asked = wanted(scope["method"], scope["path"], scope["query_string"].decode("latin-1"))
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        with self._noted(call, asked):
            stored = await self._allowed(call, asked)
            answer.media_type = asked.media_type
            wished = headers.get("git-protocol", "")
            async with self._some_room():
                if asked.advertisement:
                    folder = await self._folders.opened(stored)
                    await advertise(folder, asked.verb, wished, answer.send)
                    return
                body = unpacked(received(receive), headers.get("content-encoding", ""))
                if asked.verb == "git-receive-pack":
                    await self._pushing.receive(call, stored, wished, body, answer.send)
                else:
                    await upload(await self._folders.opened(stored), wished, body, answer.send)

    async def _allowed(self, call: Call, asked: Wanted) -> Stored:
        if asked.account != call.account:
            raise absent(asked.name)
        async with self._store.database.transaction(call.account, read_only=True) as tx:
            stored = await self._store.named(tx, call.account, asked.name)
        await self._rights.require(call, VERBS[asked.verb], id=stored.id if stored else "", name=asked.name)
        if stored is None:
            raise absent(asked.name)
        return stored

    @contextmanager
    def _noted(self, call: Call, asked: Wanted) -> Iterator[None]:
        """Fetches and refusals go to the audit log; what a push changed stands there by itself (`announcing`)."""
        token = current.set(InProgress(asked.operation))
        kind: Kind = "read" if asked.operation == "fetch" else "change"
        try:
            yield
            if asked.operation == "fetch" and not asked.advertisement:
                self._recorder.note(call, "read", "ok", "repository", asked.name, "")
        except ArgosyError as error:
            denied: Result = "denied" if error.status in (401, 403) else "failed"
            self._recorder.note(call, kind, denied, "repository", asked.name, error.code)
            raise
        finally:
            current.reset(token)

    def _some_room(self) -> _Room:
        return _Room(self._room)


class _Room:
    def __init__(self, room: asyncio.Semaphore) -> None:
        self._room = room

    async def __aenter__(self) -> None:
        try:
            async with asyncio.timeout(_WAIT_SECONDS):
                await self._room.acquire()
        except TimeoutError as error:
            raise Unavailable(
                "too many clones and pushes are under way", code="git.busy", cure="try again in a moment"
            ) from error

    async def __aexit__(self, *_: object) -> None:
        self._room.release()


class _Answer:
    """Begins with the first byte, so that what fails before is an ordinary answer."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._begun = False
        self.media_type = ""

    async def send(self, piece: bytes) -> None:
        if piece:
            await self._begin(200, self.media_type)
            await self._send({"type": "http.response.body", "body": piece, "more_body": True})

    async def end(self) -> None:
        await self._begin(200, self.media_type)
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def fail(self, error: ArgosyError) -> None:
        if self._begun:
            raise error  # the answer breaks off: nobody takes the part for the whole
        status = 503 if isinstance(error, GitFailed) else error.status
        await self._begin(status, "text/plain; charset=utf-8")
        text = f"{error.message}\n{error.cure}\n" if error.cure else f"{error.message}\n"
        await self._send({"type": "http.response.body", "body": text.encode(), "more_body": False})

    async def _begin(self, status: int, media_type: str) -> None:
        if self._begun:
            return
        self._begun = True
        headers = [
            (b"content-type", media_type.encode()),
            (b"cache-control", b"no-cache, max-age=0, must-revalidate"),
            (b"x-accel-buffering", b"no"),
        ]
        await self._send({"type": "http.response.start", "status": status, "headers": headers})
