"""Clients for the clusters that one meets: a kubeconfig's, the one around a pod, one on this machine, one in this process."""

from __future__ import annotations

import os
import ssl
import tempfile
from pathlib import Path

from yarl import URL

from argosy.kit.errors import BadRequest
from argosy.kube.client.client import Client
from argosy.kube.client.credentials import Credentials, ExecPlugin, Password, Token, TokenFile
from argosy.kube.client.kubeconfig import Entry, Kubeconfig, files_of, from_files, from_object, wrong
from argosy.kube.client.transport import Http, InProcess, Tls, no_tls
from argosy.kube.objects import Object
from argosy.kube.wire import Handler

_SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")


def from_kubeconfig(
    source: Path | str | Object | Kubeconfig, *, context: str = "", manager: str = "argosy"
) -> Client:
    """`source` is a path, what such a file holds, or several files as one."""
    if isinstance(source, dict):
        config = from_object(source)
    else:
        config = source if isinstance(source, Kubeconfig) else from_files([Path(source)])
    chosen, cluster, user = config.chosen(context)
    server = cluster.text("server")
    if not server.startswith(("http://", "https://")):
        raise wrong(f"the kubeconfig's cluster has no usable server: {server[:80]!r}")
    transport = Http(
        server,
        tls=_tls(cluster, user) if server.startswith("https") else no_tls,
        credentials=_credentials(user),
        server_name=cluster.text("tls-server-name"),
        proxy=_proxy(cluster.text("proxy-url")),
    )
    return Client(transport, namespace=chosen.text("namespace") or "default", manager=manager)


def from_environment(*, context: str = "", manager: str = "argosy") -> Client:
    """As `kubectl` would: by the files that `KUBECONFIG` names, or the one in the home folder."""
    return from_kubeconfig(from_files(files_of(os.environ)), context=context, manager=manager)


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
    trusting = ssl.create_default_context(cafile=str(_SERVICE_ACCOUNT / "ca.crt"))
    bracketed = f"[{host}]" if ":" in host else host
    transport = Http(
        f"https://{bracketed}:{port}",
        tls=lambda _: trusting,
        credentials=TokenFile(_SERVICE_ACCOUNT / "token"),
    )
    return Client(transport, namespace=(_SERVICE_ACCOUNT / "namespace").read_text().strip(), manager=manager)


def over_unix_socket(path: Path, token: str, *, manager: str = "argosy") -> Client:
    return Client(Http("http://cluster", credentials=Token(token), unix=str(path)), manager=manager)


def in_process(handler: Handler, token: str, *, manager: str = "argosy") -> Client:
    return Client(InProcess(handler, token), manager=manager)


def _tls(cluster: Entry, user: Entry) -> Tls:
    """Made anew for each certificate that a program hands out; the user's own is good until then."""
    ca = cluster.content("certificate-authority")
    own = user.content("client-certificate"), user.content("client-key")
    pair = b"\n".join(own) if all(own) else b""

    def context(certificate: bytes) -> ssl.SSLContext:
        try:
            made = ssl.create_default_context(cadata=ca.decode("ascii", "ignore") if ca else None)
        except (ssl.SSLError, ValueError) as error:
            raise wrong("the kubeconfig's certificate-authority holds no certificate") from error
        if cluster.said.get("insecure-skip-tls-verify"):
            made.check_hostname, made.verify_mode = False, ssl.CERT_NONE
        if certificate:
            _load(made, certificate)
        return made

    try:
        first = context(pair)  # so that what is wrong is said now
    except ssl.SSLError as error:
        raise wrong("the kubeconfig's client-certificate and client-key are no pair") from error
    return lambda certificate: context(certificate) if certificate else first


def _load(context: ssl.SSLContext, certificate: bytes) -> None:
    """The ssl module reads a key only from a file; this one is gone before anybody else could open it."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(certificate)
        file.flush()
        context.load_cert_chain(file.name)


def _proxy(url: str) -> URL | None:
    if not url:
        return None
    try:
        found = URL(url)
    except ValueError as error:
        raise wrong("the kubeconfig's proxy-url is no URL") from error
    if found.scheme.startswith("socks"):
        raise wrong(
            f"the kubeconfig's proxy-url asks for a proxy of the kind {found.scheme}, which this client does not speak",
            cure="name one that begins with http:// or https://",
        )
    if found.scheme not in {"http", "https"} or not found.host:
        raise wrong(
            f"the kubeconfig's proxy-url is not usable: {str(found.with_user(None) if found.host else found)[:80]!r}",
            cure="name one that begins with http:// or https://",
        )
    return found


def _credentials(user: Entry) -> Credentials | None:
    said = user.said
    if said.get("token"):
        return Token(user.text("token"))
    if said.get("tokenFile"):
        return TokenFile(user.base / user.text("tokenFile"))
    if said.get("username"):
        return Password(user.text("username"), user.text("password"))
    if plugin := said.get("exec"):
        return ExecPlugin(
            command=_command(str(plugin["command"]), user.base),
            arguments=[str(one) for one in plugin.get("args") or ()],
            environment={str(one["name"]): str(one["value"]) for one in plugin.get("env") or ()},
            api_version=str(plugin.get("apiVersion") or "client.authentication.k8s.io/v1"),
            hint=str(plugin.get("installHint") or ""),
        )
    return None


def _command(command: str, base: Path) -> str:
    """A name is looked up in the PATH; a relative path begins where the kubeconfig lies."""
    return str(base.absolute() / command) if "/" in command else command
