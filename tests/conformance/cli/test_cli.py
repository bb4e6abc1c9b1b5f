"""The command line against a real platform: every verb and thing, every form, every exit code."""

from __future__ import annotations

import json
import os
import pty
import re
import secrets
import socket
import subprocess
import time
from pathlib import Path

import pytest
import yaml

from tests.command_line import CommandLine
from tests.installation import ARGOSY, PASSWORD, Client, Installation, Tenant
from tests.security.wire import Sender


@pytest.fixture(scope="module")
def tenant(installation: Installation) -> Tenant:
    return installation.new_account()


@pytest.fixture
def nobody(tmp_path: Path) -> CommandLine:
    return CommandLine(tmp_path)


@pytest.fixture
def admin(tmp_path: Path, installation: Installation, tenant: Tenant) -> CommandLine:
    return CommandLine(tmp_path, installation.url, tenant.admin_key.key)


def fresh(what: str) -> str:
    return f"{what}-{secrets.token_hex(4)}"


def key_of(client: Client, **limits: object) -> str:
    return str(client.done("POST", "/api/api-keys", {"name": fresh("key"), **limits})["key"])


def test_login_trades_a_password_for_a_key_of_its_own(
    nobody: CommandLine, installation: Installation, tenant: Tenant
) -> None:
    done = nobody.done(
        "login", installation.url, "--email", tenant.admin_email, "--password", "-", stdin=f"{PASSWORD}\n"
    )
    assert tenant.admin_email in done.err
    assert done.out == ""
    assert nobody.done("whoami", "-o", "json").json["account"]["name"] == tenant.name
    assert nobody.config.stat().st_mode & 0o777 == 0o600
    kept = nobody.config.read_text()
    assert PASSWORD not in kept
    assert "argk_" in kept


def test_logout_ends_the_key_and_forgets_it(
    nobody: CommandLine, installation: Installation, tenant: Tenant
) -> None:
    nobody.done("login", installation.url, "--email", tenant.member_email, "--password", PASSWORD)
    (context,) = json.loads(nobody.config.read_text())["contexts"].values()
    nobody.done("logout")
    assert "argk_" not in nobody.config.read_text()
    assert Client(installation.url, key=context["key"]).get("/api/me").status == 401
    assert nobody.run("whoami").status == 10


def test_signing_in_again_leaves_no_trail_of_keys(
    nobody: CommandLine, installation: Installation, tenant: Tenant
) -> None:
    counts = []
    for _ in range(3):
        nobody.done("login", installation.url, "--email", tenant.member_email, "--password", PASSWORD)
        counts.append(len(nobody.done("get", "api-keys", "--all", "-o", "json").json))
    assert len(set(counts)) == 1


def test_somebody_who_locks_an_e_mail_elsewhere_does_not_lock_out_the_machine_that_signed_in_before(
    nobody: CommandLine, installation: Installation
) -> None:
    tenant = installation.new_account()
    words = ("login", installation.url, "--email", tenant.member_email, "--password", PASSWORD)
    nobody.done(*words)
    wrong = {"email": tenant.member_email, "password": "a wrong one"}
    stranger = Sender(installation.url, source="127.0.77.1")
    assert [stranger.post("/api/auth/login", wrong).status for _ in range(6)] == [401] * 5 + [429]
    right = {"email": tenant.member_email, "password": PASSWORD}
    assert stranger.post("/api/auth/login", right).status == 429

    nobody.done(*words)

    assert nobody.done("whoami", "-o", "json").json["email"] == tenant.member_email


def test_a_key_that_somebody_brought_is_not_ended_by_logout(
    nobody: CommandLine, installation: Installation, tenant: Tenant
) -> None:
    key = key_of(tenant.admin)
    nobody.done("login", installation.url, "--api-key", "-", stdin=f"{key}\n")
    assert "still works" in nobody.done("logout").err
    assert Client(installation.url, key=key).get("/api/me").status == 200


def test_a_one_time_password_is_changed_on_the_way_in(
    nobody: CommandLine, installation: Installation, admin: CommandLine
) -> None:
    email = f"{fresh('new')}@example.com"
    once = admin.done("create", "user", email, "-o", "json").json["one_time_password"]
    words = ("login", installation.url, "--email", email, "--password", "-", "--new-password", "-")
    nobody.done(*words, stdin=f"{once}\n{PASSWORD} of mine\n")
    assert nobody.done("whoami", "-o", "json").json["email"] == email


