"""The embedded engine as a site of scenarios. What Git says it gets from a dictionary: how sources are fetched and rendered has tests of its own."""

from __future__ import annotations

import asyncio
import copy
import hashlib
import json
import shutil
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from argosy.argo.cd.engine import Engine
from argosy.argo.cd.rendering import Asked, RenderError, Rendering
from argosy.argo.cd.repositories.sources import Sources
from argosy.kube.client import Client, from_kubeconfig
from argosy.kube.objects import Object
from tests.conformance.argo_cd import folders
from tests.conformance.argo_cd.normalising import Values, outcome
from tests.conformance.argo_cd.playing import CONTROL, Play
from tests.conformance.argo_cd.scenario import Scenario

_SCHEME = "https://git.example/"
_NEWEST = ("", "HEAD", "main")


@dataclass
class Repository:
    """Branches and tags are names of revisions."""

    revisions: dict[str, list[Object]] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)


class Repositories:
    """The renderer of plain objects, one repository for each scenario."""

    def __init__(self) -> None:
        self._all: dict[str, Repository] = {}
        self._known: dict[str, Rendering] = {}

    def commit(self, token: str, objects: list[Object], *, branch: str, tag: str) -> str:
        repository = self._all.setdefault(_SCHEME + token, Repository())
        number = len(repository.revisions)
        revision = hashlib.sha1(f"{token} {number}".encode(), usedforsecurity=False).hexdigest()
        repository.revisions[revision] = copy.deepcopy(objects)
        repository.names[branch] = revision
        if tag:
            repository.names[tag] = revision
        return revision

    async def render(self, asked: Asked) -> Rendering:
        """Of plain objects there is one source."""
        (source,), (wanted,) = asked.sources, asked.revisions
        repository = self._all.get(source.repo_url)
        if repository is None:
            raise RenderError("failed to list refs: repository not found")
        if source.path != ".":
            raise RenderError(f"{source.path}: app path does not exist")
        wanted = wanted or source.target_revision
        revision = repository.names.get("main" if wanted in _NEWEST else wanted, wanted)
        if revision not in repository.revisions:
            raise RenderError(f"unable to resolve '{wanted}' to a commit SHA")
        if revision not in self._known or asked.fresh:
            objects = repository.revisions[revision]
            digest = hashlib.sha256(json.dumps(objects, sort_keys=True).encode()).hexdigest()
            self._known[revision] = Rendering((revision,), ("Directory",), objects, digest)
        return self._known[revision]


class Ours:
    """`shown`: where repositories that are folders are shown; without it they are a dictionary."""

    def __init__(
        self, client: Client, engine: Engine, repositories: Repositories, folder: Path, shown: str
    ) -> None:
        self.client, self.patience = client, 10.0
        self._engine, self._repositories, self._folder, self._shown = engine, repositories, folder, shown

    def repository(self, token: str) -> str:
        return f"{self._shown}/{token}/.git" if self._shown else _SCHEME + token

    def commit(
        self, token: str, objects: list[Object], files: dict[str, str], *, branch: str, tag: str
    ) -> str:
        if self._shown:
            return folders.commit(self._folder / token, objects, files, branch=branch, tag=tag)
        return self._repositories.commit(token, objects, branch=branch, tag=tag)

    async def saw(self, obj: Object) -> None:
        for known in self._engine.clusters:
            self._engine.clusters.live(known).wrote(obj)


@asynccontextmanager
async def site(kubeconfig: Path, folder: Path, scenario: Scenario) -> AsyncIterator[Ours]:
    """An engine of its own for each scenario, at a cluster that others used before."""
    people = from_kubeconfig(kubeconfig, manager="kubectl")
    client = from_kubeconfig(kubeconfig, manager="argocd-application-controller")
    await people.apply(_settings(scenario.settings), force=True)
    sources = Sources(
        client, folder / "engine", namespace=CONTROL, on_change=lambda _: None, helm_program=_helm()
    )
    repositories = Repositories()
    with ExitStack() as stack:
        shown = stack.enter_context(folders.served(folder / "git")) if scenario.needs_sources else ""
        engine = Engine(
            client,
            renderer=sources.renderer if shown else repositories,
            jq=sources.jq,
            trees=sources,
            namespace=CONTROL,
        )
        running = [asyncio.create_task(engine.run())]
        if shown:
            running.append(asyncio.create_task(sources.run()))
            await sources.known()
        try:
            yield Ours(people, engine, repositories, folder / "git", shown)
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
            await engine.clusters.close()
            await sources.close()
            await client.close()
            await people.close()


def _helm() -> str:
    beside = Path(sys.executable).with_name("helm")
    return str(beside) if beside.exists() else shutil.which("helm") or ""


async def played(scenario: Scenario, kubeconfig: Path, folder: Path, token: str) -> list[Values]:
    """What it comes to. Raises `ScenarioError` where it comes to nothing."""
    async with site(kubeconfig, folder, scenario) as place:
        play = Play(scenario, place, token)
        try:
            await play.run()
            return outcome(play)
        finally:
            await play.leave()


def _settings(settings: Mapping[str, str]) -> Object:
    about = {"name": "argocd-cm", "namespace": CONTROL, "labels": {"app.kubernetes.io/part-of": "argocd"}}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": about, "data": dict(settings)}
