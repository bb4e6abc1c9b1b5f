"""A push: `git receive-pack` takes it in and keeps it in quarantine, we decide, git moves the refs, we announce, the client hears "ok".

Receiving runs beside other pushes; from the decision to the announcement a repository is moved by one push at a time. What is said to
the client after the decision is held back until the event is committed: an "ok" that was heard is never lost. `announcing` tells what
happens when we are killed in between.
"""

from __future__ import annotations

import asyncio
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, field
from typing import Final

from argosy.kit.calls import Call
from argosy.kit.clock import Clock
from argosy.kit.errors import ArgosyError
from argosy.kit.git import history
from argosy.kit.git.failing import last_words
from argosy.kit.git.locking import opened, take
from argosy.kit.git.running import MEGABYTE, Manner, process
from argosy.kit.ids import new_id
from argosy.kit.log import get_logger
from argosy.platform.git_server.announcing import Announcer, pusher_call
from argosy.platform.git_server.asking import Conversation, Question, conversation
from argosy.platform.git_server.fetching import Send, alone, complaint, feed, pass_on, protocol
from argosy.platform.git_server.folders import Folder, Folders
from argosy.platform.git_server.packets import Head, refusal
from argosy.platform.git_server.protection import Rules, Update, needs_history, refused
from argosy.platform.git_server.settings import GitServerSettings
from argosy.platform.git_server.store import Intent, Store, Stored

log = get_logger(__name__)
_WAIT_SECONDS = 60.0
_DRAINED_MOST = 4  # times the limit: so much of a push that is too large is read over, so that git hears why
_HELD_LIMIT = 4 * MEGABYTE
_RECEIVING: Final = {
    "receive.fsckObjects": "true",
    # What old but harmless histories have; everything else that fsck knows refuses the push.
    "receive.fsck.zeroPaddedFilemode": "warn",
    "receive.fsck.missingSpaceBeforeDate": "warn",
    "receive.fsck.badTimezone": "warn",
    "receive.fsck.missingEmail": "warn",
    "receive.denyDeleteCurrent": "ignore",
    "receive.denyDeletes": "false",
    "receive.denyNonFastForwards": "false",
    "receive.autogc": "false",
    "receive.keepAlive": "5",
    "receive.advertisePushOptions": "false",
    "receive.shallowUpdate": "false",
    "core.fsync": "committed,reference",
    "core.fsyncMethod": "batch",
}
Stage = Callable[[str], None]
"""Told where a push stands; for tests of what a crash there leaves."""


