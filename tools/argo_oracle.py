"""A real Argo CD for as long as a `with` lasts: redis, repo server, application controller and, if asked, ApplicationSet controller and API server.

It works at whatever cluster a kubeconfig names: the embedded one, or the real one of `oracle_cluster`. `tests/conformance/argo_cd` records
its answers, the engine's benchmarks run beside it. Repositories are folders of this machine, by `file://` addresses; what makes it wait
for the sake of large installations is off. Its metrics listen on all addresses: it has no setting for that.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path

from argosy.kube.client import Client, from_kubeconfig
from argosy.kube.objects import Object, name_of
from argosy.kube.types import Kind
from tools import argo_oracle_build, oracle_build
from tools.argo_oracle_objects import NAMESPACE, definitions, installation
from tools.oracle_processes import LOOPBACK, Keeper, free_ports, listens
from tools.steps import Stop

_DEFINITION = Kind("apiextensions.k8s.io", "v1", "CustomResourceDefinition")
_PATIENCE = 60
_QUICK = {
    "ARGOCD_SYNC_WAVE_DELAY": "0",
    "ARGOCD_CLUSTER_CACHE_BATCH_EVENTS_PROCESSING": "false",
    "ARGOCD_K8S_CLIENT_QPS": "1000",
    "ARGOCD_K8S_CLIENT_BURST": "2000",
}
"""For recordings. A benchmark measures it as it comes."""


@dataclass(frozen=True)
class ArgoCD:
    """A running one. `pids` by the names of its servers."""

    folder: Path
    kubeconfig: Path
    port: int
    """Of its API server, in plain HTTP; 0 where that was not asked for."""
    pids: Mapping[str, int] = field(default_factory=dict)

    def log(self, server: str) -> str:
        return (self.folder / f"{server}.log").read_text(errors="replace")


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """`settings` are what `argocd-cm` shall hold. `flags` are added to the application controller's."""

    settings: Mapping[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ("--app-resync=0", "--persist-resource-health")
    quick: bool = True
    sets: bool = False
    server: bool = False


@contextlib.contextmanager
def running(kubeconfig: Path, wanted: Wanted = Wanted()) -> Iterator[ArgoCD]:  # noqa: B008  frozen
    if why := argo_oracle_build.missing():
        raise Stop(why)
    folder = Path(tempfile.mkdtemp(prefix="argosy-argo-cd-"))
    with Keeper(folder) as keeper:
        asyncio.run(_install(kubeconfig, wanted))
        yield _start(folder, keeper, kubeconfig, wanted)


async def _install(kubeconfig: Path, wanted: Wanted) -> None:
    client = from_kubeconfig(kubeconfig, manager="argo-oracle")
    try:
        await define(client, definitions(argo_oracle_build.crds()))
        for one in installation(wanted.settings):
            await client.apply(one, force=True)
    finally:
        await client.close()


async def define(client: Client, definitions: Iterable[Object]) -> None:
    """Until the kinds are served."""
    waiting = {name_of(await client.apply(one, force=True)) for one in definitions}
    async with asyncio.timeout(_PATIENCE), aclosing(client.watch(_DEFINITION, initial=True)) as events:
        async for event in events:
            said = (event.object.get("status") or {}).get("conditions") or ()
            if any(one["type"] == "Established" and one["status"] == "True" for one in said):
                waiting.discard(name_of(event.object))
            if not waiting:
                return


@dataclass(frozen=True)
class _Ports:
    redis: int
    repo: int
    repo_metrics: int
    metrics: int
    sets: int
    sets_probes: int
    sets_hooks: int
    server: int
    server_metrics: int


def _start(folder: Path, keeper: Keeper, kubeconfig: Path, wanted: Wanted) -> ArgoCD:
    ports = _Ports(*free_ports(9))
    environment = _environment(folder, kubeconfig, quick=wanted.quick)
    pids = {"redis": keeper.start("redis", _redis(folder, ports.redis))}
    keeper.until(lambda: listens(ports.redis), "redis")
    for name, port, flags in _servers(ports, kubeconfig, wanted):
        own = {**environment, "ARGOCD_BINARY_NAME": f"argocd-{name}"}
        pids[name] = keeper.start(name, [argo_oracle_build.binary(), *flags], own)
        keeper.until(functools.partial(listens, port), name)
    return ArgoCD(folder, kubeconfig, ports.server if wanted.server else 0, pids)


def _servers(ports: _Ports, kubeconfig: Path, wanted: Wanted) -> Iterator[tuple[str, int, list[str]]]:
    """Each with the port that tells when it is ready, and its flags."""
    cache, repo = f"--redis={LOOPBACK}:{ports.redis}", f"{LOOPBACK}:{ports.repo}"
    shared = [f"--kubeconfig={kubeconfig}", f"--namespace={NAMESPACE}", "--repo-server-plaintext"]
    yield (
        "repo-server",
        ports.repo,
        [
            cache,
            "--disable-tls",
            f"--address={LOOPBACK}",
            f"--port={ports.repo}",
            f"--metrics-address={LOOPBACK}",
            f"--metrics-port={ports.repo_metrics}",
        ],
    )
    everywhere = [*shared, cache, f"--repo-server={repo}", "--application-namespaces=*"]
    yield (
        "application-controller",
        ports.metrics,
        [*everywhere, f"--metrics-port={ports.metrics}", *wanted.flags],
    )
    if wanted.sets:
        listening = {"metrics": ports.sets, "probe": ports.sets_probes, "webhook": ports.sets_hooks}
        yield (
            "applicationset-controller",
            ports.sets_probes,
            [
                *shared,
                f"--argocd-repo-server={repo}",
                "--enable-progressive-syncs",
                *(f"--{name}-addr={LOOPBACK}:{port}" for name, port in listening.items()),
            ],
        )
    if wanted.server:
        yield (
            "server",
            ports.server,
            [
                *everywhere,
                f"--address={LOOPBACK}",
                f"--port={ports.server}",
                f"--metrics-port={ports.server_metrics}",
                "--insecure",
                "--disable-auth",
            ],
        )


def _redis(folder: Path, port: int) -> list[str | Path]:
    """Under its own name: the program looks at it."""
    found = argo_oracle_build.redis()
    assert found is not None
    program = folder / "redis-server"
    program.symlink_to(Path(found).resolve())
    return [program, "--port", str(port), "--bind", LOOPBACK, "--save", "", "--appendonly", "no"]


def _environment(folder: Path, kubeconfig: Path, *, quick: bool) -> dict[str, str]:
    for name in ("home", "tmp", "tls", "ssh", "gpg", "plugins"):
        (folder / name).mkdir()
    (folder / "gpg").chmod(0o700)
    return {
        **(_QUICK if quick else {}),
        "PATH": f"{_tools(folder)}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(folder / "home"),
        "TMPDIR": str(folder / "tmp"),
        "KUBECONFIG": str(kubeconfig),
        "ARGOCD_FAKE_IN_CLUSTER": "true",
        "ARGOCD_GPG_ENABLED": "false",
        "ARGOCD_GNUPGHOME": str(folder / "gpg"),
        "ARGOCD_TLS_DATA_PATH": str(folder / "tls"),
        "ARGOCD_SSH_DATA_PATH": str(folder / "ssh"),
        "ARGOCD_PLUGINSOCKFILEPATH": str(folder / "plugins"),
        "ARGOCD_ASK_PASS_SOCK": str(folder / "ask-pass.sock"),
        "ARGOCD_GIT_MODULES_ENABLED": "false",
    }


def _tools(folder: Path) -> Path:
    """What it calls by name: helm and kustomize."""
    found = folder / "bin"
    found.mkdir()
    helm = Path(sys.executable).with_name("helm")
    wanted = {
        "helm": helm if helm.exists() else shutil.which("helm"),
        "kustomize": next(iter(sorted(oracle_build.home().glob("kustomize-*/kustomize"))), None)
        or shutil.which("kustomize"),
    }
    for name, program in wanted.items():
        if program is not None:
            (found / name).symlink_to(program)
    return found
