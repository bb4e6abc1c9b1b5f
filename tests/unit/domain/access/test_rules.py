"""Which rules are refused, and that the refusal names the field and what would be right."""

from __future__ import annotations

import msgspec
import pytest

from argosy.domain.access import ENTITIES, Condition, Rule, check_rule
from argosy.kit.errors import Invalid
from tests.unit.domain.access.worlds import ACCOUNT

SYNC_PROD = Rule(
    "r1",
    ACCOUNT,
    "Developers sync",
    "applications",
    ("dev",),
    ("SYNC",),
    (Condition("NAMESPACE", ("prod-*",)),),
)
RUN_RED = Rule("r2", ACCOUNT, "Run red", "pipeline", ("dev",), ("run",), tags=("red",))


def changed(rule: Rule, **fields: object) -> Rule:
    return msgspec.structs.replace(rule, **fields)


def only(**fields: object) -> Rule:
    """The rule with one condition, changed."""
    condition = msgspec.structs.replace(SYNC_PROD.attributes[0], **fields)
    return changed(SYNC_PROD, attributes=(condition,))


@pytest.mark.parametrize("rule", [SYNC_PROD, RUN_RED, changed(RUN_RED, related_resource="project")])
def test_a_sensible_rule_is_accepted(rule: Rule):
    check_rule(rule)


@pytest.mark.parametrize(
    ("rule", "field", "cure"),
    [
        (changed(SYNC_PROD, entity="apps"), "entity", "applications"),
        (changed(SYNC_PROD, name=""), "name", "printable"),
        (changed(SYNC_PROD, name="x" * 257), "name", "256"),
        (changed(SYNC_PROD, teams=()), "teams", "at least one"),
        (changed(SYNC_PROD, teams=("dev", "")), "teams[1]", "printable"),
        (changed(SYNC_PROD, actions=()), "actions", "at least one"),
        (changed(SYNC_PROD, actions=("SYNC", "run")), "actions[1]", "SYNC, TERMINATE_SYNC"),
        (changed(SYNC_PROD, tags=("red",)), "tags", "attributes"),
        (changed(SYNC_PROD, related_resource="project"), "related_resource", "Leave it out"),
        (only(attribute="SPACE"), "attributes[0].attribute", "NAMESPACE"),
        (only(values=()), "attributes[0].values", "at least one"),
        (only(values=("x",) * 201), "attributes[0].values", "200"),
        (only(values=("prod", "a\x00b")), "attributes[0].values[1]", "printable"),
        (only(values=("\ud800",)), "attributes[0].values[0]", "printable"),
        (only(values=("a*" * 9,)), "attributes[0].values[0]", "8 `*`"),
        (only(key="team"), "attributes[0].key", "LABEL"),
        (only(attribute="LABEL"), "attributes[0].key", "printable"),
        (changed(RUN_RED, attributes=SYNC_PROD.attributes), "attributes[0].attribute", "by tags"),
        (changed(RUN_RED, tags=()), "tags", "untagged"),
        (changed(RUN_RED, tag_logic="some"), "tag_logic", "any, all"),
        (changed(RUN_RED, related_resource="cluster"), "related_resource", "project"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused_by_field(rule: Rule, field: str, cure: str):
    with pytest.raises(Invalid) as refusal:
        check_rule(rule)

    assert refusal.value.context == {"field": field}
    assert cure in refusal.value.cure
    assert f"{refusal.value.message}\n{refusal.value.cure}".count("\n") <= 2


@pytest.mark.parametrize("name", ENTITIES)
def test_every_entity_can_be_granted_in_whole(name: str):
    entity = ENTITIES[name]
    check_rule(
        Rule("r", ACCOUNT, "all", name, ("dev",), entity.actions, tags=("*",) if entity.tagged else ())
    )


def test_a_rule_reads_the_same_after_a_trip_through_json():
    for rule in (SYNC_PROD, RUN_RED):
        assert msgspec.json.decode(msgspec.json.encode(rule), type=Rule) == rule
