"""Deciding: `RuleSet` compiles an account's rules once, `decide` asks it in microseconds, `filter` turns it into rows.

A RuleSet is built per version of an account's rules and cached by whoever holds them. It is indexed by entity, action
and team, and inside by the literal values that rules ask for, so a decision looks only at rules that could grant it.
The order of checks matters: the account first (absent and forbidden look the same), then the key's scopes, and only
then the administrator's bypass. `explain` tells the same story in words, `sql` runs the filter in PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from argosy.domain.access.model import Decision, Resource, Rule, Subject
from argosy.domain.access.necessity import with_shared_need
from argosy.domain.access.pivots import Index, build_index
from argosy.domain.access.predicate import AccountIs, All, Nothing, Predicate
from argosy.domain.access.rules import check_rule, requirements
from argosy.domain.access.simplify import conjunction, disjunction
from argosy.domain.access.vocabulary import entity_named, granted_by, refuse, scopes_allowing
from argosy.kit.errors import Internal, Invalid

OTHER_ACCOUNT = Decision(False, "other_account")
OUT_OF_SCOPE = Decision(False, "scope")
NO_RULE = Decision(False, "no_rule")
ADMIN = Decision(True, "admin")


class Rejected(msgspec.Struct, frozen=True):
    """A stored rule this version cannot understand. It grants nothing; the others keep working."""

    rule: Rule
    message: str


class RuleSet:
    """One account's enabled rules, compiled. Immutable; build another when the rules change."""

    __slots__ = ("_indexes", "_predicates", "account", "rejected", "rules", "version")

    def __init__(self, account: str, rules: Iterable[Rule], version: int = 0) -> None:
        self.account = account
        self.version = version
        accepted: list[Rule] = []
        accepted_ids: set[str] = set()
        rejected: list[Rejected] = []
        for rule in rules:
            if rule.account != account:
                raise Internal(
                    "a rule of another account was handed to a rule set", code="access_rule_foreign"
                )
            try:
                check_rule(rule)
                _check_new(rule, accepted_ids)
            except Invalid as error:
                rejected.append(Rejected(rule, error.message))
            else:
                accepted.append(rule)
                accepted_ids.add(rule.id)
        self.rules = tuple(accepted)
        self.rejected = tuple(rejected)
        self._predicates = {rule.id: _meaning(rule) for rule in accepted if rule.enabled}
        self._indexes = self._build_indexes()

    def _build_indexes(self) -> Mapping[tuple[str, str, str], Index]:
        buckets: dict[tuple[str, str, str], dict[str, Predicate]] = {}
        for rule in self.rules:
            if rule.enabled:
                for key in _keys(rule):
                    buckets.setdefault(key, {})[rule.id] = self._predicates[rule.id]
        return {key: build_index(bucket) for key, bucket in buckets.items()}

    def granting_rule(self, teams: Iterable[str], action: str, resource: Resource) -> str | None:
        indexes = self._indexes
        for team in sorted(teams):  # the same rule is named each time, whatever the order of a set
            index = indexes.get((resource.entity, action, team))
            if index is not None:
                granted = index.granting(resource)
                if granted is not None:
                    return granted
        return None

    def meanings(self, teams: Iterable[str], entity: str, action: str) -> Sequence[Predicate]:
        """What the rules for these teams and this action ask for, each rule once, in a stable order."""
        found = (self._indexes.get((entity, action, team)) for team in teams)
        ids = {rule for index in found if index is not None for rule in index.rules}
        return [self._predicates[rule.id] for rule in self.rules if rule.id in ids]


def _check_new(rule: Rule, known: set[str]) -> None:
    if rule.id in known:
        raise refuse(
            "id", f"the id {rule.id!r} is already that of another rule", "Give each rule its own id."
        )


def _meaning(rule: Rule) -> Predicate:
    return conjunction(requirement.predicate for requirement in requirements(rule))


def _keys(rule: Rule) -> Iterator[tuple[str, str, str]]:
    entity = entity_named(rule.entity)
    for team in rule.teams:
        for action in rule.actions:
            for granted in granted_by(entity, action):
                yield rule.entity, granted, team


def decide(subject: Subject, action: str, resource: Resource, rules: RuleSet) -> Decision:
    """May the subject do this to the resource? Raises Invalid when entity or action do not exist."""
    allowing = scopes_allowing(resource.entity, action)
    if not subject.account == resource.account == rules.account:
        return OTHER_ACCOUNT
    if subject.scopes is not None and allowing.isdisjoint(subject.scopes):
        return OUT_OF_SCOPE
    if subject.is_admin:
        return ADMIN
    granted = rules.granting_rule(subject.teams, action, resource)
    return NO_RULE if granted is None else Decision(True, "rule", granted)


def filter(subject: Subject, entity: str, action: str, rules: RuleSet) -> Predicate:
    """The rows of this entity on which `decide` would say yes. Never without the account."""
    allowing = scopes_allowing(entity, action)
    if subject.account != rules.account:
        return Nothing()
    if subject.scopes is not None and allowing.isdisjoint(subject.scopes):
        return Nothing()
    granted = All() if subject.is_admin else disjunction(rules.meanings(subject.teams, entity, action))
    return conjunction((AccountIs(subject.account), with_shared_need(granted)))
