"""A data directory so deep that the address of a Unix socket has no room for its path."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.installation import Client, Installation


def test_a_deep_data_directory_is_as_good_as_any() -> None:
    with (
        tempfile.TemporaryDirectory(prefix="argosy-test-") as top,
        Installation(Path(top) / ("deep-" * 12) / ("deeper-" * 12) / "data") as installation,
    ):
        admin = installation.admin
        assert admin.done("POST", "/api/teams", {"name": "down there"})["name"] == "down there"
        states = admin.done("GET", "/api/system/services")["services"]
        assert {one["state"] for one in states} == {"ready"}
        assert "degraded" not in installation.run("status").stdout

        first = installation.run("admin", "sign-in-link", "--output", "json", check=False)
        assert first.returncode == 0, first.stderr
        installation.run("down")
        installation.up()
        assert Client(installation.url).get("/readyz").status == 200
