"""The shape of filters: as small as the rules allow, and never without the account."""

from __future__ import annotations

from hypothesis import strategies as st

from argosy.domain import access
from argosy.domain.access import AccountIs, Condition, Resource, Rule, Subject
from argosy.domain.access.necessity import FEWEST_ALTERNATIVES, with_shared_need
from tests.unit.domain.access.worlds import ACCOUNT, for_every, resources, rule_set

ANA = Subject("ana", ACCOUNT, teams=frozenset({"dev", "ops"}))
OURS = AccountIs(ACCOUNT)


def rule(number: int, *conditions: Condition, team: str = "dev") -> Rule:
    return Rule(f"r{number}", ACCOUNT, f"r{number}", "applications", (team,), ("VIEW",), conditions)


def rows(*rules: Rule, subject: Subject = ANA) -> access.Predicate:
    return access.filter(subject, "applications", "VIEW", rule_set(*rules))


def namespace(*values: str) -> Condition:
    return Condition("NAMESPACE", values)


def test_an_administrator_sees_the_account():
    assert rows(subject=Subject("root", ACCOUNT, is_admin=True)) == OURS


def test_nobody_else_sees_anything_without_a_rule():
    assert rows() == access.Nothing()


def test_a_key_without_the_scope_sees_nothing():
    key = Subject("root", ACCOUNT, is_admin=True, scopes=frozenset({"applications:SYNC"}))

    assert rows(subject=key) == access.Nothing()


def test_a_rule_without_conditions_swallows_all_others():
    assert rows(rule(1, namespace("a")), rule(2), rule(3, namespace("b*"))) == OURS


def test_values_of_several_rules_and_teams_become_one_lookup():
    found = rows(rule(1, namespace("a", "b")), rule(2, namespace("b", "c"), team="ops"))

    assert found == access.And((OURS, access.OneOf("NAMESPACE", ("a", "b", "c"))))


def test_a_narrower_rule_beside_a_wider_one_disappears():
    narrower = rule(2, namespace("a"), Condition("LABEL", ("x",), "team"))

    assert rows(rule(1, namespace("a", "b")), narrower) == access.And(
        (OURS, access.OneOf("NAMESPACE", ("a", "b")))
    )


def test_a_rule_that_reaches_further_in_one_respect_stays():
    further = rule(2, namespace("c"), Condition("LABEL", ("x",), "team"))

    found = rows(rule(1, namespace("a", "b")), further)

    both = access.And((access.OneOf("NAMESPACE", ("c",)), access.LabelIs("team", ("x",))))
    assert found == access.And((OURS, access.Or((access.OneOf("NAMESPACE", ("a", "b")), both))))


def test_literals_and_wildcards_of_one_condition_are_alternatives():
    assert rows(rule(1, namespace("a", "b**"))) == access.And(
        (OURS, access.Or((access.OneOf("NAMESPACE", ("a",)), access.Glob("NAMESPACE", ("b*",)))))
    )


def test_many_alternatives_are_preceded_by_what_they_all_need():
    many = [rule(n, namespace(f"ns-{n}"), Condition("LABEL", ("a", "b"), "team")) for n in range(10)]

    found = rows(*many)

    assert isinstance(found, access.And)
    assert found.parts[:2] == (OURS, access.OneOf("NAMESPACE", tuple(f"ns-{n}" for n in range(10))))


def test_a_need_that_does_not_tell_the_alternatives_apart_is_not_put_first():
    many = [rule(n, namespace(f"ns-{n}*"), Condition("LABEL", ("a",), "team")) for n in range(10)]

    found = rows(*many)

    assert isinstance(found, access.And)
    assert [type(part) for part in found.parts] == [AccountIs, access.Or]


few = st.lists(st.sampled_from(("prod", "prod-eu", "a_b", "$1")), min_size=1, max_size=2, unique=True).map(
    tuple
)
leaves = st.one_of(
    st.builds(access.OneOf, st.sampled_from(("NAMESPACE", "CLUSTER")), few),
    st.builds(access.Glob, st.just("NAMESPACE"), st.just(("p*",))),
    st.builds(access.LabelIs, st.just("team"), few),
)
alternatives = st.lists(
    st.lists(leaves, min_size=1, max_size=3).map(lambda parts: access.And(tuple(parts))),
    min_size=FEWEST_ALTERNATIVES,
    max_size=FEWEST_ALTERNATIVES + 2,
)


@for_every(alternatives, st.none() | few, resources("applications"))
def test_the_shared_need_changes_no_answer(
    parts: list[access.And], everywhere: tuple[str, ...] | None, resource: Resource
):
    if everywhere is not None:  # so that there is a shared need often enough
        parts = [
            access.And((access.OneOf("NAMESPACE", (*everywhere, f"ns-{number}")), *part.parts))
            for number, part in enumerate(parts)
        ]
    whole = access.Or(tuple(parts))

    if everywhere is not None:
        assert with_shared_need(whole) != whole
    assert access.matches(with_shared_need(whole), resource) is access.matches(whole, resource)
