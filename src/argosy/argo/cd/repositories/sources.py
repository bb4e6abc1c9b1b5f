"""All that an engine needs of repositories, as one: who knows the credentials, who fetches, who renders, and who is told of a push."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from argosy.argo.cd.repositories.charts import Charts
from argosy.argo.cd.repositories.credentials import LABEL, REPOSITORY, TEMPLATE, Credentials, Repository
from argosy.argo.cd.repositories.fetching import Fetcher, FetchFailed
from argosy.argo.cd.repositories.git import GitRepositories
from argosy.argo.cd.repositories.renderer import SourceRenderer
from argosy.kit.git.failing import GitFailed
from argosy.kit.git.reading import Reader
from argosy.kit.git.tree import GitTree
from argosy.kit.log import get_logger
from argosy.kube.client import Client, Informer
from argosy.kube.objects import Object, name_of
from argosy.kube.types import Kind
from argosy.manifests.jobs import Cleaned, Jq
from argosy.manifests.tree import MissingPath, SourceError, Tree
from argosy.manifests.workers import Pool, TookTooLong, WorkerDied

log = get_logger(__name__)
_SECRET, _CONFIG = Kind("", "v1", "Secret"), Kind("", "v1", "ConfigMap")
_CONFIGURED = ("argocd-ssh-known-hosts-cm", "argocd-tls-certs-cm")
_JQ_SECONDS = 1.0


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
        self.charts = Charts(folder / "charts", self.credentials, self._fetcher)
        self.pool = Pool()
        self.renderer = SourceRenderer(self.git, self.charts, self.pool, helm_program=helm_program)
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

    async def known(self) -> None:
        """Until credentials are known: without them a repository would be said not to be there."""
        await asyncio.gather(*(one.wait_synced() for one in (self._secrets, *self._configured)))

    async def tree(self, url: str, revision: str, *, fresh: bool = False) -> Tree:
        """The files at a revision, for generators. Raises `SourceError`. To be read beside the loop: each look is a question to git."""
        try:
            path, commit = await self.git.commit(url, "", revision, fresh=fresh)
        except GitFailed as error:
            raise SourceError(f"{error.message}; {error.cure}" if error.cure else error.message) from None
        return GitTree(Reader(path), commit, missing=MissingPath, refused=SourceError)

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

    async def jq(self, obj: Object, expressions: tuple[str, ...]) -> Object:
        """Expressions that take too long find nothing; that is logged, and the comparison goes on."""
        try:
            answer = await self.pool.run(Jq(obj, expressions), seconds=_JQ_SECONDS)
        except (TookTooLong, WorkerDied) as error:
            log.warning("jq.stopped", object=name_of(obj), expressions=expressions, error=str(error))
            return obj
        if isinstance(answer, Cleaned):
            return answer.object
        log.warning("jq.refused", object=name_of(obj), expressions=expressions)
        return obj

    async def close(self) -> None:
        await self.pool.close()
        await self._fetcher.close()

    def _changed(self, before: Object | None, after: Object | None) -> None:
        self.credentials.changed(before, after)
        for problem in self.credentials.problems.values():
            log.warning("repository.unreadable", problem=problem)
        self.git.forget()

    def _config_changed(self, before: Object | None, after: Object | None) -> None:
        found = after if after is not None else before
        assert found is not None
        self.credentials.configured(name_of(found), (after or {}).get("data") or {})
        self.git.forget()
