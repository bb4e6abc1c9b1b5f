"""uvicorn's HTTP protocol with two bounds it lacks: how large a request's head may be, and how long it may take to come.

Without them one client can hold a connection for ever with half a header line, or fill the memory with a long one.
`listeners` uses it for every port. Bodies have bounds of their own, where they are read.
"""

from __future__ import annotations

import asyncio
from typing import cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST_BYTES = 65_536
MOST_HEADERS = 200
HEAD_SECONDS = 20.0


class BoundedHttp(HttpToolsProtocol):
    head_seconds = HEAD_SECONDS

    _late: asyncio.TimerHandle | None = None
    _received = 0
    _complaint = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(cast(asyncio.Transport, transport))
        self._head_awaited()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_over()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._late is not None:
            self._received += len(data)
        super().data_received(data)
        if self._late is not None and self._received > MOST_BYTES:
            # Still no end of it: the parser gathers a line until it is whole.
            self._refuse_head()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._head_awaited()

    def on_headers_complete(self) -> None:
        self._head_over()
        size = len(self.url) + sum(len(name) + len(value) for name, value in self.headers)
        if size > MOST_BYTES or len(self.headers) > MOST_HEADERS:
            self._complaint = _TOO_LARGE
            raise ValueError(_TOO_LARGE)  # the parser stops, and `data_received` answers 400
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        self._head_over()
        super().send_400_response(self._complaint or msg)

    def _head_awaited(self) -> None:
        if self._late is None:
            self._late = self.loop.call_later(self.head_seconds, self._cut_off)
            self._received = 0

    def _head_over(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _refuse_head(self) -> None:
        if not self.transport.is_closing():
            self.send_400_response(_TOO_LARGE)

    def _cut_off(self) -> None:
        self._late = None
        self.transport.close()


_TOO_LARGE = f"The head of the request is larger than {MOST_BYTES} bytes or {MOST_HEADERS} headers."
