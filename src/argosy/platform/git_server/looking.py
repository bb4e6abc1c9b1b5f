"""Looking into a repository for the API: its commits, folders and files. What git's own words mean here stands in `_told`."""

from __future__ import annotations

from collections.abc import AsyncIterator

from argosy.contracts.git_server import (
    CommitQuery,
    Commits,
    FileChunk,
    FileQuery,
    Files,
    GitCommit,
    GitFile,
)
from argosy.kit.errors import Conflict, Invalid, NotFound, TooLarge, Unavailable
from argosy.kit.git import Failure, GitFailed, history
from argosy.kit.git.listing import folder
from argosy.kit.git.mirror import resolved
from argosy.kit.git.objects import Objects
from argosy.kit.git.reading import Entry
from argosy.kit.git.running import MEGABYTE
from argosy.platform.git_server.announcing import summary
from argosy.platform.git_server.folders import Folders
from argosy.platform.git_server.settings import GitServerSettings
from argosy.platform.git_server.store import Stored

_TEXT = "text/plain; charset=utf-8"  # whatever it is: nothing that a browser would run


class Looking:
    def __init__(self, folders: Folders, settings: GitServerSettings) -> None:
        self._folders, self._settings = folders, settings

    async def commits(self, stored: Stored, request: CommitQuery) -> Commits:
        path = (await self._folders.opened(stored)).path
        if not request.revision and not await history.branches(path):
            return Commits([])
        try:
            start = await resolved(path, request.revision, stored.name)
            found = await history.commits(
                path, include=start, path=_path(request.path), limit=request.limit, skip=request.skip
            )
        except GitFailed as error:
            raise _told(error) from error
        return Commits([_commit(one) for one in found])

    async def files(self, stored: Stored, request: FileQuery) -> Files:
        path = (await self._folders.opened(stored)).path
        if not request.revision and not await history.branches(path):
            return Files("", [])
        try:
            commit = await resolved(path, request.revision, stored.name)
            entries = await folder(path, commit, _path(request.path))
        except GitFailed as error:
            raise _told(error) from error
        above = f"{request.path.strip('/')}/".lstrip("/")
        return Files(commit, [_file(above, name, entry) for name, entry in entries.items()])

    async def file(self, stored: Stored, request: FileQuery) -> AsyncIterator[FileChunk]:
        path = (await self._folders.opened(stored)).path
        name = _path(request.path)
        try:
            commit = await resolved(path, request.revision, stored.name)
            above, _, last = name.rpartition("/")
            found = (await folder(path, commit, above)).get(last)
            if found is None or found.kind not in ("file", "link"):
                raise NotFound(
                    f"there is no file {name!r} in {commit[:12]}",
                    code=Failure.MISSING_PATH,
                    cure="look at its folder",
                )
            async with Objects(path) as objects:
                yield FileChunk(b"", last, _TEXT)
                async for piece in objects.pieces(found.oid, self._settings.file_limit_mb * MEGABYTE):
                    yield FileChunk(piece)
        except GitFailed as error:
            raise _told(error) from error


def _path(text: str) -> str:
    path = text.strip("/")
    if any(part in {"", ".", ".."} for part in path.split("/")) and path:
        raise Invalid("the path is not one inside a repository", context={"field": "path"})
    return path


def _told(error: GitFailed) -> Exception:
    """Here it is not somebody else's server that failed."""
    kinds = {
        Failure.UNKNOWN_REVISION: NotFound,
        Failure.MISSING_PATH: NotFound,
        Failure.TOO_LARGE: TooLarge,
        Failure.NAME: Invalid,
        Failure.REFUSED: Conflict,
    }
    kind = kinds.get(Failure(error.code), Unavailable)
    return kind(error.message, code=error.code, cure=error.cure, detail=error.detail)


def _commit(commit: history.Commit) -> GitCommit:
    short = summary(commit)
    return GitCommit(
        id=short.id,
        subject=short.subject,
        author=short.author,
        author_email=short.author_email,
        date=short.date,
        message=commit.message,
        parents=list(commit.parents),
        signature=commit.signature,
    )


def _file(above: str, name: str, entry: Entry) -> GitFile:
    shown = name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return GitFile(shown, above + shown, entry.kind, entry.executable)
