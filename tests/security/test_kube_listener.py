"""Bytes on the TLS port of an embedded cluster that no client sends: refused, cut off, and nobody else notices."""

from __future__ import annotations

import base64
import json
import os
import random
import secrets
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from argosy.kit import yaml
from argosy.kube.server import listening
from argosy.kube.server.decoding.text import MOST_BYTES
from tests.conformance.kube.live import until
from tests.embedded_cluster import bare_cluster
from tests.security.wire import drained, statuses

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
JSON = b"Content-Type: application/json\r\n"
CONFIG_MAP = b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"a-"}}'


@dataclass(frozen=True)
class Door:
    port: int
    anonymous: ssl.SSLContext
    admin: ssl.SSLContext

    def plain(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), 60)

    def dial(self, *, admin: bool = True) -> ssl.SSLSocket:
        context = self.admin if admin else self.anonymous
        return context.wrap_socket(self.plain(), server_hostname="127.0.0.1")

    def said(self, data: bytes, *, admin: bool = True) -> bytes:
        """All that comes back until the server closes."""
        with self.dial(admin=admin) as link:
            try:
                link.sendall(data)
            except OSError:
                pass  # refused before it was all sent
            return drained(link)

    def asked(self, head: bytes, body: bytes = b"", *, admin: bool = True) -> list[int]:
        length = (
            b"" if b"chunked" in head or b"Content-Length" in head else b"Content-Length: %d\r\n" % len(body)
        )
        return statuses(
            self.said(head + b"Host: x\r\nConnection: close\r\n" + length + b"\r\n" + body, admin=admin)
        )

    def serves(self) -> bool:
        return self.asked(b"GET /api/v1/namespaces/default HTTP/1.1\r\n") == [200]


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    folder = tmp_path_factory.mktemp("cluster")
    with bare_cluster(folder) as kubeconfig:
        yield opened(folder, kubeconfig)


def opened(folder: Path, kubeconfig: Path) -> Door:
    found: Any = yaml.load(kubeconfig.read_bytes(), what="kubeconfig")
    user = found["users"][0]["user"]
    pair = folder / "admin.pem"
    pair.write_bytes(
        b"\n".join(base64.b64decode(user[f"client-{part}-data"]) for part in ("certificate", "key"))
    )
    contexts = [ssl.create_default_context(cafile=str(folder / "ca.pem")) for _ in range(2)]
    contexts[1].load_cert_chain(pair)
    port = int(found["clusters"][0]["cluster"]["server"].rpartition(":")[2])
    return Door(port, *contexts)


POST = f"POST {CONFIG_MAPS} HTTP/1.1\r\n".encode() + JSON
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n"


