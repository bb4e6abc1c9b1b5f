"""Secrets that were really used, then looked for wherever somebody could read: none is there, in any spelling."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pytest

from argosy.host.paths import DataDir
from argosy.host.supervisor.state import read
from argosy.kit.tokens import ServiceKey
from tests.installation import Client, Installation
from tests.security.cast import Cast
from tests.security.database import everything
from tests.security.wire import Inside, Sender

NAMES = ("password", "new password", "one-time password", "API key", "session", "invitation", "link")


@dataclass(frozen=True)
class Canaries:
    installation: Installation
    secrets: dict[str, str]
    bodies: list[bytes]  # of every refusal that was provoked with them


@pytest.fixture(scope="module")
def canaries(cast: Cast) -> Canaries:
    installation, tenant = cast.installation, cast.installation.new_account()
    used = {"password": f"Old-{secrets.token_hex(16)}", "new password": f"New-{secrets.token_hex(16)}"}
    email = f"canary-{secrets.token_hex(4)}@example.com"
    used["one-time password"] = tenant.admin.done("POST", "/api/users", {"email": email})["one_time_password"]
    client = installation.anonymous.sign_in(email, used["one-time password"])
    client.done("POST", "/api/me/password", {"current": used["one-time password"], "new": used["password"]})
    client = installation.anonymous.sign_in(email, used["password"])
    used["API key"] = client.done("POST", "/api/api-keys", {"name": "canary"})["key"]
    used["session"] = client.cookie.partition("=")[2]
    invited = tenant.admin.done("POST", "/api/invitations", {"email": f"x-{email}"})
    used["invitation"] = invited["token"]
    used["link"] = link_token(installation)
    client.done("POST", "/api/me/password", {"current": used["password"], "new": used["new password"]})
    Client(installation.url, key=used["API key"]).done("GET", "/api/me")
    bodies = [body for secret in used.values() for body in misused(installation, email, secret)]
    cast.sealed_change(tenant)
    return Canaries(installation, used, bodies)


def link_token(installation: Installation) -> str:
    """A single-use sign-in link, as `argosy up` prints one."""
    host = ServiceKey.load(installation.data_dir / "secrets", "host").assertion()
    reply = Inside(installation.data_dir / "run").ask("core", "/svc/identity/first_run", {}, token=host)
    return str(reply.json["link_token"])


def misused(installation: Installation, email: str, secret: str) -> Iterator[bytes]:
    """Every place where a person may put a secret by mistake; each is refused, and may end up in a log."""
    anonymous = Sender(
        installation.url, source=f"127.2.{secrets.randbelow(250)}.{secrets.randbelow(250) + 1}"
    )
    for body in (
        {"email": email, "password": secret + "x"},
        {"email": f"{secret}@example.com", "password": "x"},
        {"email": email, "password": {"value": secret}},
        {"email": email, "pasword": secret},
        {"email": email, "password": secret * 60},
        {"email": email, "password": secret + "\x00"},
    ):
        yield anonymous.post("/api/auth/login", body).body
    for path in ("/api/auth/link", "/api/auth/accept-invitation"):
        yield anonymous.post(path, {"token": secret + "x", "password": secret}).body
        yield anonymous.post(path, {"token": [secret]}).body
    for authorization in (
        f"{secret}x",
        f"Bearer {secret}x",
        f"Basic {secret}",
        f"{secret} {secret}",
        f"token {secret}",
    ):
        yield anonymous.request("GET", "/api/me", Authorization=authorization).body
    yield anonymous.get(f"/api/me?token={secret}").body
    yield anonymous.request("POST", "/api/teams", {"name": secret}, Cookie=f"argosy={secret}x").body


def spellings(secret: str) -> list[bytes]:
    """Plain, quoted for URLs and JSON, in hex as PostgreSQL shows bytes, and in base64 at each of its three offsets."""
    raw = secret.encode()
    shifted = [base64.b64encode(b"\0" * shift + raw)[4 if shift else 0 : -4].decode() for shift in range(3)]
    return [one.encode() for one in {secret, quote(secret), raw.hex(), *shifted}]


def found(canaries: Canaries, name: str, where: dict[str, bytes]) -> list[str]:
    return [
        place
        for place, text in where.items()
        if any(one in text for one in spellings(canaries.secrets[name]))
    ]


def test_the_search_itself_finds_what_is_there(cast: Cast) -> None:
    """Or all the others could not fail."""
    name = f"plain-{secrets.token_hex(8)}"
    cast.tenant.admin.done("POST", "/api/teams", {"name": name})
    plain = Canaries(cast.installation, {"name": name}, [])
    tables = {table: text.encode() for table, text in everything(cast.installation).items()}

    assert '"identity"."teams"' in found(plain, "name", tables)
    assert '"identity"."outbox"' in found(plain, "name", tables)
    for shift in range(3):
        packed = base64.b64encode(b"." * shift + name.encode() + b"...")
        assert found(plain, "name", {"packed": packed}) == ["packed"]


@pytest.mark.parametrize("name", NAMES)
def test_no_table_holds_it_not_even_those_of_events_and_the_audit_log(canaries: Canaries, name: str) -> None:
    tables = {table: text.encode() for table, text in everything(canaries.installation).items()}

    assert len(tables) > 10
    assert found(canaries, name, tables) == []


@pytest.mark.parametrize("name", NAMES)
def test_no_file_of_the_installation_holds_it_outside_the_database(canaries: Canaries, name: str) -> None:
    data = DataDir(canaries.installation.data_dir)
    folders = (data.logs, data.run, data.anchors, data.secrets)
    files = {
        str(file): file.read_bytes() for folder in folders for file in folder.rglob("*") if file.is_file()
    }

    assert any(str(data.logs) in file for file in files)
    assert found(canaries, name, files) == []


@pytest.mark.parametrize("name", NAMES)
def test_the_write_ahead_log_and_server_log_do_not_hold_it(canaries: Canaries, name: str) -> None:
    cluster = (canaries.installation.data_dir / "postgres").resolve()
    files = {
        str(file): file.read_bytes()
        for file in cluster.rglob("*")
        if file.is_file() and file.stat().st_size < 2**26
    }

    assert found(canaries, name, files) == []


@pytest.mark.parametrize("name", NAMES)
def test_no_refusal_repeats_it(canaries: Canaries, name: str) -> None:
    assert len(canaries.bodies) > 50
    assert found(canaries, name, {str(number): body for number, body in enumerate(canaries.bodies)}) == []


@pytest.mark.parametrize("name", NAMES)
def test_the_metrics_do_not_hold_it(canaries: Canaries, name: str) -> None:
    token = (canaries.installation.data_dir / "secrets" / "metrics-token").read_text()
    text = (
        Sender(canaries.installation.url, headers={"Authorization": f"Bearer {token}"}).get("/metrics").body
    )

    assert found(canaries, name, {"metrics": text}) == []


def processes(installation: Installation) -> list[Path]:
    state = read(DataDir(installation.data_dir).state)
    assert state is not None
    pids = {state.pid} | {one.pid for one in state.processes.values()}
    return [Path(f"/proc/{pid}") for pid in pids]


def test_no_process_shows_a_secret_in_its_arguments_or_environment(canaries: Canaries) -> None:
    """The process list is everybody's to read."""
    folder = canaries.installation.data_dir / "secrets"
    kept = [file.read_text().strip() for file in folder.glob("db-*")] + [
        (folder / "metrics-token").read_text()
    ]

    for process in processes(canaries.installation):
        shown = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
        assert not [secret for secret in (*kept, *canaries.secrets.values()) if secret.encode() in shown]


