"""What must hold for every rule, subject and resource there can be."""

from __future__ import annotations

import msgspec
from hypothesis import strategies as st

from argosy.domain import access
from argosy.domain.access import Predicate, Resource, Rule, RuleSet, Subject
from tests.unit.domain.access.worlds import (
    ACCOUNT,
    OTHER_ACCOUNT,
    TEAMS,
    for_every,
    questions,
    resources,
    rule_set,
    rules,
)

Question = tuple[Subject, str, Resource, list[Rule]]


@for_every(questions())
def test_a_row_passes_the_filter_exactly_when_the_decision_allows_it(question: Question):
    subject, action, resource, given_rules = question
    compiled = rule_set(*given_rules)

    decision = access.decide(subject, action, resource, compiled)
    rows = access.filter(subject, resource.entity, action, compiled)

    assert access.matches(rows, resource) is decision.allowed


@for_every(questions())
def test_the_explanation_agrees_with_the_decision(question: Question):
    subject, action, resource, given_rules = question
    compiled = rule_set(*given_rules)

    decision = access.decide(subject, action, resource, compiled)
    why = access.explain(subject, action, resource, compiled)

    assert why.decision == decision
    assert (" may not " in why.sentence) is not decision.allowed
    if decision.reason in ("rule", "no_rule"):
        assert any(candidate.granted for candidate in why.candidates) is decision.allowed
        assert {candidate.rule for candidate in why.candidates} == {rule.id for rule in given_rules}
    if decision.rule:
        assert why.candidates[0].rule == decision.rule
        assert why.candidates[0].granted


@for_every(questions(), st.data())
def test_adding_a_rule_never_takes_access_away(question: Question, data: st.DataObject):
    subject, action, resource, given_rules = question
    another = data.draw(rules(resource.entity, "new"))
    place = data.draw(st.integers(0, len(given_rules)))

    more = [*given_rules[:place], another, *given_rules[place:]]

    before = access.decide(subject, action, resource, rule_set(*given_rules)).allowed
    assert not before or access.decide(subject, action, resource, rule_set(*more)).allowed


@for_every(questions(), st.data())
def test_leaving_a_team_never_adds_access(question: Question, data: st.DataObject):
    subject, action, resource, given_rules = question
    compiled = rule_set(*given_rules)
    left = data.draw(st.sampled_from(TEAMS))

    poorer = msgspec.structs.replace(subject, teams=subject.teams - {left})

    allowed_now = access.decide(poorer, action, resource, compiled).allowed
    assert not allowed_now or access.decide(subject, action, resource, compiled).allowed


@for_every(questions())
def test_nobody_reaches_into_another_account(question: Question):
    subject, action, resource, given_rules = question
    theirs = msgspec.structs.replace(resource, account="initech")

    assert access.decide(subject, action, theirs, rule_set(*given_rules)).reason == "other_account"


@for_every(questions())
def test_the_rules_of_another_account_decide_nothing(question: Question):
    subject, action, resource, given_rules = question
    foreign = [msgspec.structs.replace(rule, account="initech") for rule in given_rules]

    compiled = RuleSet("initech", foreign)

    assert not access.decide(subject, action, resource, compiled).allowed
    assert access.filter(subject, resource.entity, action, compiled) == access.Nothing()


@for_every(questions())
def test_an_explanation_is_silent_about_other_accounts(question: Question):
    subject, action, resource, given_rules = question
    theirs = msgspec.structs.replace(
        resource, account=OTHER_ACCOUNT, labels={"team": "their-secret"}, tags=("their-secret",)
    )
    ours = msgspec.structs.replace(subject, account=ACCOUNT)

    why = access.explain(ours, action, theirs, rule_set(*given_rules))
    absent = access.explain(
        ours, action, Resource(theirs.entity, theirs.id, OTHER_ACCOUNT), rule_set(*given_rules)
    )

    assert why == absent
    assert why.candidates == ()
    assert OTHER_ACCOUNT not in why.sentence


@for_every(questions())
def test_every_filter_is_empty_or_bound_to_the_account(question: Question):
    subject, action, resource, given_rules = question

    rows = access.filter(subject, resource.entity, action, rule_set(*given_rules))

    own = access.AccountIs(subject.account)
    assert rows in (access.Nothing(), own) or (isinstance(rows, access.And) and rows.parts[0] == own)


@for_every(questions())
def test_a_key_with_fewer_scopes_never_allows_more(question: Question):
    subject, action, resource, given_rules = question
    compiled = rule_set(*given_rules)
    unrestricted = msgspec.structs.replace(subject, scopes=None)

    allowed = access.decide(subject, action, resource, compiled).allowed

    assert not allowed or access.decide(unrestricted, action, resource, compiled).allowed


texts = st.sampled_from(("prod", "prod-eu", "a_b", "axb", "", "red", "green"))
values = st.lists(texts, max_size=3).map(tuple)
fields = st.sampled_from(("CLUSTER", "NAMESPACE"))
keys = st.sampled_from(("team", "a.b/c"))
of = st.sampled_from(("", "project"))
leaves = st.one_of(
    st.just(access.All()),
    st.just(access.Nothing()),
    st.builds(access.AccountIs, st.sampled_from((ACCOUNT, OTHER_ACCOUNT))),
    st.builds(access.OneOf, fields, values),
    st.builds(
        access.Glob, fields, st.lists(st.sampled_from(("*", "p*", "**d", "a_*")), max_size=2).map(tuple)
    ),
    st.builds(access.LabelIs, keys, values),
    st.builds(access.LabelGlob, keys, st.lists(st.sampled_from(("*", "p**")), max_size=2).map(tuple)),
    st.builds(access.TagsAny, values, of),
    st.builds(access.TagsAll, values, of),
    st.builds(access.Untagged, of),
)


def branches(children: st.SearchStrategy[Predicate]) -> st.SearchStrategy[Predicate]:
    parts = st.lists(children, max_size=4).map(tuple)
    return st.builds(access.And, parts) | st.builds(access.Or, parts)


predicates = st.recursive(leaves, branches, max_leaves=12)


@for_every(predicates, resources("applications"))
def test_simplifying_changes_no_answer(predicate: Predicate, resource: Resource):
    simple = access.simplify(predicate)

    assert access.matches(simple, resource) is access.matches(predicate, resource)
    assert access.simplify(simple) == simple


@for_every(predicates)
def test_a_predicate_survives_the_way_to_another_process(predicate: Predicate):
    assert msgspec.json.decode(msgspec.json.encode(predicate), type=Predicate) == predicate
