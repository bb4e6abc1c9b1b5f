"""How often somebody may ask and guess, and that neither restarts nor made-up credentials buy more."""

from __future__ import annotations

import http.client
import os
import secrets
import signal
import time
from contextlib import closing
from urllib.parse import urlsplit

import pytest

from argosy.host.paths import DataDir
from argosy.host.registry import group_of
from argosy.host.supervisor.state import read
from tests.installation import Client, Installation, Reply
from tests.security.cast import Cast
from tests.security.wire import Sender, address, sender

# What `argosy up` allows without any setting (`GatewaySettings`).
ANONYMOUS_BURST, SIGNED_BURST = 100, 400


def refused_after(client: Sender, path: str, most: int) -> tuple[int, Reply]:
    """How many requests passed until one was too many. Over one connection, as fast as it goes."""
    parts = urlsplit(client.url)
    link = http.client.HTTPConnection(parts.hostname or "", parts.port, source_address=(client.source, 0))
    sent = {**client.headers, **({"Authorization": client.key} if client.key else {})}
    with closing(link):
        for number in range(most):
            headers = {name: value.replace("NUMBER", f"{number:043}") for name, value in sent.items()}
            link.request("GET", path, headers=headers)
            answer = link.getresponse()
            told = {name.lower(): value for name, value in answer.getheaders()}
            reply = Reply(answer.status, told, answer.read())
            if reply.status == 429:
                return number, reply
    raise AssertionError(f"{most} requests, and none was too many")


def assert_says_when(reply: Reply) -> None:
    assert reply.code == "rate_limited"
    assert int(reply.headers["retry-after"]) >= 1
    assert reply.json["context"]["retry_after"] == int(reply.headers["retry-after"])


def test_an_address_without_a_credential_is_told_to_slow_down(installation: Installation) -> None:
    number, reply = refused_after(Sender(installation.url, source=address()), "/api/version", 400)

    assert number >= ANONYMOUS_BURST
    assert_says_when(reply)


def test_who_waits_as_told_is_let_in_again(installation: Installation) -> None:
    client = Sender(installation.url, source=address())
    _, reply = refused_after(client, "/api/version", 400)

    time.sleep(int(reply.headers["retry-after"]))

    assert client.get("/api/version").status == 200


def test_one_address_does_not_slow_down_another(installation: Installation) -> None:
    refused_after(Sender(installation.url, source=address()), "/api/version", 400)

    assert Sender(installation.url, source=address()).get("/api/version").status == 200


def test_a_key_is_told_to_slow_down_and_another_of_the_same_account_is_not(cast: Cast) -> None:
    tenant = cast.installation.new_account()
    other = Client(tenant.admin.url, key=tenant.admin.done("POST", "/api/api-keys", {"name": "other"})["key"])
    assert tenant.admin_key.get("/api/me").status == 200

    number, reply = refused_after(sender(tenant.admin_key), "/api/auth/authenticate", 3000)

    assert number >= SIGNED_BURST - 1
    assert_says_when(reply)
    assert other.get("/api/me").status == 200


@pytest.mark.parametrize("key", ["argk_NUMBER", "Bearer argk_NUMBER", "Basic NUMBER", "NUMBER"])
def test_guessing_keys_is_counted_by_address_however_many_are_tried(
    installation: Installation, key: str
) -> None:
    number, reply = refused_after(Sender(installation.url, key=key, source=address()), "/api/me", 400)

    assert ANONYMOUS_BURST - 1 <= number < 400
    assert_says_when(reply)


def test_guessing_sessions_is_counted_too(installation: Installation) -> None:
    client = Sender(installation.url, source=address())
    name = f"argosy-{urlsplit(installation.url).port}"

    replies = []
    for _ in range(2 * ANONYMOUS_BURST):
        reply = client.send("GET", "/api/me", headers={"Cookie": f"{name}={secrets.token_urlsafe(32)}"})
        replies.append(reply.status)

    assert replies[-1] == 429
    assert set(replies) == {401, 429}


