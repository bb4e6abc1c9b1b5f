"""What is acceptable in requests beyond their types. Each refusal names the field."""

from __future__ import annotations

import re
import zoneinfo
from functools import cache

from argosy.backends.database import Transaction
from argosy.kit.errors import Invalid
from argosy.platform.identity.store import teams as team_store

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")


def normal_email(text: str) -> str:
    """One spelling per person: e-mails are compared and kept in lower case."""
    return text.strip().lower()


def email(text: str, field: str = "email") -> str:
    found = normal_email(text)
    if not found.isprintable() or _EMAIL.fullmatch(found) is None or len(found) > 254:
        raise Invalid(
            "that is not an e-mail address", cure="write it like name@example.org", context={"field": field}
        )
    return found


def name(text: str, field: str = "name") -> str:
    found = text.strip()
    if not found or not found.isprintable():
        raise Invalid(f"{field} is empty or holds characters that cannot be shown", context={"field": field})
    return found


def text(value: str, field: str) -> str:
    """May be empty."""
    found = value.strip()
    if not found.replace("\n", " ").isprintable():
        raise Invalid(f"{field} holds characters that cannot be shown", context={"field": field})
    return found


@cache
def _zones() -> frozenset[str]:
    return frozenset(zoneinfo.available_timezones())


def time_zone(value: str) -> str:
    if value not in _zones():
        raise Invalid(
            f"there is no time zone {value[:60]!r}",
            cure="use a name of the tz database, such as Europe/Berlin or UTC",
            context={"field": "time_zone"},
        )
    return value


def shown(value: str, longest: int) -> str:
    """For what a client says of itself (its name, its address): cut to what can be stored and shown."""
    return "".join(character for character in value[:longest] if character.isprintable())


async def listed_teams(tx: Transaction, account: str, ids: list[str], field: str = "teams") -> list[str]:
    """The ids in which somebody can be listed; the team that all are in anyway is left out."""
    known = await known_teams(tx, account, ids, field)
    return [id for id in dict.fromkeys(ids) if not known[id]]


async def known_teams(tx: Transaction, account: str, ids: list[str], field: str = "teams") -> dict[str, bool]:
    known = await team_store.known_teams(tx, account, ids)
    for number, id in enumerate(ids):
        if id not in known:
            raise Invalid(
                f"there is no team {id}", code="team.unknown", cure="take the ids from the list of teams",
                context={"field": f"{field}[{number}]"},
            )  # fmt: skip
    return known


async def known_members(tx: Transaction, account: str, ids: list[str], field: str) -> None:
    known = await team_store.known_members(tx, account, ids)
    for number, id in enumerate(ids):
        if id not in known:
            raise Invalid(
                f"there is no user or service account {id} here",
                code="user.unknown",
                context={"field": f"{field}[{number}]"},
            )
