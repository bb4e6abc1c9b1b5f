"""The certificates and keys of one oracle: a CA, the server's, the administrator's, and what signs service-account tokens."""

from __future__ import annotations

import ipaddress
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_NAMES = ("localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc")
_PEM = serialization.Encoding.PEM
_SIGNS = x509.KeyUsage(
    digital_signature=True,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    key_cert_sign=True,
    crl_sign=True,
    encipher_only=False,
    decipher_only=False,
)


@dataclass(frozen=True)
class Certificates:
    folder: Path

    @classmethod
    def make(cls, folder: Path, *, host: str, service: str) -> Certificates:
        folder.mkdir(mode=0o700)
        made = cls(folder)
        ca_key = ec.generate_private_key(ec.SECP256R1())
        ca = _certificate(_name("kubernetes"), ca_key, _name("kubernetes"), ca_key, ca=True)
        made._write("ca", ca_key, ca)
        addresses = [x509.IPAddress(ipaddress.ip_address(address)) for address in (host, service)]
        names = [x509.DNSName(name) for name in _NAMES]
        for file, subject, alternatives in (
            ("server", _name("kube-apiserver"), [*names, *addresses]),
            ("admin", _name("kubernetes-admin", "system:masters"), []),
        ):
            key = ec.generate_private_key(ec.SECP256R1())
            made._write(file, key, _certificate(subject, key, ca.subject, ca_key, names=alternatives))
        made._write_signing_key()
        return made

    def file(self, name: str) -> Path:
        return self.folder / name

    def client_context(self) -> ssl.SSLContext:
        """The administrator's."""
        context = ssl.create_default_context(cafile=self.file("ca.crt"))
        context.load_cert_chain(self.file("admin.crt"), self.file("admin.key"))
        return context

    def _write(self, name: str, key: ec.EllipticCurvePrivateKey, certificate: x509.Certificate) -> None:
        self._write_key(f"{name}.key", key)
        self.file(f"{name}.crt").write_bytes(certificate.public_bytes(_PEM))

    def _write_key(self, name: str, key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey) -> None:
        self.file(name).touch(mode=0o600)
        self.file(name).write_bytes(
            key.private_bytes(_PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        )

    def _write_signing_key(self) -> None:
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self._write_key("service-accounts.key", key)
        public = key.public_key().public_bytes(_PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        self.file("service-accounts.pub").write_bytes(public)


def _name(common: str, organisation: str = "") -> x509.Name:
    group = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, organisation)] if organisation else []
    return x509.Name([*group, x509.NameAttribute(NameOID.COMMON_NAME, common)])


def _certificate(
    subject: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    issuer: x509.Name,
    issuer_key: ec.EllipticCurvePrivateKey,
    *,
    ca: bool = False,
    names: Sequence[x509.GeneralName] | None = None,
) -> x509.Certificate:
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=30))
        .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()), critical=False
        )
    )
    if ca:
        builder = builder.add_extension(_SIGNS, critical=True)
    else:
        uses = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
        builder = builder.add_extension(x509.ExtendedKeyUsage(uses), critical=False)
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    return builder.sign(issuer_key, hashes.SHA256())