def test_contexts_are_listed_chosen_and_forgotten(
    nobody: CommandLine, installation: Installation, tenant: Tenant
) -> None:
    for name, client in (("first", tenant.admin), ("second", tenant.member)):
        words = ("login", installation.url, "--context", name, "--api-key", key_of(client))
        nobody.done(*words)
    listed = nobody.done("config", "get-contexts", "-o", "json").json
    assert [(one["name"], one["current"]) for one in listed] == [("first", False), ("second", True)]
    assert nobody.done("whoami", "-o", "json").json["email"] == tenant.member_email
    assert nobody.done("whoami", "--context", "first", "-o", "json").json["email"] == tenant.admin_email
    nobody.done("config", "use-context", "first")
    assert nobody.done("whoami", "-o", "json").json["email"] == tenant.admin_email
    nobody.done("config", "delete-context", "first")
    assert nobody.run("whoami").status == 10


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="the process list is read from /proc")
def test_a_password_on_stdin_is_not_in_the_process_list(
    nobody: CommandLine, installation: Installation, tenant: Tenant
) -> None:
    words = [*ARGOSY, "login", installation.url, "--email", tenant.member_email, "--password", "-"]
    process = subprocess.Popen(
        words, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=nobody.environ
    )
    try:
        shown = (
            Path(f"/proc/{process.pid}/cmdline").read_bytes()
            + Path(f"/proc/{process.pid}/environ").read_bytes()
        )
    finally:
        process.communicate(f"{PASSWORD}\n", timeout=60)
    assert process.returncode == 0
    assert PASSWORD.encode() not in shown


def test_a_team_lives_and_ends(admin: CommandLine, tenant: Tenant) -> None:
    name = fresh("team")
    made = admin.done(
        "create", "team", name, "--description", "They sail", "--member", tenant.member_email, "-o", "json"
    ).json
    assert (made["name"], made["members"]) == (name, 1)
    assert admin.done("get", "team", name, "-o", "json").json["id"] == made["id"]
    assert admin.done("get", "team", made["id"], "-o", "json").json["name"] == name
    assert name in admin.done("get", "teams", "--search", name).out
    assert admin.done("delete", "team", name, "--yes", "-o", "json").json == {
        "id": made["id"],
        "deleted": True,
    }
    assert admin.run("get", "team", name).status == 12


def test_a_user_lives_and_ends(admin: CommandLine) -> None:
    email, team = f"{fresh('user')}@example.com", fresh("team")
    admin.done("create", "team", team)
    done = admin.done("create", "user", email, "--full-name", "A Sailor", "--role", "admin", "--team", team)
    assert re.search(r"^one-time password  \S+$", done.out, re.MULTILINE)
    assert done.err == "shown only now: store it safely\n"
    found = admin.done("get", "user", email, "-o", "json").json
    assert (found["name"], found["role"], found["teams"][0]["name"]) == ("A Sailor", "admin", team)
    assert email in admin.done("get", "users", "--role", "admin", "--all").out
    admin.done("delete", "user", email, "--yes")
    assert admin.run("get", "user", email).status == 12


def test_a_key_is_shown_once_and_works(admin: CommandLine, installation: Installation) -> None:
    name = fresh("laptop")
    made = admin.done(
        "create", "api-key", name, "--scope", "teams:read", "--expires-days", "1", "-o", "json"
    ).json
    key = made["key"]
    assert Client(installation.url, key=key).get("/api/teams").status == 200
    for form in ("table", "json", "yaml"):
        assert key not in admin.done("get", "api-keys", "-o", form).out
    admin.done("delete", "api-key", made["api_key"]["id"], "--yes")
    assert Client(installation.url, key=key).get("/api/teams").status == 401


def test_a_service_account_has_keys_of_its_own(admin: CommandLine) -> None:
    name = fresh("deployer")
    admin.done("create", "service-account", name)
    for _ in range(2):
        admin.done("create", "api-key", "ci", "--service-account", name)
    keys = admin.done("get", "api-keys", "--service-account", name, "-o", "json").json
    assert [(key["name"], key["owner_kind"]) for key in keys] == [("ci", "service_account")] * 2
    both = admin.run("delete", "api-key", "ci", "--service-account", name, "--yes")
    assert (both.status, both.lines[0]) == (13, "error: 'ci' names 2 api-keys")
    assert keys[0]["id"] in both.err
    admin.done("delete", "api-key", keys[0]["id"], "--everyone", "--yes")
    assert admin.done("get", "service-account", name, "-o", "json").json["keys"] == 1
    admin.done("delete", "service-account", name, "--yes")


