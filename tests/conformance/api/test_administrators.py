"""Administrators of the installation over REST: sessions and keys learn within seconds what their owner may do."""

from __future__ import annotations

import time

from tests.installation import Client, Installation, Tenant

SECONDS = 5.0


def reaches(client: Client, status: int) -> bool:
    """Whether the list of administrators comes to answer so, in time."""
    deadline = time.monotonic() + SECONDS
    while client.get("/api/administrators").status != status:
        if time.monotonic() > deadline:
            return False
    return True


def test_a_session_and_a_key_gain_and_lose_the_right_within_seconds(installation: Installation) -> None:
    tenant: Tenant = installation.new_account()
    mine = tenant.member.done("GET", "/api/me")["id"]
    key = Client(installation.url, key=tenant.member.done("POST", "/api/api-keys", {"name": "mine"})["key"])
    assert [client.get("/api/administrators").status for client in (tenant.member, key)] == [403, 403]

    installation.admin.done("POST", "/api/administrators", {"email": tenant.member_email})
    assert reaches(tenant.member, 200)
    assert reaches(key, 200)

    installation.admin.done("DELETE", f"/api/administrators/{mine}")
    assert reaches(tenant.member, 403)
    assert reaches(key, 403)
    assert tenant.member.get("/api/me").status == 200


def test_the_list_is_searched_and_names_the_first_administrator(installation: Installation) -> None:
    root = installation.admin
    mine = root.done("GET", "/api/me")
    found = root.done("GET", f"/api/administrators?search={mine['email'].partition('@')[0]}")["items"]
    assert mine["id"] in [one["id"] for one in found]
    assert root.done("GET", "/api/administrators?search=no-such-administrator")["items"] == []
