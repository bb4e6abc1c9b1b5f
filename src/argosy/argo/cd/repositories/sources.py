"""All that an engine needs of repositories, as one: who knows the credentials, who fetches, who renders, and who is told of a push."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from argosy.argo.cd.repositories.charts import Charts
from argosy.argo.cd.repositories.credentials import LABEL, REPOSITORY, TEMPLATE, Credentials, Repository
from argosy.argo.cd.repositories.fetching import Fetcher, FetchFailed
from argosy.argo.cd.repositories.git import GitRepositories
from argosy.argo.cd.repositories.indexes import Indexes
from argosy.argo.cd.repositories.kustomize import KustomizeSettings
from argosy.argo.cd.repositories.making import Maker
from argosy.argo.cd.repositories.overlooking import Overlooking
from argosy.argo.cd.repositories.renderer import SourceRenderer
from argosy.argo.cd.repositories.submodules import Submodules
from argosy.kit.git.failing import GitFailed
from argosy.kit.git.reading import Reader
from argosy.kit.git.tree import GitTree
from argosy.kit.log import get_logger
from argosy.kube.client import Client, Informer
from argosy.kube.objects import Object, name_of
from argosy.kube.types import Kind
from argosy.manifests.tree import MissingPath, SourceError, Tree
from argosy.manifests.workers.pool import Pool

log = get_logger(__name__)
_SECRET, _CONFIG = Kind("", "v1", "Secret"), Kind("", "v1", "ConfigMap")
_SETTINGS = "argocd-cm"
_CONFIGURED = (_SETTINGS, "argocd-ssh-known-hosts-cm", "argocd-tls-certs-cm")
_TIDIED_EVERY = 24 * 3600.0


class Sources:
    """`on_change` is told of a repository's URL when something was pushed to it. `folder` keeps mirrors and charts."""

    def __init__(
        self,
        client: Client,
        folder: Path,
        *,
        namespace: str,
        on_change: Callable[[str], None],
        announcing: Callable[[str], bool] = lambda _: False,
        helm_program: str = "",
    ) -> None:
        self.credentials = Credentials()
        self._fetcher = Fetcher(self.credentials)
        self.git = GitRepositories(folder / "git", self.credentials, on_change, announcing=announcing)
        self.pool = Pool()
        indexes = Indexes(folder / "charts", self._fetcher, self.pool)
        self.charts = Charts(folder / "charts", self.credentials, self._fetcher, indexes)
        maker = Maker(self.git, self.charts, Submodules(self.git, self.credentials), self.pool)
        self.renderer = SourceRenderer(self.git, self.charts, self.pool, maker, helm_program=helm_program)
        self.jq = Overlooking(self.pool)
        labels = f"{LABEL} in ({REPOSITORY},{TEMPLATE})"
        self._secrets = Informer(client, _SECRET, namespace=namespace, labels=labels)
        self._configured = [
            Informer(client, _CONFIG, namespace=namespace, fields=f"metadata.name={name}")
            for name in _CONFIGURED
        ]
        self._secrets.on_change(self._changed)
        for informer in self._configured:
            informer.on_change(self._config_changed)

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            for informer in (self._secrets, *self._configured):
                group.create_task(informer.run())
            group.create_task(self.git.poll())
            group.create_task(self._tidy())
            await self.pool.warm()

    async def _tidy(self) -> None:
        while True:
            await self.charts.tidy()
            await asyncio.sleep(_TIDIED_EVERY)

    async def known(self) -> None:
        """Until credentials are known: without them a repository would be said not to be there."""
        await asyncio.gather(*(one.wait_synced() for one in (self._secrets, *self._configured)))

    async def tree(self, url: str, revision: str, *, fresh: bool = False) -> Tree:
        """The files at a revision, for generators. Raises `SourceError`. To be read beside the loop: each look is a question to git."""
        try:
            path, commit = await self.git.commit(url, "", revision, fresh=fresh)
        except GitFailed as error:
            raise SourceError(f"{error.message}; {error.cure}" if error.cure else error.message) from None
        reader = Reader(path)
        tree = GitTree(reader, commit, missing=MissingPath, refused=SourceError)
        weakref.finalize(tree, reader.close)  # its process ends when nobody reads any more
        return tree

    async def reached(self, repository: Repository) -> tuple[str, str, datetime | None]:
        """Whether a repository answers now, why not, and when it is asked for changes again."""
        checked = self.git.next_check(repository.url)
        try:
            if repository.form == "git":
                await self.git.answers(repository.url, repository.project)
            elif not repository.is_registry:
                await self.charts.answers(repository)
        except GitFailed as error:
            return "Failed", error.message, checked
        except FetchFailed as error:
            return "Failed", str(error), checked
        return "Successful", "", checked

    async def close(self) -> None:
        await self.pool.close()
        await self._fetcher.close()

    def _changed(self, before: Object | None, after: Object | None) -> None:
        if not self.credentials.changed(before, after):
            return
        for problem in self.credentials.problems.values():
            log.warning("repository.unreadable", problem=problem)
        self.git.forget()

    def _config_changed(self, before: Object | None, after: Object | None) -> None:
        found = after if after is not None else before
        assert found is not None
        said = (after or {}).get("data") or {}
        if name_of(found) == _SETTINGS:
            self.renderer.kustomize = KustomizeSettings.read(said)
            return
        self.credentials.configured(name_of(found), said)
        self.git.forget()
