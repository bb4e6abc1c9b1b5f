"""When somebody's rights end, so do their requests and what they have open: at once, or within five seconds."""

from __future__ import annotations

import http.client
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

from tests.installation import PASSWORD, Client, Tenant
from tests.security.cast import Cast
from tests.security.wire import sender

SECONDS = 5.0


@dataclass
class Follower:
    """Somebody who watches the audit log live."""

    lines: list[bytes] = field(default_factory=list)
    opened: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)

    def read(self, answer: http.client.HTTPResponse) -> None:
        try:
            for line in answer:
                self.lines.append(line)
                self.opened.set()
        except (OSError, http.client.HTTPException):
            pass
        self.ended.set()

    def saw(self, text: str) -> bool:
        return any(text.encode() in line for line in self.lines)


@contextmanager
def following(client: Client) -> Iterator[Follower]:
    with sender(client).open("GET", "/api/audit/follow", timeout=60) as answer:
        assert answer.status == 200
        follower = Follower()
        thread = threading.Thread(target=follower.read, args=(answer,), daemon=True)
        thread.start()
        assert follower.opened.wait(10)
        yield follower
        if answer.fp is not None and not follower.ended.is_set():
            answer.fp.raw._sock.shutdown(2)  # type: ignore[attr-defined]
        thread.join(10)


@dataclass(frozen=True)
class Person:
    """Another admin of the tenant, who has just arrived."""

    tenant: Tenant
    id: str
    email: str
    session: Client

    def key(self) -> Client:
        return Client(
            self.session.url, key=self.session.done("POST", "/api/api-keys", {"name": "mine"})["key"]
        )


@pytest.fixture(scope="module")
def tenant(cast: Cast) -> Tenant:
    return cast.installation.new_account()


@pytest.fixture
def person(tenant: Tenant) -> Person:
    email = f"{secrets.token_hex(6)}@example.com"
    made = tenant.admin.done("POST", "/api/users", {"email": email, "role": "admin"})
    first = Client(tenant.admin.url).sign_in(email, made["one_time_password"])
    first.done("POST", "/api/me/password", {"current": made["one_time_password"], "new": PASSWORD})
    session = Client(tenant.admin.url).sign_in(email, PASSWORD)
    return Person(tenant, made["user"]["id"], email, session)


def bring(tenant: Tenant, person: Person, role: str = "user") -> None:
    """Into another account: added by its admin, accepted by the person."""
    made = tenant.admin.done("POST", "/api/users", {"email": person.email, "role": role})
    accepted = {"token": made["one_time_password"], "password": PASSWORD}
    Client(person.session.url).done("POST", "/api/auth/accept-invitation", accepted)


def remove(person: Person) -> None:
    person.tenant.admin.done("DELETE", f"/api/users/{person.id}")


def disable(person: Person) -> None:
    person.tenant.admin.done("PATCH", f"/api/users/{person.id}", {"disabled": True})


def reset_password(person: Person) -> None:
    person.tenant.admin.done("POST", f"/api/users/{person.id}/reset-password", {})


def demote(person: Person) -> None:
    person.tenant.admin.done("PATCH", f"/api/users/{person.id}", {"role": "user"})


def change_password(person: Person) -> None:
    other = Client(person.session.url).sign_in(person.email, PASSWORD)
    other.done("POST", "/api/me/password", {"current": PASSWORD, "new": f"{PASSWORD} changed"})


def sign_out(person: Person) -> None:
    person.session.done("POST", "/api/auth/logout", {})


def end_the_session(person: Person) -> None:
    current = next(one for one in person.session.done("GET", "/api/me/sessions")["items"] if one["current"])
    other = Client(person.session.url).sign_in(person.email, PASSWORD)
    other.done("DELETE", f"/api/me/sessions/{current['id']}")


def revoke_the_keys(person: Person) -> None:
    for key in person.session.done("GET", "/api/api-keys")["items"]:
        person.session.done("DELETE", f"/api/api-keys/{key['id']}")


