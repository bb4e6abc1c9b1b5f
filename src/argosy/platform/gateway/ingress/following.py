"""The routes as of now, told by the process of the clusters over its socket, and the connections to it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import aiohttp
import msgspec

from argosy.contracts.ingress import SECRET_FILE, TOKEN, Routes
from argosy.kit.errors import NotFound, Unavailable
from argosy.kit.log import get_logger
from argosy.kit.sockets import address
from argosy.kube.client.lines import lines
from argosy.platform.gateway.ingress.table import Table

log = get_logger(__name__)
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0
_BASE = "http://clusters"


class Followed:
    """`socket` is empty where no embedded clusters belong to this gateway: then there are no routes either."""

    def __init__(self, socket: str, secrets: Path) -> None:
        self._socket, self._secret = socket, secrets / SECRET_FILE
        self.token = ""
        self._session: aiohttp.ClientSession | None = None
        self._table = Table()
        self.away = "they are starting"

    @property
    def table(self) -> Table:
        """Kept while they are away: a name that was an Ingress's is one whose owner is away, not a stranger's."""
        return self._table

    def check(self) -> None:
        if not self._socket:
            raise NotFound("no embedded clusters belong to this entrance", code="ingress.absent")
        if self.away:
            raise self.unavailable(self.away)

    def unavailable(self, why: str) -> Unavailable:
        return Unavailable(
            "the embedded clusters do not answer right now",
            code="ingress.away",
            cure="try again in a moment; `argosy status` shows their process",
            context={"retry_after": 2},
            detail=why,
        )

    def session(self) -> tuple[aiohttp.ClientSession, str]:
        """And what a URL there begins with."""
        if self._session is None:
            raise self.unavailable(self.away)
        return self._session, _BASE

    async def follow(self) -> None:
        """Until cancelled."""
        if not self._socket:
            await asyncio.Event().wait()
        connector = aiohttp.UnixConnector(address(Path(self._socket)), limit=0)
        pause = _FIRST_PAUSE
        async with aiohttp.ClientSession(
            connector=connector, auto_decompress=False, cookie_jar=aiohttp.DummyCookieJar()
        ) as self._session:
            while True:
                try:
                    await self._hear(self._session)
                    self.away, pause = "they are stopping", _FIRST_PAUSE
                except (aiohttp.ClientError, OSError, msgspec.MsgspecError) as error:
                    if not self.away:
                        pause = _FIRST_PAUSE
                        log.warning("ingress.away", reason=str(error) or type(error).__name__)
                    self.away = str(error) or type(error).__name__
                await asyncio.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE)

    async def _hear(self, session: aiohttp.ClientSession) -> None:
        self.token = self._secret.read_text().strip()
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=5.0)
        async with session.get(f"{_BASE}/routes", headers={TOKEN: self.token}, timeout=timeout) as answer:
            answer.raise_for_status()
            async for line in lines(answer.content.iter_any()):
                routes = msgspec.json.decode(line, type=Routes).routes
                self._table, self.away = Table(routes), ""
