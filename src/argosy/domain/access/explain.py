"""Why: the decision again, with each candidate rule and the conditions it failed on, and one paragraph for people.

Behind `argosy access why` and the tester on the access-rules page. It asks `decide` for the answer and evaluates the
same requirements, so it cannot tell another story. Of a resource in another account it says only that there is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from argosy.domain.access.engine import Rejected, RuleSet, decide
from argosy.domain.access.model import Candidate, Decision, Failure, Resource, Rule, Subject
from argosy.domain.access.predicate import matches, tags_of
from argosy.domain.access.rules import Requirement, requirements
from argosy.domain.access.sentence import sentence_for
from argosy.domain.access.vocabulary import LABEL, entity_named, granted_by


class Explanation(msgspec.Struct, frozen=True):
    decision: Decision
    subject: str
    action: str
    entity: str
    resource: str
    candidates: tuple[Candidate, ...]
    """Closest first. Empty when rules were not what decided."""
    sentence: str


def explain(
    subject: Subject, action: str, resource: Resource, rules: RuleSet, names: Mapping[str, str] | None = None
) -> Explanation:
    """`names` gives ids (of the subject, teams, the resource) the names people know them by."""
    decision = decide(subject, action, resource, rules)
    candidates: tuple[Candidate, ...] = ()
    if decision.reason in ("rule", "no_rule"):
        found = _candidates(subject, action, resource, rules)
        candidates = tuple(sorted(found, key=lambda candidate: _distance(candidate, decision)))
    known = names or {}
    return Explanation(
        decision=decision,
        subject=subject.id,
        action=action,
        entity=resource.entity,
        resource=resource.id,
        candidates=candidates,
        sentence=sentence_for(subject, action, resource, decision, candidates, known),
    )


def _distance(candidate: Candidate, decision: Decision) -> tuple[bool, int]:
    return candidate.rule != decision.rule, len(candidate.failures)


def _candidates(subject: Subject, action: str, resource: Resource, rules: RuleSet) -> Iterator[Candidate]:
    for rule in rules.rules:
        if rule.entity == resource.entity:
            failures = tuple(_failures(rule, subject, action, resource))
            yield Candidate(rule.id, rule.name, not failures, failures)
    for rejected in rules.rejected:
        if rejected.rule.entity == resource.entity:
            yield _unintelligible(rejected)


def _unintelligible(rejected: Rejected) -> Candidate:
    failure = Failure("valid", wanted=(), actual=(rejected.message,))
    return Candidate(rejected.rule.id, rejected.rule.name, False, (failure,))


def _failures(rule: Rule, subject: Subject, action: str, resource: Resource) -> Iterator[Failure]:
    if not rule.enabled:
        yield Failure("enabled", wanted=("true",), actual=("false",))
    if subject.teams.isdisjoint(rule.teams):
        yield Failure("team", wanted=rule.teams, actual=tuple(sorted(subject.teams)))
    entity = entity_named(rule.entity)
    if not any(action in granted_by(entity, granted) for granted in rule.actions):
        yield Failure("action", wanted=(action,), actual=rule.actions)
    for requirement in requirements(rule):
        if not matches(requirement.predicate, resource):
            yield Failure(_what(requirement), requirement.wanted, _actual(requirement, resource))


def _what(requirement: Requirement) -> str:
    if requirement.field == LABEL:
        return f"{LABEL} {requirement.key}"
    return f"{requirement.of} {requirement.field}".strip()


def _actual(requirement: Requirement, resource: Resource) -> tuple[str, ...]:
    if requirement.field == "tags":
        return tags_of(resource, requirement.of)
    if requirement.field == LABEL:
        value = resource.labels.get(requirement.key)
        return () if value is None else (value,)
    return resource.attributes.get(requirement.field, ())
