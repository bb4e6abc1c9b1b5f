"""Deciding, told in cases a person would ask about."""

from __future__ import annotations

import msgspec
import pytest

from argosy.domain import access
from argosy.domain.access import Condition, Decision, Resource, Rule, RuleSet, Subject
from argosy.kit.errors import Internal, Invalid
from tests.unit.domain.access.worlds import ACCOUNT, rule_set

ANA = Subject("ana", ACCOUNT, teams=frozenset({"dev"}))
ADMIN = Subject("root", ACCOUNT, is_admin=True)
GUESTBOOK = Resource(
    "applications",
    "guestbook",
    ACCOUNT,
    attributes={"NAMESPACE": ("prod-eu",), "GIT_SOURCE": ("shop", "shared")},
    labels={"team": "payments"},
)


def may(rule: Rule, action: str, resource: Resource, subject: Subject = ANA) -> bool:
    return access.decide(subject, action, resource, rule_set(rule)).allowed


def applications(*conditions: Condition, actions: tuple[str, ...] = ("VIEW",)) -> Rule:
    return Rule("r1", ACCOUNT, "rule", "applications", ("dev",), actions, conditions)


def pipelines(*tags: str, logic: access.TagLogic = "any", related: str = "") -> Rule:
    return Rule(
        "r1",
        ACCOUNT,
        "rule",
        "pipeline",
        ("dev",),
        ("run",),
        tags=tags,
        tag_logic=logic,
        related_resource=related,
    )


def pipeline(*tags: str, project: tuple[str, ...] | None = None) -> Resource:
    related = {} if project is None else {"project": project}
    return Resource("pipeline", "build", ACCOUNT, tags=tags, related_tags=related)


def test_without_a_rule_everything_is_denied():
    assert access.decide(ANA, "VIEW", GUESTBOOK, rule_set()) == Decision(False, "no_rule")


def test_the_decision_names_the_rule_that_grants():
    assert access.decide(ANA, "VIEW", GUESTBOOK, rule_set(applications())) == Decision(True, "rule", "r1")


def test_conditions_of_a_rule_must_all_hold():
    namespace, label = Condition("NAMESPACE", ("prod-*",)), Condition("LABEL", ("payments",), "team")

    assert may(applications(namespace, label), "VIEW", GUESTBOOK)
    assert not may(applications(namespace, Condition("LABEL", ("orders",), "team")), "VIEW", GUESTBOOK)


def test_any_of_the_values_and_any_of_the_resources_values_will_do():
    assert may(applications(Condition("GIT_SOURCE", ("absent", "shared"))), "VIEW", GUESTBOOK)


def test_a_missing_attribute_or_label_matches_nothing_not_even_a_star():
    assert not may(applications(Condition("CLUSTER", ("*",))), "VIEW", GUESTBOOK)
    assert not may(applications(Condition("LABEL", ("*",), "absent")), "VIEW", GUESTBOOK)


def test_whoever_may_sync_may_refresh_and_not_the_other_way_round():
    assert may(applications(actions=("SYNC",)), "REFRESH", GUESTBOOK)
    assert not may(applications(actions=("REFRESH",)), "SYNC", GUESTBOOK)
    assert not may(applications(actions=("SYNC",)), "VIEW", GUESTBOOK)


def test_a_rule_that_is_switched_off_grants_nothing():
    assert not may(msgspec.structs.replace(applications(), enabled=False), "VIEW", GUESTBOOK)


def test_a_rule_for_another_team_grants_nothing():
    assert not may(msgspec.structs.replace(applications(), teams=("ops",)), "VIEW", GUESTBOOK)


def test_a_subject_in_no_team_gets_nothing_from_rules():
    assert not may(applications(), "VIEW", GUESTBOOK, Subject("lone", ACCOUNT))


