"""The processes of `argosy up`: PostgreSQL, then `core` (the services with data), then `edge` (the public port).

`supervisor` starts them in this order and keeps them running; each Python one is `composition.process` with some
services in it. Core lays out the database at each start, which changes nothing when it is laid out already.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Sequence

from argosy.host.composition.listeners import unix_socket
from argosy.host.composition.process import Doors, Hooks, Process, run_process
from argosy.host.first_run import sign_in_facts
from argosy.host.installation import Installation
from argosy.host.options import UpOptions
from argosy.host.paths import DataDir
from argosy.host.postgres.process import postgres_command
from argosy.host.postgres.roles import ensure_databases
from argosy.host.processes import Forked, Notify
from argosy.host.processes import Process as Planned
from argosy.host.registry import GROUPS, NAMES, load, module_of
from argosy.kit.log import get_logger
from argosy.kit.settings import Raw

log = get_logger(__name__)

PREIMPORT: Sequence[str] = (
    "aiohttp",
    "argon2",
    "asyncpg",
    "joserfc.jws",
    "uvicorn.protocols.http.httptools_impl",
    "uvicorn.loops.uvloop",
    *(module_of(name) for name in NAMES),
)


def build_plan(data: DataDir, options: UpOptions, announce: Callable[[str], None]) -> list[Planned]:
    installation = Installation(data, overrides={"gateway": _gateway(options)})
    return [
        postgres_command(data),
        Forked("core", lambda notify: _core(installation, options, notify), after=("postgres",)),
        Forked(
            "edge",
            lambda notify: _edge(installation, options, notify),
            after=("core",),
            keep_fds=(options.listen_fd,),
        ),
    ]


def with_database() -> list[str]:
    return [one.name for one in load(NAMES) if one.migrations]


def _gateway(options: UpOptions) -> dict[str, Raw]:
    return {
        "host": options.host,
        "port": options.port,
        "public_url": options.public_url,
        "tls": bool(options.tls_cert),
    }


def _core(installation: Installation, options: UpOptions, notify: Notify) -> None:
    notify.status("laying out the database")
    asyncio.run(ensure_databases(installation.data, with_database()))

    async def ready(process: Process) -> None:
        if (failure := process.failure_of("identity")) is not None:
            raise failure  # without it nobody can sign in: better to say why than to look well
        notify.announce(await sign_in_facts(process, options.url))
        notify.ready()

    doors = Doors(internal=unix_socket(installation.data.socket("core")))
    run_process(installation, GROUPS["core"], doors, Hooks(notify.status, ready))


def _edge(installation: Installation, options: UpOptions, notify: Notify) -> None:
    async def ready(_: Process) -> None:
        notify.ready()

    public = socket.socket(fileno=options.listen_fd)
    public.setblocking(False)
    tls = (options.tls_cert, options.tls_key) if options.tls_cert else None
    doors = Doors(internal=unix_socket(installation.data.socket("edge")), public=public, tls=tls)
    run_process(installation, GROUPS["edge"], doors, Hooks(notify.status, ready))
