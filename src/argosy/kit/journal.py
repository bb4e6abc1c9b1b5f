"""A small durable file: what a write acknowledges is on the disk and survives `kill -9` and the loss of power.

For what lives outside the platform's PostgreSQL: the objects of an embedded cluster, what an agent has yet to send. It is one
SQLite file in WAL mode that one thread owns. Everything that is handed in while a transaction runs goes into the next one, so
that many writers share each wait for the disk. Whoever opens it brings the tables; nobody else may have it open.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeAlias, TypeVar

from argosy.kit.errors import ArgosyError, Unavailable
from argosy.kit.log import get_logger

log = get_logger(__name__)

Row: TypeAlias = tuple[int | float | str | bytes | None, ...]
Step: TypeAlias = tuple[str, Sequence[Row]]
"""A statement and the rows it is run for. One that ends on `VALUES` takes them all at once, which is the fastest way to
insert: each statement makes the thread wait for its turn in the interpreter again, and on a busy loop that is what costs."""
Told: TypeAlias = Callable[[ArgosyError | None], None]
Result = TypeVar("Result")

_ROWS_AT_ONCE = 500
_CURE = "Restore it from a backup, or move it away to start empty."


class Journal:
    """Made by `open`, on the loop that uses it."""

    def __init__(self, path: Path, thread: ThreadPoolExecutor, connection: sqlite3.Connection) -> None:
        self._path, self._thread, self._connection = path, thread, connection
        self._staged: list[tuple[Sequence[Step], Told]] = []
        self._committing: asyncio.Task[None] | None = None
        self._closed = False

    @classmethod
    async def open(cls, path: Path, *, application: int, schema: Sequence[str]) -> Journal:
        """`application` is a number of 32 bits that marks the file as this one's. `schema` is statements; how many of them a
        file has seen is its version, so they are only ever added to."""
        thread = ThreadPoolExecutor(1, thread_name_prefix=f"journal-{path.stem}")
        opening = asyncio.get_running_loop().run_in_executor(thread, _open, path, application, schema)
        try:
            return cls(path, thread, await opening)
        except sqlite3.Error as error:
            raise _explained(error, path) from error
        except OSError as error:
            raise _unusable(path, error.strerror or str(error)) from error
        finally:
            if opening.cancelled() or opening.exception():
                thread.shutdown(wait=False)

    def stage(self, steps: Sequence[Step], told: Told) -> None:
        """All steps or none of them, after everything that was staged before. `told` is called on the loop: with nothing once
        they are durable, with an error when the disk refused. A refusal ends everything that is staged by then, for it may
        build on what was refused; what is staged afterwards is tried again. `told` must not raise."""
        loop = asyncio.get_running_loop()
        if self._closed:
            loop.call_soon(told, Unavailable(f"{self._path} is closed", code="journal.closed"))
            return
        self._staged.append((steps, told))
        if self._committing is None:
            self._committing = loop.create_task(self._commit())

    async def write(self, *steps: Step) -> None:
        """Returns when they are durable. Whoever stops waiting does not take them back."""
        done = asyncio.get_running_loop().create_future()

        def told(refused: ArgosyError | None) -> None:
            if done.done():
                return
            if refused:
                done.set_exception(refused)
            else:
                done.set_result(None)

        self.stage(steps, told)
        await done

    async def read(self, statement: str, parameters: Row = ()) -> list[Row]:
        """Sees whatever was acknowledged."""

        def fetched() -> list[Row]:
            return self._connection.execute(statement, parameters).fetchall()

        try:
            return await self._on_thread(fetched)
        except sqlite3.Error as error:
            raise _explained(error, self._path) from error

    async def close(self) -> None:
        """What is staged is still written."""
        if self._closed:
            return
        self._closed = True
        if self._committing is not None:
            await asyncio.wait([self._committing])
        await self._on_thread(self._connection.close)
        self._thread.shutdown(wait=False)

    async def _commit(self) -> None:
        while self._staged:
            batch, self._staged = self._staged, []
            steps = [step for some, _ in batch for step in some]
            running = self._on_thread(partial(_run, self._connection, steps))
            await asyncio.wait([running])
            refused = None
            if error := running.exception():
                refused = _explained(error, self._path)
                log.error("journal.refused", file=str(self._path), error=str(error))
                batch, self._staged = batch + self._staged, []
            for _, told in batch:
                told(refused)
        self._committing = None

    def _on_thread(self, work: Callable[[], Result]) -> asyncio.Future[Result]:
        return asyncio.get_running_loop().run_in_executor(self._thread, work)


def _open(path: Path, application: int, schema: Sequence[str]) -> sqlite3.Connection:
    path.touch(mode=0o600)
    connection = sqlite3.connect(path, timeout=0, isolation_level=None)
    try:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        _recognise(path, connection, application, len(schema))
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        if (found := connection.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
            raise _damaged(path, found)
        _migrate(connection, application, schema)
    except BaseException:
        connection.close()
        raise
    return connection


def _recognise(path: Path, connection: sqlite3.Connection, application: int, newest: int) -> None:
    """Before anything is written: a file of somebody else stays as it is."""
    marked, version, tables = connection.execute(
        "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master)"
        " FROM pragma_application_id, pragma_user_version"
    ).fetchone()
    if marked != application and (marked, version, tables) != (0, 0, 0):
        raise Unavailable(
            f"{path} is a database of something else",
            code="journal.foreign",
            cure="Move it away, or name another file.",
        )
    if version > newest:
        raise Unavailable(
            f"{path} was written by a newer version of Argosy ({version}, this one knows {newest})",
            code="journal.newer",
            cure="Start that version, or a newer one.",
        )


def _migrate(connection: sqlite3.Connection, application: int, schema: Sequence[str]) -> None:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version == len(schema):
        return
    marks = (f"PRAGMA application_id = {application}", f"PRAGMA user_version = {len(schema)}")
    _transact(connection, [(statement, ()) for statement in (*schema[version:], *marks)])


def _run(connection: sqlite3.Connection, steps: Sequence[Step]) -> None:
    _transact(connection, _merged(steps))


def _merged(steps: Sequence[Step]) -> list[tuple[str, Row]]:
    """Neighbouring inserts of the same kind in as few statements as they fit into."""
    gathered: list[tuple[str, list[Row]]] = []
    for statement, rows in steps:
        if gathered and gathered[-1][0] == statement:
            gathered[-1][1].extend(rows)
        else:
            gathered.append((statement, list(rows)))
    return [one for statement, rows in gathered for one in _spelled(statement, rows)]


def _spelled(statement: str, rows: list[Row]) -> list[tuple[str, Row]]:
    if not statement.endswith("VALUES"):
        return [(statement, row) for row in rows]
    spelled: list[tuple[str, Row]] = []
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        some = rows[start : start + _ROWS_AT_ONCE]
        places = f"({', '.join('?' * len(some[0]))})"
        spelled.append(
            (f"{statement} {', '.join([places] * len(some))}", tuple(value for row in some for value in row))
        )
    return spelled


def _transact(connection: sqlite3.Connection, statements: Sequence[tuple[str, Row]]) -> None:
    """One statement is a transaction by itself."""
    if len(statements) == 1:
        connection.execute(*statements[0])
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for statement, row in statements:
            connection.execute(statement, row)
        connection.execute("COMMIT")
    except BaseException:
        # SQLite has rolled back by itself after most errors of a disk.
        with suppress(sqlite3.Error):
            connection.rollback()
        raise


def _explained(error: BaseException, path: Path) -> ArgosyError:
    if isinstance(error, ArgosyError):
        return error
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return _damaged(path, str(error))
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return Unavailable(
                f"{path} is in use by another process", code="journal.in_use", cure="Stop that one first."
            )
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM | sqlite3.SQLITE_READONLY | sqlite3.SQLITE_AUTH:
            return _unusable(path, str(error))
        case sqlite3.SQLITE_FULL | sqlite3.SQLITE_IOERR:
            return Unavailable(
                f"{path} could not be written: {error}", code="journal.refused", cure="Make room on its disk."
            )
    return Unavailable(f"{path} refused a statement: {error}", code="journal.refused")


def _damaged(path: Path, what: str) -> ArgosyError:
    return Unavailable(f"{path} is damaged, or no database: {what}", code="journal.damaged", cure=_CURE)


def _unusable(path: Path, what: str) -> ArgosyError:
    return Unavailable(
        f"{path} cannot be used: {what}",
        code="journal.unusable",
        cure="Make its folder, and let this user write there.",
    )
