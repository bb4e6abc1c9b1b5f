"""A service's own database: a pool that mends itself, and transactions for one account at a time.

`host` opens one per service and hands it over in `Resources`; the event transport opens one per server it reads.
Opening never fails because the server is down: calls answer `Unavailable` within three seconds until it is back.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import TypeVar

import asyncpg

from argosy.backends.database import failures
from argosy.backends.database.listening import Heard, Listener, Stop
from argosy.backends.database.transaction import Open, Statements, Transaction, begin, current
from argosy.kit.errors import Conflict, Internal, Unavailable
from argosy.kit.log import get_logger

log = get_logger(__name__)
T = TypeVar("T")

TAKE_SECONDS = 3.0
STATEMENT_SECONDS = 30.0
_IDLE_SECONDS = 60.0  # an idle connection is a process of the server: give it back
_IDENTIFIER = re.compile(r"[a-z_][a-z0-9_]{0,62}")
_ATTEMPTS = 5


class Database:
    def __init__(self, dsn: str, *, service: str, schema: str | None = None, pool_size: int = 8) -> None:
        """`schema` is where the service's tables live, by default the schema that has its name."""
        self.service, self.schema = service, service if schema is None else schema
        if _IDENTIFIER.fullmatch(self.schema) is None:
            raise Internal(f"{self.schema!r} is not a plain schema name", code="database.schema")
        self._dsn, self._size = dsn, pool_size
        self._settings = {"application_name": f"argosy {service}", "search_path": self.schema}
        self._pool: asyncpg.Pool | None = None
        self._reason = "not opened yet"
        self._ends: set[asyncio.Task[None]] = set()
        self._notifying: dict[tuple[str, str], bool] = {}
        self._listener = Listener(self.dedicated, service)

    @property
    def ready(self) -> bool:
        """As of the last attempt; `ping` makes a fresh one."""
        return not self._reason

    @property
    def reason(self) -> str:
        """Why it is not ready, or ""."""
        return self._reason

    async def open(self) -> None:
        """Connects nothing by itself: the pool grows on demand."""
        self._pool = await asyncpg.create_pool(
            self._dsn,
            min_size=0,
            max_size=self._size,
            timeout=TAKE_SECONDS,
            command_timeout=STATEMENT_SECONDS,
            max_inactive_connection_lifetime=_IDLE_SECONDS,
            reset=_keep,
            server_settings=self._settings,
        )
        try:
            await self.ping()
        except Unavailable as error:
            log.warning("database.down", service=self.service, reason=error.told)

    async def close(self) -> None:
        await self._listener.close()
        if self._ends:
            await asyncio.wait(self._ends, timeout=TAKE_SECONDS)
        pool, self._pool, self._reason = self._pool, None, "closed"
        if pool is None:
            return
        try:
            await asyncio.wait_for(pool.close(), TAKE_SECONDS)
        except TimeoutError:
            pool.terminate()

    async def ping(self) -> None:
        async with self.autocommit() as statements:
            await statements.fetchval("SELECT 1")

    def transaction(
        self, account: str, *, read_only: bool = False
    ) -> AbstractAsyncContextManager[Transaction]:
        """Commits at the end of the block, rolls back if it raises. The account is an id or EVERY_ACCOUNT."""
        return self._transaction(begin(account, read_only=read_only))

    async def run(
        self, account: str, work: Callable[[Transaction], Awaitable[T]], *, read_only: bool = False
    ) -> T:
        """`work` in a transaction, again from the start after a deadlock or serialization conflict."""
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                async with self.transaction(account, read_only=read_only) as tx:
                    return await work(tx)
            except Conflict as error:
                if error.code != failures.CONFLICT or attempt == _ATTEMPTS:
                    raise
            await asyncio.sleep(random.uniform(0, 0.01 * 2**attempt))
        raise AssertionError("unreachable")

    @asynccontextmanager
    async def autocommit(self) -> AsyncIterator[Statements]:
        """Single statements outside any transaction and for no account: machinery only, rows of accounts are hidden."""
        link = await self._begin("")
        statements = Statements(link, self.service)
        try:
            yield statements
        finally:
            statements.over = True
            await self._end(link, "")

    async def listen(self, channel: str, callback: Heard) -> Stop:
        """Calls back for each NOTIFY, and once with "" after each (re)connection, since some may have been missed."""
        return self._listener.add(channel, callback)

    def notify_soon(self, channel: str, payload: str) -> None:
        """Not within a transaction: a NOTIFY at commit takes a lock that would make all commits queue behind one fsync.

        Equal ones are sent once. It may get lost with the process, so who listens also looks now and then.
        """
        wanted = (channel, payload)
        if wanted in self._notifying:
            self._notifying[wanted] = True
            return
        self._notifying[wanted] = True
        self._spawn(self._notify(wanted))

    async def dedicated(self) -> asyncpg.Connection:
        """A connection of its own, outside the pool; the caller closes it."""
        try:
            return await asyncpg.connect(
                self._dsn,
                timeout=TAKE_SECONDS,
                command_timeout=STATEMENT_SECONDS,
                server_settings=self._settings,
            )
        except failures.DRIVER_ERRORS as error:
            raise self._failed(error) from error

    @asynccontextmanager
    async def _transaction(self, opening: str) -> AsyncIterator[Transaction]:
        link = await self._begin(opening)
        tx, held, outer = Transaction(link, self.service), Open(), current.get()
        current.set(held)
        ending = "ROLLBACK"
        try:
            yield tx
            ending = "COMMIT"
        finally:
            tx.over, held.still = True, False
            current.set(outer)
            await self._end(link, ending)
        tx.committed()

    async def _begin(self, opening: str) -> asyncpg.Connection:
        """A connection on which `opening` has succeeded. One that had died unnoticed is replaced, not reported."""
        pool = self._pool
        if pool is None:
            raise failures.unavailable(self.service, self._reason)
        try:
            async with asyncio.timeout(TAKE_SECONDS):
                for last in (False, True):
                    link = await pool.acquire()
                    try:
                        if opening:
                            await link.execute(opening)
                        self._reason = ""
                        return link
                    except BaseException as error:
                        self._spawn(self._finish(link, "ROLLBACK"))  # not awaited: the server may hang
                        if last or not failures.is_gone(error):
                            raise
                        await pool.expire_connections()
        except TimeoutError as error:
            if pool.get_size() >= self._size and not pool.get_idle_size():
                raise failures.exhausted(self.service, self._size) from error
            raise self._failed(OSError("no answer in time")) from error
        except failures.DRIVER_ERRORS as error:
            raise self._failed(error) from error
        raise AssertionError("unreachable")

    async def _end(self, link: asyncpg.Connection, ending: str) -> None:
        """In a task of its own: whoever is cancelled meanwhile leaves no connection behind in a transaction."""
        task = self._spawn(self._finish(link, ending))
        try:
            await asyncio.shield(task)
        except failures.DRIVER_ERRORS as error:
            if ending == "COMMIT":
                better = self._unsure(error)
                if better is None:
                    raise
                raise better from error
            log.info("database.connection_lost", service=self.service, reason=str(error))

    async def _finish(self, link: asyncpg.Connection, ending: str) -> None:
        assert self._pool is not None
        try:
            if ending and not link.is_closed():
                timeout = STATEMENT_SECONDS if ending == "COMMIT" else TAKE_SECONDS
                status: str = await link.execute(ending, timeout=timeout)
                if ending == "COMMIT" and status != "COMMIT":
                    raise Internal(
                        "a statement of the transaction had failed, so nothing was committed",
                        code="database.rolled_back",
                    )
            elif ending == "COMMIT":
                raise ConnectionError("the connection was lost before COMMIT")
        except failures.DRIVER_ERRORS:
            with suppress(asyncpg.InterfaceError):  # lost, and out of the pool already
                link.terminate()
            raise
        finally:
            await self._pool.release(link)

    def _spawn(self, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._ends.add(task)
        task.add_done_callback(self._spent)
        return task

    def _spent(self, task: asyncio.Task[None]) -> None:
        self._ends.discard(task)
        if not task.cancelled():
            task.exception()  # whoever awaited it has seen it; if nobody does any more, there is nothing to tell

    async def _notify(self, wanted: tuple[str, str]) -> None:
        try:
            while self._notifying[wanted]:
                self._notifying[wanted] = False
                async with self.autocommit() as statements:
                    await statements.fetchval("SELECT pg_notify($1, $2)", *wanted)
        except Unavailable as error:
            log.debug("database.notify_lost", service=self.service, reason=error.told)
        finally:
            del self._notifying[wanted]

    def _failed(self, error: Exception) -> Exception:
        better = failures.translated(error, self.service) or failures.unavailable(self.service, str(error))
        self._reason = str(better)
        return better

    def _unsure(self, error: Exception) -> Exception | None:
        """A conflict or a full disk means that nothing was committed; a lost connection that nobody knows. None where
        nothing was and the error says all: a fault of ours, such as a statement that still runs beside COMMIT."""
        if not failures.is_gone(error) and not isinstance(error, TimeoutError):
            return failures.translated(error, self.service)
        self._reason = f"the connection was lost: {error}"
        return Unavailable(
            f"the connection to the database of {self.service} was lost while committing",
            code="database.outcome_unknown",
            cure="look whether the change is there before trying again",
            context={"service": self.service},
        )


async def _keep(_link: asyncpg.Connection) -> None:
    """Sessions carry no state from one transaction to the next (settings are local), so nothing needs a reset."""
