"""PostgreSQL as the supervisor sees it: a foreground `Command` that prepares itself and answers a probe.

`host.plan` puts `postgres_command` first in its list; when the probe says "", `roles.ensure_databases` and the
migrations may run. The supervisor redirects the server's stderr to `DataDir.logs/postgres.log`.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess

import asyncpg

from argosy.host.paths import DataDir
from argosy.host.postgres.binaries import Binaries
from argosy.host.postgres.cluster import Report, prepare_cluster
from argosy.host.postgres.location import PORT, Location, locate
from argosy.host.postgres.orphans import clear_leftovers
from argosy.host.postgres.owner import owner_of
from argosy.host.postgres.passwords import ADMIN
from argosy.host.postgres.roles import local_dsn
from argosy.host.processes import Command

NAME = "postgres"
_PROBE_SECONDS = 3.0
_CLEAN = ("shut down", "shut down in recovery")
_REDO = re.compile(r"LOG:\s+(redo in progress.*|syncing data directory.*|resetting unlogged.*)")


def postgres_command(data: DataDir) -> Command:
    owner = owner_of(data.postgres)
    return Command(
        name=NAME,
        prepare=lambda report: prepare(data, report),
        probe=lambda: probe(data),
        stop_signal=signal.SIGINT,  # fast shutdown: roll back, checkpoint, leave
        grace_seconds=60.0,
        uid=owner.user,
        gid=owner.group,
    )


def prepare(data: DataDir, report: Report) -> list[str]:
    """Everything up to the start itself; answers the arguments of a foreground server."""
    location, binaries = prepare_cluster(data, report)
    state = _state(location, binaries)
    if state not in _CLEAN:
        report(f"recovering after a crash: the database was '{state}' when it stopped")
    return server_arguments(location, binaries)


def server_arguments(location: Location, binaries: Binaries) -> list[str]:
    return [
        binaries["postgres"], "-D", str(location.cluster), "-k", str(location.sockets), "-p", str(PORT)
    ]  # fmt: skip


def stop_leftovers(data: DataDir, report: Report) -> None:
    """For `argosy down` and `reset`, when no supervisor is left to ask."""
    location = locate(data)
    if location.exists():
        clear_leftovers(location.cluster, report)


def _state(location: Location, binaries: Binaries) -> str:
    told = subprocess.run(
        [binaries["pg_controldata"], str(location.cluster)],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20, check=False,
        user=location.owner.user, group=location.owner.group, extra_groups=location.owner.extra_groups,
        cwd="/", env={"PATH": os.defpath, "LC_ALL": "C"},
    )  # fmt: skip
    found = re.search(r"^Database cluster state:\s+(.+)$", told.stdout, re.MULTILINE)
    return found[1] if found is not None else "unreadable"


def probe(data: DataDir) -> str:
    """ "" when a query is answered, else what PostgreSQL is doing."""
    return asyncio.run(_probe(data))


async def _probe(data: DataDir) -> str:
    try:
        connection = await asyncpg.connect(
            local_dsn(data, ADMIN, "postgres"), timeout=_PROBE_SECONDS, command_timeout=_PROBE_SECONDS
        )
    except asyncpg.CannotConnectNowError:  # it listens, and is starting up, recovering or shutting down
        return _recovery_progress(data)
    except asyncpg.InvalidPasswordError:
        return f"PostgreSQL refuses the password in {data.secrets}/db-{ADMIN}: bring this file back from a backup"
    except (FileNotFoundError, ConnectionRefusedError):
        return "waiting for PostgreSQL to open its socket"
    except (TimeoutError, OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        return f"waiting for PostgreSQL: {str(error) or 'no answer in time'}"
    try:
        await connection.execute("SELECT 1")
    except (TimeoutError, OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        return f"waiting for PostgreSQL: {str(error) or 'no answer in time'}"
    finally:
        connection.terminate()
    return ""


def _recovery_progress(data: DataDir) -> str:
    """The last progress line of the server's own log; it writes one each second while it recovers."""
    path = data.logs / f"{NAME}.log"
    try:
        with path.open("rb") as log:
            log.seek(max(0, path.stat().st_size - 8192))
            found = _REDO.findall(log.read().decode(errors="replace"))
    except FileNotFoundError:
        found = []
    return f"recovering after a crash: {found[-1]}" if found else "PostgreSQL is starting up"
