"""A bare copy of a repository elsewhere: made once, brought up to date by the ref or as a whole, made anew when its disk betrays it.

One process writes a mirror (the engine, promotions), any number of workers read it. Writers take turns by a lock on a file beside it, which
the Git they start keeps as well: a fetch that survived our own `kill -9` is waited for, not raced. Several callers that want the same ref
before its fetch has begun share that one.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path

from argosy.kit.git import names
from argosy.kit.git.failing import Failure, GitFailed
from argosy.kit.git.locking import exclusively, is_held
from argosy.kit.git.refs import Refs, parse
from argosy.kit.git.remotes import Remote
from argosy.kit.git.running import MEGABYTE, Manner, Told, run
from argosy.kit.git.sharing import Shared

_EVERYTHING = ("--prune", "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
_ONE_FILE = {"fetch.unpackLimit": "1"}
"""What is received becomes one pack, so that a limit on files is one on the whole."""

_REFS_LIMIT = 64 * MEGABYTE


class Mirror:
    def __init__(
        self, path: Path, remote: Remote, *, seconds: float = 600, limit: int = 4096 * MEGABYTE
    ) -> None:
        """`limit`: what one fetch may receive."""
        self.path = path
        self.remote = remote
        self._seconds = seconds
        self._limit = limit
        self._lock = path.with_name(f"{path.name}.lock")
        self._collecting = path.with_name(f"{path.name}.collecting.lock")
        self._orderly = False  # until a whole write has been seen, a killed one may have left its locks
        self._asking = Shared[Refs]()
        self._writes = Shared[None]()
        self._housekeeping = Shared[None]()

    async def refs(self, *, seconds: float = 30) -> Refs:
        """What the repository has now, asked there."""
        return await self._asking.do("refs", lambda: remote_refs(self.remote, seconds=seconds))

    async def fetch(self, *refs: str, depth: int = 0, told: Told | None = None) -> None:
        """Full refs (`refs/heads/main`) or hashes; none means all branches and tags, and those that are gone go here too."""
        words = tuple(_refspec(ref) for ref in refs) or _EVERYTHING
        if depth:
            words = (f"--depth={depth:d}", *words)
        await self._writes.do(words, lambda: self._fetch(words, told))

    async def ensure(self, commit: str, *, ref: str = "", depth: int = 0) -> None:
        """Have this commit here, with as little traffic as its server allows. `ref`: where it was seen."""
        if await self.has(commit):
            return
        ways: list[Callable[[], Awaitable[None]]] = [lambda: self.fetch(commit, depth=depth), self.fetch]
        if ref:
            ways.insert(0, lambda: self.fetch(ref, depth=depth))
        for way in ways:
            try:
                await way()
            except GitFailed as error:
                if error.code != Failure.UNKNOWN_REVISION:
                    raise
            if await self.has(commit):
                return
        raise _unknown(commit, self.remote.address.shown)

    async def has(self, commit: str) -> bool:
        return await _first_commit(self.path, [names.oid(commit)]) is not None

    async def resolve(self, revision: str) -> str:
        """The commit of a branch, tag, full ref, hash or beginning of a hash, as this copy knows them."""
        return await resolved(self.path, revision, self.remote.address.shown)

    async def repair(self) -> None:
        """Throw the copy away and fetch everything. Readers keep what they have open; they open the new one next."""
        await self._writes.do("repair", self._repair)

    async def collect(self) -> None:
        """Pack what is loose and drop what nothing names since two weeks: in quiet times, gently."""
        await self._housekeeping.do("collect", self._collect)

    async def size(self) -> int:
        """Bytes on disk."""
        return await asyncio.to_thread(size_on_disk, self.path)

    async def remove(self) -> None:
        await self._writes.do("remove", self._remove)

    async def _fetch(self, words: Sequence[str], told: Told | None) -> None:
        async with self._writing() as lock:
            try:
                await self._receive(words, told, lock)
            except GitFailed as error:
                if error.code != Failure.DAMAGED:
                    raise
                await self._renew()
                await self._receive(words, told, lock)

    async def _repair(self) -> None:
        async with self._writing() as lock:
            await self._renew()
            await self._receive(_EVERYTHING, None, lock)

    async def _collect(self) -> None:
        async with exclusively(self._collecting, seconds=self._seconds) as lock:
            words = ("gc", "--quiet", "--prune=2.weeks.ago")
            await run(*words, repository=self.path, seconds=3600, manner=Manner(gently=True, holding=(lock,)))

    async def _remove(self) -> None:
        async with exclusively(self._lock, seconds=self._seconds):
            await asyncio.to_thread(shutil.rmtree, self.path, ignore_errors=True)

    async def _receive(self, words: Sequence[str], told: Told | None, lock: int) -> None:
        options = [word for word in words if word.startswith("--")]
        refspecs = [word for word in words if not word.startswith("--")]
        arguments = [
            "fetch", "--progress", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--force",
            *options, "--", self.remote.address.url, *refspecs,
        ]  # fmt: skip
        await run(
            *arguments,
            repository=self.path,
            remote=self.remote,
            seconds=self._seconds,
            told=told,
            settings=_ONE_FILE,
            manner=Manner(holding=(lock,), largest_file=self._limit),
        )
        if words == _EVERYTHING:
            await self._point_head()

    async def _point_head(self) -> None:
        head = (await self.refs()).head
        if names.is_ref_name(head):
            await run("symbolic-ref", "HEAD", head, repository=self.path)

    @contextlib.asynccontextmanager
    async def _writing(self) -> AsyncIterator[int]:
        async with exclusively(self._lock, seconds=self._seconds) as lock:
            if not (self.path / "HEAD").is_file():
                await self._renew()
            if not self._orderly and not is_held(self._collecting):
                clear_stale_locks(self.path)
            self._orderly = False
            yield lock
            self._orderly = True

    async def _renew(self) -> None:
        fresh = self.path.with_name(f"{self.path.name}.new")
        old = self.path.with_name(f"{self.path.name}.old")
        for folder in (fresh, old):
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        await create(fresh)
        if self.path.exists():
            self.path.rename(old)
        fresh.rename(self.path)
        await asyncio.to_thread(shutil.rmtree, old, ignore_errors=True)


async def create(path: Path, *, branch: str = "main") -> None:
    """An empty bare repository without hooks, that only this user may read."""
    path.mkdir(mode=0o700, parents=True)
    words = ["init", "--quiet", "--bare", "--template=", f"--initial-branch={names.ref_name(branch)}"]
    await run(*words, "--", str(path))


async def resolved(path: Path, revision: str, where: str) -> str:
    """The commit that a revision names in a repository of ours; `where` is what that is called."""
    found = await _first_commit(path, _candidates(revision))
    if found is None:
        raise _unknown(revision, where)
    return found


async def remote_refs(remote: Remote, *, seconds: float = 30) -> Refs:
    words = ["ls-remote", "--symref", "--quiet", "--", remote.address.url]
    return parse(
        (await run(*words, remote=remote, seconds=seconds, limit=_REFS_LIMIT)).decode(
            "utf-8", "surrogateescape"
        )
    )


def size_on_disk(path: Path) -> int:
    total = 0
    for folder, _, files in os.walk(path):
        for name in files:
            with contextlib.suppress(OSError):  # a temporary file may be gone by now
                total += (Path(folder) / name).lstat().st_size
    return total


def clear_stale_locks(path: Path) -> None:
    """What a killed Git left. Only while holding the lock: then no other Git writes here."""
    top = path.glob("*.lock")
    for lock in [*top, *(path / "refs").rglob("*.lock"), *(path / "objects" / "pack").glob("tmp_*")]:
        lock.unlink(missing_ok=True)


async def _first_commit(path: Path, candidates: Sequence[str]) -> str | None:
    if not (path / "HEAD").is_file():
        return None
    asked = "".join(f"{name}^{{commit}}\n" for name in candidates).encode("utf-8", "surrogateescape")
    output = await run("cat-file", "--batch-check", repository=path, stdin=asked)
    for line in output.decode("utf-8", "surrogateescape").splitlines():
        words = line.split()
        if len(words) == 3 and words[1] == "commit":
            return words[0]
    return None


def _candidates(revision: str) -> list[str]:
    if revision in {"", "HEAD"}:
        return ["HEAD"]
    if names.is_oid(revision):
        return [revision]
    name = names.ref_name(revision)
    found = [name] if name.startswith("refs/") else []
    found += [f"refs/heads/{name}", f"refs/tags/{name}", f"refs/{name}"]
    return [*found, name] if names.is_abbreviated(name) else found


def _refspec(ref: str) -> str:
    if names.is_oid(ref):
        return f"+{ref}:refs/argosy/{ref}"  # a name of ours, so that housekeeping keeps it
    name = names.full_ref(ref)
    return f"+{name}:{name}"


def _unknown(revision: str, where: str) -> GitFailed:
    return GitFailed(
        f"{where} has no branch, tag or commit {revision[:80]!r}",
        code=Failure.UNKNOWN_REVISION,
        cure="check the revision; after a force push its commits may be gone",
    )