def test_a_rule_is_made_and_explains_itself(admin: CommandLine, tenant: Tenant) -> None:
    team, name = fresh("team"), fresh("rule")
    admin.done("create", "team", team, "--member", tenant.member_email)
    admin.done(
        "create", "access-rule", name, "--entity", "applications", "--team", team,
        "--action", "SYNC", "--where", "NAMESPACE=shop-*", "--where", "LABEL:tier=web,api",
    )  # fmt: skip
    rule = admin.done("get", "access-rule", name, "-o", "json").json
    assert [one["values"] for one in rule["conditions"]] == [["shop-*"], ["web", "api"]]
    assert name in admin.done("get", "access-rules", "--entity", "applications").out
    asked = (
        "access",
        "why",
        "--user",
        tenant.member_email,
        "--action",
        "SYNC",
        "--resource",
        "applications/a",
    )
    yes = admin.done(*asked, "--attribute", "NAMESPACE=shop-1", "--label", "tier=web")
    assert yes.out.startswith("yes: ")
    assert name in yes.out
    no = admin.done(*asked, "--attribute", "NAMESPACE=bank", "--label", "tier=web")
    assert no.out.startswith("no: ")
    assert admin.done(*asked, "-o", "json").json["allowed"] is False
    admin.done("delete", "access-rule", name, "--yes")


def test_accounts_are_for_administrators_of_the_installation(
    nobody: CommandLine, installation: Installation, admin: CommandLine, tmp_path: Path
) -> None:
    root = CommandLine(tmp_path, installation.url, key_of(installation.admin))
    name = fresh("acme")
    made = root.done("create", "account", name, "--time-zone", "Europe/Berlin", "-o", "json").json
    assert root.done("get", "account", made["id"], "-o", "json").json["time_zone"] == "Europe/Berlin"
    assert root.done("get", "account", name, "-o", "json").json["id"] == made["id"]
    assert admin.run("get", "accounts").status == 11


def test_administrators_of_the_installation_come_and_go(
    nobody: CommandLine, installation: Installation, tmp_path: Path
) -> None:
    root = CommandLine(tmp_path, installation.url, key_of(installation.admin))
    email = f"{fresh('root')}@example.com"
    root.done("create", "user", email)
    made = root.done("create", "administrator", email, "-o", "json").json
    assert made["email"] == email
    assert root.done("get", "administrator", email, "-o", "json").json["id"] == made["id"]
    root.done("delete", "administrator", email, "--yes")
    assert root.run("get", "administrator", email).status == 12
    assert root.done("get", "user", email, "-o", "json").json["email"] == email


def test_the_audit_log_is_listed_exported_and_verified(admin: CommandLine, tmp_path: Path) -> None:
    name = fresh("team")
    admin.done("create", "team", name)
    entry = _sealed(admin, name)
    assert (entry["operation"], entry["resource"], entry["result"]) == ("create_team", "team", "ok")
    assert admin.done("get", "audit", entry["id"], "-o", "json").json["after"]["name"] == name
    jsonl = admin.done("audit", "export", "--search", name).out
    assert [json.loads(line)["resource_name"] for line in jsonl.splitlines()] == [name]
    file = tmp_path / "log.csv"
    admin.done("audit", "export", "--format", "csv", "--search", name, "--file", str(file))
    assert name in file.read_text()
    assert not file.with_name("log.csv.part").exists()
    assert admin.done("audit", "verify", "-o", "json").json["whole"] is True
    assert "whole: " in admin.done("audit", "verify").err