def test_a_good_key_is_not_held_up_by_guesses_from_its_own_address(cast: Cast) -> None:
    source = address()
    mine = sender(cast.tenant.admin_key, source)
    assert mine.get("/api/me").status == 200

    refused_after(Sender(cast.installation.url, key="argk_NUMBER", source=source), "/api/me", 400)

    assert mine.get("/api/me").status == 200


@pytest.mark.parametrize(
    "header", ["X-Forwarded-For", "X-Real-IP", "Forwarded", "CF-Connecting-IP", "True-Client-IP"]
)
def test_an_address_cannot_be_made_up_without_a_trusted_proxy(
    installation: Installation, header: str
) -> None:
    client = Sender(installation.url, source=address(), headers={header: "made-up-NUMBER"})

    number, _ = refused_after(client, "/api/version", 400)

    assert number >= ANONYMOUS_BURST


# --- passwords


def try_password(client: Client, email: str, password: str) -> Reply:
    return client.post("/api/auth/login", {"email": email, "password": password})


def anonymous_body(reply: Reply) -> dict[str, object]:
    body = dict(reply.json)
    body.pop("request_id")
    return body


def test_known_and_unknown_people_get_the_same_refusal(cast: Cast) -> None:
    client = Sender(cast.installation.url, source=address())
    replies = [
        try_password(client, email, "not the password")
        for email in (cast.other.member_email, "nobody@example.com", cast.other.member_email.upper())
    ]

    assert [reply.status for reply in replies] == [401] * 3
    assert len({str(anonymous_body(reply)) for reply in replies}) == 1
    assert len({tuple(sorted(set(reply.headers) - {"date"})) for reply in replies}) == 1


def test_known_and_unknown_people_are_locked_alike(cast: Cast) -> None:
    """After as many failures, with the same words."""
    tenant = cast.installation.new_account()
    client = Sender(cast.installation.url, source=address())

    def until_locked(email: str) -> tuple[int, Reply]:
        for number in range(20):
            reply = try_password(client, email, "not the password")
            if reply.status == 429:
                return number, reply
        raise AssertionError("twenty guesses, and the door is still open")

    known, unknown = until_locked(tenant.member_email), until_locked(f"{secrets.token_hex(6)}@example.com")

    assert known[0] == unknown[0]
    assert known[1].code == unknown[1].code == "auth.locked"
    assert known[1].json["message"] == unknown[1].json["message"]
    assert abs(int(known[1].headers["retry-after"]) - int(unknown[1].headers["retry-after"])) <= 3
    assert (
        try_password(client, tenant.member_email, tenant.password).status == 429
    )  # the right one is not tried either


@pytest.mark.parametrize("path", ["/api/auth/link", "/api/auth/accept-invitation"])
def test_links_and_invitations_that_never_were_look_like_used_ones(cast: Cast, path: str) -> None:
    client = Sender(cast.installation.url, source=address())

    bodies = {
        str(anonymous_body(client.post(path, {"token": token})))
        for token in (secrets.token_urlsafe(32), "x", "a" * 200)
    }

    assert len(bodies) == 1


def test_the_lock_holds_when_the_core_is_killed() -> None:
    """The count lies in the database, not in the process that counted."""
    with Installation() as own:
        client = Sender(own.url, source=address())
        while (reply := try_password(client, own.email, "not the password")).status == 401:
            pass
        assert reply.code == "auth.locked"
        before = int(reply.headers["retry-after"])

        kill_core(own)

        reply = once_ready(client, own)
        assert (reply.status, reply.code) == (429, "auth.locked")
        assert int(reply.headers["retry-after"]) <= before + 1


def kill_core(installation: Installation) -> None:
    state = read(DataDir(installation.data_dir).state)
    assert state is not None
    os.kill(state.processes[group_of("identity")].pid, signal.SIGKILL)


def once_ready(client: Sender, installation: Installation) -> Reply:
    """The first answer that is not about the restart."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        reply = try_password(client, installation.email, installation.password)
        if reply.status != 503:
            return reply
        time.sleep(0.1)
    raise AssertionError("the core did not come back within 30 s")
