"""A throw-away PostgreSQL for tests, laid out like the real one, ready in well under half a second.

    with TestPostgres() as server:
        dsns = server.new_database(services=["identity", "audit"])  # plus "events" and "admin"

Databases are fresh, roles belong to the server. `kill` and `start` are there for fault tests; everything is
synchronous and may also be called from inside an async test. The finished cluster of `initdb` is kept in the
cache directory and copied, so that only the first run on a machine pays for it.
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import inspect
import os
import secrets
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Self, TypeVar

import asyncpg

from argosy.host.postgres import cluster as cluster_module
from argosy.host.postgres.binaries import Binaries, find_binaries, usable_by
from argosy.host.postgres.cluster import create_cluster
from argosy.host.postgres.location import Location
from argosy.host.postgres.orphans import clear_leftovers
from argosy.host.postgres.owner import owner_of
from argosy.host.postgres.passwords import ADMIN, EVENTS
from argosy.host.postgres.process import server_arguments
from argosy.host.postgres.roles import create_database, ensure_roles, lay_out, role, socket_dsn

# Commits stay synchronous: without fsync they cost nothing, and fault tests count on them after a kill -9.
_FAST = (
    "fsync=off",
    "full_page_writes=off",
    "autovacuum=off",
    "max_connections=100",
)
_DEADLINE_SECONDS = 20.0
_SECRET = "throw-away"
T = TypeVar("T")


class TestPostgres:
    __test__ = False  # not a test class, whatever pytest thinks of its name

    def __init__(self, *settings: str) -> None:
        """`settings` are PostgreSQL settings such as "max_connections=20"."""
        self._settings = (*_FAST, *settings)
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self._home = Path(tempfile.mkdtemp(prefix="argosy-pg-"))
        owner = owner_of(self._home)
        owner.own(self._home)
        self._location = Location(self._home, owner)
        self._binaries = usable_by(owner, find_binaries(), _cache())
        try:
            _copy(_template(self._binaries), self._location)
            self._location.sockets.mkdir(mode=0o700)
            owner.own(self._location.sockets)
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        clear_leftovers(self._location.cluster, lambda _: None)
        for folder in (self._location.sockets, self._home):
            shutil.rmtree(folder, ignore_errors=True)

    @property
    def log(self) -> Path:
        return self._home / "postgres.log"

    @property
    def pid(self) -> int:
        assert self._process is not None, "the server is not running"
        return self._process.pid

    def start(self) -> None:
        arguments = server_arguments(self._location, self._binaries)
        for setting in self._settings:
            arguments += ["-c", setting]
        owner = self._location.owner
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/",
                user=owner.user, group=owner.group, extra_groups=owner.extra_groups, start_new_session=True,
            )  # fmt: skip
        _run(self._answers)

    def stop(self) -> None:
        """A clean, fast shutdown."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """kill -9 of the master and, as nobody is left to tell them, of its children."""
        self._end(signal.SIGKILL)
        clear_leftovers(self._location.cluster, lambda _: None)

    def dsn(self, name: str = ADMIN, database: str = "postgres") -> str:
        """`name` is a service, "events", or by default the superuser."""
        return socket_dsn(str(self._location.sockets), role(name), _SECRET, database)

    def new_database(self, services: Sequence[str] = ()) -> dict[str, str]:
        """A fresh database with production's roles, schemas and grants: a DSN per service, "events", "admin"."""
        name = self.create_database()

        async def arrange() -> None:
            names = (*services, EVENTS)
            await self._as_admin("postgres", lambda link: ensure_roles(link, dict.fromkeys(names, _SECRET)))
            await self._as_admin(name, lambda link: lay_out(link, name, services))

        # Roles belong to the whole server: two threads that both make one would collide.
        with _ROLES:
            _run(arrange)
        return {
            **{service: self.dsn(service, name) for service in (*services, EVENTS)},
            "admin": self.dsn(ADMIN, name),
        }

    def create_database(self) -> str:
        """An empty database, without any layout; its name."""
        name = f"t_{secrets.token_hex(6)}"
        _run(lambda: self._as_admin("postgres", lambda link: create_database(link, name)))
        return name

    def drop_database(self, dsn: str) -> None:
        name = dsn.rpartition("@/")[2].partition("?")[0]
        drop = f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'
        _run(lambda: self._as_admin("postgres", lambda link: link.execute(drop)))

    async def _as_admin(
        self, database: str, work: Callable[[asyncpg.Connection], Coroutine[object, object, object]]
    ) -> None:
        link = await asyncpg.connect(self.dsn(database=database), timeout=_DEADLINE_SECONDS)
        try:
            await work(link)
        finally:
            await link.close()

    async def _answers(self) -> None:
        async with asyncio.timeout(_DEADLINE_SECONDS):
            while True:
                if self._process is None or self._process.poll() is not None:
                    raise RuntimeError(f"PostgreSQL did not start:\n{self.log.read_text()[-2000:]}")
                try:
                    link = await asyncpg.connect(self.dsn())
                except (OSError, asyncpg.CannotConnectNowError):
                    await asyncio.sleep(0.005)
                else:
                    await link.close()
                    return

    def _end(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(_DEADLINE_SECONDS)
            self._process = None


_ROLES = threading.Lock()


def _run(work: Callable[[], Coroutine[object, object, T]]) -> T:
    """Runs in a loop of its own thread, because the caller may be inside a loop already."""
    outcome: list[T] = []
    failure: list[BaseException] = []

    def body() -> None:
        try:
            outcome.append(asyncio.run(work()))
        except BaseException as error:  # handed to the caller below
            failure.append(error)

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return outcome[0]


def _cache() -> Path:
    """Open to the server's user, so that as root it may hold copies of the programs too."""
    folder = Path(tempfile.gettempdir()) / f"argosy-test-postgres-{os.geteuid()}"
    folder.mkdir(mode=0o711, exist_ok=True)
    if folder.stat().st_uid != os.geteuid():
        raise RuntimeError(f"{folder} belongs to somebody else")
    return folder


def _template(binaries: Binaries) -> Path:
    """The cluster as initdb left it; other parameters or another version make another one."""
    parameters = hashlib.sha256(inspect.getsource(cluster_module).encode()).hexdigest()[:12]
    template = _cache() / f"{binaries.version}-{parameters}" / "cluster"
    with (_cache() / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not template.is_dir():
            template.parent.mkdir(mode=0o711, exist_ok=True)
            owner = owner_of(template.parent)
            owner.own(template.parent)
            create_cluster(template, owner, binaries, _SECRET, extra=("--no-sync", "--wal-segsize=1"))
    return template


def _copy(template: Path, location: Location) -> None:
    subprocess.run(["cp", "-a", "--", str(template), str(location.cluster)], check=True, timeout=60)
