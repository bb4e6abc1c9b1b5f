"""The built-in Git server: repositories of an account, read and written by git itself under `/git/<account>/<name>.git`.

Here is what is asked beside that: making and removing them, their rules, and looking into them. Who may do what with which repository is
decided by access rules on the entity `repositories`. Each ref that a push moved is one event, `git_server.pushed.v1`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated, Literal, Protocol

import msgspec

from argosy.contracts.paging import ById, Id, Limit, Page, PageRequest
from argosy.kit.calls import Call, Kind
from argosy.kit.operations import Needs, Nothing, operation
from argosy.kit.web.routes import route

PUSHED = "git_server.pushed.v1"
"""The event; its body is `Pushed`, its key the repository."""

RepositoryName = Annotated[
    str,
    msgspec.Meta(
        min_length=1,
        max_length=100,
        pattern=r"^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9_-])?$",
        description="letters, digits, '-', '_' and '.'",
    ),
]
Branch = Annotated[str, msgspec.Meta(min_length=1, max_length=240, description="a branch's name")]
Revision = Annotated[
    str, msgspec.Meta(max_length=240, description="a branch, tag or commit; empty: the default branch")
]
Path = Annotated[str, msgspec.Meta(max_length=4096)]
Megabytes = Annotated[int, msgspec.Meta(ge=1, le=1_048_576)]


class Pusher(msgspec.Struct, frozen=True):
    kind: Kind
    id: str
    name: str


class CommitSummary(msgspec.Struct, frozen=True):
    id: str
    subject: str
    author: str
    author_email: str
    date: datetime


class Pushed(msgspec.Struct, frozen=True):
    """One ref moved. `before` or `after` is empty where it was made or removed; `commits`, newest first, are those that are
    new to the ref, at most 20 of `count`. `pusher` is absent where nobody can tell (somebody wrote into the data directory)."""

    repository: str
    name: str
    path: str
    ref: str
    before: str
    after: str
    default_branch: bool
    forced: bool
    commits: list[CommitSummary]
    count: int
    pusher: Pusher | None


class Protection(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What holds for branches and tags whose name matches `pattern` (`*` is any run of characters). `pushers` are ids of users, service
    accounts or teams; empty: everybody who may write. The default branch is protected like this without a rule."""

    pattern: Annotated[str, msgspec.Meta(min_length=1, max_length=240)]
    pushers: Annotated[list[Id], msgspec.Meta(max_length=100)] = []
    force: bool = False
    deletion: bool = False


Protections = Annotated[list[Protection], msgspec.Meta(max_length=50)]


class Repository(msgspec.Struct, frozen=True):
    id: str
    name: str
    url: str
    path: str
    description: str
    default_branch: str
    protections: list[Protection]
    size: int
    push_limit_mb: int | None
    size_limit_mb: int | None
    created: datetime
    pushed: datetime | None


