"""What the operator chose, from which place, and what is kept of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from argosy.host.lifecycle import chosen
from argosy.host.lifecycle.chosen import Flags
from argosy.host.options import UpSettings
from argosy.host.paths import DataDir
from argosy.kit.errors import BadRequest


@pytest.fixture
def data(tmp_path: Path) -> DataDir:
    made = DataDir(tmp_path)
    made.create()
    return made


def test_nothing_chosen_is_loopback_on_8080(data: DataDir) -> None:
    assert chosen.settle(data, Flags(), {}) == UpSettings(host="127.0.0.1", port=8080)


def test_the_command_line_wins_over_the_environment_and_that_over_the_file(data: DataDir) -> None:
    data.settings.write_text("up: {host: a.example, port: 1, public_url: 'http://file.example'}\n")
    settings = chosen.settle(
        data, Flags(port=3), {"ARGOSY_UP_PORT": "2", "ARGOSY_UP_PUBLIC_URL": "http://env.example"}
    )
    assert (settings.host, settings.public_url, settings.port) == ("a.example", "http://env.example", 3)


def test_only_what_was_said_is_kept_and_other_sections_stay(data: DataDir) -> None:
    data.settings.write_text("audit: {reads_kept_days: 7}\nup: {host: 0.0.0.0}\n")
    chosen.keep(data, Flags(port=9000))
    assert chosen.read(data.settings) == {
        "audit": {"reads_kept_days": 7},
        "up": {"host": "0.0.0.0", "port": 9000},
    }
    assert data.settings.stat().st_mode & 0o777 == 0o600


def test_a_file_that_says_the_same_already_is_not_touched(data: DataDir) -> None:
    data.settings.write_text("up: {port: 9000}  # ours\n")
    chosen.keep(data, Flags(port=9000))
    chosen.keep(data, Flags())
    assert data.settings.read_text() == "up: {port: 9000}  # ours\n"


@pytest.mark.parametrize("text", ["- a\n- b\n", "up: 3\n", "up: {port: [\n", "\udcff"])
def test_a_broken_file_is_named(data: DataDir, text: str) -> None:
    data.settings.write_text(text, errors="surrogateescape")
    with pytest.raises(BadRequest) as caught:
        chosen.settle(data, Flags(), {})
    assert caught.value.context["where"] == str(data.settings)


@pytest.mark.parametrize(
    "flags",
    [
        Flags(port=65536),
        Flags(port=-1),
        Flags(tls_cert="/nowhere/cert.pem"),
        Flags(tls_cert="/nowhere/cert.pem", tls_key="/nowhere/key.pem"),
        Flags(public_url="argosy.example.com"),
        Flags(public_url="ftp://argosy.example.com"),
        Flags(public_url="https://argosy.example.com/path"),
        Flags(public_url="https://user@argosy.example.com"),
        Flags(public_url="https://argosy.example.com:99999"),
        Flags(public_url="https://[::1"),
    ],
)
def test_what_cannot_work_is_a_usage_error(data: DataDir, flags: Flags) -> None:
    with pytest.raises(BadRequest) as caught:
        chosen.settle(data, flags, {})
    assert caught.value.code == "host.usage" and caught.value.cure


def test_an_unknown_setting_is_an_error(data: DataDir) -> None:
    data.settings.write_text("up: {prot: 1}\n")
    with pytest.raises(BadRequest, match="prot"):
        chosen.settle(data, Flags(), {})
