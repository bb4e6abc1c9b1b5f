"""Whether a certificate and a key belong together."""

from __future__ import annotations

import pytest

from argosy.kube.server.access import Authority
from argosy.kube.server.rules.key_pairs import wrong_pair


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Certificates and keys of two clusters."""
    found = []
    for name in ("one", "other"):
        folder = tmp_path_factory.mktemp(name)
        Authority.load(folder, hosts=[])
        found.append((folder / "ca.pem").read_bytes())
    return found


def _parts(pem):
    key, mark, certificate = pem.partition(b"-----BEGIN CERTIFICATE-----")
    return mark + certificate, key


def test_a_pair_is_one(files):
    assert wrong_pair(*_parts(files[0])) == ""


def test_a_key_of_somebody_else_is_found(files):
    (certificate, _), (_, key) = _parts(files[0]), _parts(files[1])
    assert wrong_pair(certificate, key) == "private key does not match public key"


@pytest.mark.parametrize(
    ("certificate", "key", "words"),
    [
        (b"x", b"y", "failed to find any PEM data in certificate input"),
        (b"-----BEGIN X-----", b"y", "failed to find any PEM data in key input"),
        (b"-----BEGIN X-----", b"-----BEGIN Y-----", "failed to parse certificate"),
    ],
)
def test_what_is_no_pair_is_told(certificate, key, words):
    assert wrong_pair(certificate, key) == words
