"""The 30 errors that a newcomer meets first, each produced for real and compared with what the reference says.

A test's name ends with the number of its error; `test_every_error_is_produced_here` counts them.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.command_line import CommandLine, Done
from tests.conformance.first_errors.document import entries
from tests.installation import PASSWORD, Client, Installation, Reply, Tenant

DOCUMENTED = entries()


@dataclass(frozen=True)
class Platform:
    installation: Installation
    tenant: Tenant

    @property
    def url(self) -> str:
        return self.installation.url

    def cli(self, folder: Path, key: str = "") -> CommandLine:
        return CommandLine(folder, self.url, key or self.tenant.admin_key.key)


@pytest.fixture(scope="module")
def platform(installation: Installation) -> Platform:
    return Platform(installation, installation.new_account())


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """One that is stopped and hurt here."""
    running = Installation(tmp_path_factory.mktemp("own") / "data")
    running.up()
    yield running
    running.run("down", check=False)
    running.run("reset", "--yes")


@pytest.fixture
def nobody(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path)


def told(number: int, done: Done) -> None:
    """What the command said is what the reference says: at most three lines, and the way out is among them."""
    entry = DOCUMENTED[number]
    assert (entry.end, entry.status) == ("Exit", done.status), done.err
    assert len(done.lines) <= 3
    assert entry.matches(done.err), f"\n{done.err}\n--- documented:\n{entry.shown}"


def answered(number: int, reply: Reply) -> None:
    entry = DOCUMENTED[number]
    kept: dict[str, Any] = {
        name: reply.json[name] for name in ("code", "message", "cure", "context") if reply.json.get(name)
    }
    assert (entry.end, entry.status) == ("HTTP", reply.status), reply.body
    shown = json.dumps(kept, indent=2, ensure_ascii=False)
    assert entry.matches(shown), f"\n{shown}\n--- documented:\n{entry.shown}"


def test_every_error_is_produced_here() -> None:
    numbers = {int(found) for name in globals() if (found := name.rpartition("_")[2]).isdigit()}
    assert numbers == set(DOCUMENTED) == set(range(1, 31))


@pytest.mark.parametrize("number", sorted(DOCUMENTED))
def test_every_error_says_what_and_what_to_do(number: int) -> None:
    entry = DOCUMENTED[number]
    if entry.end == "HTTP":
        assert {"code", "message", "cure"} <= set(json.loads(entry.shown))
    else:
        names = [line.partition(":")[0] for line in entry.shown.splitlines()]
        assert names in (["error", "do"], ["error", "where", "do"])


def test_the_port_is_taken_1(nobody: CommandLine, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        told(1, nobody.run("up", "--port", port, "--data-dir", str(tmp_path / "data")))


def test_the_data_directory_cannot_be_written_2(nobody: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    told(2, nobody.run("up", "--port", "0", "--data-dir", str(tmp_path / "file" / "data")))


def test_it_is_running_already_3(nobody: CommandLine, platform: Platform) -> None:
    told(3, nobody.run("up", "--data-dir", str(platform.installation.data_dir)))


def test_it_is_not_running_4(nobody: CommandLine, tmp_path: Path) -> None:
    told(4, nobody.run("down", "--data-dir", str(tmp_path / "data")))


def test_the_disk_is_full_5(nobody: CommandLine, tmp_path: Path) -> None:
    if os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("a small disk can only be mounted by root")
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", disk], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"this machine lets nobody mount: {mounted.stderr.strip()}")
    try:
        told(5, nobody.run("up", "--port", "0", "--data-dir", str(disk / "data")))
    finally:
        subprocess.run(["umount", disk], check=True)


def test_the_database_is_of_another_postgresql_6(nobody: CommandLine, own: Installation) -> None:
    own.run("down", check=False)
    version = own.data_dir / "postgres" / "cluster" / "PG_VERSION"
    real = version.read_text()
    version.write_text("13\n")
    try:
        done = nobody.run("up", "--detach", "--port", "0", "--data-dir", str(own.data_dir))
    finally:
        version.write_text(real)
    told(6, done)


def test_a_running_installation_is_not_restored_onto_7(
    nobody: CommandLine, platform: Platform, tmp_path: Path
) -> None:
    data = str(platform.installation.data_dir)
    nobody.done("backup", str(tmp_path / "saved.tar"), "--data-dir", data)
    told(7, nobody.run("restore", str(tmp_path / "saved.tar"), "--data-dir", data))


def test_a_changed_backup_is_not_restored_8(nobody: CommandLine, platform: Platform, tmp_path: Path) -> None:
    file = tmp_path / "saved.tar"
    nobody.done("backup", str(file), "--data-dir", str(platform.installation.data_dir))
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 0xFF
    file.write_bytes(data)
    told(8, nobody.run("restore", str(file), "--data-dir", str(tmp_path / "data")))


def test_a_running_installation_is_not_reset_9(nobody: CommandLine, platform: Platform) -> None:
    told(9, nobody.run("reset", "--yes", "--data-dir", str(platform.installation.data_dir)))


def test_there_is_no_such_verb_10(nobody: CommandLine) -> None:
    told(10, nobody.run("gte", "users"))


def test_there_is_no_such_option_11(nobody: CommandLine) -> None:
    told(11, nobody.run("get", "users", "--serch", "member"))


def test_the_url_has_no_scheme_12(nobody: CommandLine) -> None:
    told(12, nobody.run("login", "127.0.0.1:8080"))


def test_nobody_is_signed_in_13(nobody: CommandLine) -> None:
    told(13, nobody.run("get", "users"))


def test_the_platform_cannot_be_reached_14(nobody: CommandLine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    told(14, nobody.run("login", f"http://127.0.0.1:{port}", "--api-key", "a-key"))


def test_the_certificate_is_not_trusted_15(nobody: CommandLine, own: Installation) -> None:
    own.run("down", check=False)
    up = own.run("up", "--detach", "--output", "json", "--port", "0", "--tls-self-signed")
    try:
        told(15, nobody.run("login", json.loads(up.stdout)["url"], "--api-key", "a-key"))
    finally:
        own.run("down")


def test_the_password_is_wrong_16(nobody: CommandLine, platform: Platform) -> None:
    email = f"nobody-{secrets.token_hex(4)}@example.com"
    told(16, nobody.run("login", platform.url, "--email", email, "--password", "-", stdin="guess\n"))


def test_too_many_wrong_passwords_17(nobody: CommandLine, platform: Platform) -> None:
    email = f"nobody-{secrets.token_hex(4)}@example.com"
    for _ in range(5):
        Client(platform.url).post("/api/auth/login", {"email": email, "password": "guess"})
    told(17, nobody.run("login", platform.url, "--email", email, "--password", "-", stdin="guess\n"))


def test_a_one_time_password_must_be_changed_18(nobody: CommandLine, platform: Platform) -> None:
    email = f"new-{secrets.token_hex(4)}@example.com"
    made = platform.tenant.admin.done("POST", "/api/users", {"email": email})
    once = made["one_time_password"]
    told(18, nobody.run("login", platform.url, "--email", email, "--password", "-", stdin=f"{once}\n"))


def test_a_sign_in_link_works_once_19(platform: Platform) -> None:
    token = platform.installation.link.partition("#token=")[2]
    Client(platform.url).post("/api/auth/link", {"token": token})
    answered(19, Client(platform.url).post("/api/auth/link", {"token": token}))


def test_the_key_was_revoked_20(nobody: CommandLine, platform: Platform) -> None:
    made = platform.tenant.admin.done("POST", "/api/api-keys", {"name": "short-lived"})
    nobody.done("login", platform.url, "--api-key", "-", stdin=made["key"] + "\n")
    platform.tenant.admin.done("DELETE", f"/api/api-keys/{made['api_key']['id']}")
    told(20, nobody.run("whoami"))


def test_the_key_lacks_a_scope_21(platform: Platform, tmp_path: Path) -> None:
    made = platform.tenant.admin.done("POST", "/api/api-keys", {"name": "reader", "scopes": ["teams:read"]})
    told(21, platform.cli(tmp_path, made["key"]).run("create", "team", "developers"))


def test_only_an_admin_may_do_that_22(platform: Platform, tmp_path: Path) -> None:
    made = platform.tenant.member.done("POST", "/api/api-keys", {"name": "member"})
    told(22, platform.cli(tmp_path, made["key"]).run("create", "team", "developers"))


def test_the_last_admin_stays_23(platform: Platform, tmp_path: Path) -> None:
    told(23, platform.cli(tmp_path).run("delete", "user", platform.tenant.admin_email, "--yes"))


def test_the_name_is_in_use_24(platform: Platform, tmp_path: Path) -> None:
    name = f"team-{secrets.token_hex(4)}"
    platform.cli(tmp_path).done("create", "team", name)
    told(24, platform.cli(tmp_path).run("create", "team", name))


def test_a_rule_names_an_unknown_team_25(platform: Platform, tmp_path: Path) -> None:
    told(25, rule(platform, tmp_path, team="developrs", action="SYNC"))


def test_a_rule_names_an_unknown_action_26(platform: Platform, tmp_path: Path) -> None:
    told(26, rule(platform, tmp_path, team="everyone", action="DEPLOY"))


def rule(platform: Platform, folder: Path, *, team: str, action: str) -> Done:
    words = ("--entity", "environments", "--team", team, "--action", action)
    return platform.cli(folder).run("create", "access-rule", "shop", *words)


def test_a_name_in_the_body_is_unknown_27(platform: Platform) -> None:
    answered(27, platform.tenant.admin_key.post("/api/teams", {"name": "developers", "member": []}))


def test_the_body_is_not_json_28(platform: Platform) -> None:
    headers = {"Content-Type": "application/json"}
    answered(28, platform.tenant.admin_key.send("POST", "/api/teams", b"{'name': 'developers'}", headers))


def test_the_content_type_is_missing_29(platform: Platform) -> None:
    headers = {"Content-Type": "application/x-www-form-urlencoded"}  # what curl -d sends
    answered(29, platform.tenant.admin_key.send("POST", "/api/teams", b'{"name": "developers"}', headers))


def test_too_many_requests_30(platform: Platform, tmp_path: Path) -> None:
    key = platform.tenant.admin.done("POST", "/api/api-keys", {"name": "busy"})["key"]
    cli = platform.cli(tmp_path, key)
    stop = threading.Event()
    floods = [threading.Thread(target=flood, args=(platform.url, key, stop)) for _ in range(2)]
    for thread in floods:
        thread.start()
    try:
        # A request may still find a token that was just refilled, so the command asks until it finds none.
        done = next(one for one in iter(lambda: cli.run("whoami"), None) if one.status)
    finally:
        stop.set()
        for thread in floods:
            thread.join()
    told(30, done)


def flood(url: str, key: str, stop: threading.Event) -> None:
    link = http.client.HTTPConnection(urlsplit(url).netloc, timeout=20)
    while not stop.is_set():
        link.request("GET", "/api/me", headers={"Authorization": key})
        link.getresponse().read()
    link.close()


def test_the_page_names_no_secret() -> None:
    page = "".join(entry.shown for entry in DOCUMENTED.values())
    assert not re.search(r"argk_\w|" + re.escape(PASSWORD), page)
