"""A certificate for people who have none yet."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import time_machine
from cryptography import x509

from argosy.host.lifecycle import tls
from argosy.host.options import UpSettings
from argosy.host.paths import DataDir
from argosy.kit.errors import BadRequest

OWN = UpSettings(host="0.0.0.0", public_url="https://argosy.example.com", tls_self_signed=True)


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    made = DataDir(tmp_path)
    made.create()
    return made


def test_without_tls_there_are_no_files(data: DataDir) -> None:
    assert tls.files(data, UpSettings()) == ("", "")


def test_it_covers_the_names_in_use_and_its_key_is_private(data: DataDir) -> None:
    cert, key = tls.files(data, OWN)
    names = x509.load_pem_x509_certificate(Path(cert).read_bytes()).extensions.get_extension_for_class(
        x509.SubjectAlternativeName
    )
    assert {str(name.value) for name in names.value} == {
        "localhost", "127.0.0.1", "::1", "argosy.example.com"
    }  # fmt: skip
    assert Path(key).stat().st_mode & 0o777 == 0o600
    ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(cert, key)


def test_it_is_kept_until_a_month_before_its_end(data: DataDir) -> None:
    first = Path(tls.files(data, OWN)[0]).read_bytes()
    assert Path(tls.files(data, OWN)[0]).read_bytes() == first
    with time_machine.travel(datetime.now(UTC) + timedelta(days=370), tick=False):
        assert Path(tls.files(data, OWN)[0]).read_bytes() != first


def test_a_new_name_makes_a_new_one(data: DataDir) -> None:
    first = Path(tls.files(data, OWN)[0]).read_bytes()
    other = UpSettings(host="192.168.7.7", tls_self_signed=True)
    assert Path(tls.files(data, other)[0]).read_bytes() != first


def test_a_broken_file_is_replaced(data: DataDir) -> None:
    cert, key = tls.files(data, OWN)
    Path(cert).write_text("not a certificate")
    tls.files(data, OWN)
    ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(cert, key)


def test_a_certificate_and_a_key_that_do_not_belong_together_are_refused(data: DataDir) -> None:
    cert, _ = tls.files(data, OWN)
    other = data.root / "other.key"
    other.write_text("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")
    with pytest.raises(BadRequest) as caught:
        tls.files(data, UpSettings(tls_cert=cert, tls_key=str(other)))
    assert caught.value.code == "host.tls" and str(other) in str(caught.value.context["where"])
