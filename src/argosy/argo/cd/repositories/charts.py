"""Chart repositories: their index, the version that is meant, and the chart, unpacked once into a folder of the engine.

An index is asked for again after a while, and at once for a refresh; a chart of a version is fetched once, because what was published under a
version stays.
"""

from __future__ import annotations

import asyncio
import hashlib
import shutil
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from argosy.argo.cd.repositories import registries, versions
from argosy.argo.cd.repositories.archives import unpack
from argosy.argo.cd.repositories.credentials import Credentials, Repository
from argosy.argo.cd.repositories.fetching import Fetcher, FetchFailed
from argosy.kit import yaml_documents
from argosy.kit.errors import BadRequest
from argosy.manifests.documents import Rules

_BELIEVED = 180.0
_INDEX_LIMIT, _CHART_LIMIT = 128 * 1024 * 1024, 64 * 1024 * 1024


@dataclass(slots=True)
class _Index:
    """Of every chart its versions, and where each is."""

    charts: dict[str, dict[str, str]]
    at: float


class Charts:
    def __init__(self, folder: Path, credentials: Credentials, fetcher: Fetcher) -> None:
        self._folder, self._credentials, self._fetcher = folder, credentials, fetcher
        self._indexes: dict[str, _Index] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    async def chart(
        self, url: str, project: str, name: str, revision: str, *, fresh: bool = False
    ) -> tuple[Path, str]:
        """The folder of the unpacked chart, and its version. Raises `FetchFailed`."""
        repository = self._credentials.find(url, project)
        if repository.is_registry or url.startswith("oci://"):
            archive, version = await self._pulled(repository, url, name, revision, fresh=fresh)
        else:
            archive, version = await self._downloaded(repository, url, name, revision, fresh=fresh)
        return await self._unpacked(archive), version

    async def answers(self, repository: Repository) -> None:
        """Raises `FetchFailed` when there is no index now."""
        await self._index(repository, repository.url, fresh=True)

    async def archive(self, url: str, project: str, name: str, revision: str) -> Path:
        """Packed, as a chart that needs it wants it."""
        repository = self._credentials.find(url, project)
        if url.startswith(("@", "alias:")):
            named = self._credentials.named(url.removeprefix("@").removeprefix("alias:"))
            if named is None:
                raise FetchFailed(f"no repository is called {url}; add one with that name")
            repository, url = named, named.url
        if repository.is_registry or url.startswith("oci://"):
            return (await self._pulled(repository, url, name, revision, fresh=False))[0]
        return (await self._downloaded(repository, url, name, revision, fresh=False))[0]

    async def _downloaded(
        self, repository: Repository, url: str, name: str, revision: str, *, fresh: bool
    ) -> tuple[Path, str]:
        known = (await self._index(repository, url, fresh=fresh)).charts.get(name)
        if known is None:
            raise FetchFailed(f"chart {name!r} is not in the index of {url}")
        version = _chosen(revision, known)
        if not version:
            raise FetchFailed(
                f"chart {name!r} of {url} has no version {revision!r}; the newest is {_newest(known)}"
            )
        archive = self._place(url, name, version)
        if not archive.exists():
            await self._download(repository, url, known[version], archive)
        return archive, version

    async def _download(self, repository: Repository, base: str, place: str, archive: Path) -> None:
        target = urljoin(f"{base.rstrip('/')}/", place)
        same_host = urlsplit(target).netloc == urlsplit(base).netloc
        data = await self._fetcher.get(
            target, repository if same_host else Repository(target), limit=_CHART_LIMIT
        )
        await asyncio.to_thread(_write, archive, data)

    async def _pulled(
        self, repository: Repository, url: str, name: str, revision: str, *, fresh: bool
    ) -> tuple[Path, str]:
        base = url.removeprefix("oci://").rstrip("/")
        reference = f"{base}/{name}" if name and not base.endswith(f"/{name}") else base
        version = revision
        if versions.is_range(revision) or not revision:
            tags = await registries.tags(self._fetcher, repository, reference)
            version = versions.newest(revision or ">=0.0.0-0", [tag.replace("_", "+") for tag in tags])
            if not version:
                raise FetchFailed(f"{reference} has no tag in {revision!r}")
        archive = self._place(reference, "", version)
        if fresh or not archive.exists():
            data = await registries.chart(self._fetcher, repository, reference, version, limit=_CHART_LIMIT)
            await asyncio.to_thread(_write, archive, data)
        return archive, version

    async def _index(self, repository: Repository, url: str, *, fresh: bool) -> _Index:
        loop = asyncio.get_running_loop()
        began = loop.time()
        async with self._locks.setdefault(url, asyncio.Lock()):
            known = self._indexes.get(url)
            if known is not None and (
                known.at >= began or (not fresh and loop.time() - known.at < _BELIEVED)
            ):
                return known
            data = await self._fetcher.get(f"{url.rstrip('/')}/index.yaml", repository, limit=_INDEX_LIMIT)
            charts = await asyncio.to_thread(_read_index, data, url)
            self._indexes[url] = found = _Index(charts, loop.time())
            return found

    async def _unpacked(self, archive: Path) -> Path:
        folder = archive.with_suffix("")
        async with self._locks.setdefault(str(folder), asyncio.Lock()):
            if not folder.exists():
                await asyncio.to_thread(_unpack, archive, folder)
        return folder

    def _place(self, url: str, name: str, version: str) -> Path:
        key = hashlib.sha256(f"{url}|{name}|{version}".encode()).hexdigest()[:32]
        return self._folder / f"{key}.tgz"


def _chosen(revision: str, known: dict[str, str]) -> str:
    if revision in known:
        return revision
    return versions.newest(revision or "*", known)


def _newest(known: dict[str, str]) -> str:
    return versions.newest(">=0.0.0-0", known) or "none that can be read"


def _read_index(data: bytes, url: str) -> dict[str, dict[str, str]]:
    try:
        documents = yaml_documents.documents(data, Rules(), what=f"{url}/index.yaml")
    except BadRequest as error:
        raise FetchFailed(f"{url} is no chart repository: {error.message}") from error
    entries = documents[0].get("entries") if documents and isinstance(documents[0], dict) else None
    if not isinstance(entries, dict):
        raise FetchFailed(f"{url} is no chart repository: its index.yaml has no entries")
    return {str(name): dict(_places(found)) for name, found in entries.items() if isinstance(found, list)}


def _places(found: list[object]) -> list[tuple[str, str]]:
    places: list[tuple[str, str]] = []
    for one in found:
        urls = one.get("urls") if isinstance(one, dict) else None
        if isinstance(one, dict) and isinstance(urls, list) and urls:
            places.append((str(one.get("version", "")), str(urls[0])))
    return places


def _write(archive: Path, data: bytes) -> None:
    archive.parent.mkdir(parents=True, exist_ok=True)
    part = archive.with_suffix(".part")
    part.write_bytes(data)
    part.rename(archive)


def _unpack(archive: Path, folder: Path) -> None:
    """A chart's archive has one folder with everything in it."""
    part = folder.with_suffix(".unpacking")
    shutil.rmtree(part, ignore_errors=True)
    unpack(archive, part)
    inner = [one for one in part.iterdir() if one.is_dir()]
    if len(inner) != 1 or not (inner[0] / "Chart.yaml").is_file():
        shutil.rmtree(part, ignore_errors=True)
        raise FetchFailed("the archive is no chart: it does not have one folder with a Chart.yaml")
    inner[0].rename(folder)
    shutil.rmtree(part, ignore_errors=True)
