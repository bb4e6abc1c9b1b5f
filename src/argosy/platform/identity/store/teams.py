"""Teams of one account, their members (users and service accounts), and the team that everyone is in."""

from __future__ import annotations

from datetime import datetime

from argosy.backends.database import Keyset, Row, SortColumn, Transaction
from argosy.contracts.identity import NamedRef, Team
from argosy.contracts.paging import Page, PageRequest
from argosy.platform.identity.store.lists import containing, one_of, page_of

_LIST = Keyset(
    {"name": SortColumn("sort_name"), "created": SortColumn("created", "timestamptz")}, default="name"
)
_TEAMS = """
    SELECT account, id, name, lower(name) AS sort_name, description, everyone, created FROM teams WHERE account = $1
"""
_MEMBERS = """
    CASE WHEN page.everyone
        THEN (SELECT count(*) FROM memberships m WHERE m.account = page.account)
           + (SELECT count(*) FROM service_accounts s WHERE s.account = page.account)
        ELSE (SELECT count(*) FROM team_members m WHERE m.team = page.id)
    END AS members
"""


def _team(row: Row) -> Team:
    return Team(
        row["id"], row["name"], row["description"], row["members"], row["created"], everyone=row["everyone"]
    )


async def teams(tx: Transaction, account: str, request: PageRequest) -> Page[Team]:
    matching = f"{_TEAMS} AND (name ILIKE $2 OR description ILIKE $2)"
    return await page_of(tx, _LIST, request, matching, [account, containing(request.search)], _team, _MEMBERS)


async def team_of_id(tx: Transaction, account: str, id: str) -> Team | None:
    return await one_of(tx, f"{_TEAMS} AND id = $2", [account, id], _team, _MEMBERS)


async def add_team(
    tx: Transaction,
    account: str,
    team: NamedRef,
    description: str,
    created: datetime,
    *,
    everyone: bool = False,
) -> bool:
    """False if another team has the name."""
    return bool(
        await tx.execute(
            """INSERT INTO teams (id, account, name, description, everyone, created)
            VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING""",
            team.id,
            account,
            team.name,
            description,
            everyone,
            created,
        )
    )


async def change_team(
    tx: Transaction, account: str, id: str, name: str | None, description: str | None
) -> None:
    await tx.execute(
        """UPDATE teams SET name = coalesce($3, name), description = coalesce($4, description)
        WHERE account = $1 AND id = $2""",
        account,
        id,
        name,
        description,
    )


async def another_is_named(tx: Transaction, account: str, id: str, name: str) -> bool:
    return bool(
        await tx.fetchval(
            "SELECT EXISTS (SELECT FROM teams WHERE account = $1 AND lower(name) = lower($3) AND id <> $2)",
            account,
            id,
            name,
        )
    )


async def remove_team(tx: Transaction, account: str, id: str) -> None:
    await tx.execute("DELETE FROM teams WHERE account = $1 AND id = $2", account, id)


async def known_teams(tx: Transaction, account: str, ids: list[str]) -> dict[str, bool]:
    """Those of the ids that are teams of the account, and whether they are the one of everyone."""
    rows = await tx.fetch(
        "SELECT id, everyone FROM teams WHERE account = $1 AND id = ANY($2::text[])", account, ids
    )
    return {row["id"]: row["everyone"] for row in rows}


async def known_members(tx: Transaction, account: str, ids: list[str]) -> set[str]:
    """Those of the ids that are users or service accounts of the account."""
    rows = await tx.fetch(
        """SELECT user_id AS id FROM memberships WHERE account = $1 AND user_id = ANY($2::text[])
        UNION ALL SELECT id FROM service_accounts WHERE account = $1 AND id = ANY($2::text[])""",
        account,
        ids,
    )
    return {row["id"] for row in rows}


async def add_members(tx: Transaction, account: str, team: str, members: list[str]) -> None:
    await tx.execute(
        """INSERT INTO team_members (account, team, member) SELECT $1, $2, unnest($3::text[])
        ON CONFLICT DO NOTHING""",
        account,
        team,
        members,
    )


async def remove_members(tx: Transaction, account: str, team: str, members: list[str]) -> None:
    await tx.execute(
        "DELETE FROM team_members WHERE account = $1 AND team = $2 AND member = ANY($3::text[])",
        account,
        team,
        members,
    )


async def set_teams(tx: Transaction, account: str, member: str, teams: list[str]) -> None:
    await tx.execute(
        "DELETE FROM team_members WHERE account = $1 AND member = $2 AND team <> ALL($3::text[])",
        account,
        member,
        teams,
    )
    await tx.execute(
        """INSERT INTO team_members (account, team, member) SELECT $1, unnest($3::text[]), $2
        ON CONFLICT DO NOTHING""",
        account,
        member,
        teams,
    )


async def teams_of(tx: Transaction, account: str, member: str) -> list[NamedRef]:
    """All that count for the member's rights, the one of everyone among them."""
    rows = await tx.fetch(
        """SELECT t.id, t.name FROM teams t WHERE t.account = $1 AND (t.everyone OR EXISTS (
            SELECT FROM team_members m WHERE m.team = t.id AND m.member = $2))
        ORDER BY lower(t.name)""",
        account,
        member,
    )
    return [NamedRef(row["id"], row["name"]) for row in rows]


async def team_member_ids(tx: Transaction, account: str, team: str) -> list[str]:
    rows = await tx.fetch(
        "SELECT member FROM team_members WHERE account = $1 AND team = $2 ORDER BY member", account, team
    )
    return [row["member"] for row in rows]


async def names_in(tx: Transaction, account: str) -> dict[str, str]:
    rows = await tx.fetch("SELECT id, name FROM teams WHERE account = $1", account)
    return {row["id"]: row["name"] for row in rows}
