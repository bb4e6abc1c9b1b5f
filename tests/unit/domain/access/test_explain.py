"""The words somebody reads who asks why."""

from __future__ import annotations

import msgspec

from argosy.domain import access
from argosy.domain.access import Condition, Failure, Resource, Rule, RuleSet, Subject
from tests.unit.domain.access.worlds import ACCOUNT, rule_set

ANA = Subject("u1", ACCOUNT, teams=frozenset({"t1"}))
GUESTBOOK = Resource("applications", "a1", ACCOUNT, {"NAMESPACE": ("staging",)}, {"team": "orders"})
NAMES = {"u1": "ana@acme.test", "t1": "Developers", "t2": "Operators", "a1": "guestbook"}
PROD = Rule(
    "r1", ACCOUNT, "Prod", "applications", ("t1",), ("SYNC",), (Condition("NAMESPACE", ("prod-*", "live")),)
)
OPS = Rule(
    "r2", ACCOUNT, "Ops", "applications", ("t2",), ("VIEW",), (Condition("LABEL", ("payments",), "team"),)
)


def sentence(subject: Subject, action: str, resource: Resource, *rules: Rule) -> str:
    return access.explain(subject, action, resource, rule_set(*rules), NAMES).sentence


def test_a_grant_names_the_rule():
    anywhere = msgspec.structs.replace(PROD, attributes=(), name="Sync anything")

    assert sentence(ANA, "REFRESH", GUESTBOOK, anywhere) == (
        "ana@acme.test may REFRESH applications guestbook: the rule 'Sync anything' grants it."
    )


def test_a_denial_tells_what_the_closest_rule_wanted_and_what_there_was():
    why = access.explain(ANA, "SYNC", GUESTBOOK, rule_set(OPS, PROD), NAMES)

    assert why.sentence == (
        "ana@acme.test may not SYNC applications guestbook: none of the 2 rules about applications grants it. "
        "Closest is 'Prod': it wants NAMESPACE to be prod-*, live, and the resource has staging."
    )
    assert [candidate.rule for candidate in why.candidates] == ["r1", "r2"]
    assert why.candidates[0].failures == (Failure("NAMESPACE", ("prod-*", "live"), ("staging",)),)
    assert why.candidates[1].failures == (
        Failure("team", ("t2",), ("t1",)),
        Failure("action", ("SYNC",), ("VIEW",)),
        Failure("LABEL team", ("payments",), ("orders",)),
    )


def test_every_kind_of_failure_has_words():
    off = msgspec.structs.replace(OPS, enabled=False)
    said = sentence(ANA, "SYNC", GUESTBOOK, off)

    assert said == (
        "ana@acme.test may not SYNC applications guestbook: the only rule about applications does not grant it. "
        "It is 'Ops': it is switched off; it is for Operators, and the subject is in Developers; "
        "it grants only VIEW; it wants LABEL team to be payments, and the resource has orders."
    )


def test_tags_of_the_project_are_called_so():
    rule = Rule("r", ACCOUNT, "Red", "pipeline", ("t1",), ("run",), tags=("red",), related_resource="project")

    why = access.explain(ANA, "run", Resource("pipeline", "p", ACCOUNT, tags=("red",)), rule_set(rule))

    assert why.candidates[0].failures == (Failure("project tags", ("red",), ()),)
    assert "it wants project tags to be red, and the resource has none" in why.sentence


def test_no_rule_at_all_is_said_plainly():
    assert "no rule speaks about applications" in sentence(ANA, "VIEW", GUESTBOOK)


def test_an_administrator_is_called_one():
    root = Subject("u1", ACCOUNT, is_admin=True)

    assert sentence(root, "VIEW", GUESTBOOK).endswith("ana@acme.test is an administrator of the account.")


def test_a_key_without_the_scope_is_told_which_one_it_needs():
    key = msgspec.structs.replace(ANA, scopes=frozenset({"audit", "applications:VIEW"}))

    assert sentence(key, "SYNC", GUESTBOOK, PROD).endswith(
        "the API key needs the scope applications:SYNC; its scopes are: applications:VIEW, audit."
    )


def test_a_resource_of_another_account_does_not_exist():
    theirs = msgspec.structs.replace(GUESTBOOK, account="globex")

    assert sentence(ANA, "VIEW", theirs, PROD).endswith("there is no such resource in this account.")


def test_a_rule_that_is_not_understood_is_among_the_candidates():
    broken = msgspec.structs.replace(PROD, actions=("FLY",))

    why = access.explain(ANA, "SYNC", GUESTBOOK, RuleSet(ACCOUNT, [broken]), NAMES)

    assert "it is ignored because 'FLY' is not an action of applications" in why.sentence
