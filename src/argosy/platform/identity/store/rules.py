"""Access rules of one account, and the version that every change of them raises in the same transaction."""

from __future__ import annotations

from datetime import datetime

import msgspec

from argosy.backends.database import Keyset, Row, SortColumn, Transaction, to_json
from argosy.contracts.identity import AccessRule, AccessRuleQuery, RuleCondition
from argosy.contracts.paging import Page
from argosy.platform.identity.store.lists import TEAM_NAMES_BY_ID, containing, named, one_of, page_of

_LIST = Keyset(
    {"name": SortColumn("sort_name"), "updated": SortColumn("updated", "timestamptz")}, default="name"
)
_RULES = """
    SELECT account, id, name, lower(name) AS sort_name, entity, teams AS team_ids, actions, conditions, tags, tag_logic,
        related_resource, enabled, created, updated
    FROM access_rules WHERE account = $1
"""


def _rule(row: Row) -> AccessRule:
    return AccessRule(
        id=row["id"],
        name=row["name"],
        entity=row["entity"],
        teams=named(row["teams"]),
        actions=row["actions"],
        conditions=msgspec.json.decode(row["conditions"], type=list[RuleCondition]),
        tags=row["tags"],
        tag_logic=row["tag_logic"],
        related_resource=row["related_resource"],
        enabled=row["enabled"],
        created=row["created"],
        updated=row["updated"],
    )


async def rules(tx: Transaction, account: str, request: AccessRuleQuery) -> Page[AccessRule]:
    matching = f"""{_RULES} AND name ILIKE $2 AND ($3 = '' OR entity = $3)
        AND ($4 = '' OR teams @> ARRAY[$4::text])"""
    values = [account, containing(request.search), request.entity, request.team]
    return await page_of(tx, _LIST, request, matching, values, _rule, TEAM_NAMES_BY_ID)


async def rule_of_id(tx: Transaction, account: str, id: str) -> AccessRule | None:
    return await one_of(tx, f"{_RULES} AND id = $2", [account, id], _rule, TEAM_NAMES_BY_ID)


async def rules_of_account(tx: Transaction, account: str) -> list[AccessRule]:
    rows = await tx.fetch(f"SELECT page.*, {TEAM_NAMES_BY_ID} FROM ({_RULES}) AS page ORDER BY id", account)
    return [_rule(row) for row in rows]


async def rules_naming_team(tx: Transaction, account: str, team: str) -> list[AccessRule]:
    rows = await tx.fetch(
        f"""SELECT page.*, {TEAM_NAMES_BY_ID} FROM ({_RULES} AND teams @> ARRAY[$2::text]) AS page
        ORDER BY id""",
        account,
        team,
    )
    return [_rule(row) for row in rows]


async def version_of(tx: Transaction, account: str) -> int:
    version: int | None = await tx.fetchval("SELECT rules_version FROM accounts WHERE account = $1", account)
    return version or 0


async def raise_version(tx: Transaction, account: str) -> None:
    await tx.execute("UPDATE accounts SET rules_version = rules_version + 1 WHERE account = $1", account)


async def another_is_named(tx: Transaction, account: str, id: str, name: str) -> bool:
    return bool(
        await tx.fetchval(
            "SELECT EXISTS (SELECT FROM access_rules WHERE account = $1 AND lower(name) = lower($3) AND id <> $2)",
            account,
            id,
            name,
        )
    )


async def put_rule(tx: Transaction, account: str, rule: AccessRule) -> None:
    await tx.execute(
        """INSERT INTO access_rules
            (id, account, name, entity, teams, actions, conditions, tags, tag_logic, related_resource, enabled,
             created, updated)
        VALUES ($1, $2, $3, $4, $5, $6, $7::jsonb, $8, $9, $10, $11, $12, $13)
        ON CONFLICT (id) DO UPDATE SET name = excluded.name, teams = excluded.teams, actions = excluded.actions,
            conditions = excluded.conditions, tags = excluded.tags, tag_logic = excluded.tag_logic,
            related_resource = excluded.related_resource, enabled = excluded.enabled, updated = excluded.updated""",
        rule.id,
        account,
        rule.name,
        rule.entity,
        [team.id for team in rule.teams],
        rule.actions,
        to_json(rule.conditions),
        rule.tags,
        rule.tag_logic,
        rule.related_resource,
        rule.enabled,
        rule.created,
        rule.updated,
    )


async def remove_rule(tx: Transaction, account: str, id: str) -> None:
    await tx.execute("DELETE FROM access_rules WHERE account = $1 AND id = $2", account, id)


async def drop_team(tx: Transaction, account: str, team: str, now: datetime) -> None:
    """Rules for this team alone go; others lose it."""
    await tx.execute("DELETE FROM access_rules WHERE account = $1 AND teams = ARRAY[$2::text]", account, team)
    await tx.execute(
        """UPDATE access_rules SET teams = array_remove(teams, $2), updated = $3
        WHERE account = $1 AND teams @> ARRAY[$2::text]""",
        account,
        team,
        now,
    )
