"""A real git in front of a real platform. A tenant of its own for each test, so that none sees another's repositories."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.git_repository import Work
from tests.installation import Installation, Tenant


@dataclass
class Server:
    installation: Installation
    tenant: Tenant
    folder: Path

    def make(self, name: str = "shop", **wanted: Any) -> Any:
        return self.tenant.admin_key.done("POST", "/api/git/repositories", {"name": name, **wanted})

    def url(self, repository: Any, key: str = "") -> str:
        parts = urlsplit(repository["url"])
        return f"{parts.scheme}://git:{key or self.tenant.admin_key.key}@{parts.netloc}{parts.path}"

    def clone(self, repository: Any, name: str = "clone", *more: str, key: str = "") -> Work:
        above = Work(self.folder / "above")
        above.git("clone", "--quiet", *more, self.url(repository, key), str(self.folder / name))
        return Work(self.folder / name)

    def work(self, repository: Any, name: str = "work") -> Work:
        """With one commit, pushed."""
        work = Work(self.folder / name)
        work.git("remote", "add", "origin", self.url(repository))
        work.commit({"a.yaml": "a: 1\n"})
        work.git("push", "--quiet", "--set-upstream", "origin", "main")
        return work

    def one(self, repository: Any, part: str = "") -> Any:
        return self.tenant.admin_key.done("GET", f"/api/git/repositories/{repository['id']}{part}")

    def branches(self, repository: Any) -> dict[str, str]:
        return {one["name"]: one["commit"] for one in self.one(repository, "/refs")["branches"]}

    def key(self, **wanted: Any) -> Any:
        return self.tenant.admin.done("POST", "/api/api-keys", {"name": "git", **wanted})


@pytest.fixture
def server(installation: Installation, tmp_path: Path) -> Server:
    return Server(installation, installation.new_account(), tmp_path)


@pytest.fixture
def small() -> Iterator[Callable[..., Server]]:
    """An installation with limits of its own."""
    running: list[Installation] = []

    def start(folder: Path, **settings: str) -> Server:
        environ = {f"ARGOSY_GIT_SERVER_{name.upper()}": value for name, value in settings.items()}
        one = Installation(environ=environ)
        one.up()
        running.append(one)
        return Server(one, one.new_account(), folder)

    yield start
    for one in running:
        one.__exit__(None, None, None)
