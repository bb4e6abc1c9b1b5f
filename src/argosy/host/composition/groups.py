"""What runs inside each Python process of `argosy up`. `host.plan` names them; this is imported once they are forked
(and before that by the pre-import, so that they share its pages)."""

from __future__ import annotations

import asyncio
import socket

from argosy.contracts.identity import Identity
from argosy.host.composition.first_run import HOST, sign_in_facts
from argosy.host.composition.process import Doors, Hooks, Process, run_process
from argosy.host.installation import Installation
from argosy.host.options import UpOptions
from argosy.host.postgres.roles import ensure_databases, own_server
from argosy.host.processes import Notify
from argosy.host.registry import GROUPS, with_database
from argosy.kit.web.listeners import unix_socket


def run_core(installation: Installation, options: UpOptions, notify: Notify, one_time_password: str) -> None:
    """The services with data. Laying out the database changes nothing when it is laid out already."""
    installation.check_settings()
    notify.status("laying out the database")
    asyncio.run(ensure_databases(installation.data, [one.name for one in with_database()]))

    async def ready(process: Process) -> None:
        failure = process.failure_of("identity")
        if failure is None:
            notify.announce(
                await sign_in_facts(process.clients(HOST)(Identity), options.url, one_time_password)
            )
        elif own_server("identity") and failure.code.startswith("database."):
            # Its server alone is away: the others go on, and `argosy admin sign-in-link` lets in when it is back.
            notify.announce({"degraded": f"nobody can sign in yet: {failure.told}"})
        else:
            raise failure  # without it nobody can sign in: better to say why than to look well
        notify.ready()

    doors = Doors(internal=unix_socket(installation.data.socket("core")))
    run_process(installation, GROUPS["core"], doors, Hooks(notify.status, ready))


def run_edge(installation: Installation, options: UpOptions, notify: Notify) -> None:
    """The public port, on the socket that the supervisor bound: a restart of this process refuses no connection."""

    async def ready(process: Process) -> None:
        if (failure := process.failure_of("gateway")) is not None:
            raise failure  # the socket takes connections, and nobody would ever answer them
        notify.ready()

    public = socket.socket(fileno=options.listen_fd)
    public.setblocking(False)
    tls = (options.tls_cert, options.tls_key) if options.tls_cert else None
    doors = Doors(internal=unix_socket(installation.data.socket("edge")), public=public, tls=tls)
    run_process(installation, GROUPS["edge"], doors, Hooks(notify.status, ready))