@pytest.mark.parametrize(
    ("rule", "resource", "allowed"),
    [
        (pipelines("red"), pipeline("red", "blue"), True),
        (pipelines("red", "green"), pipeline("green"), True),
        (pipelines("red"), pipeline("blue"), False),
        (pipelines("red"), pipeline(), False),
        (pipelines("r*"), pipeline("red"), False),
        (pipelines("*"), pipeline(), True),
        (pipelines("*"), pipeline("red"), True),
        (pipelines("untagged"), pipeline(), True),
        (pipelines("untagged"), pipeline("red"), False),
        (pipelines("untagged"), pipeline("untagged"), False),
        (pipelines("untagged", "red"), pipeline("red"), True),
        (pipelines("red", "blue", logic="all"), pipeline("red"), False),
        (pipelines("red", "blue", logic="all"), pipeline("blue", "green", "red"), True),
        (pipelines("*", "red", logic="all"), pipeline("blue"), False),
        (pipelines("*", logic="all"), pipeline(), True),
        (pipelines("untagged", logic="all"), pipeline(), True),
        (pipelines("untagged", "red", logic="all"), pipeline("red"), False),
        (pipelines("untagged", "red", logic="all"), pipeline(), False),
        (pipelines("red", related="project"), pipeline(project=("red",)), True),
        (pipelines("red", related="project"), pipeline("red", project=()), False),
        (pipelines("untagged", related="project"), pipeline("red"), True),
    ],
)
def test_tags_narrow_what_a_rule_is_about(rule: Rule, resource: Resource, allowed: bool):
    assert may(rule, "run", resource) is allowed


def test_an_administrator_needs_no_rule_but_stays_in_the_account():
    theirs = msgspec.structs.replace(GUESTBOOK, account="globex")

    assert access.decide(ADMIN, "EXEC_TO_POD", GUESTBOOK, rule_set()) == Decision(True, "admin")
    assert access.decide(ADMIN, "EXEC_TO_POD", theirs, rule_set()) == Decision(False, "other_account")


@pytest.mark.parametrize(
    ("scopes", "action", "allowed"),
    [
        ({"applications"}, "VIEW", True),
        ({"applications:VIEW"}, "VIEW", True),
        ({"applications:VIEW"}, "SYNC", False),
        ({"applications:SYNC"}, "REFRESH", True),
        ({"environments", "build"}, "VIEW", False),
        (set(), "VIEW", False),
    ],
)
def test_a_key_does_what_its_scopes_name_even_an_administrators(scopes: set[str], action: str, allowed: bool):
    key = msgspec.structs.replace(ADMIN, scopes=frozenset(scopes))

    assert access.decide(key, action, GUESTBOOK, rule_set()).allowed is allowed


def test_a_scope_alone_grants_nothing():
    key = msgspec.structs.replace(ANA, scopes=frozenset({"applications"}))

    assert access.decide(key, "VIEW", GUESTBOOK, rule_set()) == Decision(False, "no_rule")


def test_a_word_outside_the_vocabulary_is_an_error_and_not_a_denial():
    with pytest.raises(Invalid) as unknown_action:
        access.decide(ANA, "FLY", GUESTBOOK, rule_set())
    with pytest.raises(Invalid) as unknown_entity:
        access.filter(ANA, "rockets", "VIEW", rule_set())

    assert unknown_action.value.context == {"field": "action"}
    assert unknown_entity.value.context == {"field": "entity"}


def test_a_stored_rule_that_is_not_understood_grants_nothing_and_spares_the_others():
    broken = msgspec.structs.replace(applications(actions=("FLY",)), id="broken")
    twin = msgspec.structs.replace(applications(), name="same id")

    compiled = RuleSet(ACCOUNT, [broken, applications(), twin])

    assert access.decide(ANA, "VIEW", GUESTBOOK, compiled).rule == "r1"
    assert [(each.rule.name, each.message) for each in compiled.rejected] == [
        ("rule", "'FLY' is not an action of applications"),
        ("same id", "the id 'r1' is already that of another rule"),
    ]


def test_a_rule_set_takes_no_rule_of_another_account():
    with pytest.raises(Internal):
        RuleSet("globex", [applications()])
