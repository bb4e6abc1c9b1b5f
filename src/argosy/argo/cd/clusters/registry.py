"""Which clusters there are: the one the engine is in, and those that labelled Secrets describe.

Each has a connection and a live state of its own, made when the first application goes there; a dead one answers at once why it is dead and
keeps nobody else waiting.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from argosy.argo.cd.clusters.live import LiveState
from argosy.argo.cd.compare.tracking import Tracking
from argosy.contracts.argo.application import Destination
from argosy.kit.errors import BadRequest
from argosy.kube.client import Client, from_kubeconfig
from argosy.kube.objects import Object, name_of

IN_CLUSTER = "https://kubernetes.default.svc"
_IN_CLUSTER_NAME = "in-cluster"
SECRETS = "argocd.argoproj.io/secret-type=cluster"


class UnknownCluster(Exception):
    """In words for the application's condition."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a Secret says of a cluster. An empty list of namespaces means all of them."""

    server: str
    name: str
    config: Object = field(default_factory=dict)
    namespaces: tuple[str, ...] = ()
    cluster_resources: bool = False
    project: str = ""

    @classmethod
    def of(cls, secret: Object) -> Known:
        data = {key: base64.b64decode(value).decode() for key, value in (secret.get("data") or {}).items()}
        namespaces = tuple(one.strip() for one in data.get("namespaces", "").split(",") if one.strip())
        return cls(
            server=data.get("server", "").rstrip("/"),
            name=data.get("name") or name_of(secret),
            config=json.loads(data.get("config") or "{}"),
            namespaces=namespaces,
            cluster_resources=data.get("clusterResources") == "true",
            project=data.get("project", ""),
        )


OnChange = Callable[[Known, str], None]


class Clusters:
    """`home` is the client of the cluster the engine is in. `may_run`: whether Secrets may name programs that sign in; they would run on
    this machine, so it is for its operator to say."""

    def __init__(
        self,
        home: Client,
        tracking: Callable[[], Tracking],
        on_change: Callable[[str], None],
        *,
        may_run: bool = False,
    ) -> None:
        self._home, self._tracking, self._on_change, self._may_run = home, tracking, on_change, may_run
        self._known: dict[str, Known] = {IN_CLUSTER: Known(IN_CLUSTER, _IN_CLUSTER_NAME)}
        self._secrets: dict[str, str] = {}
        self._open: dict[str, tuple[Known, LiveState]] = {}
        self.problems: dict[str, str] = {}
        """Secrets that describe no cluster, and why."""

    def __iter__(self) -> Iterator[Known]:
        return iter(self._known.values())

    def changed(self, before: Object | None, after: Object | None) -> None:
        """A Secret came, changed or went. Connections that are open to what it described end."""
        named = before if before is not None else after
        assert named is not None
        secret = name_of(named)
        self.problems.pop(secret, None)
        old = self._known.pop(self._secrets.pop(secret, ""), None)
        if old is not None and old.server == IN_CLUSTER:
            self._known[IN_CLUSTER] = Known(IN_CLUSTER, _IN_CLUSTER_NAME)
        if after is None:
            return
        try:
            known = Known.of(after)
        except ValueError as error:
            self.problems[secret] = f"the Secret {secret} describes no cluster: {error}"
            return
        self._known[known.server] = known
        self._secrets[secret] = known.server

    async def forget(self, *, everything: bool = False) -> None:
        """Closes what is open and no longer known, or known otherwise; what is needed of it is opened anew."""
        for server, (known, state) in list(self._open.items()):
            if everything or self._known.get(server) != known:
                del self._open[server]
                await state.close()

    def find(self, destination: Destination) -> Known:
        if destination.server and destination.name:
            raise UnknownCluster(
                "application destination can't have both name and server defined: "
                f"{destination.name} {destination.server}"
            )
        if destination.name:
            return self._by_name(destination.name)
        if not destination.server:
            raise UnknownCluster("Destination server missing from app spec")
        found = self._known.get(destination.server.rstrip("/"))
        if found is None:
            raise UnknownCluster(
                f'error getting cluster by server "{destination.server}": cluster "{destination.server}" not found'
            )
        return found

    def live(self, known: Known) -> LiveState:
        """Its state, followed from now on."""
        opened = self._open.get(known.server)
        if opened is not None:
            return opened[1]
        at_home = known.server == IN_CLUSTER and not known.config
        client = self._home if at_home else self._connect(known)
        state = LiveState(
            client, self._tracking, lambda name, _: self._on_change(name), owns_client=not at_home
        )
        self._open[known.server] = (known, state)
        return state

    def trouble(self, known: Known) -> str:
        """Why what is known of it may be old. Nothing is asked: a cluster that nobody uses has no trouble."""
        opened = self._open.get(known.server)
        return opened[1].trouble if opened is not None else ""

    async def close(self) -> None:
        await self.forget(everything=True)

    def _connect(self, known: Known) -> Client:
        if known.config.get("execProviderConfig") and not self._may_run:
            raise UnknownCluster(
                f"cluster {known.name}: its Secret names a program to sign in with, and programs are not run on this "
                "machine; give it a bearerToken or a client certificate, or allow programs in the engine's settings"
            )
        return connect(known)

    def _by_name(self, name: str) -> Known:
        found = [one for one in self._known.values() if one.name == name]
        if len(found) == 1:
            return found[0]
        if found:
            servers = " ".join(one.server for one in found)
            raise UnknownCluster(f"there are {len(found)} clusters with the same name: [{servers}]")
        raise UnknownCluster(f"there are no clusters with this name: {name}")


def connect(known: Known) -> Client:
    """As the Secret says. Cloud providers' own ways of signing in are exec plugins there."""
    config = known.config
    tls = config.get("tlsClientConfig") or {}
    cluster = {
        "server": known.server,
        "certificate-authority-data": tls.get("caData"),
        "insecure-skip-tls-verify": tls.get("insecure"),
        "tls-server-name": tls.get("serverName"),
        "proxy-url": config.get("proxyUrl"),
    }
    if config.get("awsAuthConfig"):
        raise BadRequest(
            f"cluster {known.name}: awsAuthConfig is not supported; use execProviderConfig with argocd-k8s-auth or aws",
            code="argo.cluster",
        )
    user = {
        "token": config.get("bearerToken"),
        "username": config.get("username"),
        "password": config.get("password"),
        "client-certificate-data": tls.get("certData"),
        "client-key-data": tls.get("keyData"),
        "exec": _exec(config.get("execProviderConfig")),
    }
    return from_kubeconfig(
        {
            "current-context": "it",
            "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}],
            "clusters": [{"name": "it", "cluster": _said(cluster)}],
            "users": [{"name": "it", "user": _said(user)}],
        },
        manager="argocd-controller",
    )


def _exec(plugin: Object | None) -> Object | None:
    if not plugin:
        return None
    environment = [{"name": name, "value": value} for name, value in (plugin.get("env") or {}).items()]
    return {
        "command": plugin.get("command"),
        "args": plugin.get("args") or [],
        "env": environment,
        "apiVersion": plugin.get("apiVersion"),
        "installHint": plugin.get("installHint"),
    }


def _said(values: Object) -> Object:
    return {name: value for name, value in values.items() if value}