class NewRepository(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits beyond the installation's own are cut to those."""

    name: RepositoryName
    description: Annotated[str, msgspec.Meta(max_length=1000)] = ""
    default_branch: Branch = "main"
    protections: Protections = []
    push_limit_mb: Megabytes | None = None
    size_limit_mb: Megabytes | None = None


class RepositoryChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: Id
    name: RepositoryName | None = None
    description: Annotated[str, msgspec.Meta(max_length=1000)] | None = None
    default_branch: Branch | None = None
    protections: Protections | None = None
    push_limit_mb: Megabytes | None = None
    size_limit_mb: Megabytes | None = None


class GitRef(msgspec.Struct, frozen=True):
    name: str
    commit: str
    default: bool
    protected: bool


class Refs(msgspec.Struct, frozen=True):
    branches: list[GitRef]
    tags: list[GitRef]


class CommitQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: Id
    revision: Revision = ""
    path: Path = ""
    limit: Limit = 50
    skip: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 0


class GitCommit(CommitSummary, frozen=True):
    message: str
    parents: list[str]
    signature: Literal["", "openpgp", "ssh", "x509"]


class Commits(msgspec.Struct, frozen=True):
    commits: list[GitCommit]


class FileQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: Id
    revision: Revision = ""
    path: Path = ""


class GitFile(msgspec.Struct, frozen=True):
    name: str
    path: str
    kind: Literal["file", "folder", "link", "submodule"]
    executable: bool


class Files(msgspec.Struct, frozen=True):
    commit: str
    files: list[GitFile]


class FileChunk(msgspec.Struct, frozen=True):
    data: bytes
    filename: str = ""  # on the first one
    content_type: str = ""


_ABSENT = "repository.absent"
_MISSING = (_ABSENT, "git.unknown_revision", "git.missing_path")


class GitServer(Protocol):
    @operation(needs=Needs.SIGNED_IN, scope="repositories:read", resource="repository")
    async def repositories(self, *, call: Call, request: PageRequest) -> Page[Repository]:
        """Repositories of the active account that the caller may read. Sorts: name, created, pushed."""

    @operation(needs=Needs.SIGNED_IN, scope="repositories:read", resource="repository", errors=(_ABSENT,))
    async def repository(self, *, call: Call, request: ById) -> Repository:
        """One repository."""

    @operation(
        needs=Needs.SIGNED_IN,
        scope="repositories:create",
        resource="repository",
        writes=True,
        errors=("repository.exists", "git.name"),
    )
    async def create_repository(self, *, call: Call, request: NewRepository) -> Repository:
        """A new, empty repository; the answer has the URL to clone."""

    @operation(
        needs=Needs.SIGNED_IN,
        scope="repositories:admin",
        resource="repository",
        writes=True,
        errors=(_ABSENT, "repository.exists", "repository.branch", "git.name"),
    )
    async def change_repository(self, *, call: Call, request: RepositoryChange) -> Repository:
        """Change name, description, default branch, protection or limits."""

    @operation(
        needs=Needs.SIGNED_IN,
        scope="repositories:admin",
        resource="repository",
        writes=True,
        errors=(_ABSENT,),
    )
    async def remove_repository(self, *, call: Call, request: ById) -> Nothing:
        """Remove a repository with all its commits."""

    @operation(needs=Needs.SIGNED_IN, scope="repositories:read", resource="repository", errors=(_ABSENT,))
    async def refs(self, *, call: Call, request: ById) -> Refs:
        """Branches and tags of a repository."""

    @operation(needs=Needs.SIGNED_IN, scope="repositories:read", resource="repository", errors=_MISSING)
    async def commits(self, *, call: Call, request: CommitQuery) -> Commits:
        """Commits, newest first; with a path those that touched it."""

    @operation(needs=Needs.SIGNED_IN, scope="repositories:read", resource="repository", errors=_MISSING)
    async def files(self, *, call: Call, request: FileQuery) -> Files:
        """What is in a folder."""

    @operation(
        needs=Needs.SIGNED_IN,
        scope="repositories:read",
        resource="repository",
        deadline=600.0,
        errors=(*_MISSING, "git.too_large"),
    )
    def file(self, *, call: Call, request: FileQuery) -> AsyncIterator[FileChunk]:
        """A file's content, always as plain text to be saved."""


SCOPES = {
    "repositories:read": "Clone and fetch with git.",
    "repositories:write": "Push with git.",
}
"""What a key may be limited to besides the operations above."""

_ONE = "/api/git/repositories/{id}"
ROUTES = (
    route("GET", "/api/git/repositories", "repositories", "git"),
    route("POST", "/api/git/repositories", "create_repository", "git"),
    route("GET", _ONE, "repository", "git"),
    route("PATCH", _ONE, "change_repository", "git"),
    route("DELETE", _ONE, "remove_repository", "git"),
    route("GET", f"{_ONE}/refs", "refs", "git"),
    route("GET", f"{_ONE}/commits", "commits", "git"),
    route("GET", f"{_ONE}/files", "files", "git"),
    route("GET", f"{_ONE}/raw", "file", "git", "download"),
)
