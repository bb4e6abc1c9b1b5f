"""Access rules: stored, versioned, explained."""

from __future__ import annotations

import asyncio

import pytest

from argosy.contracts import identity as c
from argosy.contracts.paging import ById
from argosy.kit.calls import service_call
from argosy.kit.errors import Conflict, Forbidden, Invalid, NotFound
from argosy.kit.operations import Nothing


@pytest.fixture
async def ops(world):
    """The boss, a user in the team ops, and the team."""
    boss = await world.boss()
    team = await world.api.create_team(call=boss, request=c.NewTeam("ops"))
    member = await world.add(boss, "member@example.org", teams=(team.id,))
    return boss, member, team


def sync_in_test(team, **more):
    conditions = [c.RuleCondition("NAMESPACE", ["test-*"]), c.RuleCondition("LABEL", ["web"], key="tier")]
    return c.NewAccessRule("sync tests", "applications", [team.id], ["SYNC"], conditions, **more)


async def test_a_rule_is_kept_as_it_was_written(world, ops):
    boss, _, team = ops
    made = await world.api.create_access_rule(call=boss, request=sync_in_test(team))
    assert made == await world.api.access_rule(call=boss, request=ById(made.id))
    assert made.conditions[1] == c.RuleCondition("LABEL", ["web"], key="tier")
    assert made.teams == [c.NamedRef(team.id, "ops")]

    changed = await world.api.change_access_rule(
        call=boss,
        request=c.AccessRuleChange(id=made.id, name="sync", actions=["SYNC", "REFRESH"], conditions=[]),
    )
    assert (changed.name, changed.actions, changed.conditions) == ("sync", ["SYNC", "REFRESH"], [])
    assert changed.teams == made.teams and changed.created == made.created

    page = await world.api.access_rules(call=boss, request=c.AccessRuleQuery(team=team.id))
    assert [rule.id for rule in page.items] == [made.id]
    await world.api.remove_access_rule(call=boss, request=ById(made.id))
    with pytest.raises(NotFound):
        await world.api.access_rule(call=boss, request=ById(made.id))


@pytest.mark.parametrize(
    "wrong, field",
    [
        ({"entity": "spaceships"}, "entity"),
        ({"actions": ["FLY"]}, "actions[0]"),
        ({"conditions": [c.RuleCondition("COLOUR", ["red"])]}, "attributes[0].attribute"),
        ({"conditions": [c.RuleCondition("LABEL", ["red"])]}, "attributes[0].key"),
        ({"tags": ["a"]}, "tags"),
        ({"teams": ["d" * 24]}, "teams[0]"),
        ({"related_resource": "project"}, "related_resource"),
    ],
)
async def test_a_rule_that_makes_no_sense_is_refused_by_field(world, ops, wrong, field):
    boss, _, team = ops
    good = {"name": "x", "entity": "applications", "teams": [team.id], "actions": ["SYNC"]}
    with pytest.raises(Invalid) as refused:
        await world.api.create_access_rule(call=boss, request=c.NewAccessRule(**{**good, **wrong}))
    assert refused.value.context["field"] == field


async def test_rule_names_are_unique(world, ops):
    boss, _, team = ops
    await world.api.create_access_rule(call=boss, request=sync_in_test(team))
    with pytest.raises(Conflict) as refused:
        await world.api.create_access_rule(call=boss, request=sync_in_test(team))
    assert refused.value.code == "rule.exists"


async def test_every_change_raises_the_version_also_when_many_change_at_once(world, ops):
    boss, _, team = ops

    async def version():
        return (
            await world.api.rules_for_account(call=service_call("gitops", boss.account), request=Nothing())
        ).version

    before = await version()
    await asyncio.gather(
        *(
            world.api.create_access_rule(
                call=boss, request=c.NewAccessRule(f"rule {number}", "applications", [team.id], ["SYNC"])
            )
            for number in range(5)
        )
    )
    assert await version() == before + 5


async def test_why_names_the_rule_or_what_it_failed_on(world, ops):
    boss, member, team = ops
    rule = await world.api.create_access_rule(call=boss, request=sync_in_test(team))

    async def why(namespace, call=boss, user="member@example.org"):
        return await world.api.why(
            call=call,
            request=c.Why(
                user=user,
                action="SYNC",
                entity="applications",
                resource="shop",
                attributes={"NAMESPACE": [namespace]},
                labels={"tier": "web"},
            ),
        )

    yes = await why("test-1")
    assert yes.allowed and yes.decided_by == "rule" and yes.rules[0].rule == c.NamedRef(rule.id, "sync tests")
    assert "sync tests" in yes.sentence
    no = await why("production", call=member, user=member.principal.id)
    assert not no.allowed and no.decided_by == "no_rule"
    verdict = next(each for each in no.rules if each.rule.id == rule.id)
    assert verdict.reason == "NAMESPACE: wanted test-*, found production"
    assert (await why("production", user="admin@argosy.local")).decided_by == "admin"


async def test_why_follows_a_change_at_once(world, ops):
    boss, _, team = ops
    rule = await world.api.create_access_rule(
        call=boss, request=c.NewAccessRule("x", "applications", [team.id], ["SYNC"])
    )
    ask = c.Why(user="member@example.org", action="SYNC", entity="applications")
    assert (await world.api.why(call=boss, request=ask)).allowed
    await world.api.change_access_rule(call=boss, request=c.AccessRuleChange(id=rule.id, enabled=False))
    assert not (await world.api.why(call=boss, request=ask)).allowed


async def test_only_admins_ask_about_others_and_learn_nothing_of_other_accounts(world, ops):
    boss, member, _ = ops
    owner = await world.account(boss, "second", "owner@example.org")

    def ask(user):
        return c.Why(user=user, action="VIEW", entity="applications")

    for user in ("admin@argosy.local", "nobody@example.org"):
        with pytest.raises(Forbidden):
            await world.api.why(call=member, request=ask(user))
    for user in ("owner@example.org", owner.principal.id, "nobody@example.org", "a" * 24):
        with pytest.raises(NotFound):
            await world.api.why(call=boss, request=ask(user))
    assert (await world.api.why(call=member, request=ask("member@example.org"))).allowed


async def test_a_key_that_asks_about_its_owner_is_told_of_its_scopes(world, ops):
    boss, _, _ = ops
    made = await world.api.create_api_key(call=boss, request=c.NewApiKey("k", scopes=["access-rules"]))
    call = world.call((await world.exchange(made.key, "key")).principal)
    request = c.Why(user="admin@argosy.local", action="VIEW", entity="applications")
    answer = await world.api.why(call=call, request=request)
    assert not answer.allowed and answer.decided_by == "scope"


async def test_the_vocabulary_says_what_rules_can_speak_of(world, ops):
    words = (await world.api.vocabulary(call=ops[0], request=Nothing())).entities
    by_name = {each.name: each for each in words}
    assert by_name["applications"].labelled and not by_name["applications"].tagged
    assert by_name["pipeline"].tagged and by_name["pipeline"].related == ["project"]
    assert by_name["promotion_flows"].title == "Promotion flows"
