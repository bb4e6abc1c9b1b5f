"""Passwords of database roles: made once, private, and provable without being sent."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from argosy.host.paths import DataDir
from argosy.host.postgres.passwords import matches, password, verifier


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    made = DataDir(tmp_path / "argosy")
    made.create()
    return made


def test_a_password_is_made_once_and_readable_by_its_owner_only(data: DataDir) -> None:
    first = password(data, "identity")

    assert len(first) >= 40
    assert password(data, "identity") == first
    assert (data.secrets / "db-identity").stat().st_mode & 0o777 == 0o600
    assert [file.name for file in data.secrets.iterdir()] == ["db-identity"]


def test_two_roles_have_different_passwords(data: DataDir) -> None:
    assert password(data, "identity") != password(data, "audit")


def test_simultaneous_first_uses_agree_on_one_password(data: DataDir) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = set(pool.map(lambda _: password(data, "identity"), range(16)))

    assert len(answers) == 1


def test_a_verifier_proves_its_password_and_no_other() -> None:
    proof = verifier("correct horse")

    assert matches("correct horse", proof)
    assert not matches("wrong horse", proof)
    assert "correct" not in proof


@pytest.mark.parametrize("stored", [None, "", "md5abc", "SCRAM-SHA-256$x"])
def test_what_is_no_verifier_matches_nothing(stored: str | None) -> None:
    assert not matches("anything", stored)


def test_a_verifier_is_the_one_of_the_standard() -> None:
    """The exchange printed in RFC 7677: user "user", password "pencil"."""
    import base64

    salt = base64.b64decode("W22ZaJ0SNY7soEsUEjb6gQ==")

    assert verifier("pencil", salt=salt) == (
        "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$"
        "WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU="
    )
