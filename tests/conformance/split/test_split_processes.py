"""The same services, each in a process of its own over TCP, as the charts run them."""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

from tests.git_repository import Work
from tests.installation import ARGOSY, PASSWORD, Client
from tests.postgres import TestPostgres

SERVICES = ("identity", "audit", "cron", "git_server", "gateway")
WITH_DATA = SERVICES[:-1]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


class Split:
    def __init__(self, folder: Path, dsns: dict[str, str]) -> None:
        self.ports = {name: free_port() for name in SERVICES}
        self.public = free_port()
        self.url = f"http://127.0.0.1:{self.public}"
        self._folder = folder
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self.environ = {
            **os.environ,
            "ARGOSY_DATA_DIR": str(folder / "data"),
            "ARGOSY_GATEWAY_PORT": str(self.public),
            **{f"ARGOSY_{name.upper()}_URL": f"http://127.0.0.1:{port}" for name, port in self.ports.items()},
            **{f"ARGOSY_{name.upper()}_DATABASE_URL": dsn for name, dsn in dsns.items()},
        }

    def start(self, name: str) -> None:
        with (self._folder / f"{name}.log").open("ab") as log:
            self._processes[name] = subprocess.Popen(
                [*ARGOSY, "serve", name],
                env={**self.environ, "ARGOSY_LISTEN": f"127.0.0.1:{self.ports[name]}"},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip

    def kill(self, name: str) -> None:
        self._processes[name].kill()
        self._processes[name].wait(10)

    def stop(self) -> None:
        for process in self._processes.values():
            process.send_signal(signal.SIGTERM)
        for process in self._processes.values():
            process.wait(20)

    def wait_until_ready(self, seconds: float = 40) -> None:
        deadline = time.monotonic() + seconds
        while not all(self._is_ready(port, f"/svc/{name}/readyz") for name, port in self.ports.items()):
            assert time.monotonic() < deadline, "\n".join(
                f"--- {log.name}\n{log.read_text()[-1500:]}" for log in self._folder.glob("*.log")
            )
            time.sleep(0.05)

    def _is_ready(self, port: int, path: str) -> bool:
        try:
            return Client(f"http://127.0.0.1:{port}").send("GET", path, timeout=3).status == 200
        except OSError:
            return False

    def admin(self) -> Client:
        told = subprocess.run(
            [*ARGOSY, "admin", "sign-in-link", "--output", "json"],
            env=self.environ, check=True, capture_output=True, text=True, timeout=30,
        )  # fmt: skip
        facts = json.loads(told.stdout)
        first = Client(self.url).sign_in(facts["email"], facts["password"])
        first.done("POST", "/api/me/password", {"current": facts["password"], "new": PASSWORD})
        return Client(self.url).sign_in(facts["email"], PASSWORD)


@contextmanager
def split(folder: Path) -> Iterator[Split]:
    with TestPostgres() as server:
        dsns = server.new_database(services=WITH_DATA)
        parts = Split(folder, {name: dsns[name] for name in WITH_DATA})
        try:
            for name in SERVICES:
                parts.start(name)
            parts.wait_until_ready()
            yield parts
        finally:
            parts.stop()


def test_services_apart_answer_like_services_together(tmp_path: Path) -> None:
    with split(tmp_path) as parts:
        admin = parts.admin()
        team = admin.done("POST", "/api/teams", {"name": "apart"})
        assert admin.done("GET", f"/api/teams/{team['id']}")["name"] == "apart"
        wait_for_entry(admin, team["id"])
        states = {
            one["service"]: one["state"] for one in admin.done("GET", "/api/system/services")["services"]
        }
        assert states == dict.fromkeys(SERVICES, "ready")


def test_git_pushes_through_to_a_git_server_of_its_own(tmp_path: Path) -> None:
    with split(tmp_path) as parts:
        admin = parts.admin()
        key = admin.done("POST", "/api/api-keys", {"name": "git"})["key"]
        path = admin.done("POST", "/api/git/repositories", {"name": "apart"})["path"]
        work = Work(tmp_path / "work")
        made = work.commit({"big": os.urandom(8 << 20)})
        url = f"http://git:{key}@127.0.0.1:{parts.public}{path}"
        work.git("push", "--quiet", url, "main")
        assert work.git("ls-remote", url, "refs/heads/main").split()[0] == made
        inside = Client(f"http://127.0.0.1:{parts.ports['git_server']}")
        asked = f"/raw/git_server{path.removeprefix('/git')}/info/refs?service=git-upload-pack"
        for credential in ("", f"Bearer {key}", f"Basic {key}", "Bearer a.b.c"):
            assert inside.send("GET", asked, None, {"Authorization": credential}).status == 401

        parts.kill("git_server")
        refused = work.tried("ls-remote", url)
        assert "git_server cannot be reached" in refused.stderr
        parts.start("git_server")
        parts.wait_until_ready()
        work.git("ls-remote", url)


def test_a_killed_part_degrades_what_needs_it_and_comes_back(tmp_path: Path) -> None:
    with split(tmp_path) as parts:
        admin = parts.admin()
        parts.kill("audit")
        refused = admin.get("/api/audit")
        assert (refused.status, refused.code) == (503, "service.unavailable")
        team = admin.done("POST", "/api/teams", {"name": f"meanwhile {secrets.token_hex(3)}"})

        parts.start("audit")
        parts.wait_until_ready()
        wait_for_entry(admin, team["id"])


def test_no_port_answers_without_a_token(tmp_path: Path) -> None:
    with split(tmp_path) as parts:
        for name, credential in product(WITH_DATA, ("", "Bearer nonsense", "Bearer a.b.c")):
            bare = Client(f"http://127.0.0.1:{parts.ports[name]}")
            reply = bare.send("POST", f"/svc/{name}/health", b"{}", {"Authorization": credential})
            assert reply.status == 401
            assert bare.send("GET", f"/svc/{name}/metrics", None, {"Authorization": credential}).status == 401


def wait_for_entry(admin: Client, resource_id: str, seconds: float = 15) -> None:
    deadline = time.monotonic() + seconds
    while not admin.done("GET", f"/api/audit?resource_id={resource_id}&kind=change")["items"]:
        assert time.monotonic() < deadline, "the change does not appear in the audit log"
        time.sleep(0.05)
