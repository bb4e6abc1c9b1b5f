"""Git repositories as applications use them: a mirror for each, revisions looked up there, and looked up again when something was pushed.

Whoever can, announces (`announced`). Repositories that cannot are asked now and then: soon after something happened, seldom when all is quiet.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from argosy.argo.cd.repositories import versions
from argosy.argo.cd.repositories.credentials import Credentials, normalised
from argosy.kit.git.failing import GitFailed
from argosy.kit.git.mirror import Mirror
from argosy.kit.git.names import is_oid
from argosy.kit.git.refs import Refs
from argosy.kit.log import get_logger

log = get_logger(__name__)
_BELIEVED = 180.0
_SOONEST, _LATEST = 10.0, 300.0
_FORGOTTEN = 900.0
"""Seconds without anybody asking: then a repository is not polled any more."""
OnChange = Callable[[str], None]


@dataclass(slots=True)
class _Known:
    """`announces`: pushes are told to us, so there is nothing to ask for."""

    url: str
    project: str
    mirror: Mirror
    refs: Refs | None = None
    asked_at: float = 0.0
    used_at: float = 0.0
    pause: float = _SOONEST
    announces: bool = False
    next_check: float = 0.0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


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
        self._due = asyncio.Event()

    async def commit(
        self, url: str, project: str, revision: str, *, tag_prefix: str = "", fresh: bool = False
    ) -> tuple[Path, str]:
        """The bare repository that has it, and the commit. Raises `GitFailed`."""
        known = self._find(url, project)
        known.used_at = _now()
        commit = await self._resolve(known, revision, tag_prefix, fresh=fresh)
        await known.mirror.ensure(commit, ref=_ref_of(known.refs, commit))
        return known.mirror.path, commit

    async def answers(self, url: str, project: str) -> None:
        """Raises `GitFailed` when the repository cannot be reached now."""
        await self._refs(self._find(url, project), fresh=True)

    def announced(self, url: str) -> None:
        """Something was pushed: what was known of it is no longer believed."""
        wanted = normalised(url)
        for known in self._known.values():
            if normalised(known.url) == wanted:
                known.asked_at = 0.0
                known.pause = _SOONEST
        self._on_change(url)

    def pushed_below(self, path: str) -> None:
        """To the repository with this path, by whatever name its server is called."""
        wanted = normalised(path)
        for url in {known.url for known in self._known.values()}:
            if normalised(url).endswith(wanted):
                self.announced(url)

    def forget(self) -> None:
        """Credentials changed: mirrors keep what they have, but ask anew and as somebody else."""
        for key, known in list(self._known.items()):
            self._known[key] = self._made(known.url, known.project)
            self._on_change(known.url)

    def next_check(self, url: str) -> datetime | None:
        """When it is asked again whether anything was pushed; None: it tells us."""
        wanted = normalised(url)
        for known in self._known.values():
            if normalised(known.url) == wanted and not known.announces and known.next_check:
                return datetime.now(UTC) + timedelta(seconds=known.next_check - _now())
        return None

    async def poll(self) -> None:
        """For ever: asks those that cannot tell."""
        while True:
            now = _now()
            for known in [one for one in self._known.values() if self._is_due(one, now)]:
                await self._check(known)
            upcoming = [one.next_check for one in self._known.values() if one.next_check > now]
            self._due.clear()
            try:
                async with asyncio.timeout(max(min(upcoming, default=now + _LATEST) - _now(), 0.1)):
                    await self._due.wait()
            except TimeoutError:
                continue

    async def _resolve(self, known: _Known, revision: str, tag_prefix: str, *, fresh: bool) -> str:
        if is_oid(revision):
            return revision
        refs = await self._refs(known, fresh=fresh)
        if versions.is_range(revision):
            tags = {name.removeprefix(tag_prefix): name for name in refs.tags if name.startswith(tag_prefix)}
            newest = versions.newest(revision, tags)
            if newest:
                return refs.tags[tags[newest]]
        found = refs.find(revision)
        if found is not None:
            return found
        await known.mirror.fetch()
        return await known.mirror.resolve(revision)

    async def _refs(self, known: _Known, *, fresh: bool) -> Refs:
        began = _now()
        async with known.lock:
            believed = known.announces or _now() - known.asked_at < _BELIEVED
            if (
                known.refs is not None
                and known.asked_at
                and believed
                and (not fresh or known.asked_at >= began)
            ):
                return known.refs
            refs = await known.mirror.refs()
            if known.refs is not None and refs.commits != known.refs.commits:
                known.pause = _SOONEST
            known.refs, known.asked_at = refs, _now()
            self._schedule(known)
            return refs

    async def _check(self, known: _Known) -> None:
        before = known.refs
        try:
            refs = await self._refs(known, fresh=True)
        except GitFailed as error:
            log.info("repository.not_reached", url=known.url, error=error.message)
            known.pause = min(known.pause * 2, _LATEST)
            self._schedule(known)
            return
        if before is not None and refs.commits != before.commits:
            self._on_change(known.url)
        else:
            known.pause = min(known.pause * 2, _LATEST)
            self._schedule(known)

    def _schedule(self, known: _Known) -> None:
        known.next_check = 0.0 if known.announces else _now() + known.pause
        self._due.set()

    @staticmethod
    def _is_due(known: _Known, now: float) -> bool:
        return 0.0 < known.next_check <= now and now - known.used_at < _FORGOTTEN

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
        return _Known(url, project, mirror, announces=self._announcing(url))


def _ref_of(refs: Refs | None, commit: str) -> str:
    if refs is None:
        return ""
    return next((name for name, one in refs.commits.items() if one == commit and name != "HEAD"), "")


def _now() -> float:
    return asyncio.get_running_loop().time()
