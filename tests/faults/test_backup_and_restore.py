"""A backup taken while people work brings everything back: data, passwords, keys, rules, the audit chain."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from tests.faults.test_kill_everything import everything
from tests.installation import PASSWORD, Client, Installation

KEPT = ("/api/users", "/api/teams", "/api/access-rules", "/api/service-accounts", "/api/api-keys?all=true")


def seen_by(client: Client) -> dict[str, Any]:
    """All that an admin can see. What moves by itself when one looks (last use, last seen) is left out."""
    found: dict[str, Any] = {}
    for path in KEPT:
        items = everything(client, path)
        for item in items:
            item.pop("last_used", None)
            item.pop("last_seen", None)
        found[path] = items
    found["audit"] = everything(client, "/api/audit?kind=change")
    return found


def wait_until_audited(client: Client, name: str, seconds: float = 10) -> None:
    """Entries are sealed a moment after the change they tell of."""
    deadline = time.monotonic() + seconds
    while not any(entry["resource_name"] == name for entry in client.done("GET", "/api/audit")["items"]):
        assert time.monotonic() < deadline, f"nothing about {name!r} in the audit log"
        time.sleep(0.05)


def test_backup_reset_and_restore_give_the_same(tmp_path: Path) -> None:
    file = tmp_path / "all.argosy"
    with Installation() as installation:
        tenant = installation.new_account()
        team = tenant.admin.done("POST", "/api/teams", {"name": "deployers"})
        tenant.admin.done(
            "POST",
            "/api/access-rules",
            {"name": "may sync", "entity": "applications", "teams": [team["id"]], "actions": ["SYNC"]},
        )
        tenant.admin.done("POST", "/api/service-accounts", {"name": "robot", "teams": [team["id"]]})
        wait_until_audited(tenant.admin_key, "robot")
        before = seen_by(tenant.admin_key)

        installation.run("backup", str(file))
        assert file.stat().st_mode & 0o777 == 0o600
        known = installation.admin.done("GET", "/api/system")["backups"]
        assert [(one["file"], one["bytes"]) for one in known] == [(str(file), file.stat().st_size)]
        tenant.admin.done("POST", "/api/teams", {"name": "made after the backup"})

        installation.run("down")
        installation.run("reset", "--yes")
        installation.run("restore", str(file))
        installation.up()

        key = Client(installation.url, key=tenant.admin_key.key)
        assert seen_by(key) == before
        assert key.done("GET", "/api/audit/verify")["whole"] is True
        assert Client(installation.url).sign_in(tenant.admin_email, PASSWORD).get("/api/me").status == 200


def test_a_running_installation_is_not_restored_over(tmp_path: Path) -> None:
    file = tmp_path / "all.argosy"
    with Installation() as installation:
        installation.run("backup", str(file))
        refused = installation.run("restore", str(file), check=False)
        assert refused.returncode != 0
        assert len(refused.stderr.strip().splitlines()) <= 3
        assert installation.admin.get("/api/me").status == 200
