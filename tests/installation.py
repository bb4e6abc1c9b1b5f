"""A whole installation for tests: the real `argosy up`, on a free port and a directory of its own.

Starting one costs seconds, so suites share one per test worker (`shared_installation` in `tests/conftest.py`) and keep
apart by accounts: `new_account` gives a fresh tenant with an admin of its own.
"""

from __future__ import annotations

import http.client
import json
import os
import secrets
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

ARGOSY = [sys.executable, "-m", "argosy.cli.main"]


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes
    cookies: list[str] = field(default_factory=list)  # each Set-Cookie; `headers` has the first

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """The stable code of an error."""
        return str(self.json["code"])


@dataclass
class Client:
    """Speaks to the public port with a credential: a key, or the cookie that a sign-in set."""

    url: str
    key: str = ""
    cookie: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    def send(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
        timeout: float = 20,
    ) -> Reply:
        parts = urlsplit(self.url)
        link = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=timeout)
        sent = {**self.headers, **(headers or {})}
        if self.key:
            sent.setdefault("Authorization", self.key)
        if self.cookie:
            sent.setdefault("Cookie", self.cookie)
            sent.setdefault("Origin", self.url)
        try:
            link.request(method, path, body, sent)
            answer = link.getresponse()
            return Reply(
                answer.status,
                {name.lower(): value for name, value in reversed(answer.getheaders())},
                answer.read(),
                answer.headers.get_all("set-cookie", []),
            )
        finally:
            link.close()

    def request(self, method: str, path: str, body: Any = None, **headers: str) -> Reply:
        if body is None:
            return self.send(method, path, None, headers)
        return self.send(
            method, path, json.dumps(body).encode(), {"Content-Type": "application/json", **headers}
        )

    def get(self, path: str) -> Reply:
        return self.request("GET", path)

    def post(self, path: str, body: Any = None) -> Reply:
        return self.request("POST", path, {} if body is None else body)

    def patch(self, path: str, body: Any) -> Reply:
        return self.request("PATCH", path, body)

    def delete(self, path: str) -> Reply:
        return self.request("DELETE", path)

    def sign_in(self, email: str, password: str) -> Self:
        reply = Client(self.url).post("/api/auth/login", {"email": email, "password": password})
        assert reply.status == 200, reply.body
        return type(self)(self.url, cookie=reply.headers["set-cookie"].partition(";")[0])

    def done(self, method: str, path: str, body: Any = None) -> Any:
        """For the given of a test: it must succeed."""
        reply = self.request(method, path, body)
        assert reply.status == 200, f"{method} {path}: {reply.status} {reply.body.decode()}"
        return reply.json


@dataclass(frozen=True)
class Tenant:
    """An account of its own: an admin with a session and a key, and a plain member."""

    id: str
    name: str
    admin: Client
    admin_key: Client
    member: Client
    admin_email: str
    member_email: str
    password: str


class Installation:
    def __init__(self, data_dir: Path | None = None, *, environ: dict[str, str] | None = None) -> None:
        self._folder = None if data_dir else tempfile.TemporaryDirectory(prefix="argosy-test-")
        self.data_dir = data_dir or Path(self._folder.name if self._folder else "") / "data"
        self._environ = {**os.environ, "ARGOSY_ENCODE_CALLS": "1", **(environ or {})}
        self.url = self.email = self.password = self.link = ""
        self._admin: Client | None = None

    def __enter__(self) -> Self:
        self.up()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.run("down")
        self.run("reset", "--yes")
        if self._folder:
            self._folder.cleanup()

    def run(
        self, *arguments: str, check: bool = True, timeout: float = 90
    ) -> subprocess.CompletedProcess[str]:
        verb, *rest = arguments
        return subprocess.run(
            [*ARGOSY, verb, *rest, "--data-dir", str(self.data_dir)],
            check=check, capture_output=True, text=True, timeout=timeout, env=self._environ,
        )  # fmt: skip

    def up(self, port: int = 0) -> None:
        done = self.run("up", "--detach", "--output", "json", "--port", str(port), check=False)
        assert done.returncode == 0, f"argosy up: {done.stderr}\n{self.log_tail()}"
        told = json.loads(done.stdout)
        self.url, self.link = told["url"], told.get("sign_in_link", "")
        if told.get("password"):
            self.email, self.password = told["email"], told["password"]

    def log_tail(self) -> str:
        return "\n".join(
            f"--- {log.name}\n{log.read_text(errors='replace')[-2000:]}"
            for log in sorted((self.data_dir / "logs").glob("*.log"))
        )

    @property
    def anonymous(self) -> Client:
        return Client(self.url)

    @property
    def admin(self) -> Client:
        """The platform admin, with the one-time password already changed."""
        if self._admin is None:
            first = Client(self.url).sign_in(self.email, self.password)
            changed = "Argosy-" + secrets.token_hex(6)
            first.done("POST", "/api/me/password", {"current": self.password, "new": changed})
            self.password = changed
            self._admin = Client(self.url).sign_in(self.email, changed)
        self._admin.url = self.url
        return self._admin

    def new_account(self, name: str = "") -> Tenant:
        name = name or f"tenant-{secrets.token_hex(4)}"
        mark = secrets.token_hex(5)
        admin_email, member_email = f"admin-{mark}@example.com", f"member-{mark}@example.com"
        account = self.admin.done("POST", "/api/accounts", {"name": name, "admin_email": admin_email})
        link = account["one_time_password"]
        admin = self._settled(admin_email, link)
        member_password = admin.done("POST", "/api/users", {"email": member_email, "name": "A Member"})
        member = self._settled(member_email, member_password["one_time_password"])
        key = admin.done("POST", "/api/api-keys", {"name": "test"})["key"]
        return Tenant(
            account["id"], name, admin, Client(self.url, key=key), member, admin_email, member_email, PASSWORD
        )

    def _settled(self, email: str, one_time: str) -> Client:
        first = Client(self.url).sign_in(email, one_time)
        first.done("POST", "/api/me/password", {"current": one_time, "new": PASSWORD})
        return Client(self.url).sign_in(email, PASSWORD)


PASSWORD = "a long enough phrase 42"
