"""How much room a service's tables take, for the system page."""

from __future__ import annotations

from argosy.backends.database.database import Database

_BYTES = """
SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relkind = 'r'
"""


async def schema_bytes(database: Database) -> int:
    async with database.autocommit() as statements:
        return int(await statements.fetchval(_BYTES, database.schema))
