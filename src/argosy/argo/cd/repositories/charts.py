"""Charts of repositories and registries: the version that is meant, and the chart, unpacked once into a folder of the engine.

What is there is looked up again after a while, and at once for a refresh; an archive is fetched once, because what was published under a
version stays, and kept until nobody has asked for it for some weeks.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from argosy.argo.cd.repositories import versions
from argosy.argo.cd.repositories.archives import unpack
from argosy.argo.cd.repositories.credentials import Credentials, Repository, shown
from argosy.argo.cd.repositories.fetching import Fetcher, FetchFailed
from argosy.argo.cd.repositories.indexes import Indexes
from argosy.argo.cd.repositories.registries import Content, Registry

_BELIEVED = 180.0
_LARGEST = 64 * 1024 * 1024
_KEPT_SECONDS = 30 * 24 * 3600
_REGISTRY = "oci://"
_DAY = 24 * 3600


@dataclass(frozen=True, slots=True)
class Wanted:
    """A chart as an application or another chart names it. `passes_credentials`: also to where the index says that archives are."""

    url: str
    project: str
    name: str
    revision: str
    passes_credentials: bool = False


@dataclass(frozen=True, slots=True)
class _Tagged:
    at: float
    version: str
    content: Content


class Charts:
    def __init__(self, folder: Path, credentials: Credentials, fetcher: Fetcher, indexes: Indexes) -> None:
        self._folder, self._credentials, self._fetcher = folder, credentials, fetcher
        self._indexes = indexes
        self._tagged: dict[Wanted, _Tagged] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    async def chart(self, wanted: Wanted, *, fresh: bool = False) -> tuple[Path, str]:
        """The folder of the unpacked chart, and its version; of something in a registry that no chart is named of, the digest. Raises
        `FetchFailed`."""
        archive, version = await self._archive(wanted, fresh=fresh)
        return await self._unpacked(archive), version

    async def archive(self, wanted: Wanted) -> Path:
        """Packed, as a chart that needs it wants it."""
        return (await self._archive(wanted, fresh=False))[0]

    async def answers(self, repository: Repository) -> None:
        """Raises `FetchFailed` when there is no index now."""
        await self._indexes.fetched(repository, repository.url, fresh=True)

    def resolved(self, url: str) -> str:
        """`@name` and `alias:name` are how charts name repositories that others know. Raises `FetchFailed`."""
        if not url.startswith(("@", "alias:")):
            return url
        named = self._credentials.named(url.removeprefix("@").removeprefix("alias:"))
        if named is None:
            raise FetchFailed(f"no repository is called {url}; add one with that name")
        return named.url if not named.is_registry else f"{_REGISTRY}{named.url.removeprefix(_REGISTRY)}"

    async def tidy(self) -> None:
        """Drops what nobody has asked for in a long time."""
        await asyncio.to_thread(_tidy, self._folder)

    async def _archive(self, wanted: Wanted, *, fresh: bool) -> tuple[Path, str]:
        repository = self._credentials.find(wanted.url, wanted.project)
        if repository.is_registry or wanted.url.startswith(_REGISTRY):
            return await self._pulled(repository, wanted, fresh=fresh)
        return await self._downloaded(repository, wanted, fresh=fresh)

    async def _downloaded(self, repository: Repository, wanted: Wanted, *, fresh: bool) -> tuple[Path, str]:
        url, name = wanted.url, wanted.name
        known = {one.version: one for one in await self._indexes.releases(repository, url, name, fresh=fresh)}
        if not known:
            raise FetchFailed(f"chart '{name}' not found in index of {shown(url)}")
        version = (
            wanted.revision if wanted.revision in known else versions.newest(wanted.revision or "*", known)
        )
        if not version:
            newest = versions.newest(">=0.0.0-0", known) or "none that can be read"
            raise FetchFailed(
                f"chart {name!r} of {shown(url)} has no version {wanted.revision!r}; the newest is {newest}"
            )
        release = known[version]
        archive = self._place(f"{shown(url)}|{repository.secret}|{name}|{version}|{release.digest}")
        async with self._lock(archive):
            if not await _is_there(archive):
                target = urljoin(f"{url.rstrip('/')}/", release.url)
                near = urlsplit(target)[:2] == urlsplit(url)[:2] or wanted.passes_credentials
                asks = repository if near else Repository(target)
                data = await self._fetcher.get(target, asks, limit=_LARGEST)
                await asyncio.to_thread(_write, archive, data, release.digest)
        return archive, version

    async def _pulled(self, repository: Repository, wanted: Wanted, *, fresh: bool) -> tuple[Path, str]:
        base = wanted.url.removeprefix(_REGISTRY).rstrip("/")
        named = wanted.name and not base.endswith(f"/{wanted.name}")
        registry = Registry(self._fetcher, repository, f"{base}/{wanted.name}" if named else base)
        tagged = await self._tag(registry, wanted, fresh=fresh)
        archive = self._place(f"{registry.reference}|{repository.secret}|{tagged.content.layer}")
        async with self._lock(archive):
            if not await _is_there(archive):
                data = await registry.layer(tagged.content.layer, limit=_LARGEST)
                await asyncio.to_thread(_write, archive, data, "")
        return archive, tagged.version if wanted.name else tagged.content.manifest

    async def _tag(self, registry: Registry, wanted: Wanted, *, fresh: bool) -> _Tagged:
        """A tag may be moved, so its content is looked up again like the newest in a range."""
        now = asyncio.get_running_loop().time()
        known = self._tagged.get(wanted)
        if known is not None and not fresh and now - known.at < _BELIEVED:
            return known
        version = wanted.revision
        if versions.is_range(version) or not version:
            among = [tag.replace("_", "+") for tag in await registry.tags()]
            version = versions.newest(version or "*", among)
            if not version:
                raise FetchFailed(f"{registry.reference} has no tag in {wanted.revision or '*'!r}")
        content = await registry.content(version.replace("+", "_"))
        self._tagged[wanted] = found = _Tagged(now, version, content)
        return found

    async def _unpacked(self, archive: Path) -> Path:
        folder = archive.with_suffix("")
        async with self._lock(folder):
            if not folder.exists():
                await asyncio.to_thread(_unpack, archive, folder)
        return folder

    def _lock(self, path: Path) -> asyncio.Lock:
        return self._locks.setdefault(path.name, asyncio.Lock())

    def _place(self, key: str) -> Path:
        return self._folder / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.tgz"


async def _is_there(archive: Path) -> bool:
    return await asyncio.to_thread(_touched, archive)


def _touched(archive: Path) -> bool:
    """Its time of change tells when it was used last, to a day."""
    with contextlib.suppress(OSError):
        if time.time() - archive.stat().st_mtime > _DAY:
            os.utime(archive)
        return True
    return False


def _write(archive: Path, data: bytes, digest: str) -> None:
    if digest and hashlib.sha256(data).hexdigest() != digest.removeprefix("sha256:"):
        raise FetchFailed("the chart that was fetched is not the one whose digest is in the index")
    archive.parent.mkdir(parents=True, exist_ok=True)
    part = archive.with_suffix(".part")
    part.write_bytes(data)
    part.rename(archive)


def _unpack(archive: Path, folder: Path) -> None:
    """A chart's archive has one folder with everything in it; other content of registries is taken as it is."""
    part = folder.with_suffix(".unpacking")
    shutil.rmtree(part, ignore_errors=True)
    try:
        unpack(archive, part)
        inner = [one for one in part.iterdir() if (one / "Chart.yaml").is_file()]
        (inner[0] if len(inner) == 1 else part).rename(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _tidy(folder: Path) -> None:
    for archive in folder.glob("*.tgz") if folder.is_dir() else ():
        if time.time() - archive.stat().st_mtime > _KEPT_SECONDS:
            shutil.rmtree(archive.with_suffix(""), ignore_errors=True)
            archive.unlink(missing_ok=True)
