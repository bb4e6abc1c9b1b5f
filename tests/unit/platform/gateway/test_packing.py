"""Who gets a packed answer: only who says that they take gzip."""

from __future__ import annotations

import gzip

import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Message

from argosy.platform.gateway.packing import Packing, takes_gzip


@pytest.mark.parametrize(
    ("accepted", "taken"),
    [
        ("", False),
        ("gzip", True),
        ("GZIP", True),
        ("br, gzip;q=0.5", True),
        ("x-gzip", True),
        ("gzip;q=0", False),
        ("gzip ; q = 0.000", False),
        ("br;q=1.0, gzip;Q=0", False),
        ("*", True),
        ("*;q=0", False),
        ("gzip;q=0, *", False),
        ("*;q=0, gzip", True),
        ("identity", False),
        ("gzipped", False),
        ("gzip;q=much", False),
        (",;,", False),
    ],
)
def test_a_list_of_encodings_is_read_as_the_standard_has_it(accepted: str, taken: bool) -> None:
    assert takes_gzip(accepted) is taken


@pytest.mark.parametrize(("accepted", "packed"), [("gzip", True), ("gzip;q=0", False), ("br", False)])
async def test_an_answer_is_packed_for_who_takes_it(accepted: str, packed: bool) -> None:
    long = "the same again " * 200
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "headers": [(b"accept-encoding", accepted.encode())]}
    await Packing(PlainTextResponse(long))(scope, receive, send)

    headers, body = dict(sent[0]["headers"]), b"".join(message.get("body", b"") for message in sent)
    assert (gzip.decompress(body) if packed else body).decode() == long
    assert (b"content-encoding" in headers) is packed
    assert headers[b"vary"].lower() == b"accept-encoding"
