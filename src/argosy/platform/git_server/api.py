"""The contract `GitServer`: making, changing and removing repositories, and looking into them."""

from __future__ import annotations

from collections.abc import AsyncIterator

import msgspec

from argosy.backends.database import Database, Transaction
from argosy.backends.hosting import Change, Recorder
from argosy.contracts.git_server import (
    CommitQuery,
    Commits,
    FileChunk,
    FileQuery,
    Files,
    GitRef,
    NewRepository,
    Refs,
    Repository,
    RepositoryChange,
)
from argosy.contracts.paging import ById, Page, PageRequest
from argosy.kit.calls import Call
from argosy.kit.clock import Clock
from argosy.kit.errors import Conflict, Invalid
from argosy.kit.git import history
from argosy.kit.git.names import is_ref_name
from argosy.kit.ids import new_id
from argosy.kit.operations import Nothing
from argosy.platform.git_server.announcing import path_of, point_head
from argosy.platform.git_server.folders import Folders
from argosy.platform.git_server.looking import Looking
from argosy.platform.git_server.protection import BRANCHES, TAGS, Rules
from argosy.platform.git_server.rights import Rights, absent
from argosy.platform.git_server.settings import GitServerSettings
from argosy.platform.git_server.store import Store, Stored
from argosy.platform.git_server.upkeep import Upkeep


