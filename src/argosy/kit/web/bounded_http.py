"""uvicorn's HTTP protocol with the bounds it lacks: how large a request's head and trailers may be, and how long it may
take to come.

Without them one client can hold a connection for ever with half a header line, or fill the memory with a long one.
`listeners` uses it for every port. Bodies have bounds of their own, where they are read; what is left of one after the
answer is waited for as long as for a head. Trailers are read over: uvicorn would make headers of them, which whoever
checked the head (a proxy, for one) has not seen.
"""

from __future__ import annotations

import asyncio
import re
from typing import cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST_BYTES = 65_536
MOST_HEADERS = 200
HEAD_SECONDS = 20.0


class BoundedHttp(HttpToolsProtocol):
    head_seconds = HEAD_SECONDS

    _late: asyncio.TimerHandle | None = None
    _rest_late: asyncio.TimerHandle | None = None
    _received = 0
    _beside = 0  # bytes since the head that brought nothing of the body: trailers, or the frame of a chunk
    _within = False  # a request whose head is there and whose end is not
    _complaint = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(cast(asyncio.Transport, transport))
        self._head_awaited()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_over()
        self._rest_over()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._late is not None:
            self._received += len(data)
        if self._within:
            self._beside += len(data)
        super().data_received(data)
        if max(self._received if self._late is not None else 0, self._beside) > MOST_BYTES:
            # Still no end of it: the parser gathers a line until it is whole.
            self._refuse()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._unset_keepalive_if_required()
        self._head_awaited()

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._within:
            super().on_header(name, value)

    def on_body(self, body: bytes) -> None:
        self._beside = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._within, self._beside = False, 0
        super().on_message_complete()
        if self._rest_over():
            # The connection rests only now; uvicorn began to count with the answer and stopped at the next byte.
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._within and self.cycle.response_complete and self._rest_late is None:
            self._rest_late = self.loop.call_later(self.head_seconds, self.transport.close)

    def on_headers_complete(self) -> None:
        self._head_over()
        size = len(self.url) + sum(len(name) + len(value) for name, value in self.headers)
        if size > MOST_BYTES or len(self.headers) > MOST_HEADERS:
            self._complaint = _TOO_LARGE
            raise ValueError(_TOO_LARGE)  # the parser stops, and `data_received` answers 400
        self._within = True
        self._take_authority()
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        self._head_over()
        super().send_400_response(self._complaint or msg)

    def _take_authority(self) -> None:
        """Of `GET http://name/path` the name is the host that is meant, whatever the header says (RFC 9112 §3.2.2), and
        uvicorn drops it. Beside another Host it makes two, which the edge refuses as it refuses two headers."""
        scheme, found, rest = self.url.partition(b"://")
        if not found or b"/" in scheme:
            return
        authority = _AUTHORITY_ENDS.split(rest, maxsplit=1)[0]
        if authority.lower() not in [value.lower() for name, value in self.headers if name == b"host"]:
            self.headers.append((b"host", authority))

    def _head_awaited(self) -> None:
        if self._late is None:
            self._late = self.loop.call_later(self.head_seconds, self._cut_off)
            self._received = 0

    def _head_over(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _rest_over(self) -> bool:
        """Whether something was still to come after the answer."""
        late, self._rest_late = self._rest_late, None
        if late is not None:
            late.cancel()
        return late is not None

    def _refuse(self) -> None:
        if self._within and self.cycle.response_started:
            self.transport.close()
        elif not self.transport.is_closing():
            self.send_400_response(_TOO_LARGE)

    def _cut_off(self) -> None:
        self._late = None
        self.transport.close()


_AUTHORITY_ENDS = re.compile(rb"[/?#]")
_TOO_LARGE = (
    f"The head or the end of the request is larger than {MOST_BYTES} bytes or {MOST_HEADERS} headers."
)
