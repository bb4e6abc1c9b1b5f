"""Git repositories as applications use them: a mirror for each, revisions looked up there, commits fetched once.

What the refs are is believed for a while, longer the longer nothing has happened (`polling`); whoever can, announces pushes (`announced`).
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from argosy.argo.cd.repositories import revisions
from argosy.argo.cd.repositories.credentials import Credentials, normalised, shown
from argosy.argo.cd.repositories.polling import Pace
from argosy.kit.git.failing import Failure, GitFailed
from argosy.kit.git.mirror import Mirror
from argosy.kit.git.refs import Refs
from argosy.kit.log import get_logger

log = get_logger(__name__)
_FORGOTTEN = 900.0
"""Seconds without anybody asking: then a repository is not polled any more."""
_AT_ONCE = 4
_TIDIED_EVERY = 24 * 3600.0
_COMMITS_KEPT = 4096
OnChange = Callable[[str], None]


@dataclass(slots=True)
class _Known:
    """`here`: commits that were seen in the mirror. `failed`: why the last look did not succeed."""

    url: str
    project: str
    mirror: Mirror
    pace: Pace
    refs: Refs | None = None
    failed: GitFailed | None = None
    used_at: float = 0.0
    tidied_at: float = 0.0
    here: set[str] = field(default_factory=set)
    abbreviated: dict[str, str] = field(default_factory=dict)
    looking: asyncio.Lock = field(default_factory=asyncio.Lock)
    fetching: asyncio.Lock = field(default_factory=asyncio.Lock)


class GitRepositories:
    """`announcing`: whether a URL's pushes are announced (the built-in Git server's are)."""

    def __init__(
        self,
        folder: Path,
        credentials: Credentials,
        on_change: OnChange,
        *,
        announcing: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._folder, self._credentials, self._on_change = folder, credentials, on_change
        self._announcing = announcing
        self._known: dict[tuple[str, str], _Known] = {}
        self._asked: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._due = asyncio.Event()

    async def commit(
        self, url: str, project: str, revision: str, *, tag_prefix: str = "", fresh: bool = False
    ) -> tuple[Path, str]:
        """The bare repository that has it, and the commit. Raises `GitFailed`."""
        known = self._find(url, project)
        known.used_at = _now()
        commit = await self._resolve(known, revision, tag_prefix, fresh=fresh)
        await self._have(known, commit)
        return known.mirror.path, commit

    async def answers(self, url: str, project: str) -> None:
        """Raises `GitFailed` when the repository cannot be reached now."""
        await self._refs(self._find(url, project), fresh=True)

    async def repair(self, url: str, project: str) -> None:
        """The mirror betrayed a reader."""
        known = self._find(url, project)
        known.here.clear()
        await known.mirror.repair()

    def announced(self, url: str) -> None:
        """Something was pushed: what was known of it is no longer believed."""
        for known in self._of(url):
            known.pace.announced(_now())
            known.failed = None
            self._due.set()
        self._on_change(url)

    def pushed_below(self, path: str) -> None:
        """To the repository with this path, by whatever name its server is called."""
        wanted = normalised(path)
        for url in {known.url for known in self._known.values()}:
            if normalised(url).endswith(wanted):
                self.announced(url)

    def forget(self) -> None:
        """Credentials changed: mirrors keep what they have, but everything is asked anew, and as somebody else."""
        urls = {known.url for known in self._known.values()}
        self._known.clear()
        for url in urls:
            self._on_change(url)

    def next_check(self, url: str) -> datetime | None:
        """When it is asked again whether anything was pushed; None: it tells us, or nobody uses it."""
        due = [known.pace.due for known in self._of(url) if known.pace.due]
        return datetime.now(UTC) + timedelta(seconds=min(due) - _now()) if due else None

    async def poll(self) -> None:
        """For ever: asks those that cannot tell, a few at once, so that a dead one does not hold up the others."""
        places = asyncio.Semaphore(_AT_ONCE)
        try:
            while True:
                now = _now()
                for key, known in self._known.items():
                    if self._is_due(known, now) and key not in self._asked:
                        task = asyncio.create_task(self._check(known, places))
                        self._asked[key] = task
                        task.add_done_callback(partial(self._ended, key))
                await self._until_next(now)
        finally:
            for task in self._asked.values():
                task.cancel()

    def _ended(self, key: tuple[str, str], task: asyncio.Task[None]) -> None:
        self._asked.pop(key, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("repository.not_checked", url=shown(key[0]), exc_info=error)

    async def _until_next(self, now: float) -> None:
        upcoming = [one.pace.due for one in self._known.values() if one.pace.due > now]
        self._due.clear()
        try:
            async with asyncio.timeout_at(min(upcoming, default=None)):
                await self._due.wait()
        except TimeoutError:
            return

    async def _resolve(self, known: _Known, revision: str, tag_prefix: str, *, fresh: bool) -> str:
        if (commit := revisions.commit(revision)) is not None:
            return commit
        refs = await self._refs(known, fresh=fresh)
        if (found := revisions.find(refs, revision, tag_prefix)) is not None:
            return found
        if (beginning := revisions.abbreviated(revision)) is not None:
            return await self._complete(known, beginning)
        where = known.mirror.remote.address.shown
        raise GitFailed(
            f"unable to resolve '{revision}' to a commit SHA: {where} has no such branch or tag"
            + (", and no tag that fits" if revisions.is_range(revision) else ""),
            code=Failure.UNKNOWN_REVISION,
            cure="check targetRevision; was the branch deleted?",
        )

    async def _complete(self, known: _Known, beginning: str) -> str:
        """A hash that is only begun can be anywhere in the history, so all of it is fetched."""
        if beginning not in known.abbreviated:
            await known.mirror.fetch()
            known.abbreviated[beginning] = await known.mirror.resolve(beginning)
        return known.abbreviated[beginning]

    async def _have(self, known: _Known, commit: str) -> None:
        async with known.fetching:
            if commit in known.here:
                return
            await known.mirror.ensure(commit, ref=revisions.ref_of(known.refs, commit))
            if len(known.here) >= _COMMITS_KEPT:
                known.here.clear()
            known.here.add(commit)

    async def _refs(self, known: _Known, *, fresh: bool) -> Refs:
        """Asked once for all who want to know at the same time. A failure is believed as long as an answer."""
        began = _now()
        async with known.looking:
            if known.pace.believes(_now(), since=began if fresh else None):
                if known.failed is not None:
                    raise known.failed
                if known.refs is not None:
                    return known.refs
            asked_at = _now()
            try:
                refs = await known.mirror.refs()
            except GitFailed as error:
                known.failed = error
                known.pace.looked(asked_at, _now(), changed=False)
                self._due.set()
                raise
            changed = known.refs is not None and refs.commits != known.refs.commits
            known.refs, known.failed = refs, None
            known.pace.looked(asked_at, _now(), changed=changed)
            self._due.set()
            return refs

    async def _check(self, known: _Known, places: asyncio.Semaphore) -> None:
        async with places:
            before = known.refs
            try:
                refs = await self._refs(known, fresh=True)
            except GitFailed as error:
                log.info("repository.not_reached", url=known.mirror.remote.address.shown, error=error.message)
                return
            if before is not None and refs.commits != before.commits:
                self._on_change(known.url)
            elif _now() - known.tidied_at > _TIDIED_EVERY:
                await self._tidy(known)

    async def _tidy(self, known: _Known) -> None:
        first, known.tidied_at = not known.tidied_at, _now()
        try:
            if not first:
                await known.mirror.collect()
        except GitFailed as error:
            log.info("repository.not_tidied", url=known.mirror.remote.address.shown, error=error.message)

    @staticmethod
    def _is_due(known: _Known, now: float) -> bool:
        return 0.0 < known.pace.due <= now and now - known.used_at < _FORGOTTEN

    def _of(self, url: str) -> list[_Known]:
        wanted = normalised(url)
        return [known for (address, _), known in self._known.items() if address == wanted]

    def _find(self, url: str, project: str) -> _Known:
        key = (normalised(url), project)
        if key not in self._known:
            self._known[key] = self._made(url, project)
        return self._known[key]

    def _made(self, url: str, project: str) -> _Known:
        repository = self._credentials.find(url, project)
        remote = self._credentials.remote(repository)
        name = hashlib.sha256(f"{normalised(url)}|{repository.secret}".encode()).hexdigest()[:32]
        mirror = Mirror(self._folder / f"{name}.git", remote)
        return _Known(url, project, mirror, Pace(announces=self._announcing(url)))


def _now() -> float:
    return asyncio.get_running_loop().time()
