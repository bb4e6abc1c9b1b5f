"""Why somebody may or may not: the account's rules compiled once per version, asked by `domain.access`.

A version is raised in the transaction of every change of a rule, so comparing it is enough to never use old rules.
"""

from __future__ import annotations

from collections import OrderedDict

from argosy.backends.database import Transaction
from argosy.contracts.identity import AccessRule, NamedRef, RuleVerdict, User, Why, WhyAnswer
from argosy.domain import access
from argosy.kit.calls import Call
from argosy.kit.errors import Forbidden
from argosy.kit.ids import is_id
from argosy.platform.identity import checks
from argosy.platform.identity.parts import Part, Parts, absent
from argosy.platform.identity.store import rules, service_accounts, teams, users

_COMPILED = 256


class Deciding(Part):
    def __init__(self, parts: Parts) -> None:
        super().__init__(parts)
        self._compiled: OrderedDict[str, access.RuleSet] = OrderedDict()

    async def why(self, *, call: Call, request: Why) -> WhyAnswer:
        async with self._parts.database.transaction(call.account, read_only=True) as tx:
            subject, called = await self._subject(tx, call, request.user)
            listed = await teams.teams_of(tx, call.account, subject.id)
            subject = access.Subject(
                subject.id,
                call.account,
                frozenset(team.id for team in listed),
                subject.is_admin,
                subject.scopes,
            )
            rule_set = await self._rule_set(tx, call.account)
            names = await teams.names_in(tx, call.account)
        names[subject.id] = called
        return _answer(
            access.explain(subject, request.action, _resource(call.account, request), rule_set, names), names
        )

    async def _subject(self, tx: Transaction, call: Call, wanted: str) -> tuple[access.Subject, str]:
        """Oneself with the scopes of the key that asks; others, for admins, as they are with a session."""
        found = await self._find(tx, call.account, wanted)
        if found is not None and found[0].id == call.principal.id:
            scopes = call.principal.scopes
            own = None if scopes is None else frozenset(scopes)
            return access.Subject(found[0].id, call.account, is_admin=found[0].is_admin, scopes=own), found[1]
        if not call.principal.admin:
            raise Forbidden(
                "only an admin may ask about others", code="auth.admin", cure="ask about yourself"
            )
        if found is None:
            raise absent("user", wanted)
        return found

    async def _find(self, tx: Transaction, account: str, wanted: str) -> tuple[access.Subject, str] | None:
        user: User | None = None
        if is_id(wanted):
            user = await users.user_of_id(tx, account, wanted)
            if user is None:
                machine = await service_accounts.service_account_of_id(tx, account, wanted)
                if machine is not None:
                    return access.Subject(machine.id, account, is_admin=machine.role == "admin"), machine.name
        elif wanted.isprintable():
            user = await users.user_of_email(tx, account, checks.normal_email(wanted))
        if user is None:
            return None
        return access.Subject(user.id, account, is_admin=user.role == "admin"), user.name

    async def _rule_set(self, tx: Transaction, account: str) -> access.RuleSet:
        version = await rules.version_of(tx, account)
        known = self._compiled.get(account)
        if known is None or known.version != version:
            stored = await rules.rules_of_account(tx, account)
            known = access.RuleSet(account, [as_rule(account, rule) for rule in stored], version)
            self._compiled[account] = known
            if len(self._compiled) > _COMPILED:
                self._compiled.popitem(last=False)
        self._compiled.move_to_end(account)
        return known


def as_rule(account: str, rule: AccessRule) -> access.Rule:
    return access.Rule(
        id=rule.id,
        account=account,
        name=rule.name,
        entity=rule.entity,
        teams=tuple(team.id for team in rule.teams),
        actions=tuple(rule.actions),
        attributes=tuple(
            access.Condition(each.attribute, tuple(each.values), each.key) for each in rule.conditions
        ),
        tags=tuple(rule.tags),
        tag_logic=rule.tag_logic,
        related_resource=rule.related_resource,
        enabled=rule.enabled,
    )


def _resource(account: str, asked: Why) -> access.Resource:
    return access.Resource(
        entity=asked.entity,
        id=asked.resource,
        account=account,
        attributes={name: tuple(values) for name, values in asked.attributes.items()},
        labels=asked.labels,
        tags=tuple(asked.tags),
        related_tags={name: tuple(tags) for name, tags in asked.related_tags.items()},
    )


def _answer(found: access.Explanation, names: dict[str, str]) -> WhyAnswer:
    verdicts = [
        RuleVerdict(
            NamedRef(candidate.rule, candidate.name),
            candidate.granted,
            "; ".join(_failure(failure, names) for failure in candidate.failures) or "it grants this",
        )
        for candidate in found.candidates
    ]
    return WhyAnswer(found.decision.allowed, found.sentence, found.decision.reason, verdicts)


def _failure(failure: access.Failure, names: dict[str, str]) -> str:
    wanted = ", ".join(names.get(item, item) for item in failure.wanted)
    actual = ", ".join(names.get(item, item) for item in failure.actual) or "none"
    return f"{failure.what}: wanted {wanted or 'none'}, found {actual}"
