"""A real Kubernetes control plane for as long as a `with` lasts: etcd, kube-apiserver and, if asked, kube-controller-manager.

Everything is its own: free ports on loopback, certificates, data in a temporary folder. `tools.oracle` records answers of
it and benchmarks run beside it. A keeper process ends what was started when this process is gone, however it went.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import http
import http.client
import json
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import yaml

from tools.oracle_build import binary, missing
from tools.oracle_certificates import Certificates
from tools.steps import Stop

_LOOPBACK = "127.0.0.1"
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
    with _Keeper(folder) as keeper:
        yield _start(folder, keeper, controllers=controllers, durable=durable)


def _start(folder: Path, keeper: _Keeper, *, controllers: bool, durable: bool) -> Oracle:
    client_port, peer_port, port, controller_port = _free_ports(4)
    etcd, url = f"http://{_LOOPBACK}:{client_port}", f"https://{_LOOPBACK}:{port}"
    certificates = Certificates.make(folder / "certificates", host=_LOOPBACK, service="10.96.0.1")
    _write_kubeconfig(folder / "admin.kubeconfig", url, certificates)
    keeper.start("etcd", _etcd(folder, etcd, f"http://{_LOOPBACK}:{peer_port}", durable=durable))
    _give_a_past(client_port, keeper)
    keeper.start("kube-apiserver", _apiserver(port, etcd, certificates))
    _wait_ready(port, certificates, keeper)
    if controllers:
        keeper.start(
            "kube-controller-manager",
            _controller_manager(folder / "admin.kubeconfig", controller_port, certificates),
        )
    return Oracle(url, folder)


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
        "bind-address": _LOOPBACK,
        "advertise-address": _LOOPBACK,
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
        "bind-address": _LOOPBACK,
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


class _Keeper:
    """Ends the programs and removes their folder when its pipe closes: at the end of `with`, or because we died."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._started: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _KEEP, str(self._folder)],
            stdin=subprocess.PIPE,
            start_new_session=True,
        )
        return self

    def start(self, name: str, flags: Mapping[str, str]) -> None:
        command = [str(binary(name)), *(f"--{flag}={value}" for flag, value in flags.items())]
        with (self._folder / f"{name}.log").open("wb") as log:
            self._started[name] = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self._folder,
                start_new_session=True,
            )
        self._tell(str(self._started[name].pid))

    def check(self) -> None:
        for name, process in self._started.items():
            if process.poll() is not None:
                log = (self._folder / f"{name}.log").read_text(errors="replace").splitlines()
                raise Stop(
                    "\n".join(
                        [*log[-12:], f"the oracle's {name} ended with {process.returncode}; its log is above"]
                    )
                )

    def __exit__(self, *_: object) -> None:
        """At once: nobody will read their data again, and a graceful end takes ten seconds."""
        for process in self._started.values():
            process.kill()
        for process in self._started.values():
            process.wait()
        self._tell("ended")
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(20)

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())
        self._process.stdin.flush()


# Runs apart and imports little: it must survive whatever ends its parent.
_KEEP = """
import os, shutil, signal, sys
for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(one, signal.SIG_IGN)
told = sys.stdin.read().split()
if told[-1:] != ["ended"]:
    for pid in told:
        try:
            os.killpg(int(pid), signal.SIGKILL)
        except ProcessLookupError:
            pass
shutil.rmtree(sys.argv[1], ignore_errors=True)
"""


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind((_LOOPBACK, 0))
        return [one.getsockname()[1] for one in sockets]


def _wait_ready(port: int, certificates: Certificates, keeper: _Keeper) -> None:
    """Until /readyz says so, and the start-up hooks have made what a cluster begins with."""
    context = certificates.client_context()

    def found(path: str) -> bool:
        return _says_yes(
            http.client.HTTPSConnection(_LOOPBACK, port, context=context, timeout=5), "GET", path
        )

    for path in ("/readyz", "/api/v1/namespaces/default", "/api/v1/namespaces/default/services/kubernetes"):
        _until(functools.partial(found, path), f"API server: {path}", keeper)


def _give_a_past(port: int, keeper: _Keeper) -> None:
    """A few revisions before the API server starts, so that there are versions it has never seen, and says so."""
    entry = json.dumps({"key": base64.b64encode(b"past").decode(), "value": ""})

    def put() -> bool:
        return _says_yes(http.client.HTTPConnection(_LOOPBACK, port, timeout=5), "POST", "/v3/kv/put", entry)

    for _ in range(20):
        _until(put, "etcd", keeper)


def _until(ready: Callable[[], bool], what: str, keeper: _Keeper, deadline: float = 120) -> None:
    until = time.monotonic() + deadline
    while not ready():
        keeper.check()
        if time.monotonic() > until:
            raise Stop(f"the oracle is not ready after {deadline:.0f} s: {what}")
        time.sleep(0.05)


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
