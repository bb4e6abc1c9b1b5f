"""Teams of the active account: whom access rules are for."""

from __future__ import annotations

import msgspec

from argosy.backends.database import Transaction
from argosy.backends.hosting import Change
from argosy.contracts.identity import NamedRef, NewTeam, Revoked, Team, TeamChange
from argosy.contracts.paging import ById, Page, PageRequest
from argosy.kit.calls import Call
from argosy.kit.errors import Conflict
from argosy.kit.ids import new_id
from argosy.kit.operations import Nothing
from argosy.platform.identity import checks
from argosy.platform.identity.parts import Part, absent
from argosy.platform.identity.store import accounts, rules, teams


class _Audited(msgspec.Struct, frozen=True):
    """A team as the audit log keeps it: with who was in it."""

    name: str
    description: str
    members: list[str]


class Teams(Part):
    async def teams(self, *, call: Call, request: PageRequest) -> Page[Team]:
        async with self._parts.database.transaction(call.account, read_only=True) as tx:
            return await teams.teams(tx, call.account, request)

    async def team(self, *, call: Call, request: ById) -> Team:
        async with self._parts.database.transaction(call.account, read_only=True) as tx:
            return await self._team(tx, call.account, request.id)

    async def create_team(self, *, call: Call, request: NewTeam) -> Team:
        team = NamedRef(new_id(), checks.name(request.name))
        description = checks.text(request.description, "description")
        async with self._parts.database.transaction(call.account) as tx:
            await accounts.lock_account(tx, call.account)  # whoever is removed meanwhile is in no team
            await checks.known_members(tx, call.account, request.members, "members")
            if not await teams.add_team(tx, call.account, team, description, self._parts.clock()):
                raise _name_taken(team.name)
            await teams.add_members(tx, call.account, team.id, request.members)
            await self._revoke_members(tx, call.account, request.members)
            made = await self._team(tx, call.account, team.id)
            after = await self._audited(tx, call.account, made)
            await self._parts.record(tx, call, Change("team", made.id, made.name, after=after))
        return made

    async def change_team(self, *, call: Call, request: TeamChange) -> Team:
        account, id = call.account, request.id
        name = None if request.name is None else checks.name(request.name)
        description = None if request.description is None else checks.text(request.description, "description")
        async with self._parts.database.transaction(account) as tx:
            await accounts.lock_account(tx, account)
            team = await self._team(tx, account, id)
            before = await self._audited(tx, account, team)
            if team.everyone and (request.add_members or request.remove_members):
                raise _everyone("everybody is in it")
            if name is not None and await teams.another_is_named(tx, account, id, name):
                raise _name_taken(name)
            await checks.known_members(tx, account, request.add_members, "add_members")
            await teams.change_team(tx, account, id, name, description)
            await teams.add_members(tx, account, id, request.add_members)
            await teams.remove_members(tx, account, id, request.remove_members)
            await self._revoke_members(tx, account, [*request.add_members, *request.remove_members])
            changed = await self._team(tx, account, id)
            after = await self._audited(tx, account, changed)
            await self._parts.record(tx, call, Change("team", id, changed.name, before=before, after=after))
        return changed

    async def remove_team(self, *, call: Call, request: ById) -> Nothing:
        account, id = call.account, request.id
        async with self._parts.database.transaction(account) as tx:
            await accounts.lock_account(tx, account)
            team = await self._team(tx, account, id)
            if team.everyone:
                raise _everyone("it cannot be removed")
            before = await self._audited(tx, account, team)
            await self._parts.record(tx, call, Change("team", id, team.name, before=before))
            for rule in await rules.rules_naming_team(tx, account, id):
                alone = [each.id for each in rule.teams] == [id]
                left = (
                    None
                    if alone
                    else msgspec.structs.replace(rule, teams=[t for t in rule.teams if t.id != id])
                )
                await self._parts.record(
                    tx, call, Change("access-rule", rule.id, rule.name, before=rule, after=left)
                )
            await rules.drop_team(tx, account, id, self._parts.clock())
            await rules.raise_version(tx, account)
            await teams.remove_team(tx, account, id)
            await self._revoke_members(tx, account, before.members)
        return Nothing()

    async def _team(self, tx: Transaction, account: str, id: str) -> Team:
        found = await teams.team_of_id(tx, account, id)
        if found is None:
            raise absent("team", id)
        return found

    async def _audited(self, tx: Transaction, account: str, team: Team) -> _Audited:
        return _Audited(team.name, team.description, await teams.team_member_ids(tx, account, team.id))

    async def _revoke_members(self, tx: Transaction, account: str, members: list[str]) -> None:
        """Their teams are in their tokens."""
        for member in sorted(set(members)):
            await self._parts.revoke(tx, account, Revoked(principal=member, account=account))


def _name_taken(name: str) -> Conflict:
    return Conflict(
        f"there is a team named {name} already",
        code="team.exists",
        cure="choose another name",
        context={"field": "name"},
    )


def _everyone(why: str) -> Conflict:
    return Conflict(
        f"this is the team of everyone: {why}",
        code="team.everyone",
        cure="use a team of your own for fewer people",
    )