class TooMuch(Exception):
    """More came than this push may bring."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """How many bytes a push may bring, and which limit that is."""

    bytes: int
    reason: str
    cure: str


@dataclass(slots=True)
class Push:
    """One under way."""

    call: Call
    stored: Stored
    folder: Folder
    id: str = field(default_factory=new_id)
    head: Head = field(default_factory=Head)
    decided: bool = False
    held: bytearray = field(default_factory=bytearray)


class Pushing:
    def __init__(
        self,
        store: Store,
        folders: Folders,
        announcer: Announcer,
        settings: GitServerSettings,
        clock: Clock,
        after: Callable[[Stored], None],
        at: Stage = lambda _: None,
    ) -> None:
        """`after` is told of each push that may have moved something."""
        self._store, self._folders, self._announcer = store, folders, announcer
        self._settings, self._clock, self._after, self._at = settings, clock, after, at

    async def receive(
        self, call: Call, stored: Stored, wished: str, body: AsyncIterator[bytes], send: Send
    ) -> None:
        push = Push(call, stored, await self._folders.opened(stored))
        allowance = await self._allowance(stored)
        try:
            with alone():
                await self._run(push, wished, _counted(body, push.head, allowance.bytes), send)
        except TooMuch:
            await _drain(body, allowance.bytes * _DRAINED_MOST)
            await send(refusal(push.head, allowance.reason, allowance.cure))
        finally:
            if push.decided:
                self._after(push.stored)

    async def _run(self, push: Push, wished: str, body: AsyncIterator[bytes], send: Send) -> None:
        async with AsyncExitStack() as holding, conversation() as talk:
            lock = holding.enter_context(opened(push.folder.lock))
            try:
                async with self._git(push, talk, lock, wished) as git:
                    talk.handed_over()
                    async with asyncio.TaskGroup() as group:
                        group.create_task(feed(git, body))
                        group.create_task(self._decide(push, talk, lock, holding))
                        said = group.create_task(complaint(git))
                        group.create_task(pass_on(git, lambda piece: _held_back(push, piece, send)))
                    if await git.wait():
                        log.info("push.failed", repository=push.stored.id, reason=last_words(said.result()))
            finally:
                if push.decided:  # git has ended, however it did: what it moved is there
                    self._at("moved")
                    await asyncio.shield(self._announcer.announce(push.stored, push.folder))
                    self._at("announced")
        await send(bytes(push.held))

    def _git(
        self, push: Push, talk: Conversation, lock: int, wished: str
    ) -> AbstractAsyncContextManager[Process]:
        settings = {
            **_RECEIVING,
            "core.hooksPath": str(self._folders.hooks),
            "receive.maxInputSize": str(self._settings.push_limit_mb * MEGABYTE),
        }
        return process(
            "receive-pack", "--stateless-rpc", str(push.folder.path),
            repository=push.folder.path,
            settings=settings,
            variables={**talk.variables, **protocol(wished)},
            manner=Manner(holding=(lock, *talk.theirs)),
        )  # fmt: skip

    async def _decide(self, push: Push, talk: Conversation, lock: int, holding: AsyncExitStack) -> None:
        question = await talk.question()
        if question is None:
            return
        self._at("received")
        try:
            async with asyncio.timeout(_WAIT_SECONDS):
                await holding.enter_async_context(self._folders.turn(push.stored.id))
                await take(lock, push.stored.name, seconds=_WAIT_SECONDS)
            reasons = await self._judged(push, question)
            if not reasons:
                intents = [Intent(push.id, update, pusher_call(push.call)) for update in question.updates]
                await self._store.intend(push.stored.account, push.stored.id, intents, self._clock())
        except TimeoutError:
            reasons = ["another push to this repository does not end; push again"]
        except ArgosyError as error:
            log.warning("push.undecided", repository=push.stored.id, reason=error.told)
            reasons = [f"{error.message}; push again"]
        if reasons:
            talk.refuse(reasons)
            return
        self._at("intended")
        push.decided = True
        talk.allow()
        self._at("allowed")

    async def _judged(self, push: Push, question: Question) -> list[str]:
        """By the rules as they are now. What an earlier push left unannounced is announced first, by itself."""
        async with self._store.database.transaction(push.stored.account, read_only=True) as tx:
            now = await self._store.of_id(tx, push.stored.account, push.stored.id)
            left = await self._store.intents(tx, push.stored.id)
        if now is None:
            return ["this repository was removed"]
        if left:
            await self._announcer.announce(now, push.folder)
        rules, seeing = Rules(now.default_branch, now.protections), question.seeing(push.folder.path)
        reasons = [await self._refused(push, update, rules, seeing) for update in question.updates]
        return [reason for reason in reasons if reason]

    async def _refused(self, push: Push, update: Update, rules: Rules, seeing: Mapping[str, str]) -> str:
        forward = True
        if needs_history(update, rules):
            forward = await history.is_ancestor(
                push.folder.path, update.before, update.after, variables=seeing
            )
        return refused(update, rules, push.call.principal, forward=forward)

    async def _allowance(self, stored: Stored) -> Allowance:
        async with self._store.database.transaction(stored.account, read_only=True) as tx:
            taken = await self._store.taken(tx, stored.account)
        return allowance(stored, taken, self._settings)


def allowance(stored: Stored, taken: int, settings: GitServerSettings) -> Allowance:
    """The narrowest of what this push may bring, what the repository may grow by, and what is left to its account."""
    push = min(stored.push_limit_mb or settings.push_limit_mb, settings.push_limit_mb)
    size = min(stored.size_limit_mb or settings.size_limit_mb, settings.size_limit_mb)
    return min(
        Allowance(
            push * MEGABYTE,
            f"this push is larger than {push} MB",
            "push in several steps, or keep large files elsewhere",
        ),
        Allowance(
            max(0, size * MEGABYTE - stored.size),
            f"this repository would become larger than {size} MB",
            "remove large files from its history, or ask an admin for a higher limit",
        ),
        Allowance(
            max(0, settings.account_limit_mb * MEGABYTE - taken),
            f"the repositories of this account would become larger than {settings.account_limit_mb} MB",
            "delete repositories that nobody needs, or ask who runs this installation for more",
        ),
        key=lambda one: one.bytes,
    )


async def _counted(body: AsyncIterator[bytes], head: Head, limit: int) -> AsyncIterator[bytes]:
    """A push that only removes refs brings nothing but its head, and may always."""
    brought = 0
    async for piece in body:
        counts = head.whole
        head.take(piece)
        brought += len(piece) if counts else 0
        if brought > limit:
            raise TooMuch
        yield piece


async def _drain(body: AsyncIterator[bytes], most: int) -> None:
    """Git listens only once it has said everything."""
    async for piece in body:
        most -= len(piece)
        if most < 0:
            return


async def _held_back(push: Push, piece: bytes, send: Send) -> None:
    if not push.decided:
        await send(piece)
    elif len(push.held) < _HELD_LIMIT:
        push.held += piece
