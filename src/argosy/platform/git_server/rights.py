"""May the caller do this with that repository? The account's access rules, as `identity` has them, asked by `domain.access`.

What somebody may not read does not exist for them. Rules are asked for anew each time and compiled once for each of their versions.
"""

from __future__ import annotations

from collections import OrderedDict

from argosy.contracts.identity import AccessRule, Identity
from argosy.domain import access
from argosy.kit.calls import Call, service_call
from argosy.kit.errors import ArgosyError, Forbidden, NotFound
from argosy.kit.operations import Nothing

ENTITY = "repositories"
_COMPILED = 256


class Rights:
    def __init__(self, identity: Identity) -> None:
        self._identity = identity
        self._compiled: OrderedDict[str, access.RuleSet] = OrderedDict()

    async def visible(self, call: Call) -> access.Predicate:
        return access.filter(_subject(call), ENTITY, "read", await self._rules(call.account))

    async def require(self, call: Call, action: str, *, id: str, name: str) -> None:
        """Raises `NotFound` for what the caller may not even read."""
        rules, who = await self._rules(call.account), _subject(call)
        resource = access.Resource(ENTITY, id, call.account, {"REPOSITORY_NAME": (name,)})
        decision = access.decide(who, action, resource, rules)
        if decision.allowed:
            return
        if decision.reason == "scope":
            raise Forbidden(
                f"this key may not {action} repositories",
                code="auth.scope",
                cure=f"use a key with the scope {ENTITY}:{action}",
                context={"scope": f"{ENTITY}:{action}"},
            )
        if action != "create" and not access.decide(who, "read", resource, rules).allowed:
            raise absent(name or id)
        raise Forbidden(
            f"you may not {action} {name}",
            code="auth.rule",
            cure=f"ask an admin for an access rule on {ENTITY} with the action {action}",
        )

    async def _rules(self, account: str) -> access.RuleSet:
        told = await self._identity.rules_for_account(
            call=service_call("git_server", account), request=Nothing()
        )
        known = self._compiled.get(account)
        if known is None or known.version != told.version:
            rules = [_as_rule(account, rule) for rule in told.rules if rule.entity == ENTITY]
            known = access.RuleSet(account, rules, told.version)
            self._compiled[account] = known
            if len(self._compiled) > _COMPILED:
                self._compiled.popitem(last=False)
        self._compiled.move_to_end(account)
        return known


def absent(name: str) -> ArgosyError:
    return NotFound(
        f"there is no repository {name}",
        code="repository.absent",
        cure="argosy git list shows those that you may read",
    )


def _subject(call: Call) -> access.Subject:
    who = call.principal
    scopes = None if who.scopes is None else frozenset(who.scopes)
    return access.Subject(who.id, who.account, frozenset(who.teams), who.admin, scopes)


def _as_rule(account: str, rule: AccessRule) -> access.Rule:
    return access.Rule(
        id=rule.id,
        account=account,
        name=rule.name,
        entity=rule.entity,
        teams=tuple(team.id for team in rule.teams),
        actions=tuple(rule.actions),
        attributes=tuple(
            access.Condition(one.attribute, tuple(one.values), one.key) for one in rule.conditions
        ),
        tags=tuple(rule.tags),
        tag_logic=rule.tag_logic,
        related_resource=rule.related_resource,
        enabled=rule.enabled,
    )
