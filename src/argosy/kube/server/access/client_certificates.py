"""Who a client certificate says its holder is: the common name is the user, the organisations are the groups.

TLS has verified it when the connection was made; this looks again, because a connection may outlive its certificate and
an in-process caller never shook hands. Called by `authentication`.
"""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID, ObjectIdentifier

from argosy.kube.server.access.certificates import signed_by
from argosy.kube.server.access.signing import BadToken
from argosy.kube.server.access.vocabulary import CREDENTIAL_ID, User, with_authenticated

_UID = ObjectIdentifier("1.3.6.1.4.1.57683.2")
_REMEMBERED = 1024
_MALFORMED = (
    ValueError,
    UnsupportedAlgorithm,
    x509.InvalidVersion,
    x509.DuplicateExtension,
    x509.UnsupportedGeneralNameType,
)
_UNDERSTOOD = (
    x509.BasicConstraints,
    x509.KeyUsage,
    x509.ExtendedKeyUsage,
    x509.SubjectAlternativeName,
    x509.SubjectKeyIdentifier,
    x509.AuthorityKeyIdentifier,
)


class ClientCertificates:
    def __init__(self, authority: x509.Certificate, now: Callable[[], float] = time.time) -> None:
        self._authority, self._now = authority, now
        self._good: OrderedDict[bytes, tuple[float, float, User | None]] = OrderedDict()

    def user(self, der: bytes) -> User | None:
        """None when it names nobody. Raises BadToken when it is not this cluster's, or not now."""
        digest = hashlib.sha256(der).digest()
        known = self._good.get(digest)
        if known is None:
            known = self._read(der, digest)
            self._good[digest] = known
            if len(self._good) > _REMEMBERED:
                self._good.popitem(last=False)
        begin, end, user = known
        if not begin <= self._now() <= end:
            raise BadToken("x509: certificate has expired or is not yet valid")
        return user

    def _read(self, der: bytes, digest: bytes) -> tuple[float, float, User | None]:
        try:
            certificate = x509.load_der_x509_certificate(der)
            if not signed_by(certificate, self._authority):
                raise BadToken("x509: certificate signed by unknown authority")
            _check_purpose(certificate)
            user = _user(certificate, digest)
        except _MALFORMED as error:
            raise BadToken(f"x509: malformed certificate: {error}") from error
        return (
            certificate.not_valid_before_utc.timestamp(),
            certificate.not_valid_after_utc.timestamp(),
            user,
        )


def _check_purpose(certificate: x509.Certificate) -> None:
    for extension in certificate.extensions:
        if extension.critical and not isinstance(extension.value, _UNDERSTOOD):
            raise BadToken("x509: unhandled critical extension")
    try:
        purposes = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    except x509.ExtensionNotFound:
        return
    if not {ExtendedKeyUsageOID.CLIENT_AUTH, ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE}.intersection(
        purposes
    ):
        raise BadToken("x509: certificate specifies an incompatible key usage")


def _user(certificate: x509.Certificate, digest: bytes) -> User | None:
    names = _texts(certificate, NameOID.COMMON_NAME)
    if not names or not names[-1]:
        return None
    uids = _texts(certificate, _UID)
    if len(uids) > 1:
        raise BadToken(f"expected 1 UID, but found multiple: [{' '.join(uids)}]")
    if uids == [""]:
        raise BadToken("UID cannot be an empty string")
    groups = tuple(_texts(certificate, NameOID.ORGANIZATION_NAME))
    extra = {CREDENTIAL_ID: (f"X509SHA256={digest.hex()}",)}
    return with_authenticated(User(names[-1], uids[0] if uids else "", groups, extra))


def _texts(certificate: x509.Certificate, kind: ObjectIdentifier) -> list[str]:
    found = certificate.subject.get_attributes_for_oid(kind)
    return [one.value if isinstance(one.value, str) else one.value.decode() for one in found]
