"""How every list is read: one statement with filter, count, page and names. The other stores hand in their part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from argosy.backends.database import Keyset, Row, Transaction
from argosy.contracts.identity import NamedRef
from argosy.contracts.paging import Page, PageRequest
from argosy.kit.errors import Invalid

T = TypeVar("T")

TEAM_NAMES = """
    (SELECT coalesce(json_agg(json_build_object('id', t.id, 'name', t.name) ORDER BY lower(t.name)), '[]')
     FROM team_members m JOIN teams t ON t.id = m.team
     WHERE m.account = page.account AND m.member = page.id)::text AS teams
"""
TEAM_NAMES_BY_ID = """
    (SELECT coalesce(json_agg(json_build_object('id', t.id, 'name', t.name) ORDER BY lower(t.name)), '[]')
     FROM teams t WHERE t.account = page.account AND t.id = ANY(page.team_ids))::text AS teams
"""


def containing(search: str) -> str:
    """For ILIKE: the text anywhere, its wildcards meaning themselves."""
    escaped = search.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return f"%{escaped}%"


def named(text: str) -> list[NamedRef]:
    return msgspec.json.decode(text, type=list[NamedRef])


async def page_of(
    tx: Transaction,
    keyset: Keyset,
    request: PageRequest,
    matching: str,
    values: Sequence[object],
    item: Callable[[Row], T],
    extra: str = "",
) -> Page[T]:
    """`matching` selects all rows of the list; `extra` are columns worth computing only for the page's rows."""
    for value in values:
        if isinstance(value, str) and not value.isprintable():
            raise Invalid("a filter holds characters that no name has", context={"field": "search"})
    plan = keyset.plan(
        sort=request.sort, after=request.after, limit=request.limit, first_parameter=len(values) + 1
    )
    more = f", {extra}" if extra else ""
    rows = await tx.fetch(
        f"""
        SELECT page.*{more} FROM (
            SELECT * FROM (SELECT count(*) OVER () AS total, matching.* FROM ({matching}) AS matching) AS listed
            WHERE {plan.condition} ORDER BY {plan.order} LIMIT {plan.limit}
        ) AS page ORDER BY {plan.order}
        """,
        *values,
        *plan.parameters,
    )
    items, after = plan.page(rows, item)
    total = int(rows[0]["total"]) if rows else None if request.after else 0
    return Page(items, after, total)


async def one_of(
    tx: Transaction, matching: str, values: Sequence[object], item: Callable[[Row], T], extra: str = ""
) -> T | None:
    """The single row of a list, with the same columns."""
    more = f", {extra}" if extra else ""
    row = await tx.fetchrow(f"SELECT page.*{more} FROM ({matching}) AS page", *values)
    return None if row is None else item(row)
