"""A new account that works from the first moment: with a first admin, the team that everyone is in, and the rules by
which everyone sees all. Called by `accounts`, and by `first_run` for the very first one."""

from __future__ import annotations

from argosy.backends.database import Transaction
from argosy.contracts.identity import AccessRule, Account, NamedRef
from argosy.domain.access import ENTITIES
from argosy.kit.ids import new_id
from argosy.platform.identity.parts import Parts
from argosy.platform.identity.store import accounts, rules, teams, users

EVERYONE = "everyone"
_SEEING = ("VIEW", "read")


async def found(parts: Parts, tx: Transaction, name: str, zone: str, admin: str, called: str) -> Account:
    """An account that works from the first moment: also for the very first one (`first_run`)."""
    account, now = new_id(), parts.clock()
    await accounts.add_account(tx, account, name, zone, now)
    await users.add_member(tx, account, admin, called, "admin", now)
    everyone = NamedRef(new_id(), EVERYONE)
    await teams.add_team(tx, account, everyone, "All users and service accounts", now, everyone=True)
    for entity in ENTITIES.values():
        seeing = [action for action in _SEEING if action in entity.actions]
        if seeing:
            rule = AccessRule(
                id=new_id(),
                name=f"Everyone sees all: {entity.name}",
                entity=entity.name,
                teams=[everyone],
                actions=seeing,
                conditions=[],
                tags=["*"] if entity.tagged else [],
                tag_logic="any",
                enabled=True,
                created=now,
                updated=now,
            )
            await rules.put_rule(tx, account, rule)
    made = await accounts.account_of_id(tx, account)
    assert made is not None
    await parts.account_changed(tx, made)
    return made
