"""The indexes of chart repositories: fetched now and then, only if they have changed, and read by a worker, chart by chart."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from argosy.argo.cd.repositories.credentials import Repository, shown
from argosy.argo.cd.repositories.fetching import Fetcher, FetchFailed, Question
from argosy.manifests.indexes import Release
from argosy.manifests.jobs import Failed, Found, Look
from argosy.manifests.workers.pool import Pool, TookTooLong, WorkerDied

_BELIEVED = 180.0
_LARGEST = 128 * 1024 * 1024
_SECONDS = 60.0


@dataclass(slots=True)
class _Index:
    """`charts`: what was read out of it so far."""

    file: Path
    mark: str
    at: float
    charts: dict[str, list[Release]] = field(default_factory=dict)


class Indexes:
    def __init__(self, folder: Path, fetcher: Fetcher, pool: Pool) -> None:
        self._folder, self._fetcher, self._pool = folder, fetcher, pool
        self._known: dict[tuple[str, str], _Index] = {}
        self._locks: dict[tuple[str, str], asyncio.Lock] = {}

    async def releases(self, repository: Repository, url: str, chart: str, *, fresh: bool) -> list[Release]:
        """None of a chart that is not in the index. Raises `FetchFailed`."""
        index = await self.fetched(repository, url, fresh=fresh)
        if chart not in index.charts:
            index.charts[chart] = await self._read(index, url, chart)
        return index.charts[chart]

    async def fetched(self, repository: Repository, url: str, *, fresh: bool) -> _Index:
        loop = asyncio.get_running_loop()
        began, key = loop.time(), (url, repository.secret)
        async with self._locks.setdefault(key, asyncio.Lock()):
            known = self._known.get(key)
            if known is not None and (
                known.at >= began or (not fresh and loop.time() - known.at < _BELIEVED)
            ):
                return known
            asked = Question(
                f"{url.rstrip('/')}/index.yaml",
                _LARGEST,
                {"If-None-Match": known.mark} if known is not None and known.mark else {},
            )
            answer = await self._fetcher.ask(asked, repository)
            if known is not None and answer.status == 304:
                known.at = loop.time()
                return known
            name = hashlib.sha256(f"{url}|{repository.secret}".encode()).hexdigest()[:32]
            file = self._folder / f"{name}.yaml"
            await asyncio.to_thread(_write, file, answer.body)
            self._known[key] = found = _Index(file, answer.headers.get("ETag", ""), loop.time())
            return found

    async def _read(self, index: _Index, url: str, chart: str) -> list[Release]:
        try:
            answer = await self._pool.run(Look(str(index.file), chart), seconds=_SECONDS)
        except (TookTooLong, WorkerDied) as error:
            raise FetchFailed(f"{shown(url)} is no chart repository: reading its index: {error}") from None
        match answer:
            case Found():
                return answer.releases
            case Failed():
                raise FetchFailed(f"{shown(url)} is no chart repository: {answer.message}")
            case _:
                raise FetchFailed(f"{shown(url)}: the worker answered something else")


def _write(file: Path, data: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    part.write_bytes(data)
    part.rename(file)
