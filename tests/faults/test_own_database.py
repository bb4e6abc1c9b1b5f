"""A service on a PostgreSQL server of its own: it works by URL, and its server down degrades it alone."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import time

from tests.installation import Client, Installation
from tests.postgres import TestPostgres


def state_of(client: Client, service: str) -> str:
    services = client.done("GET", "/api/system/services")["services"]
    return next(str(one["state"]) for one in services if one["service"] == service)


def wait_for_state(client: Client, service: str, wanted: str, seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while (found := state_of(client, service)) != wanted:
        assert time.monotonic() < deadline, f"{service} stays {found}"
        time.sleep(0.1)  # another process changes: there is no event of it here


def wait_until_ready(installation: Installation, seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while (reply := installation.anonymous.get("/readyz")).status != 200:
        assert time.monotonic() < deadline, reply.body
        time.sleep(0.1)  # another process changes: there is no event of it here


def wait_until_restarted(installation: Installation, old: int, seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while True:
        core = json.loads(installation.run("status", "--output", "json").stdout)["processes"][1]
        if core["state"] == "ready" and core["pid"] != old:
            return
        assert time.monotonic() < deadline, core
        time.sleep(0.1)


def wait_for_line(
    installation: Installation, process: str, words: str, seconds: float = 10
) -> dict[str, str]:
    """The supervisor writes down what a process says soon after it was said."""
    log = installation.data_dir / "logs" / f"{process}.log"
    deadline = time.monotonic() + seconds
    while not (found := [line for line in log.read_text().splitlines() if words in line]):
        assert time.monotonic() < deadline, f"{words} is not in {log}"
        time.sleep(0.05)
    line: dict[str, str] = json.loads(found[0])
    return line


def readiness(installation: Installation, service: str) -> tuple[int, str]:
    """As an orchestrator asks for it, at the process's socket."""
    link = http.client.HTTPConnection("core", timeout=10)
    link.sock = socket.socket(socket.AF_UNIX)
    link.sock.connect(str(installation.data_dir / "run" / "core.sock"))
    link.request("GET", f"/svc/{service}/readyz")
    answer = link.getresponse()
    told = answer.status, answer.read().decode()
    link.close()
    return told


def test_a_database_that_is_down_degrades_its_service_alone() -> None:
    with TestPostgres() as server:
        url = server.new_database(services=["cron"])["cron"]
        with Installation(environ={"ARGOSY_CRON_DATABASE_URL": url}) as installation:
            admin, tenant = installation.admin, installation.new_account()
            assert state_of(admin, "cron") == "ready"
            assert admin.get("/api/schedules").status == 200

            server.kill()
            wait_for_state(admin, "cron", "degraded")
            refused = admin.get("/api/schedules")
            assert (refused.status, refused.code) == (503, "database.unavailable")
            assert refused.json["detail"] and refused.json["detail"] not in refused.json["message"]
            reduced = tenant.admin_key.get("/api/schedules")
            assert reduced.status == 503 and "detail" not in reduced.json
            services = admin.done("GET", "/api/system")["services"]
            assert next(one["detail"] for one in services if one["service"] == "cron")
            services = tenant.admin_key.done("GET", "/api/system/services")["services"]
            assert not any(one["detail"] for one in services)
            line = wait_for_line(installation, "edge", str(refused.json["request_id"]))
            assert line["code"] == "database.unavailable" and line["path"] == "/api/schedules"
            assert admin.done("POST", "/api/teams", {"name": "made meanwhile"})["name"] == "made meanwhile"
            assert state_of(admin, "identity") == "ready"
            status, reason = readiness(installation, "cron")
            assert status == 503 and "the database of cron cannot be reached" in reason
            assert readiness(installation, "identity") == (200, "ok")
            assert f"cron is degraded: {reason}" in installation.run("status").stdout
            listed = json.loads(installation.run("status", "--output", "json").stdout)["services"]
            assert [one["name"] for one in listed if not one["ready"]] == ["cron"]

            server.start()
            wait_for_state(admin, "cron", "ready")
            assert admin.get("/api/schedules").status == 200
            assert readiness(installation, "cron") == (200, "ok")


def test_a_service_whose_database_is_down_at_the_start_does_not_hold_up_the_others() -> None:
    with TestPostgres() as server:
        url = server.new_database(services=["cron"])["cron"]
        server.stop()  # cleanly: a killed throw-away server may forget the layout just made
        with Installation(environ={"ARGOSY_CRON_DATABASE_URL": url}) as installation:
            admin = installation.admin
            assert state_of(admin, "cron") == "degraded"
            assert admin.get("/api/teams").status == 200

            server.start()
            wait_for_state(admin, "cron", "ready")


def test_even_without_identity_the_others_start_and_it_comes_back() -> None:
    with TestPostgres() as server:
        url = server.new_database(services=["identity"])["identity"]
        server.stop()
        with Installation(environ={"ARGOSY_IDENTITY_DATABASE_URL": url}) as installation:
            assert readiness(installation, "cron") == (200, "ok")
            assert "identity is degraded: the database of identity" in installation.run("status").stdout
            plain = installation.anonymous.get("/readyz")
            assert plain.status == 503
            tried = installation.anonymous.post(
                "/api/auth/login", {"email": "a@example.org", "password": "x"}
            )
            assert tried.status == 503
            # whoever asks without being known learns nothing of where the database is
            for told in (plain.body.decode(), tried.body.decode(), readiness(installation, "identity")[1]):
                assert "the database of identity cannot be reached" in told
                assert "Errno" not in told and "detail" not in told
            assert "Errno" in wait_for_line(installation, "edge", str(tried.json["request_id"]))["reason"]
            assert "Errno" in installation.run("status").stdout

            server.start()
            wait_until_ready(installation)
            facts = json.loads(installation.run("admin", "sign-in-link", "--output", "json").stdout)
            installation.email, installation.password = facts["email"], facts["password"]
            assert installation.admin.done("GET", "/api/me")["email"] == facts["email"]

            server.stop()
            core = json.loads(installation.run("status", "--output", "json").stdout)["processes"][1]
            os.kill(core["pid"], signal.SIGKILL)
            wait_until_restarted(installation, core["pid"])
            assert readiness(installation, "audit") == (200, "ok")
