"""Certificates of one cluster: the CA, and those that it signs for the server and for people. All ECDSA P-256.

Pure but for the clock that is handed in; `authority` keeps them in files, `client_certificates` reads those that
clients show.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Self

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

CA_LIFE = timedelta(days=3650)
LEAF_LIFE = timedelta(days=365)
RENEW_BEFORE = timedelta(days=30)
_CLOCK_SKEW = timedelta(minutes=5)
_PEM = serialization.Encoding.PEM


@dataclass(frozen=True, slots=True)
class KeyPair:
    """A private key and the certificate of its public half."""

    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate

    @classmethod
    def parse(cls, pem: bytes) -> Self:
        """From one file that has both. ValueError when it is not that."""
        key = serialization.load_pem_private_key(pem, password=None)
        certificate = x509.load_pem_x509_certificate(pem)
        if not isinstance(key, ec.EllipticCurvePrivateKey) or certificate.public_key() != key.public_key():
            raise ValueError("the key and the certificate do not belong together")
        return cls(key, certificate)

    def pem(self) -> bytes:
        return self.key_pem() + self.certificate_pem()

    def key_pem(self) -> bytes:
        return private_pem(self.key)

    def certificate_pem(self) -> bytes:
        return self.certificate.public_bytes(_PEM)

    def lasts(self, now: datetime) -> bool:
        """Whether there is no need to renew it yet."""
        return (
            self.certificate.not_valid_before_utc <= now < self.certificate.not_valid_after_utc - RENEW_BEFORE
        )


def private_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(_PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())


def authority_pair(now: datetime, key: ec.EllipticCurvePrivateKey | None = None) -> KeyPair:
    """A CA; with `key` the same one again, for longer: what it signed before still holds."""
    private = key or new_key()
    subject = _name("argosy-kube-ca")
    builder = _builder(subject, private, subject, now, now + CA_LIFE)
    for extension, critical in (
        (x509.BasicConstraints(ca=True, path_length=0), True),
        (_usage(signs_certificates=True), True),
    ):
        builder = builder.add_extension(extension, critical=critical)
    return KeyPair(private, builder.sign(private, hashes.SHA256()))


def serving_pair(authority: KeyPair, hosts: Sequence[str], now: datetime) -> KeyPair:
    names = x509.SubjectAlternativeName([_general_name(host) for host in hosts])
    return _leaf(authority, _name("kube-apiserver"), ExtendedKeyUsageOID.SERVER_AUTH, now, names)


def client_pair(authority: KeyPair, user: str, groups: Sequence[str], now: datetime) -> KeyPair:
    return _leaf(authority, _name(user, *groups), ExtendedKeyUsageOID.CLIENT_AUTH, now)


def signed_by(certificate: x509.Certificate, authority: x509.Certificate) -> bool:
    try:
        certificate.verify_directly_issued_by(authority)
    except (InvalidSignature, UnsupportedAlgorithm, ValueError, TypeError):
        return False
    return True


def covered(certificate: x509.Certificate) -> set[str]:
    """The names and addresses that it may serve."""
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return set()
    return {str(name.value) for name in names}


def new_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def _leaf(
    authority: KeyPair,
    subject: x509.Name,
    purpose: x509.ObjectIdentifier,
    now: datetime,
    names: x509.SubjectAlternativeName | None = None,
) -> KeyPair:
    private = new_key()
    issuer = authority.certificate
    end = min(now + LEAF_LIFE, issuer.not_valid_after_utc)
    builder = (
        _builder(subject, private, issuer.subject, now, end)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([purpose]), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key()), critical=False
        )
    )
    if names is not None:
        builder = builder.add_extension(names, critical=False)
    return KeyPair(private, builder.sign(authority.key, hashes.SHA256()))


def _builder(
    subject: x509.Name, key: ec.EllipticCurvePrivateKey, issuer: x509.Name, now: datetime, end: datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _CLOCK_SKEW)
        .not_valid_after(end)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _name(common: str, *organizations: str) -> x509.Name:
    parts = [(NameOID.ORGANIZATION_NAME, one) for one in organizations]
    return x509.Name([x509.NameAttribute(oid, text) for oid, text in (*parts, (NameOID.COMMON_NAME, common))])


def _general_name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)
