"""From refs on disk to events: what a push moved is announced exactly once, whatever is killed meanwhile.

A ref moves in the file system, an event is a row: no transaction spans both. So a push first writes down what it is about to do (an
intent), then lets git do it, then announces it; the rows `heads` say where each ref was when it was last announced. All of that happens
under the repository's lock, which git inherits: as long as anything may still move a ref, nobody compares. What a crash left is found by
comparing: refs that differ from `heads` are announced, with the intent to tell who did it. The client hears "ok" only after the event is
committed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from argosy.backends.database import Transaction
from argosy.backends.events import Outbox
from argosy.backends.hosting import Change, Recorder
from argosy.backends.hosting.progress import InProgress, current
from argosy.contracts.events import Event, event
from argosy.contracts.git_server import PUSHED, CommitSummary, Pushed, Pusher
from argosy.kit.calls import Call, service_call
from argosy.kit.clock import Clock
from argosy.kit.git import GitFailed, history
from argosy.kit.git.locking import exclusively, is_held
from argosy.kit.git.mirror import clear_stale_locks
from argosy.kit.git.names import NO_COMMIT, is_ref_name
from argosy.kit.git.running import run
from argosy.kit.log import get_logger
from argosy.platform.git_server.folders import Folder, Folders
from argosy.platform.git_server.protection import BRANCHES, Update
from argosy.platform.git_server.store import Intent, Store, Stored

log = get_logger(__name__)
_SHOWN = 20
_WAIT_SECONDS = 120.0


class Announcer:
    def __init__(
        self,
        store: Store,
        outbox: Outbox,
        recorder: Recorder,
        folders: Folders,
        clock: Clock,
        hint: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`hint` is told the path of a repository as soon as a push to it is announced."""
        self._store, self._outbox, self._recorder = store, outbox, recorder
        self._folders, self._clock, self._hint = folders, clock, hint

    async def reconcile(self, stored: Stored) -> int:
        """What nobody announced: after a crash, a restore, or when somebody wrote into the data directory. Answers how many."""
        folder = await self._folders.opened(stored)
        async with self._folders.turn(stored.id), exclusively(folder.lock, seconds=_WAIT_SECONDS):
            if not is_held(folder.packing):
                clear_stale_locks(folder.path)
            await point_head(folder, stored)
            return await self.announce(stored, folder)

    async def announce(self, stored: Stored, folder: Folder) -> int:
        """Under the repository's lock: everything on disk that differs from what was announced."""
        found = await history.branches(folder.path, "refs/")
        refs = {name: oid for name, oid in found.items() if is_ref_name(name)}
        async with self._store.database.transaction(stored.account, read_only=True) as tx:
            announced = await self._store.heads(tx, stored.id)
        told = {update.ref: await self._told(folder, update) for update in differences(announced, refs)}
        present, count = await self._store.database.run(
            stored.account, lambda tx: self._commit(tx, stored, refs, told)
        )
        if present.default_branch != stored.default_branch:
            await point_head(folder, present)
        if count:
            self._hint(path_of(present))
        return count

    async def _commit(
        self, tx: Transaction, stored: Stored, refs: Mapping[str, str], told: Mapping[str, _Told]
    ) -> tuple[Stored, int]:
        present = await self._store.of_id(tx, stored.account, stored.id, locked=True)
        if present is None:
            return stored, 0  # removed meanwhile; nobody is to hear of it any more
        intents = await self._store.intents(tx, stored.id)
        announced = await self._store.heads(tx, stored.id)
        updates = differences(announced, refs)
        if (branch := first_branch(present.default_branch, announced, refs)) is not None:
            present = msgspec.structs.replace(present, default_branch=branch)
            await self._store.change(tx, present)
        events = [_event(present, update, told[update.ref], _by(update, intents)) for update in updates]
        await self._outbox.publish(tx, *events)
        for update in updates:
            await self._record(tx, present, update, _by(update, intents))
        if updates:
            await self._store.moved(tx, present, updates, self._clock())
        await self._store.settle(tx, stored.id)
        return present, len(updates)

    async def _record(self, tx: Transaction, stored: Stored, update: Update, by: Intent | None) -> None:
        call = by.call if by is not None else service_call("git_server", stored.account)
        token = current.set(InProgress("push"))
        try:
            change = Change(
                "repository", stored.id, stored.name,
                before={"ref": update.ref, "commit": _plain(update.before)},
                after={"ref": update.ref, "commit": _plain(update.after)},
            )  # fmt: skip
            await self._recorder.record(tx, call, change)
        finally:
            current.reset(token)

    async def _told(self, folder: Folder, update: Update) -> _Told:
        """A summary of what is new. What git cannot tell (a tag of something else than a commit) stays empty."""
        if update.deletes:
            return _Told()
        try:
            kind = (await run("cat-file", "-t", update.after, repository=folder.path)).strip()
            if kind == b"tag":
                return _Told()
            before = "" if update.creates else update.before
            found = await history.commits(folder.path, include=update.after, exclude=before, limit=_SHOWN)
            count = (
                len(found) if len(found) < _SHOWN else await history.count(folder.path, update.after, before)
            )
            forced = update.moves and not await history.is_ancestor(folder.path, update.before, update.after)
        except GitFailed as error:
            log.info("push.untold", repository=folder.path.name, ref=update.ref, reason=error.told)
            return _Told()
        return _Told([summary(one) for one in found], count, forced)