class Api:
    def __init__(
        self,
        store: Store,
        database: Database,
        recorder: Recorder,
        folders: Folders,
        rights: Rights,
        upkeep: Upkeep,
        settings: GitServerSettings,
        clock: Clock,
    ) -> None:
        self._store, self._database, self._recorder = store, database, recorder
        self._folders, self._rights, self._upkeep = folders, rights, upkeep
        self._settings, self._clock = settings, clock
        self._looking = Looking(folders, settings)

    async def repositories(self, *, call: Call, request: PageRequest) -> Page[Repository]:
        visible = await self._rights.visible(call)
        async with self._database.transaction(call.account, read_only=True) as tx:
            found, after = await self._store.page(tx, call.account, visible, request)
        return Page([self._public(one) for one in found], after)

    async def repository(self, *, call: Call, request: ById) -> Repository:
        return self._public(await self._allowed(call, request.id, "read"))

    async def create_repository(self, *, call: Call, request: NewRepository) -> Repository:
        await self._rights.require(call, "create", id="", name=request.name)
        new = Stored(
            new_id(), call.account, _name(request.name), request.description, _branch(request.default_branch),
            request.protections, request.push_limit_mb, request.size_limit_mb, self._clock(),
        )  # fmt: skip
        await self._folders.make(new)
        try:
            async with self._database.transaction(call.account) as tx:
                if not await self._store.add(tx, new):
                    raise _taken(new.name)
                await self._recorder.record(tx, call, Change("repository", new.id, new.name, after=new))
        except Conflict:
            await self._folders.remove(new.account, new.id)
            raise
        return self._public(new)

    async def change_repository(self, *, call: Call, request: RepositoryChange) -> Repository:
        before = await self._allowed(call, request.id, "admin")
        if request.default_branch is not None and request.default_branch != before.default_branch:
            await self._check_branch(before, request.default_branch)
        async with self._database.transaction(call.account) as tx:
            present = await self._store.of_id(tx, call.account, request.id, locked=True)
            if present is None:
                raise absent(before.name)
            after = msgspec.structs.replace(present, **_wanted(request))
            await self._change(tx, present, after)
            await self._recorder.record(
                tx, call, Change("repository", after.id, after.name, before=present, after=after)
            )
        if after.default_branch != present.default_branch:
            await point_head(await self._folders.opened(after), after)
        return self._public(after)

    async def remove_repository(self, *, call: Call, request: ById) -> Nothing:
        before = await self._allowed(call, request.id, "admin")
        async with self._database.transaction(call.account) as tx:
            present = await self._store.of_id(tx, call.account, request.id, locked=True)
            if present is None:
                raise absent(before.name)
            await self._store.remove(tx, call.account, request.id)
            await self._recorder.record(
                tx, call, Change("repository", present.id, present.name, before=present)
            )
        self._upkeep.after_removal()
        return Nothing()

    async def refs(self, *, call: Call, request: ById) -> Refs:
        stored = await self._allowed(call, request.id, "read")
        folder = await self._folders.opened(stored)
        rules = Rules(stored.default_branch, stored.protections)
        found = await history.peeled(folder.path)

        def told(prefix: str) -> list[GitRef]:
            return [
                GitRef(
                    name.removeprefix(prefix),
                    oid,
                    name == f"{BRANCHES}{stored.default_branch}",
                    rules.guards(name),
                )
                for name, oid in found.items()
                if name.startswith(prefix)
            ]

        return Refs(told(BRANCHES), told(TAGS))

    async def commits(self, *, call: Call, request: CommitQuery) -> Commits:
        return await self._looking.commits(await self._allowed(call, request.id, "read"), request)

    async def files(self, *, call: Call, request: FileQuery) -> Files:
        return await self._looking.files(await self._allowed(call, request.id, "read"), request)

    async def file(self, *, call: Call, request: FileQuery) -> AsyncIterator[FileChunk]:
        stored = await self._allowed(call, request.id, "read")
        async for chunk in self._looking.file(stored, request):
            yield chunk

    async def _allowed(self, call: Call, id: str, action: str) -> Stored:
        async with self._database.transaction(call.account, read_only=True) as tx:
            stored = await self._store.of_id(tx, call.account, id)
        await self._rights.require(call, action, id=id, name=stored.name if stored else "")
        if stored is None:
            raise absent(id)
        return stored

    async def _change(self, tx: Transaction, before: Stored, after: Stored) -> None:
        if after.name.lower() != before.name.lower():
            named = await self._store.named(tx, after.account, after.name)
            if named is not None:
                raise _taken(after.name)
        await self._store.change(tx, after)

    async def _check_branch(self, stored: Stored, branch: str) -> None:
        """An empty repository may choose any name; another one only a branch that it has."""
        folder = await self._folders.opened(stored)
        there = await history.branches(folder.path)
        if there and f"{BRANCHES}{branch}" not in there:
            raise Conflict(
                f"{stored.name} has no branch {branch[:80]}",
                code="repository.branch",
                cure="push the branch first",
                context={"field": "default_branch"},
            )

    def _public(self, stored: Stored) -> Repository:
        path = path_of(stored)
        return Repository(
            id=stored.id,
            name=stored.name,
            url=f"{self._settings.public_url.rstrip('/')}{path}",
            path=path,
            description=stored.description,
            default_branch=stored.default_branch,
            protections=stored.protections,
            size=stored.size,
            push_limit_mb=stored.push_limit_mb,
            size_limit_mb=stored.size_limit_mb,
            created=stored.created,
            pushed=stored.pushed,
        )


def _wanted(request: RepositoryChange) -> dict[str, object]:
    values = {name: value for name, value in msgspec.structs.asdict(request).items() if value is not None}
    del values["id"]
    if request.name is not None:
        values["name"] = _name(request.name)
    if request.default_branch is not None:
        values["default_branch"] = _branch(request.default_branch)
    return values


def _name(text: str) -> str:
    if text.lower().endswith((".git", ".lock")):
        raise Invalid(
            "a repository's name ends neither in .git nor in .lock",
            code="git.name",
            cure="leave the ending out; the URL has it",
            context={"field": "name"},
        )
    return text


def _branch(text: str) -> str:
    if not is_ref_name(text) or text.startswith("refs/"):
        raise Invalid(
            f"{text[:80]!r} cannot be the name of a branch",
            code="git.name",
            cure="letters, digits, '-', '_', '.' and '/' always work",
            context={"field": "default_branch"},
        )
    return text


def _taken(name: str) -> Conflict:
    return Conflict(
        f"there is a repository named {name} already",
        code="repository.exists",
        cure="choose another name",
        context={"field": "name"},
    )
