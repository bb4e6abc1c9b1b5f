"""Settings that nobody reads, or that a service cannot use, are told before anything answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from argosy.host.installation import Installation
from argosy.host.paths import DataDir
from argosy.kit.errors import BadRequest


def check(tmp_path: Path, text: str) -> None:
    data = DataDir(tmp_path)
    data.settings.write_text(text)
    Installation(data, environ={}).check_settings()


@pytest.mark.parametrize(
    "text, said",
    [
        ("gatway:\n  burst: 3\n", "no section 'gatway'"),
        ("gateway:\n  requests_per_second: many\n", "requests_per_second"),
        ("audit:\n  reads_kept_day: 3\n", "audit.reads_kept_day does not exist"),
    ],
)
def test_a_mistake_in_the_settings_file_is_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(BadRequest, match=said):
        check(tmp_path, text)


def test_what_services_and_up_know_is_accepted(tmp_path: Path) -> None:
    check(
        tmp_path, "up:\n  port: 0\ngateway:\n  trusted_proxies: [192.0.2.1]\naudit:\n  reads_kept_days: 3\n"
    )
