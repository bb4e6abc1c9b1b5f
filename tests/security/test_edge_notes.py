"""What the edge refuses or shows by itself is in the audit log too."""

from __future__ import annotations

import time
from typing import Any

from tests.installation import Client, Installation, Tenant


def entry_of(admin: Client, query: str, seconds: float = 10) -> dict[str, Any]:
    deadline = time.monotonic() + seconds
    while not (items := admin.done("GET", f"/api/audit?{query}")["items"]):
        assert time.monotonic() < deadline, f"nothing for {query}"
        time.sleep(0.05)  # entries are sealed a moment later, in another process
    return dict(items[0])


def test_a_key_that_is_none_leaves_a_denied_entry_of_the_installation(installation: Installation) -> None:
    guess = Client(installation.url, key="argk_" + "x" * 43).request("GET", "/api/teams")
    assert guess.status == 401
    entry = entry_of(installation.admin, "installation=true&result=denied&operation=teams")
    assert (entry["service"], entry["error"]) == ("gateway", "auth.failed")
    assert "x" * 20 not in str(entry)


def test_a_write_from_another_site_is_noted_as_denied(installation: Installation) -> None:
    tenant: Tenant = installation.new_account()
    forged = Client(installation.url, cookie=tenant.admin.cookie).request(
        "POST", "/api/teams", {"name": "forged"}, Origin="https://evil.example"
    )
    assert forged.status == 403
    entry = entry_of(installation.admin, "installation=true&result=denied&operation=create_team")
    assert entry["error"] == "origin.foreign"


def test_a_body_that_is_refused_is_noted_with_who_sent_it(installation: Installation) -> None:
    tenant = installation.new_account()
    refused = tenant.admin.request("POST", "/api/teams", {"nome": "typo"})
    assert refused.status == 422
    entry = entry_of(tenant.admin, "result=failed&operation=create_team")
    assert (entry["service"], entry["actor"]["credential"][:8]) == ("gateway", "session:")


def test_the_system_page_is_noted(installation: Installation) -> None:
    assert installation.admin.get("/api/system").status == 200
    assert entry_of(installation.admin, "operation=system&kind=read")["result"] == "ok"
