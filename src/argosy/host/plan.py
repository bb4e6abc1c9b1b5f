"""The processes of `argosy up`: PostgreSQL, then `core` (the services with data), then `edge` (the public port); beside
them `cluster`, the embedded Kubernetes, and `engine`, which brings Applications to it.

`supervisor` starts them in this order and keeps them running. What runs inside is imported late
(`composition.groups`): PostgreSQL starts while the rest is still being pre-imported.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from argosy.host.engine import hearing
from argosy.host.installation import Installation
from argosy.host.options import UpOptions
from argosy.host.paths import DataDir
from argosy.host.postgres.process import postgres_command
from argosy.host.postgres.roles import local_dsn, own_server
from argosy.host.processes import Forked, Notify, Process
from argosy.host.registry import NAMES, module_of, with_database
from argosy.kit.settings import Raw
from argosy.platform.identity.one_time import one_time_password

PREIMPORT: Sequence[str] = (
    "argon2",
    "joserfc.jws",
    "uvicorn.protocols.http.httptools_impl",
    "uvicorn.loops.uvloop",
    "argosy.host.composition.groups",
    "argosy.host.clusters.process",
    "argosy.host.engine.process",
    *(module_of(name) for name in NAMES),
)


def build_plan(data: DataDir, options: UpOptions, announce: Callable[[str], None]) -> list[Process]:
    git_server: dict[str, Raw] = {
        "public_url": options.url,
        "engine_socket": str(data.socket(hearing.NAME)),
        "engine_token": str(hearing.token_file(data)),
    }
    overrides = {"gateway": _gateway(data, options), "git_server": git_server}
    installation = Installation(data, overrides=overrides)

    password = (
        one_time_password()
    )  # of this start: a core that is restarted before it was shown must not make another

    def core(notify: Notify) -> None:
        from argosy.host.composition.groups import run_core

        run_core(installation, options, notify, password)

    def edge(notify: Notify) -> None:
        from argosy.host.composition.groups import run_edge

        run_edge(installation, options, notify)

    def cluster(notify: Notify) -> None:
        from argosy.host.clusters.front import front
        from argosy.host.clusters.process import run_clusters

        run_clusters(data, front(options), notify)

    def engine(notify: Notify) -> None:
        from argosy.host.engine.process import run_engine

        run_engine(data, notify)

    return [
        postgres_command(data),
        Forked("cluster", cluster),
        Forked("engine", engine, after=("cluster",)),
        Forked("core", core, after=("postgres",)),
        Forked("edge", edge, after=("core",), keep_fds=(options.listen_fd,)),
    ]


def migrate_all(data: DataDir) -> None:
    """Every schema in the embedded server of `data`. A service on a server of its own is not touched: a rehearsal
    works on a copy, and there is none of that server."""
    from argosy.backends.database import Database
    from argosy.backends.database.migrations import migrate

    async def migrating() -> None:
        for service in with_database():
            if own_server(service.name):
                continue
            database = Database(local_dsn(data, service.name), service=service.name)
            try:
                await migrate(database, service.migrations)
            finally:
                await database.close()

    asyncio.run(migrating())


def _gateway(data: DataDir, options: UpOptions) -> dict[str, Raw]:
    return {
        "host": options.host,
        "port": options.port,
        "public_url": options.public_url,
        "tls": bool(options.tls_cert),
        "clusters": str(data.socket("ingress")),
    }
