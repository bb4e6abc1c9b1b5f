"""Certificates that clients show: only this cluster's CA, only now, only those meant for clients."""

from __future__ import annotations

import hashlib
from datetime import timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID, ObjectIdentifier
from hypothesis import given
from hypothesis import strategies as st

from argosy.kube.errors import ApiError
from argosy.kube.server.access import Access, Authority, User
from argosy.kube.server.access.certificates import KeyPair, authority_pair, client_pair, new_key, serving_pair
from argosy.kube.server.access.client_certificates import ClientCertificates
from argosy.kube.server.access.signing import BadToken
from tests.unit.kube.server.access.cluster import NOON, Clock, Cluster, request, with_token

CA = authority_pair(NOON)
WHOLE = client_pair(CA, "jane", ["dev"], NOON).certificate.public_bytes(serialization.Encoding.DER)
UID = ObjectIdentifier("1.3.6.1.4.1.57683.2")


def der(pair: KeyPair) -> bytes:
    return pair.certificate.public_bytes(serialization.Encoding.DER)


def crafted(
    *names: tuple[ObjectIdentifier, str], critical: ObjectIdentifier | None = None, usage=None
) -> bytes:
    key = new_key()
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(*name) for name in names]))
        .issuer_name(CA.certificate.subject)
        .public_key(key.public_key())
        .serial_number(7)
        .not_valid_before(NOON - timedelta(hours=1))
        .not_valid_after(NOON + timedelta(hours=1))
    )
    if critical:
        builder = builder.add_extension(x509.UnrecognizedExtension(critical, b"\x05\x00"), critical=True)
    if usage:
        builder = builder.add_extension(x509.ExtendedKeyUsage(usage), critical=False)
    return builder.sign(CA.key, hashes.SHA256()).public_bytes(serialization.Encoding.DER)


@pytest.fixture
def certificates(clock: Clock) -> ClientCertificates:
    return ClientCertificates(CA.certificate, clock)


def test_the_common_name_is_the_user_and_the_organisations_are_the_groups(certificates) -> None:
    shown = der(client_pair(CA, "jane", ["dev", "ops"], NOON))
    assert certificates.user(shown) == User(
        "jane",
        "",
        ("dev", "ops", "system:authenticated"),
        {"authentication.kubernetes.io/credential-id": (f"X509SHA256={hashlib.sha256(shown).hexdigest()}",)},
    )


def test_a_uid_in_the_subject_is_the_users(certificates) -> None:
    found = certificates.user(crafted((NameOID.COMMON_NAME, "jane"), (UID, "u-1")))
    assert (found.name, found.uid) == ("jane", "u-1")


def test_without_a_name_it_names_nobody(certificates) -> None:
    assert certificates.user(crafted((NameOID.ORGANIZATION_NAME, "system:masters"))) is None


@pytest.mark.parametrize(
    ("shown", "why"),
    [
        (der(client_pair(authority_pair(NOON), "eve", ["system:masters"], NOON)), "unknown authority"),
        (der(client_pair(authority_pair(NOON, new_key()), "eve", [], NOON)), "unknown authority"),
        (der(client_pair(CA, "jane", [], NOON - timedelta(days=366))), "expired"),
        (der(client_pair(CA, "jane", [], NOON + timedelta(hours=1))), "not yet valid"),
        (der(serving_pair(CA, ["localhost"], NOON)), "incompatible key usage"),
        (crafted((NameOID.COMMON_NAME, "jane"), usage=[ExtendedKeyUsageOID.CODE_SIGNING]), "incompatible"),
        (crafted((NameOID.COMMON_NAME, "jane"), critical=ObjectIdentifier("1.2.3.4")), "unhandled critical"),
        (crafted((NameOID.COMMON_NAME, "jane"), (UID, "a"), (UID, "b")), "found multiple: [a b]"),
        (b"\x30\x82", "malformed"),
        (b"not a certificate", "malformed"),
        (b"", "malformed"),
    ],
)
def test_a_certificate_that_is_not_this_clusters_or_not_for_now_is_refused(certificates, shown, why) -> None:
    with pytest.raises(BadToken) as refused:
        certificates.user(shown)
    assert why in str(refused.value)


def test_a_certificate_that_was_good_is_refused_once_it_has_ended(certificates, clock: Clock) -> None:
    shown = der(client_pair(CA, "jane", [], NOON))
    assert certificates.user(shown)
    clock.moment += timedelta(days=365, seconds=1)
    with pytest.raises(BadToken, match="expired"):
        certificates.user(shown)


@pytest.mark.filterwarnings("ignore:Parsed a serial number")
@given(st.integers(min_value=0), st.binary(min_size=1, max_size=4))
def test_a_damaged_certificate_is_refused_and_nothing_else(place: int, junk: bytes) -> None:
    at = place % len(WHOLE)
    damaged = WHOLE[:at] + junk + WHOLE[at + len(junk) :]
    certificates = ClientCertificates(CA.certificate, Clock())
    if damaged == WHOLE:
        return
    with pytest.raises(BadToken):
        certificates.user(damaged)


def test_a_bad_certificate_is_a_401_unless_another_credential_is_good(
    authority: Authority, cluster: Cluster, clock: Clock
) -> None:
    eve = der(client_pair(CA, "eve", ["system:masters"], NOON))
    access = Access(authority, cluster, now=clock, tokens={"s3cret": User("part")})
    with pytest.raises(ApiError) as refused:
        access.authenticate(request(peer=eve))
    assert refused.value.code == 401
    both = request({"authorization": "Bearer s3cret"}, peer=eve)
    assert access.authenticate(both).name == access.authenticate(with_token("s3cret")).name == "part"
