"""Whom one cluster trusts: its CA, the certificates that the CA signed, and the key of service-account tokens.

Made when the cluster first starts and kept in a folder of its own, a file each, 0600 and whole or absent. The cluster's
listener takes `ssl_context`, people take `kubeconfig`; `client_certificates` and `service_accounts` check against the
rest.
"""

from __future__ import annotations

import ipaddress
import os
import secrets
import ssl
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self

from cryptography import x509

from argosy.kit import clock
from argosy.kit.clock import Clock
from argosy.kit.errors import Internal
from argosy.kit.tokens.files import create_once
from argosy.kube.server.access.certificates import (
    KeyPair,
    authority_pair,
    client_pair,
    covered,
    new_key,
    private_pem,
    serving_pair,
    signed_by,
)
from argosy.kube.server.access.kubeconfig import kubeconfig
from argosy.kube.server.access.signing import SigningKey
from argosy.kube.server.access.vocabulary import MASTERS

ISSUER = "https://kubernetes.default.svc.cluster.local"
ADMIN = "kubernetes-admin"
_CA, _SERVING, _CLIENT, _SIGNING = "ca.pem", "serving.pem", "admin.pem", "signing.pem"
_ALWAYS_SERVED = (
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
    "localhost",
    "127.0.0.1",
    "::1",
    "10.96.0.1",
)


class Authority:
    issuer = ISSUER
    audiences = (ISSUER,)
    """Of a token that is meant for this API server."""

    def __init__(self, folder: Path, *, hosts: Sequence[str], now: Clock) -> None:
        self._folder, self._now = folder, now
        self._hosts = list(dict.fromkeys((*_ALWAYS_SERVED, *filter(None, map(_certifiable, hosts)))))
        self._context: ssl.SSLContext | None = None
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._ca = self._authority()
        self._serving = self._current_serving()
        self.signing = self._signing()

    @classmethod
    def load(cls, folder: Path, *, hosts: Sequence[str], now: Clock = clock.now) -> Self:
        """`hosts` are the names and addresses under which clients reach the server, beside the usual ones."""
        return cls(folder, hosts=hosts, now=now)

    @property
    def certificate(self) -> x509.Certificate:
        """The CA's."""
        return self._ca.certificate

    @property
    def certificate_pem(self) -> str:
        return self._ca.certificate_pem().decode()

    def kubeconfig(self, *, cluster: str, url: str) -> str:
        """For the administrator: everything is inside, it works wherever it is copied to."""
        client = self._kept(_CLIENT, self._ours, lambda: client_pair(self._ca, ADMIN, [MASTERS], self._now()))
        return kubeconfig(cluster=cluster, url=url, authority=self._ca.certificate_pem(), client=client)

    def ssl_context(self) -> ssl.SSLContext:
        """Server side. A client certificate is optional, but one that is shown must be of this CA."""
        if self._context is None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.minimum_version = ssl.TLSVersion.TLSv1_2
            context.verify_mode = ssl.CERT_OPTIONAL
            context.load_verify_locations(cadata=self.certificate_pem)
            context.set_alpn_protocols(["http/1.1"])
            context.load_cert_chain(self._folder / _SERVING)
            self._context = context
        return self._context

    def renew(self) -> bool:
        """Once a day: a serving certificate that ends within a month is replaced; new connections get the new one."""
        before, self._serving = self._serving, self._current_serving()
        if self._serving.certificate == before.certificate:
            return False
        if self._context is not None:
            self._context.load_cert_chain(self._folder / _SERVING)
        return True

    def _authority(self) -> KeyPair:
        found = self._parsed(_CA, self._once(_CA, lambda: authority_pair(self._now()).pem()))
        if found.lasts(self._now()):
            return found
        longer = authority_pair(self._now(), found.key)
        self._replace(_CA, longer.pem())
        return longer

    def _signing(self) -> SigningKey:
        try:
            return SigningKey.parse(self._once(_SIGNING, lambda: private_pem(new_key())))
        except ValueError as error:
            raise self._unreadable(_SIGNING, error) from error

    def _current_serving(self) -> KeyPair:
        def serves(pair: KeyPair) -> bool:
            return self._ours(pair) and covered(pair.certificate).issuperset(self._hosts)

        return self._kept(_SERVING, serves, lambda: serving_pair(self._ca, self._hosts, self._now()))

    def _ours(self, pair: KeyPair) -> bool:
        return pair.lasts(self._now()) and signed_by(pair.certificate, self._ca.certificate)

    def _kept(self, name: str, good: Callable[[KeyPair], bool], make: Callable[[], KeyPair]) -> KeyPair:
        """What the file has, or what takes its place because it is no longer good."""
        found = self._parsed(name, self._once(name, lambda: make().pem()))
        if good(found):
            return found
        made = make()
        self._replace(name, made.pem())
        return made

    def _once(self, name: str, make: Callable[[], bytes]) -> bytes:
        """The file's content, made now if there is none yet; of two who make it at once one wins, for both."""
        file = self._folder / name
        if not file.exists():
            create_once(file, make(), 0o600)
        return file.read_bytes()

    def _replace(self, name: str, content: bytes) -> None:
        draft = self._folder / f".{name}.{secrets.token_hex(6)}"
        create_once(draft, content, 0o600)
        os.replace(draft, self._folder / name)

    def _parsed(self, name: str, pem: bytes) -> KeyPair:
        try:
            return KeyPair.parse(pem)
        except (ValueError, TypeError) as error:
            raise self._unreadable(name, error) from error

    def _unreadable(self, name: str, error: Exception) -> Internal:
        return Internal(
            f"{self._folder / name} cannot be read: {error}",
            code="kube.authority",
            cure="restore the file from a backup, or delete it to have a new one made (what it signed is void then)",
        )


def _certifiable(host: str) -> str:
    """As it stands in a certificate; empty for what nobody can ask for (every address, nothing)."""
    try:
        address = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return _ascii_name(host)
    return "" if address.is_unspecified else str(address)


def _ascii_name(host: str) -> str:
    try:
        return host.lower().encode("idna").decode()
    except UnicodeError:
        return ""