@pytest.mark.parametrize(
    ("head", "body"),
    [
        (POST + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", b"0\r\n\r\n"),
        (POST + b"Content-Length: 2\r\nContent-Length: 50\r\n", b"{}"),
        (POST + b"Content-Length: -2\r\n", b"{}"),
        (POST + b"Content-Length: 0x2\r\n", b"{}"),
        (POST + b"Content-Length: " + b"9" * 40 + b"\r\n", b"{}"),
        (POST + b"Transfer-Encoding: xchunked\r\n", b"2\r\n{}\r\n0\r\n\r\n"),
        (CHUNKED, b"fffffffffffffffffff\r\n{}\r\n0\r\n\r\n"),
        (CHUNKED, b"-2\r\n{}\r\n0\r\n\r\n"),
        (POST + b"X: a\x00b\r\n", CONFIG_MAP),
        (POST + b"X: a\r\n b\r\n", CONFIG_MAP),
        (POST + b"X: " + b"a" * 70_000 + b"\r\n", CONFIG_MAP),
        (POST + b"X: a\r\n" * 300, CONFIG_MAP),
        (b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n", b""),
        (b"PRI * HTTP/2.0\r\n", b"SM\r\n\r\n"),
        (b"FOO / HTTP/1.1\r\n", b""),
        (b"GET /api/\xff HTTP/1.1\r\n", b""),
    ],
)
def test_a_request_that_two_parsers_read_differently_is_refused(door: Door, head: bytes, body: bytes) -> None:
    assert door.asked(head, body) in ([400], [])  # a reset while we send is an answer too
    assert door.serves()


def test_requests_sent_at_once_are_answered_in_order(door: Door) -> None:
    one = b"GET /version HTTP/1.1\r\nHost: x\r\n\r\n"
    none = f"GET {CONFIG_MAPS}/nothing HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    last = b"GET /version HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

    assert statuses(door.said((one + none) * 50 + last)) == [200, 404] * 50 + [200]


@pytest.mark.parametrize("size", [MOST_BYTES + 1, 4 * MOST_BYTES])
@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_that_is_too_large_is_not_read_to_its_end(door: Door, size: int, chunked: bool) -> None:
    if chunked:
        body = (
            b"".join(b"%x\r\n%s\r\n" % (65536, b"a" * 65536) for _ in range(size // 65536 + 1)) + b"0\r\n\r\n"
        )
    else:
        body = b"a" * size

    assert door.asked(CHUNKED if chunked else POST, body) in ([413], [])
    assert door.serves()


def test_a_body_of_whom_may_not_send_it_is_not_waited_for(door: Door) -> None:
    with door.dial(admin=False) as link:
        link.sendall(POST + b"Host: x\r\nContent-Length: 3000000\r\n\r\n{")

        assert statuses(link.recv(4096)) == [403]


def test_half_of_a_body_is_not_taken_for_the_whole(door: Door) -> None:
    """Of a YAML text every beginning is one, too."""
    path = f"{CONFIG_MAPS}/half"
    text = b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: half}\ndata:\n  a: b\n"
    with door.dial() as link:
        link.sendall(
            f"PATCH {path}?fieldManager=a HTTP/1.1\r\nHost: x\r\nContent-Length: {len(text) + 9}\r\n".encode()
            + b"Content-Type: application/apply-patch+yaml\r\n\r\n" + text
        )  # fmt: skip
        link.unwrap()  # TLS's farewell: no more will come

    assert door.asked(f"GET {path} HTTP/1.1\r\n".encode()) == [404]


@pytest.mark.parametrize(
    "token",
    [
        "x", "a.b.c", "e30.e30.e30", "é".encode().decode("latin-1"), "a" * 60_000, "..", "eyJhbGciOiJub25lIn0.e30.",
        "eyJhbGciOiJFUzI1NiIsImtpZCI6Ii4uLy4uL2V0Yy9wYXNzd2QifQ.eyJzdWIiOiJhIn0.AAAA", "\x7f",
        base64.urlsafe_b64encode(b'{"alg":"ES256","kid":{"a":[]}}').decode() + ".W10.AA", "[" * 5000,
    ],
    ids=lambda token: repr(token)[:20],
)  # fmt: skip
def test_a_forged_token_is_nobodys(door: Door, token: str) -> None:
    head = b"GET /api/v1/namespaces HTTP/1.1\r\nAuthorization: Bearer " + token.encode("latin-1") + b"\r\n"

    assert door.asked(head, admin=False) in ([401], [400])


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/namespaces/default/../kube-system/secrets", "/api/v1/namespaces/%2e%2e/secrets", "//api/v1/namespaces",
        "/api/v1/namespaces/default/configmaps/%2e%2e%2fsecrets", "/api/v1/namespaces/default%2fconfigmaps/configmaps",
        "/api/v1/namespaces/default/configmaps/a%00b", "/api/v1/./namespaces", "/api/v1/namespaces;x=y", "/openapi/v3/../v2",
        "/api/v1/namespaces/default/configmaps/%ff", "/apis/../api/v1/secrets", "/api/v1/namespaces/default/configmaps/" + "a/" * 2000,
    ],
    ids=lambda path: path[:60],
)  # fmt: skip
def test_a_path_with_tricks_leads_nowhere(door: Door, path: str) -> None:
    for admin, expected in ((True, {400, 404}), (False, {400, 403, 404})):
        (status,) = door.asked(f"GET {path} HTTP/1.1\r\n".encode(), admin=admin)
        assert status in expected


def test_who_says_no_tls_and_who_hangs_up_in_the_middle_disturb_nobody(door: Door) -> None:
    for said in (
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x16\x03\x01\x40\x00\x01",
        b"\x16\x03\x01\x00\x02\x02\x28",
        b"\x80\x00",
        b"",
    ):
        with door.plain() as link:
            link.sendall(said)
    with door.dial() as link:
        link.sendall(b"GET /api/v1/namespaces HTTP/1.1\r\nHost")

    assert door.serves()


def test_noise_disturbs_nobody(door: Door) -> None:
    make_noise(door, seed=1, times=60)


@pytest.mark.long
@pytest.mark.timeout(600)
def test_much_noise_disturbs_nobody(door: Door) -> None:
    make_noise(door, seed=secrets.randbits(32), times=6000)


def make_noise(door: Door, *, seed: int, times: int) -> None:
    """Good requests with bytes changed, left out or doubled, inside of TLS and before it."""
    dice = random.Random(seed)
    good = POST + b"Host: x\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(CONFIG_MAP) + CONFIG_MAP
    for number in range(times):
        data = bytearray(good)
        for _ in range(dice.randrange(1, 6)):
            at = dice.randrange(len(data))
            data[at : at + dice.randrange(4)] = dice.choice(
                [b"", b"\r\n", b"\x00", b"\xff", b" ", dice.randbytes(3), b"9" * 30]
            )
        secured = dice.randrange(4) > 0
        with door.dial() if secured else door.plain() as link:
            link.settimeout(0.2)  # of half a request nothing comes back
            try:
                link.sendall(data)
                link.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            answer = drained(link)
        assert all(status < 500 for status in statuses(answer)) or not secured, (
            seed,
            number,
            bytes(data),
            answer,
        )
    assert door.serves()


def test_who_does_not_read_a_long_answer_is_cut_off(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "_PIECE_SECONDS", 0.2)
    fill(door, "slow", 30)
    before = open_files()
    with socket.socket() as plain:
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        plain.settimeout(10)
        plain.connect(("127.0.0.1", door.port))
        with door.admin.wrap_socket(plain, server_hostname="127.0.0.1") as link:
            link.sendall(f"GET {CONFIG_MAPS}?labelSelector=set=slow HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            head = link.recv(15)
            assert door.serves()

            until(lambda: open_files() <= before + 1, what="the server keeps the connection")
            assert statuses(head) == [200]
            assert len(drained(link)) < 27_000_000


def open_files() -> int:
    """The server is in this process."""
    return len(os.listdir("/proc/self/fd"))


def fill(door: Door, name: str, number: int) -> None:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "x" * 900_000}}
    for at in range(number):
        made = {**body, "metadata": {"name": f"{name}-{at}", "labels": {"set": name}}}
        assert door.asked(POST, json.dumps(made).encode()) == [201]
