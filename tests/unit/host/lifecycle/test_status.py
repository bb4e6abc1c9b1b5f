"""Durations and sizes as people read them, and a table that says all."""

from __future__ import annotations

import pytest

from argosy.host.lifecycle.readiness import Readiness
from argosy.host.lifecycle.status import Process, Status, duration, megabytes, text


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "0 s"), (59, "59 s"), (60, "1 min"), (3599, "59 min"), (3660, "1 h 1 min"), (90_000, "1 d 1 h")],
)
def test_a_duration_has_two_units_at_most(seconds: int, words: str) -> None:
    assert duration(seconds) == words


def test_a_size_that_is_not_known_is_a_dash() -> None:
    assert (megabytes(0), megabytes(3 * 2**19)) == ("-", "1.5 MB")


def test_the_table_shows_what_a_process_waits_for() -> None:
    waiting = Process("core", "waiting", 0, 0, 2, 5, "postgres")
    shown = text(Status(True, "http://x", "1", 7, 61, 2**20, "/data", [waiting]))
    assert "http://x" in shown and "1.0 MB" in shown
    row = next(line for line in shown.splitlines() if line.startswith("core"))
    assert row.split() == ["core", "waiting", "-", "-", "2", "5", "s", "postgres"]


def test_behind_a_public_url_the_real_port_is_shown() -> None:
    shown = text(Status(True, "https://a.example", "1", 7, 61, 2**20, "/data", [], listens="127.0.0.1:43210"))
    assert "runs at https://a.example and listens on 127.0.0.1:43210" in shown


def test_a_service_that_waits_inside_a_process_that_is_well_is_named_with_the_reason() -> None:
    core, edge = Process("core", "ready", 3, 0, 0, 5, ""), Process("edge", "starting", 4, 0, 0, 5, "")
    services = [
        Readiness("identity", "core", True, ""),
        Readiness("audit", "core", False, "the database of audit cannot be reached"),
        Readiness("gateway", "edge", False, "its process is not there"),
    ]
    shown = text(Status(True, "http://x", "1", 7, 61, 2**20, "/data", [core, edge], services))
    assert shown.splitlines()[-2:] == ["", "audit is degraded: the database of audit cannot be reached"]
