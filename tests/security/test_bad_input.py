"""What no client of ours would send, to every route that reads a body: a clear 4xx, never a 500, never a wait."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from argosy.platform.gateway.routes import openapi_entries
from tests.installation import Reply
from tests.security.cast import Cast
from tests.security.examples import ABSENT, example
from tests.security.matrix import ROUTES, row_of
from tests.security.wire import Sender, raw, statuses

ENTRIES = {(entry.method, entry.path): entry for entry in openapi_entries()}
# Those that take fields. The bodies of the public ones may be smaller, so "oversized" is the same for all.
WRITES = sorted(
    route for route in ROUTES
    if route[0] in ("POST", "PUT", "PATCH")
    and set(ENTRIES[route].request.__struct_fields__) - {"id"}
    and row_of(*route).least not in ("session", "platform admin")
)  # fmt: skip
READS = sorted(
    route for route in ROUTES if route[0] == "GET" and row_of(*route).least in ("signed in", "admin")
)
MEGABYTE = 1_048_576


def send(cast: Cast, method: str, path: str, body: bytes, **headers: str) -> Reply:
    return cast.busy().send(
        method,
        path.replace("{id}", ABSENT),
        body,
        {"Content-Type": "application/json", **headers},
        timeout=10,
    )


def good(method: str, path: str) -> dict[str, Any]:
    return {name: value for name, value in example(ENTRIES[(method, path)].request).items() if name != "id"}


def first_field(method: str, path: str) -> str:
    shape = ENTRIES[(method, path)].request
    return next(name for name in shape.__struct_encode_fields__ if name != "id")


def text_field(method: str, path: str) -> str:
    """A field that takes text, to put unpleasant text into."""
    fields = [name for name, value in good(method, path).items() if isinstance(value, str)]
    return fields[0] if fields else first_field(method, path)


def assert_clear(reply: Reply) -> None:
    assert 400 <= reply.status < 500, (reply.status, reply.body[:300])
    told = reply.json
    assert told["status"] == reply.status and told["code"] and told["message"] and told["request_id"]
    assert len(told["message"]) + len(told.get("cure", "")) < 2000
    assert "Traceback" not in reply.body.decode() and "msgspec" not in reply.body.decode()


BODIES: dict[str, tuple[bytes, int]] = {
    "empty text": (b" ", 400),
    "not JSON": (b"{name: 1}", 400),
    "half of an object": (b'{"name": "x"', 400),
    "two values": (b"{} {}", 400),
    "an array": (b"[]", 400),
    "a string": (b'"x"', 400),
    "a number": (b"1", 400),
    "null": (b"null", 400),
    "true": (b"true", 400),
    "bad UTF-8": (b'{"name": "\xff\xfe"}', 400),
    "overlong UTF-8": (b'{"name": "\xc0\xaf"}', 400),
    "a surrogate in UTF-8": (b'{"name": "\xed\xa0\x80"}', 400),
    "UTF-16": ('{"name": "x"}'.encode("utf-16"), 400),
    "a byte order mark": (b'\xef\xbb\xbf{"name": "x"}', 400),
    "a duplicate key": (b'{"name": "x", "name": "y"}', 400),
    "a duplicate key by escape": (b'{"name": "x", "\\u006eame": "y"}', 400),
    "a duplicate key inside": (b'{"x": {"a": 1, "a": 2}}', 400),
    "NaN": (b'{"name": NaN}', 400),
    "Infinity": (b'{"name": -Infinity}', 400),
    "65 objects deep": (b'{"a":' * 65 + b"1" + b"}" * 65, 400),
    "500,000 arrays deep": (b"[" * 500_000, 400),
    "100,000 objects deep": (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, 400),
    "an integer of 100,000 digits": (b'{"name": ' + b"9" * 100_000 + b"}", 400),
    "an unknown name": (b'{"__proto__": {"admin": true}}', 422),
    "one byte too many": (b'{"a":"' + b"a" * (MEGABYTE - 7) + b'"}', 413),
}


@pytest.mark.parametrize("what", BODIES)
@pytest.mark.parametrize(("method", "path"), WRITES)
def test_a_body_that_is_no_request_is_refused_clearly(cast: Cast, method: str, path: str, what: str) -> None:
    body, status = BODIES[what]

    reply = send(cast, method, path, body)

    assert_clear(reply)
    # The doors that stand open to everybody read less.
    assert reply.status == status or (path.startswith("/api/auth/") and reply.status == 413), reply.body


@pytest.mark.parametrize(
    "value",
    [
        "\x00", "a\x00b", "\ud800", "a\udfffb", "a" * 500_000, "\u202e" * 500, 10**30, -(10**30), 1e308, -0.0,
        True, None, [], {}, [[]], ["\ud800"], {"\ud800": 1}, {"\x00": "x"}, [None] * 1000,
    ],
    ids=lambda value: repr(value)[:24],
)  # fmt: skip
@pytest.mark.parametrize(("method", "path"), WRITES)
def test_a_field_that_holds_something_else_is_refused_by_name(
    cast: Cast, method: str, path: str, value: Any
) -> None:
    field = text_field(method, path)

    reply = send(cast, method, path, json.dumps({**good(method, path), field: value}).encode())

    if value is None and reply.status in (200, 404):
        return  # an optional field may be null
    if value in ([], {}, True) and reply.status == 200:
        return
    assert_clear(reply)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content-Type": "text/xml"}, 415),
        ({"Content-Type": "application/json; charset=utf-16"}, 415),
        ({"Content-Type": "application/jsonp"}, 415),
        ({"Content-Type": "é".encode().decode("latin-1")}, 415),
        ({"Content-Encoding": "gzip"}, 415),
        ({"Content-Encoding": "br"}, 415),
        ({"Idempotency-Key": "k" * 121}, 400),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/api/teams"), ("POST", "/api/auth/login"), ("PATCH", "/api/me")]
)
def test_a_body_in_another_form_is_not_guessed_at(
    cast: Cast, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    if "Idempotency-Key" in headers and path == "/api/auth/login":
        headers, status = {"Content-Type": ""}, 415
    body = json.dumps(good(method, path) or {"name": "x"}).encode()
    body = gzip.compress(body) if "Content-Encoding" in headers else body

    reply = send(cast, method, path, body, **headers)

    assert_clear(reply)
    assert reply.status == status, reply.body


@pytest.mark.parametrize(("method", "path"), WRITES)
def test_no_body_at_all_says_what_is_missing(cast: Cast, method: str, path: str) -> None:
    reply = send(cast, method, path, b"")

    if good(method, path):
        assert_clear(reply)
        assert reply.code == "invalid.missing"
    else:
        assert reply.status in (200, 404)


@pytest.mark.parametrize(
    "query",
    ["limit=0", "limit=201", "limit=-1", "limit=x", "limit=1e3", "limit=99999999999999999999", "limit=1&limit=2",
     "nothing=1", "search=%00", "search=" + "a" * 201, "sort=" + "a" * 201, "sort=password_hash", "sort=name;--",
     "after=" + "a" * 1001, "%ff=%ff", "search=%ff%fe", "=", "a" * 5000, "limit", "search=%ed%a0%80"],
    ids=lambda query: query[:24],
)  # fmt: skip
@pytest.mark.parametrize(("method", "path"), READS)
def test_a_query_that_makes_no_sense_is_refused_or_finds_nothing(
    cast: Cast, method: str, path: str, query: str
) -> None:
    reply = cast.busy().get(f"{path.replace('{id}', ABSENT)}?{query}")

    if reply.status != 200:
        assert_clear(reply)
    else:  # it asks for nothing, so what else is said is not read; or the text was found nowhere
        takes = ENTRIES[(method, path)].request.__struct_fields__
        assert not takes or query.startswith(("search=%ff", "search=%ed", "=")), reply.body


@pytest.mark.parametrize(
    "id",
    ["0", "x" * 24, "F" * 24, "f" * 23, "f" * 25, "%00" * 24, "..", "%2e%2e", "f" * 5000, "%ff", "'%20OR%201=1",
     "null", "undefined", "-1", "%F0%9F%92%A9", "{id}", "%7Bid%7D"],
    ids=lambda shown: shown[:24],
)  # fmt: skip
@pytest.mark.parametrize(("method", "path"), sorted(route for route in ROUTES if "{id}" in route[1]))
def test_an_id_that_is_none_is_refused(cast: Cast, method: str, path: str, id: str) -> None:
    client = cast.busy()
    body = None if method in ("GET", "DELETE") else good(method, path)

    assert_clear(client.request(method, path.replace("{id}", id), body))


def test_a_body_that_announces_more_than_it_may_is_refused_before_it_is_sent(cast: Cast) -> None:
    url, key = cast.installation.url, cast.other.admin_key.key
    head = (
        f"POST /api/teams HTTP/1.1\r\nHost: {url.removeprefix('http://')}\r\nAuthorization: {key}\r\n"
        f"Content-Type: application/json\r\nConnection: close\r\nContent-Length: {MEGABYTE + 1}\r\n\r\n"
    )

    assert statuses(raw(url, head.encode(), timeout=5)) == [413]


def test_a_chunked_body_is_cut_at_the_limit_wherever_it_wanted_to_end(cast: Cast) -> None:
    url, key = cast.installation.url, cast.other.admin_key.key
    head = (
        f"POST /api/teams HTTP/1.1\r\nHost: {url.removeprefix('http://')}\r\nAuthorization: {key}\r\n"
        f"Content-Type: application/json\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    chunk = b"10000\r\n" + b"a" * 0x10000 + b"\r\n"

    assert statuses(raw(url, head.encode() + chunk * 17, timeout=5)) == [413]


def test_what_was_refused_changed_nothing(cast: Cast) -> None:
    tenant = cast.installation.new_account()
    key = tenant.admin_key
    before = key.get("/api/teams").json
    for body, _ in BODIES.values():
        key.send("POST", "/api/teams", body, {"Content-Type": "application/json"})

    assert key.get("/api/teams").json == before
    assert Sender(cast.installation.url).get("/readyz").status == 200
