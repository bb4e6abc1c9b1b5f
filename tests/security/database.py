"""The installation's database, entered as its superuser: to age what time would age, and to look for what may not be there."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import asyncpg

from argosy.host.paths import DataDir
from argosy.host.postgres.passwords import ADMIN
from argosy.host.postgres.roles import connected, local_dsn
from tests.installation import Installation

T = TypeVar("T")


def as_superuser(installation: Installation, work: Callable[[asyncpg.Connection], Awaitable[T]]) -> T:
    async def run() -> T:
        async with connected(local_dsn(DataDir(installation.data_dir), ADMIN)) as link:
            return await work(link)

    return asyncio.run(run())


def execute(installation: Installation, statement: str, *values: object) -> None:
    as_superuser(installation, lambda link: link.execute(statement, *values))


def everything(installation: Installation) -> dict[str, str]:
    """Every row of every table of ours as text, by table."""

    async def read(link: asyncpg.Connection) -> dict[str, str]:
        tables = await link.fetch(
            "SELECT schemaname, tablename FROM pg_tables"
            " WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
        )
        found = {}
        for row in tables:
            name = f'"{row["schemaname"]}"."{row["tablename"]}"'
            rows = await link.fetch(f"SELECT t::text AS text FROM {name} AS t")
            found[name] = "\n".join(each["text"] for each in rows)
        return found

    return as_superuser(installation, read)
