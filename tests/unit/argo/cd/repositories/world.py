"""A small world of sources for tests: real repositories of Git, a real server of charts, real workers; and an application that asks."""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import aiohttp
import msgspec
from aiohttp import web

from argosy.argo.cd.rendering import Asked, Rendering
from argosy.argo.cd.repositories.charts import Charts
from argosy.argo.cd.repositories.credentials import Credentials, Repository, normalised
from argosy.argo.cd.repositories.fetching import Fetcher
from argosy.argo.cd.repositories.git import GitRepositories
from argosy.argo.cd.repositories.indexes import Indexes
from argosy.argo.cd.repositories.making import Maker
from argosy.argo.cd.repositories.renderer import SourceRenderer
from argosy.argo.cd.repositories.submodules import Submodules
from argosy.contracts.argo.source import Source
from argosy.kit.git.addresses import local
from argosy.kit.git.remotes import Remote
from argosy.manifests.programs import find_helm
from argosy.manifests.workers.pool import Pool
from tests.git_repository import Work

HOST = "https://git.test/"


class LocalCredentials(Credentials):
    """Whatever is at `https://git.test/name` is in a folder of that name; other addresses are judged as ever."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def remote(self, repository: Repository) -> Remote:
        remote = super().remote(repository)
        url = normalised(repository.url)
        if url.startswith(HOST):
            return Remote(local(self._folder / url.removeprefix(HOST)))
        return remote


class World:
    """`work("name")` is a checkout that applications find at `https://git.test/name`."""

    def __init__(self, folder: Path, *, seconds: float = 60, announcing: bool = False) -> None:
        self.folder = folder
        self.credentials = LocalCredentials(folder / "work")
        self.pushed: list[str] = []
        self.git = GitRepositories(
            folder / "git", self.credentials, self.pushed.append, announcing=lambda _: announcing
        )
        self.pool = Pool(patience=0.2)
        self.fetcher = Fetcher(self.credentials, seconds=10)
        indexes = Indexes(folder / "charts", self.fetcher, self.pool)
        self.charts = Charts(folder / "charts", self.credentials, self.fetcher, indexes)
        maker = Maker(self.git, self.charts, Submodules(self.git, self.credentials), self.pool)
        self.renderer = SourceRenderer(
            self.git, self.charts, self.pool, maker, helm_program=find_helm(), seconds=seconds
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.pool.close()
        await self.fetcher.close()

    def work(self, name: str = "shop") -> Work:
        return Work(self.folder / "work" / name)

    async def render(
        self, *sources: dict[str, Any], application: str = "web", resolve: bool = True, **said: Any
    ) -> Rendering:
        return await self.renderer.render(asked(*sources, application=application, resolve=resolve, **said))

    async def names(self, *sources: dict[str, Any], **said: Any) -> list[str]:
        return [one["metadata"]["name"] for one in (await self.render(*sources, **said)).objects]


def asked(*sources: dict[str, Any], application: str = "web", **said: Any) -> Asked:
    found = [
        msgspec.convert({"repoURL": f"{HOST}shop", **one}, Source) for one in sources or ({"path": "app"},)
    ]
    revisions = said.pop("revisions", [""] * len(found))
    return Asked(
        application=application,
        name=application,
        namespace=said.pop("namespace", "prod"),
        project=said.pop("project", "default"),
        sources=found,
        revisions=revisions,
        **said,
    )


def manifest(name: str, **data: str) -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata: {msgspec.json.encode(data).decode()}\n"


def packed(files: Mapping[str, str | bytes], *, compressed: bool = True) -> bytes:
    said = io.BytesIO()
    with tarfile.open(fileobj=said, mode="w") as tar:
        for path, content in files.items():
            data = content.encode() if isinstance(content, str) else content
            member = tarfile.TarInfo(path)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return gzip.compress(said.getvalue(), mtime=0) if compressed else said.getvalue()


def chart(name: str, version: str, **files: str) -> bytes:
    template = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}-{{{{ .Chart.Version }}}}}}"
    return packed(
        {
            f"{name}/Chart.yaml": f"apiVersion: v2\nname: {name}\nversion: {version}\n{files.pop('more', '')}",
            f"{name}/templates/a.yaml": template,
            **{f"{name}/{path}": text for path, text in files.items()},
        }
    )


class Server:
    """Answers what it is given, and keeps what it was asked: path → (status, body, headers)."""

    def __init__(self) -> None:
        self.pages: dict[str, tuple[int, bytes, dict[str, str]]] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.login: tuple[str, str] | None = None
        self.token = ""
        self.url = ""
        self._runner: web.AppRunner | None = None

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_get("/{path:.*}", self._answer)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    def put(self, path: str, body: bytes | str, status: int = 200, **headers: str) -> None:
        data = body.encode() if isinstance(body, str) else body
        self.pages[path] = status, data, {key.replace("_", "-"): value for key, value in headers.items()}

    def charts(self, *charts: tuple[str, str, bytes], indent: str = "  ") -> None:
        """An index as helm writes it, and the archives."""
        lines = ["apiVersion: v1", "entries:"]
        for name in dict.fromkeys(name for name, _, _ in charts):
            lines.append(f"{indent}{name}:")
            for _, version, data in (one for one in charts if one[0] == name):
                file = f"{name}-{version}.tgz"
                self.put(f"/{file}", data)
                lines += [
                    f"{indent}- apiVersion: v2", f"{indent}  name: {name}", f"{indent}  version: {version}",
                    f"{indent}  digest: {hashlib.sha256(data).hexdigest()}", f"{indent}  urls:", f"{indent}  - {file}",
                ]  # fmt: skip
        self.put("/index.yaml", "\n".join([*lines, "generated: now", ""]), ETag=f'"{hash(charts)}"')

    def paths(self) -> list[str]:
        return [path for path, _ in self.asked]

    async def _answer(self, request: web.Request) -> web.Response:
        headers = dict(request.headers)
        self.asked.append((request.path_qs, headers))
        if self.token and request.path == "/token":
            return web.json_response({"token": self.token})
        if self.token and request.headers.get("Authorization") != f"Bearer {self.token}":
            challenge = f'Bearer realm="{self.url}/token",service="registry"'
            return web.Response(status=401, headers={"WWW-Authenticate": challenge})
        if self.login is not None and request.headers.get("Authorization") != aiohttp.encode_basic_auth(
            *self.login
        ):
            return web.Response(status=401)
        status, body, said = self.pages.get(request.path_qs) or self.pages.get(request.path, (404, b"", {}))
        if said.get("ETag") and headers.get("If-None-Match") == said["ETag"]:
            return web.Response(status=304)
        return web.Response(status=status, body=body, headers=said)
