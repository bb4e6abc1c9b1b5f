"""Makes the engine's HTTP API known in its cluster where Argo CD's is looked for: a Service with the usual labels, a certificate and a token
in the usual Secrets. Whoever may read those Secrets may use it.

The engine stands beside the cluster, not in it, so the Service is a name for where it listens. `access` answers what the listener needs.
"""

from __future__ import annotations

import base64
import ipaddress
import secrets
import ssl
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from argosy.kit.clock import now
from argosy.kube.client import Client
from argosy.kube.objects import Object
from argosy.kube.types import Kind

SERVICE, CERTIFICATE, TOKEN = "argocd-server", "argocd-server-tls", "argocd-token"
_SECRET = Kind("", "v1", "Secret")
_LASTS, _RENEWED = timedelta(days=365), timedelta(days=30)
_LABELS = {
    "app.kubernetes.io/name": "argocd-server",
    "app.kubernetes.io/component": "server",
    "app.kubernetes.io/part-of": "argocd",
}


@dataclass(frozen=True, slots=True)
class Access:
    context: ssl.SSLContext
    token: str


async def access(client: Client, namespace: str) -> Access:
    """Kept over restarts, so that whoever has read them once may go on."""
    pair = await _kept(client, namespace, CERTIFICATE, "kubernetes.io/tls", _certificate, _is_good)
    token = await _kept(client, namespace, TOKEN, "Opaque", _token, lambda data: bool(data.get("token")))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:
        file.write(pair["tls.crt"] + pair["tls.key"])
        file.flush()
        context.load_cert_chain(Path(file.name))
    return Access(context, token["token"])


async def publish(client: Client, namespace: str, *, port: int) -> None:
    service: Object = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": SERVICE, "namespace": namespace, "labels": _LABELS},
        "spec": {
            "type": "ExternalName",
            "externalName": "localhost",
            "ports": [{"name": "https", "port": port, "protocol": "TCP", "targetPort": port}],
        },
    }
    await client.apply(service, force=True, manager="argosy-engine")


async def _kept(
    client: Client,
    namespace: str,
    name: str,
    form: str,
    make: Callable[[], dict[str, str]],
    good: Callable[[dict[str, str]], bool],
) -> dict[str, str]:
    """What the Secret has, if it is good; else what is made, and put there."""
    there = await client.find(_SECRET, name, namespace)
    if there is not None and good(_plain(there)):
        return _plain(there)
    made = make()
    secret: Object = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": namespace, "labels": _LABELS},
        "type": form,
        "stringData": made,
    }
    if there is None:
        await client.create(secret)
    else:
        await client.patch(_SECRET, name, {"stringData": made}, namespace=namespace)
    return made


def _token() -> dict[str, str]:
    return {"token": secrets.token_urlsafe(32)}


def _certificate() -> dict[str, str]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "argocd-server")])
    names: list[x509.GeneralName] = [
        x509.DNSName("localhost"),
        x509.DNSName("argocd-server"),
        x509.IPAddress(ipaddress.ip_address("127.0.0.1")),
    ]
    moment = now()
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(moment - timedelta(hours=1))
        .not_valid_after(moment + _LASTS)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = certificate.public_bytes(serialization.Encoding.PEM).decode()
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return {"tls.crt": pem, "tls.key": private.decode(), "ca.crt": pem}


def _is_good(data: dict[str, str]) -> bool:
    try:
        certificate = x509.load_pem_x509_certificate(data["tls.crt"].encode())
    except (KeyError, ValueError):
        return False
    return certificate.not_valid_after_utc > now() + _RENEWED


def _plain(secret: Object) -> dict[str, str]:
    return {name: base64.b64decode(value).decode() for name, value in (secret.get("data") or {}).items()}
