"""Bytes on the public port that two parsers could read differently, or that would fill the memory: refused, at once."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from tests.installation import Installation
from tests.security.wire import raw, statuses

JSON = b"Content-Type: application/json\r\n"
LOGIN = b"POST /api/auth/login HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n" + JSON
VERSION = b"GET /api/version HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n"
SMUGGLED = b"GET /api/version HTTP/1.1\r\nHost: HOST\r\n\r\n"


def asked(installation: Installation, data: bytes, source: str = "127.0.9.1") -> list[int]:
    host = installation.url.removeprefix("http://").encode()
    return statuses(raw(installation.url, data.replace(b"HOST", host), source=source))


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
        b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n" + SMUGGLED,
        b"Content-Length: 2\r\nContent-Length: 50\r\n\r\n{}" + SMUGGLED,
        b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
        b"Content-Length: 2, 2\r\n\r\n{}",
        b"Content-Length: +2\r\n\r\n{}",
        b"Content-Length: -2\r\n\r\n{}",
        b"Content-Length: 0x2\r\n\r\n{}",
        b"Content-Length: 99999999999999999999999\r\n\r\n{}",
        b"Transfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked, identity\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        b"Transfer-Encoding : chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\nfffffffffffffffffff\r\n{}\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n",
        b"Content-Length: 2\r\nX: a\r\n b\r\n\r\n{}",
        b"Content-Length: 2\r\nX: a\x00b\r\n\r\n{}",
        b"Content-Length: 2\r\nX: a\rb\r\n\r\n{}",
        b"Content-Length: 2\r\nX y: a\r\n\r\n{}",
    ],
)
def test_a_request_whose_end_is_ambiguous_gets_one_refusal_and_no_second_answer(
    installation: Installation, head: bytes
) -> None:
    assert asked(installation, LOGIN + head) == [400]


def test_what_comes_after_the_body_is_no_header(installation: Installation) -> None:
    """A proxy that checked the head has not seen it: neither who asks nor from where may stand there."""
    trailers = b"Authorization: no known form\r\nHost: evil.example\r\nX-Forwarded-For: 192.0.2.1\r\n"

    assert asked(
        installation, LOGIN + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n" + trailers + b"\r\n"
    ) == [422]


@pytest.mark.parametrize(
    "data",
    [
        b"GET /api/version HTTP/1.1\r\nConnection: close\r\n\r\n",
        b"GET /api/version HTTP/1.0\r\n\r\n",
        VERSION + b"Host: evil.example\r\n\r\n",
        VERSION + b"Host: HOST\r\n\r\n",
        b"GET /api/version HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        b"GET http://HOST/api/version HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        b"GET http://evil.example/api/version HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n",
        b"GET http://evil.example HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
        b"GET http://HOST@evil.example/api/version HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n",
        b"GET http://evil.example?/api/version HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n",
        b"GET /api/version HTTP/1.1\r\nHost: HOST/healthz?\r\nConnection: close\r\n\r\n",
        b"GET /api/version HTTP/1.1\r\nHost: HOST@evil.example\r\nConnection: close\r\n\r\n",
        b"GET /api/version HTTP/1.1\nHost: HOST\n\n",
        b"GET api/version HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n",
        b"GET /api/\xff\xfe HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n",
        b"FOO /api/version HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n",
        b"CONNECT HOST HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"\r\n\r\n\r\n\x00\x00\x00\x00",
    ],
)  # fmt: skip
def test_a_request_that_is_not_plainly_for_this_host_is_refused(
    installation: Installation, data: bytes
) -> None:
    assert asked(installation, data) == [400]


@pytest.mark.parametrize(
    "line",
    [
        b"GET http://HOST/api/version HTTP/1.1\r\nHost: HOST",
        b"GET HTTP://HOST/api/version?x=://evil.example HTTP/1.1\r\nHost: HOST",
        b"GET /api/version?x=http://evil.example HTTP/1.1\r\nHost: HOST",
    ],
)
def test_a_request_that_names_this_host_twice_is_for_this_host(
    installation: Installation, line: bytes
) -> None:
    assert asked(installation, line + b"\r\nConnection: close\r\n\r\n") == [200]


@pytest.mark.parametrize("upgrade", [b"websocket", b"h2c", b"TLS/1.0"])
def test_another_protocol_is_not_switched_to(installation: Installation, upgrade: bytes) -> None:
    data = b"GET /api/version HTTP/1.1\r\nHost: HOST\r\nConnection: Upgrade, close\r\nUpgrade: " + upgrade
    data += b"\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

    assert asked(installation, data) == [200]


@pytest.mark.parametrize(
    "head",
    [
        b"X: " + b"a" * 70_000,
        b"X: " + b"a" * 3_000_000,
        b"\r\n".join(b"X%d: a" % number for number in range(300)),
        b"Cookie: " + b"; ".join(b"c%d=%s" % (number, b"a" * 4000) for number in range(20)),
    ],
    ids=["a long value", "an endless value", "many headers", "many cookies"],
)
def test_a_head_without_measure_is_refused(installation: Installation, head: bytes) -> None:
    assert asked(installation, VERSION + head + b"\r\n\r\n") in (
        [400],
        [],
    )  # a reset while we send is an answer too


def test_a_path_without_measure_is_refused(installation: Installation) -> None:
    long = b"GET /api/" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: HOST\r\n\r\n"

    assert asked(installation, long) == [400]


def test_requests_sent_at_once_are_answered_in_order_each_for_itself(installation: Installation) -> None:
    first = b"GET /api/version HTTP/1.1\r\nHost: HOST\r\n\r\n"
    second = b"GET /api/me HTTP/1.1\r\nHost: HOST\r\n\r\n"
    last = b"GET /api/nothing HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n"

    assert asked(installation, first + second + last) == [200, 401, 404]


def test_a_credential_serves_only_the_request_it_came_with(installation: Installation) -> None:
    key = installation.new_account().admin_key.key.encode()
    with_key = b"GET /api/me HTTP/1.1\r\nHost: HOST\r\nAuthorization: " + key + b"\r\n\r\n"
    without = b"GET /api/me HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n"

    assert asked(installation, with_key + without) == [200, 401]


def test_of_two_credentials_in_one_request_none_is_chosen(installation: Installation) -> None:
    key = b"Authorization: " + installation.new_account().admin_key.key.encode() + b"\r\n"

    assert asked(installation, VERSION + key + b"Authorization: another\r\n\r\n") == [401]
    assert asked(installation, VERSION + key + b"\r\n") == [200]


def test_the_head_of_a_stream_holds_no_connection(installation: Installation) -> None:
    key = installation.new_account().admin_key.key.encode()
    head = b"HEAD /api/audit/follow HTTP/1.1\r\nHost: HOST\r\nAuthorization: " + key + b"\r\n\r\n"

    assert asked(installation, head + VERSION + b"\r\n") == [405, 200]


@pytest.mark.parametrize("value", ["a\r\nX-Injected: yes", "a%0d%0aX-Injected:%20yes", "é\u2028x"])
@pytest.mark.parametrize(
    "where", ["/api/{}", "/api/users/{}", "/{}", "/api/version?x={}", "/api/auth/invitation?token={}"]
)
def test_nothing_that_a_request_says_becomes_a_header(
    installation: Installation, where: str, value: str
) -> None:
    path = where.format(quote(value, safe="%"))
    data = b"GET " + path.encode() + b" HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n"
    host = installation.url.removeprefix("http://").encode()

    answer = raw(installation.url, data.replace(b"HOST", host), source="127.0.9.2")

    assert b"x-injected" not in answer.partition(b"\r\n\r\n")[0].lower()
    assert statuses(answer)[0] < 500


@pytest.mark.parametrize(
    "id", ["short", "a" * 65, "with space 12345", "<script>alert(1)</script>", "läutern12"]
)
def test_a_request_id_that_is_no_id_is_replaced(installation: Installation, id: str) -> None:
    reply = installation.anonymous.send(
        "GET", "/api/version", headers={"X-Request-Id": id.encode().decode("latin-1")}
    )

    assert reply.headers["x-request-id"] != id
    assert len(reply.headers["x-request-id"]) == 24