def _sealed(cli: CommandLine, name: str) -> dict[str, object]:
    """An entry is there within a second; a loaded machine gets ten."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        found = cli.done("get", "audit", "--kind", "change", "--search", name, "-o", "json").json
        if found:
            return dict(found[0])
    raise AssertionError(f"no audit entry for {name}")


def test_json_yaml_and_table_tell_the_same(admin: CommandLine) -> None:
    name = fresh("team")
    admin.done("create", "team", name)
    from_json = admin.done("get", "team", name, "-o", "json").json
    assert yaml.safe_load(admin.done("get", "team", name, "-o", "yaml").out) == from_json
    header, row = admin.done("get", "team", name).out.splitlines()
    assert header.split() == ["NAME", "MEMBERS", "DESCRIPTION", "ID"]
    assert row.split() == [name, "0", "-", from_json["id"]]


def test_a_long_list_says_that_there_is_more(admin: CommandLine) -> None:
    for _ in range(2):
        admin.done("create", "team", fresh("many"))
    done = admin.done("get", "teams", "--limit", "1", "-o", "json")
    assert len(done.json) == 1
    assert done.err == "the first 1; --all shows the rest\n"
    assert len(admin.done("get", "teams", "--all", "-o", "json").json) >= 2


def test_sorting_is_by_the_field_that_was_asked_for(admin: CommandLine) -> None:
    names = [team["name"] for team in admin.done("get", "teams", "--all", "--sort=-name", "-o", "json").json]
    assert names == sorted(names, key=str.casefold, reverse=True)


def test_a_reader_that_goes_away_is_no_error(admin: CommandLine) -> None:
    done = subprocess.run(
        ["bash", "-c", 'set -o pipefail; "$@" | true', "-", *ARGOSY, "get", "teams"],
        env=admin.environ, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_behind_the_output_is_told(admin: CommandLine) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*ARGOSY, "get", "teams"], stdout=full, stderr=subprocess.PIPE, text=True, env=admin.environ,
            timeout=60, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert "No space left" in done.stderr.splitlines()[0]


def test_on_a_terminal_a_table_fits(admin: CommandLine) -> None:
    admin.done("create", "team", fresh("team"), "--description", "d" * 200)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*ARGOSY, "get", "teams"], stdout=theirs, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
        env={**admin.environ, "COLUMNS": "70"},
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other side has closed the terminal
            break
        if not part:
            break
        shown += part
    os.close(ours)
    process.communicate(timeout=60)
    assert process.returncode == 0
    assert "…" in shown.decode()
    assert max(len(line) for line in shown.decode().splitlines()) <= 70


def test_completion_of_a_host_verb_comes_from_the_host(nobody: CommandLine) -> None:
    assert "--tls-self-signed" in nobody.done("__complete", "up").out.split()
    assert nobody.done("__complete", "status", "--output").out.split() == ["text", "json"]


def test_wrong_usage_ends_with_2(nobody: CommandLine) -> None:
    assert nobody.run("get", "users", "--limit", "x").status == 2
    assert nobody.run("up", "--port", "x", "--detach").status == 2


def test_deleting_without_a_person_to_ask_is_refused(admin: CommandLine) -> None:
    name = fresh("team")
    admin.done("create", "team", name)
    done = admin.run("delete", "team", name)
    assert (done.status, done.lines[-1]) == (13, "do: add --yes to really delete it")
    admin.done("get", "team", name)


def test_what_is_there_already_ends_with_13(admin: CommandLine) -> None:
    name = fresh("team")
    admin.done("create", "team", name)
    assert admin.run("create", "team", name).status == 13


def test_what_is_not_there_ends_with_12(admin: CommandLine) -> None:
    assert admin.run("get", "team", "0" * 24).status == 12
    assert admin.run("get", "team", fresh("absent")).status == 12
    assert admin.run("create", "user", "a@example.com", "--team", fresh("absent")).status == 12


def test_what_is_not_allowed_ends_with_11(tenant: Tenant, installation: Installation, tmp_path: Path) -> None:
    reader = CommandLine(tmp_path, installation.url, key_of(tenant.admin, scopes=["teams:read"]))
    assert reader.run("get", "users").status == 11
    member = CommandLine(tmp_path, installation.url, key_of(tenant.member))
    assert member.run("create", "team", fresh("team")).status == 11


def test_who_is_not_signed_in_ends_with_10(
    nobody: CommandLine, installation: Installation, tmp_path: Path
) -> None:
    assert nobody.run("whoami").status == 10
    done = CommandLine(tmp_path, installation.url, "argk_" + "x" * 43).run("whoami")
    assert (done.status, done.lines[-1]) == (10, "do: set ARGOSY_API_KEY to a key that is good")
    wrong = nobody.run("login", installation.url, "--email", "x@example.com", "--password", "guess")
    assert wrong.status == 10
    assert not json.loads(nobody.config.read_text())["contexts"]


def test_a_platform_that_is_away_ends_with_15(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    done = CommandLine(tmp_path, f"http://127.0.0.1:{port}", "k").run("get", "users")
    assert done.status == 15
    assert len(done.lines) <= 3


def test_a_url_copied_from_a_page_leads_to_the_platform(
    nobody: CommandLine, installation: Installation, tenant: Tenant
) -> None:
    nobody.done("login", installation.url + "/settings/users?q=a", "--api-key", key_of(tenant.admin))
    assert nobody.done("whoami", "-o", "json").json["url"] == installation.url