def test_no_log_or_state_file_holds_a_password_of_the_database(canaries: Canaries) -> None:
    data = DataDir(canaries.installation.data_dir)
    passwords = [file.read_bytes().strip() for file in data.secrets.glob("db-*")]
    private = [file.read_bytes() for file in data.secrets.glob("*.json") if ".public." not in file.name]
    assert len(passwords) >= 4 and private

    for folder in (data.logs, data.run, data.anchors):
        for file in folder.rglob("*"):
            if file.is_file():
                assert not [one for one in (*passwords, *private) if one in file.read_bytes()], file


def test_the_folders_with_secrets_and_logs_are_their_owners(canaries: Canaries) -> None:
    data = DataDir(canaries.installation.data_dir)

    open_to_others = [
        str(path)
        for folder in (data.secrets, data.logs, data.run, data.anchors)
        for path in (folder, *folder.rglob("*"))
        if path.stat().st_mode & 0o077 and ".public." not in path.name
    ]
    assert open_to_others == []


def test_a_key_is_shown_once_and_then_only_its_beginning(cast: Cast) -> None:
    made = cast.tenant.admin.done("POST", "/api/api-keys", {"name": "shown once"})

    listed = cast.tenant.admin.get("/api/api-keys?limit=200").body.decode()

    assert made["key"] not in listed
    assert made["api_key"]["prefix"] in listed
    assert len(made["api_key"]["prefix"]) <= 13


@pytest.mark.parametrize(
    "path", ["/api/users", "/api/me", "/api/me/sessions", "/api/invitations", "/api/system", "/api/user"]
)
def test_no_answer_has_a_field_for_a_secret(cast: Cast, path: str) -> None:
    client = cast.installation.admin if path == "/api/system" else cast.tenant.admin
    body = client.get(path).body.decode().lower()

    assert not [
        word for word in ("password_hash", "token_hash", "argon2", '"token"', '"secret"') if word in body
    ]
