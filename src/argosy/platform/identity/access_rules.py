"""Access rules of the active account: which teams may do what on which resources. `deciding` answers the why."""

from __future__ import annotations

import msgspec

from argosy.backends.database import Transaction
from argosy.backends.hosting import Change
from argosy.contracts.identity import (
    AccessRule,
    AccessRuleChange,
    AccessRuleQuery,
    EntityVocabulary,
    NamedRef,
    NewAccessRule,
    RulesForAccount,
    Vocabulary,
)
from argosy.contracts.paging import ById, Page
from argosy.domain import access
from argosy.kit.calls import Call
from argosy.kit.errors import Conflict, Invalid
from argosy.kit.ids import is_id, new_id
from argosy.kit.operations import Nothing
from argosy.platform.identity import checks
from argosy.platform.identity.deciding import as_rule
from argosy.platform.identity.parts import Part, absent
from argosy.platform.identity.store import accounts, rules


class AccessRules(Part):
    async def access_rules(self, *, call: Call, request: AccessRuleQuery) -> Page[AccessRule]:
        async with self._parts.database.transaction(call.account, read_only=True) as tx:
            return await rules.rules(tx, call.account, request)

    async def access_rule(self, *, call: Call, request: ById) -> AccessRule:
        async with self._parts.database.transaction(call.account, read_only=True) as tx:
            return await self._rule(tx, call.account, request.id)

    async def rules_for_account(self, *, call: Call, request: Nothing) -> RulesForAccount:
        if not is_id(call.account):
            raise Invalid("rules are an account's: the call names none", context={"field": "account"})
        async with self._parts.database.transaction(call.account, read_only=True) as tx:
            # The version first: rules that change between the two statements are then fetched once more, never missed.
            version = await rules.version_of(tx, call.account)
            return RulesForAccount(version, await rules.rules_of_account(tx, call.account))

    async def create_access_rule(self, *, call: Call, request: NewAccessRule) -> AccessRule:
        now = self._parts.clock()
        rule = AccessRule(
            id=new_id(),
            name=checks.name(request.name),
            entity=request.entity,
            teams=_refs(request.teams),
            actions=request.actions,
            conditions=request.conditions,
            tags=request.tags,
            tag_logic=request.tag_logic,
            enabled=request.enabled,
            created=now,
            updated=now,
            related_resource=request.related_resource,
        )
        async with self._parts.database.transaction(call.account) as tx:
            made = await self._put(tx, call.account, rule)
            await self._parts.record(tx, call, Change("access-rule", made.id, made.name, after=made))
        return made

    async def change_access_rule(self, *, call: Call, request: AccessRuleChange) -> AccessRule:
        wanted = {
            field: value
            for field, value in msgspec.structs.asdict(request).items()
            if value is not None and field not in ("id", "teams")
        }
        if request.name is not None:
            wanted["name"] = checks.name(request.name)
        if request.teams is not None:
            wanted["teams"] = _refs(request.teams)
        async with self._parts.database.transaction(call.account) as tx:
            await accounts.lock_account(tx, call.account)
            before = await self._rule(tx, call.account, request.id)
            rule = msgspec.structs.replace(before, **wanted, updated=self._parts.clock())
            after = await self._put(tx, call.account, rule)
            await self._parts.record(
                tx, call, Change("access-rule", after.id, after.name, before=before, after=after)
            )
        return after

    async def remove_access_rule(self, *, call: Call, request: ById) -> Nothing:
        async with self._parts.database.transaction(call.account) as tx:
            await accounts.lock_account(tx, call.account)
            before = await self._rule(tx, call.account, request.id)
            await rules.remove_rule(tx, call.account, request.id)
            await rules.raise_version(tx, call.account)
            await self._parts.record(tx, call, Change("access-rule", before.id, before.name, before=before))
        return Nothing()

    async def vocabulary(self, *, call: Call, request: Nothing) -> Vocabulary:
        return Vocabulary([_words(entity) for entity in access.ENTITIES.values()])

    async def _put(self, tx: Transaction, account: str, rule: AccessRule) -> AccessRule:
        access.check_rule(as_rule(account, rule))
        await accounts.lock_account(tx, account)
        await checks.known_teams(tx, account, [team.id for team in rule.teams])
        if await rules.another_is_named(tx, account, rule.id, rule.name):
            raise Conflict(
                f"there is a rule named {rule.name} already",
                code="rule.exists",
                cure="choose another name",
                context={"field": "name"},
            )
        await rules.put_rule(tx, account, rule)
        await rules.raise_version(tx, account)
        return await self._rule(tx, account, rule.id)

    async def _rule(self, tx: Transaction, account: str, id: str) -> AccessRule:
        found = await rules.rule_of_id(tx, account, id)
        if found is None:
            raise absent("access rule", id)
        return found


def _refs(ids: list[str]) -> list[NamedRef]:
    return [NamedRef(id, "") for id in dict.fromkeys(ids)]


def _words(entity: access.Entity) -> EntityVocabulary:
    title = entity.name.replace("_", " ").replace("-", " ")
    return EntityVocabulary(
        name=entity.name,
        title=title[:1].upper() + title[1:],
        actions=list(entity.actions),
        attributes=list(entity.attributes),
        labelled="LABEL" in entity.attributes,
        tagged=entity.tagged,
        related=list(entity.related),
    )