Ending = Callable[[Person], None]
OF_SESSIONS = (remove, disable, reset_password, demote, change_password, sign_out, end_the_session)
OF_KEYS = (remove, disable, demote, revoke_the_keys)
CASES = [(ending, "session") for ending in OF_SESSIONS] + [(ending, "key") for ending in OF_KEYS]


@pytest.mark.parametrize(("end", "by"), CASES, ids=lambda part: getattr(part, "__name__", part))
def test_rights_that_ended_open_nothing_and_close_what_is_open(person: Person, end: Ending, by: str) -> None:
    client = person.key() if by == "key" else person.session
    assert client.get("/api/audit").status == 200
    with following(client) as follower:
        end(person)
        started = time.monotonic()

        assert follower.ended.wait(SECONDS)
        assert client.get("/api/audit").status == (403 if end is demote else 401)
        assert time.monotonic() - started < SECONDS


def test_a_stream_of_somebody_else_goes_on(person: Person) -> None:
    with following(person.tenant.admin) as mine, following(person.session) as theirs:
        remove(person)

        assert theirs.ended.wait(SECONDS)
        assert not mine.ended.wait(0.5)


def test_a_service_account_that_is_removed_loses_its_keys_and_streams(tenant: Tenant) -> None:
    made = tenant.admin.done("POST", "/api/service-accounts", {"name": secrets.token_hex(6), "role": "admin"})
    wanted = {"name": "robot", "service_account": made["id"]}
    robot = Client(tenant.admin.url, key=tenant.admin.done("POST", "/api/api-keys", wanted)["key"])
    with following(robot) as follower:
        tenant.admin.done("DELETE", f"/api/service-accounts/{made['id']}")

        assert follower.ended.wait(SECONDS)
        assert robot.get("/api/me").status == 401


def test_switching_the_account_holds_for_the_very_next_request_and_ends_the_streams_of_the_old(
    cast: Cast, tenant: Tenant, person: Person
) -> None:
    other = cast.other
    bring(other, person, "admin")
    with following(person.session) as follower:
        for account in (other.id, tenant.id, other.id, tenant.id, other.id):
            person.session.done("POST", "/api/me/account", {"account": account})
            assert person.session.done("GET", "/api/account")["id"] == account
            entries = person.session.done("GET", "/api/audit?limit=200")["items"]
            assert {entry["account"] for entry in entries} <= {account}

        assert follower.ended.wait(SECONDS)
    other.admin.done("DELETE", f"/api/users/{person.id}")


def test_a_user_removed_from_one_account_stays_in_the_other(cast: Cast, person: Person) -> None:
    other = cast.other
    bring(other, person)
    remove(person)

    again = Client(person.session.url).sign_in(person.email, PASSWORD)
    assert again.done("GET", "/api/account")["id"] == other.id
    other.admin.done("DELETE", f"/api/users/{person.id}")


def test_a_live_stream_shows_ones_own_account_only(cast: Cast, person: Person) -> None:
    mine, theirs = f"mine-{secrets.token_hex(6)}", f"theirs-{secrets.token_hex(6)}"
    with following(person.session) as follower:
        cast.other.admin.done("POST", "/api/teams", {"name": theirs})
        person.session.done("POST", "/api/teams", {"name": mine})
        until = time.monotonic() + 10
        while not follower.saw(mine) and time.monotonic() < until:
            follower.ended.wait(0.05)

        assert follower.saw(mine)
        assert not follower.saw(theirs) and not follower.saw(cast.other.id)


def test_who_lost_the_password_signs_in_only_to_choose_a_new_one(person: Person) -> None:
    answer = person.tenant.admin.done("POST", f"/api/users/{person.id}/reset-password", {})

    assert (
        Client(person.session.url)
        .post("/api/auth/login", {"email": person.email, "password": PASSWORD})
        .status
        == 401
    )
    fresh = Client(person.session.url).sign_in(person.email, answer["one_time_password"])
    assert fresh.get("/api/me").json["must_change_password"]
    assert fresh.get("/api/audit").status == 403