class _Told:
    def __init__(
        self, commits: list[CommitSummary] | None = None, count: int = 0, forced: bool = False
    ) -> None:
        self.commits, self.count, self.forced = commits or [], count, forced


def differences(announced: Mapping[str, str], refs: Mapping[str, str]) -> list[Update]:
    """What happened to each ref since it was announced, in a stable order: made and moved ones before removed ones."""
    moved = [
        Update(ref, announced.get(ref, NO_COMMIT), oid)
        for ref, oid in refs.items()
        if announced.get(ref) != oid
    ]
    gone = [Update(ref, oid, NO_COMMIT) for ref, oid in announced.items() if ref not in refs]
    return sorted(moved, key=lambda one: one.ref) + sorted(gone, key=lambda one: one.ref)


def first_branch(default: str, announced: Mapping[str, str], refs: Mapping[str, str]) -> str | None:
    """What the default branch becomes when the first push does not have it: nobody who clones is to find nothing."""
    branches = sorted(ref for ref in refs if ref.startswith(BRANCHES))
    if not branches or f"{BRANCHES}{default}" in refs or any(ref.startswith(BRANCHES) for ref in announced):
        return None
    return branches[0].removeprefix(BRANCHES)


async def point_head(folder: Folder, stored: Stored) -> None:
    await run("symbolic-ref", "HEAD", f"{BRANCHES}{stored.default_branch}", repository=folder.path)


def summary(commit: history.Commit) -> CommitSummary:
    return CommitSummary(
        commit.oid, commit.subject[:200], commit.author.name, commit.author.email, commit.author.date
    )


def _by(update: Update, intents: Sequence[Intent]) -> Intent | None:
    """The last one that wanted exactly this outcome."""
    wanting = [one for one in intents if (one.update.ref, one.update.after) == (update.ref, update.after)]
    return wanting[-1] if wanting else None


def _event(stored: Stored, update: Update, told: _Told, by: Intent | None) -> Event:
    who = by.call.principal if by is not None else None
    body = Pushed(
        repository=stored.id,
        name=stored.name,
        path=path_of(stored),
        ref=update.ref,
        before=_plain(update.before),
        after=_plain(update.after),
        default_branch=update.ref == f"{BRANCHES}{stored.default_branch}",
        forced=told.forced,
        commits=told.commits,
        count=told.count,
        pusher=None if who is None else Pusher(who.kind, who.id, who.name),
    )
    return event(PUSHED, account=stored.account, key=stored.id, body=body)


def path_of(stored: Stored) -> str:
    """Below the platform's URL."""
    return f"/git/{stored.account}/{stored.name}.git"


def _plain(oid: str) -> str:
    return "" if oid == NO_COMMIT else oid


def pusher_call(call: Call) -> Call:
    """As it is kept with an intent: who it was, without what it could be repeated with."""
    return Call(call.principal, call.request_id, call.deadline, call.service, call.remote, call.user_agent)
