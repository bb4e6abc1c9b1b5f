"""A certificate for people who have none yet: `argosy up --tls-self-signed`. Kept until a month before its end,
and made anew when it does not cover the names in use. Browsers warn about it, once. Called by `up`."""

from __future__ import annotations

import ipaddress
import os
import ssl
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from argosy.host.options import UpSettings
from argosy.host.paths import DataDir
from argosy.kit import clock
from argosy.kit.errors import BadRequest

if TYPE_CHECKING:
    from cryptography import x509

_LIFE = timedelta(days=397)  # browsers refuse longer ones
_RENEW = timedelta(days=30)


def files(data: DataDir, settings: UpSettings) -> tuple[str, str]:
    """Certificate and key to serve with, or two empty texts for plain HTTP."""
    if settings.tls_cert:
        _check_pair(settings.tls_cert, settings.tls_key)
        return settings.tls_cert, settings.tls_key
    if not settings.tls_self_signed:
        return "", ""
    cert, key = data.secrets / "tls.crt", data.secrets / "tls.key"
    names = _names(settings)
    if not _serves(cert, key, names):
        _make(cert, key, names)
    return str(cert), str(key)


def _check_pair(cert: str, key: str) -> None:
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(cert, key, password="")
    except (ssl.SSLError, OSError, ValueError) as error:
        raise BadRequest(
            f"the TLS certificate and key cannot be used: {error}",
            code="host.tls",
            cure="give a PEM certificate chain and its unencrypted PEM key that belong together",
            context={"where": f"{cert}, {key}"},
        ) from error


def _names(settings: UpSettings) -> list[str]:
    public = urlsplit(settings.public_url).hostname if settings.public_url else None
    return sorted(
        {"localhost", "127.0.0.1", "::1", settings.host, public or "localhost"} - {"", "0.0.0.0", "::"}
    )


def _serves(cert: Path, key: Path, names: list[str]) -> bool:
    from cryptography import x509

    if not (cert.exists() and key.exists()):
        return False
    try:
        found = x509.load_pem_x509_certificate(cert.read_bytes())
        covered = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (ValueError, x509.ExtensionNotFound):
        return False
    here = {str(name.value) for name in covered}
    return here.issuperset(names) and found.not_valid_after_utc - clock.now() > _RENEW


def _make(cert: Path, key: Path, names: list[str]) -> None:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID

    private = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Argosy (self-signed)")])
    now = clock.now()
    signed = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(private.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + _LIFE)
        .add_extension(x509.SubjectAlternativeName([_general_name(name) for name in names]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(private, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    _write(
        key,
        private.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()),
    )
    _write(cert, signed.public_bytes(pem))


def _general_name(name: str) -> x509.GeneralName:
    from cryptography import x509

    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name.encode("idna").decode())


def _write(path: Path, content: bytes) -> None:
    draft = path.with_name(path.name + ".new")
    fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "wb") as file:
        file.write(content)
    os.replace(draft, path)
