"""Clients for the clusters that one meets: a kubeconfig's, the one around a pod, one on this machine, one in this process."""

from __future__ import annotations

import base64
import binascii
import os
import ssl
import tempfile
from pathlib import Path

from argosy.kit import yaml
from argosy.kit.errors import BadRequest
from argosy.kube.client.client import Client
from argosy.kube.client.credentials import Credentials, ExecPlugin, Password, Token, TokenFile
from argosy.kube.client.transport import Http, InProcess
from argosy.kube.objects import Object
from argosy.kube.wire import Handler

_SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


def from_kubeconfig(source: Path | str | Object, *, context: str = "", manager: str = "argosy") -> Client:
    """`source` is a path, or what such a file holds. Relative files in it are taken from where it lies."""
    if isinstance(source, dict):
        config, base = source, Path()
    else:
        config, base = yaml.load(Path(source).read_bytes(), what=str(source)), Path(source).parent
    if not isinstance(config, dict):
        raise BadRequest("the kubeconfig is not a mapping", code="kube.kubeconfig")
    chosen = _named(config, "contexts", context or str(config.get("current-context") or ""), "context")
    cluster = _named(config, "clusters", str(chosen.get("cluster")), "cluster")
    user = _named(config, "users", str(chosen.get("user")), "user") if chosen.get("user") else {}
    server = str(cluster.get("server") or "")
    if not server.startswith(("http://", "https://")):
        raise BadRequest(
            f"the kubeconfig's cluster has no usable server: {server[:80]!r}", code="kube.kubeconfig"
        )
    transport = Http(
        server,
        tls=_tls(cluster, user, base) if server.startswith("https") else False,
        credentials=_credentials(user, base),
        server_name=str(cluster.get("tls-server-name") or ""),
    )
    return Client(transport, namespace=str(chosen.get("namespace") or "default"), manager=manager)


def in_cluster(*, manager: str = "argosy") -> Client:
    """From inside a pod, with its service account."""
    host, port = (
        os.environ.get("KUBERNETES_SERVICE_HOST", ""),
        os.environ.get("KUBERNETES_SERVICE_PORT", "443"),
    )
    if not host or not (_SERVICE_ACCOUNT / "token").exists():
        raise BadRequest(
            "this process does not run in a pod with a service account",
            code="kube.in_cluster",
            cure="give a kubeconfig instead",
        )
    tls = ssl.create_default_context(cafile=str(_SERVICE_ACCOUNT / "ca.crt"))
    bracketed = f"[{host}]" if ":" in host else host
    transport = Http(
        f"https://{bracketed}:{port}", tls=tls, credentials=TokenFile(_SERVICE_ACCOUNT / "token")
    )
    return Client(transport, namespace=(_SERVICE_ACCOUNT / "namespace").read_text().strip(), manager=manager)


def over_unix_socket(path: Path, token: str, *, manager: str = "argosy") -> Client:
    return Client(
        Http("http://cluster", tls=False, credentials=Token(token), unix=str(path)), manager=manager
    )


def in_process(handler: Handler, token: str, *, manager: str = "argosy") -> Client:
    return Client(InProcess(handler, token), manager=manager)


def _named(config: Object, section: str, name: str, what: str) -> Object:
    found = next((one for one in config.get(section) or () if one.get("name") == name), None)
    if found is None:
        known = ", ".join(str(one.get("name")) for one in config.get(section) or ()) or "none"
        raise BadRequest(
            f"the kubeconfig has no {what} {name!r}", code="kube.kubeconfig", cure=f"{section}: {known}"
        )
    return found.get(what) or {}


def _tls(cluster: Object, user: Object, base: Path) -> ssl.SSLContext:
    ca = _content(cluster, "certificate-authority", base)
    try:
        context = ssl.create_default_context(cadata=ca.decode("ascii", "ignore") if ca else None)
    except (ssl.SSLError, ValueError) as error:
        raise BadRequest(
            "the kubeconfig's certificate-authority holds no certificate", code="kube.kubeconfig"
        ) from error
    if cluster.get("insecure-skip-tls-verify"):
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    certificate, key = _content(user, "client-certificate", base), _content(user, "client-key", base)
    if certificate and key:
        # The ssl module reads a key only from a file; this one is gone before anybody else could open it.
        with tempfile.NamedTemporaryFile() as file:
            file.write(certificate + b"\n" + key)
            file.flush()
            try:
                context.load_cert_chain(file.name)
            except ssl.SSLError as error:
                raise BadRequest(
                    "the kubeconfig's client-certificate and client-key are no pair", code="kube.kubeconfig"
                ) from error
    return context


def _content(holder: Object, name: str, base: Path) -> bytes:
    try:
        if data := holder.get(f"{name}-data"):
            return base64.b64decode(data, validate=True)
        return (base / holder[name]).read_bytes() if holder.get(name) else b""
    except (binascii.Error, ValueError) as error:
        raise BadRequest(f"the kubeconfig's {name}-data is not base64", code="kube.kubeconfig") from error
    except OSError as error:
        raise BadRequest(
            f"the kubeconfig's {name} cannot be read: {error.strerror}", code="kube.kubeconfig"
        ) from error


def _credentials(user: Object, base: Path) -> Credentials | None:
    if user.get("token"):
        return Token(str(user["token"]))
    if user.get("tokenFile"):
        return TokenFile(base / user["tokenFile"])
    if user.get("username"):
        return Password(str(user["username"]), str(user.get("password") or ""))
    if plugin := user.get("exec"):
        return ExecPlugin(
            command=_command(str(plugin["command"]), base),
            arguments=[str(one) for one in plugin.get("args") or ()],
            environment={str(one["name"]): str(one["value"]) for one in plugin.get("env") or ()},
            api_version=str(plugin.get("apiVersion") or "client.authentication.k8s.io/v1"),
            hint=str(plugin.get("installHint") or ""),
        )
    return None


def _command(command: str, base: Path) -> str:
    """A name is looked up in the PATH; a relative path begins where the kubeconfig lies."""
    return str(base.absolute() / command) if "/" in command else command
