"""A real Kubernetes control plane for as long as a `with` lasts: etcd, kube-apiserver and, if asked, kube-controller-manager.

Everything is its own: free ports on loopback, certificates, data in a temporary folder. `tools.oracle` records answers of
it and benchmarks run beside it.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import http
import http.client
import json
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from tools.oracle_build import binary, missing
from tools.oracle_certificates import Certificates
from tools.oracle_processes import LOOPBACK, Keeper, free_ports
from tools.steps import Stop

SERVICE_NETWORK = "10.96.0.0/16"
"""Where Services get their addresses."""


@dataclass(frozen=True)
class Oracle:
    """A running one. `kubeconfig` holds everything needed to be its administrator."""

    url: str
    folder: Path

    @property
    def kubeconfig(self) -> Path:
        return self.folder / "admin.kubeconfig"


@contextlib.contextmanager
def running(*, controllers: bool = False, durable: bool = True) -> Iterator[Oracle]:
    """`durable`: etcd waits for the disk, as in real life; recordings need not."""
    if absent := missing():
        names = ", ".join(program.name for program in absent)
        raise Stop(f"the oracle is not built: no {names}\nmake oracle")
    folder = Path(tempfile.mkdtemp(prefix="argosy-oracle-"))
    with Keeper(folder) as keeper:
        yield _start(folder, keeper, controllers=controllers, durable=durable)


def _start(folder: Path, keeper: Keeper, *, controllers: bool, durable: bool) -> Oracle:
    client_port, peer_port, port, controller_port = free_ports(4)
    etcd, url = f"http://{LOOPBACK}:{client_port}", f"https://{LOOPBACK}:{port}"
    certificates = Certificates.make(folder / "certificates", host=LOOPBACK, service="10.96.0.1")
    _write_kubeconfig(folder / "admin.kubeconfig", url, certificates)
    _run(keeper, "etcd", _etcd(folder, etcd, f"http://{LOOPBACK}:{peer_port}", durable=durable))
    _give_a_past(client_port, keeper)
    _run(keeper, "kube-apiserver", _apiserver(port, etcd, certificates))
    _wait_ready(port, certificates, keeper)
    if controllers:
        _run(
            keeper,
            "kube-controller-manager",
            _controller_manager(folder / "admin.kubeconfig", controller_port, certificates),
        )
    return Oracle(url, folder)


def _run(keeper: Keeper, name: str, flags: Mapping[str, str]) -> None:
    keeper.start(name, [binary(name), *(f"--{flag}={value}" for flag, value in flags.items())])


def _etcd(folder: Path, clients: str, peers: str, *, durable: bool) -> dict[str, str]:
    flags = {
        "data-dir": str(folder / "etcd"),
        "listen-client-urls": clients,
        "advertise-client-urls": clients,
        "listen-peer-urls": peers,
        "initial-advertise-peer-urls": peers,
        "initial-cluster": f"default={peers}",
    }
    return flags if durable else {**flags, "unsafe-no-fsync": "true"}


def _apiserver(port: int, etcd: str, certificates: Certificates) -> dict[str, str]:
    """As kubeadm starts it, less what needs nodes."""
    return {
        "etcd-servers": etcd,
        "bind-address": LOOPBACK,
        "advertise-address": LOOPBACK,
        "secure-port": str(port),
        "cert-dir": str(certificates.folder),
        "tls-cert-file": str(certificates.file("server.crt")),
        "tls-private-key-file": str(certificates.file("server.key")),
        "client-ca-file": str(certificates.file("ca.crt")),
        "service-account-key-file": str(certificates.file("service-accounts.pub")),
        "service-account-signing-key-file": str(certificates.file("service-accounts.key")),
        "service-account-issuer": "https://kubernetes.default.svc.cluster.local",
        "service-cluster-ip-range": SERVICE_NETWORK,
        "authorization-mode": "Node,RBAC",
        "enable-admission-plugins": "NodeRestriction",
        "allow-privileged": "true",
        "endpoint-reconciler-type": "none",
        "profiling": "false",
    }


def _controller_manager(kubeconfig: Path, port: int, certificates: Certificates) -> dict[str, str]:
    return {
        "kubeconfig": str(kubeconfig),
        "bind-address": LOOPBACK,
        "secure-port": str(port),
        "cert-dir": str(certificates.folder),
        "root-ca-file": str(certificates.file("ca.crt")),
        "service-account-private-key-file": str(certificates.file("service-accounts.key")),
        "cluster-signing-cert-file": str(certificates.file("ca.crt")),
        "cluster-signing-key-file": str(certificates.file("ca.key")),
        "use-service-account-credentials": "true",
        "leader-elect": "false",
        "profiling": "false",
    }


def _wait_ready(port: int, certificates: Certificates, keeper: Keeper) -> None:
    """Until /readyz says so, and the start-up hooks have made what a cluster begins with."""
    context = certificates.client_context()

    def found(path: str) -> bool:
        return _says_yes(http.client.HTTPSConnection(LOOPBACK, port, context=context, timeout=5), "GET", path)

    for path in ("/readyz", "/api/v1/namespaces/default", "/api/v1/namespaces/default/services/kubernetes"):
        keeper.until(functools.partial(found, path), f"API server: {path}")


def _give_a_past(port: int, keeper: Keeper) -> None:
    """A few revisions before the API server starts, so that there are versions it has never seen, and says so."""
    entry = json.dumps({"key": base64.b64encode(b"past").decode(), "value": ""})

    def put() -> bool:
        return _says_yes(http.client.HTTPConnection(LOOPBACK, port, timeout=5), "POST", "/v3/kv/put", entry)

    for _ in range(20):
        keeper.until(put, "etcd")


def _says_yes(
    connection: http.client.HTTPConnection, method: str, path: str, body: str | None = None
) -> bool:
    with contextlib.closing(connection):
        try:
            connection.request(method, path, body)
            with connection.getresponse() as answer:
                return answer.status == http.HTTPStatus.OK
        except (OSError, http.client.HTTPException):
            return False


def _write_kubeconfig(path: Path, url: str, certificates: Certificates) -> None:
    cluster = {"server": url, "certificate-authority": str(certificates.file("ca.crt"))}
    admin = {
        "client-certificate": str(certificates.file("admin.crt")),
        "client-key": str(certificates.file("admin.key")),
    }
    path.write_text(
        yaml.safe_dump(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "clusters": [{"name": "oracle", "cluster": cluster}],
                "users": [{"name": "admin", "user": admin}],
                "contexts": [{"name": "oracle", "context": {"cluster": "oracle", "user": "admin"}}],
                "current-context": "oracle",
            },
            sort_keys=False,
        )
    )
    path.chmod(0o600)
