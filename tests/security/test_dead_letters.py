"""An event that cannot be mended is given up by an administrator of the installation, for all to see."""

from __future__ import annotations

import secrets
import time

import pytest

from tests.installation import Installation, Tenant
from tests.security.database import execute

PARK = """
INSERT INTO audit.dead_letters (consumer, source, id, type, account, key, time, body, error, attempts)
VALUES ('audit', 'identity', $1, 'audit.recorded.v1', $2, $3, now(), $4::json, 'decode: poison', $5)
"""
RECORDED = """{"id": "%s", "time": "2026-05-01T12:00:00Z", "account": "%s", "kind": "change",
 "actor": {"kind": "user", "id": "u", "name": "n", "credential": ""}, "remote": "", "user_agent": "", "service": "identity",
 "operation": "create_team", "resource": "team", "resource_id": "", "resource_name": "behind the poison", "result": "ok",
 "before": null, "after": null, "error": "", "request_id": "r"}"""


@pytest.fixture
def tenant(installation: Installation) -> Tenant:
    return installation.new_account()


def wait_for(tenant: Tenant, search: str) -> dict[str, object]:
    until = time.monotonic() + 10
    while time.monotonic() < until:
        items = tenant.admin.done("GET", f"/api/audit?search={search}")["items"]
        if items:
            return tenant.admin.done("GET", f"/api/audit/{items[0]['id']}")
        time.sleep(0.05)
    raise AssertionError(f"nothing of {search!r} in the audit log")


def test_a_discarded_event_frees_its_key_and_stands_in_the_audit_log_of_its_account(
    installation: Installation, tenant: Tenant
) -> None:
    poison, behind = secrets.token_hex(12), secrets.token_hex(12)
    execute(installation, PARK, poison, tenant.id, tenant.id, '{"not": "a record"}', 4)
    execute(installation, PARK, behind, tenant.id, tenant.id, RECORDED % (behind, tenant.id), 0)
    wanted = {"service": "audit", "consumer": "audit", "id": poison}

    answer = installation.admin.done("POST", "/api/system/dead-letters/discard", wanted)

    assert answer["events"] >= 1
    listed = installation.admin.done("GET", f"/api/system/dead-letters?service=audit&search={tenant.id}")
    assert listed["items"] == []
    assert wait_for(tenant, "behind+the+poison")["id"] == behind
    entry = wait_for(tenant, poison)
    assert (entry["resource"], entry["operation"], entry["result"]) == ("dead-letter", "discard", "ok")
    assert entry["before"]["key"] == tenant.id and entry["before"]["error"] == "decode: poison"
    assert "not" not in entry["before"]
    again = installation.admin.post("/api/system/dead-letters/discard", wanted)
    assert (again.status, again.code) == (404, "dead_letter.absent")


def test_an_admin_of_an_account_discards_nothing(installation: Installation, tenant: Tenant) -> None:
    poison = secrets.token_hex(12)
    execute(installation, PARK, poison, tenant.id, "a key of its own", "{}", 4)
    wanted = {"service": "audit", "consumer": "audit", "id": poison}

    refused = tenant.admin.post("/api/system/dead-letters/discard", wanted)

    assert refused.status == 403
    path = "/api/system/dead-letters?service=audit&search=a+key+of+its+own"
    assert [one["id"] for one in installation.admin.done("GET", path)["items"]] == [poison]
    assert installation.admin.post("/api/system/dead-letters/discard", wanted).json["events"] == 0
