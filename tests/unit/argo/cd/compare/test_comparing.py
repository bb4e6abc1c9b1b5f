"""Whether a cluster has what Git says: against the server itself, whose dry run is the truth."""

from __future__ import annotations

import copy

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from argosy.argo.cd.compare import containment
from argosy.argo.cd.compare.comparing import Comparer, Verdict
from argosy.argo.cd.compare.rules import Overlooked, Rule, cleaned
from argosy.argo.cd.resources import Pair, key_of
from argosy.kube.client import Client
from argosy.kube.objects import Object
from argosy.kube.types import Kind
from tests.unit.argo.cd.objects import made

CONFIG, DEPLOYMENT = Kind("", "v1", "ConfigMap"), Kind("apps", "v1", "Deployment")
MANAGER = "argocd-controller"


async def no_jq(obj: Object, expressions: tuple[str, ...]) -> Object:
    raise AssertionError(expressions)


def deployment(namespace: str) -> Object:
    container = {
        "name": "web",
        "image": "nginx:1",
        "ports": [{"containerPort": 80}, {"containerPort": 80, "protocol": "UDP"}],
        "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
        "resources": {"limits": {"cpu": "1000m", "memory": "1Gi"}},
        "args": ["--x", "--y"],
    }
    spec = {
        "replicas": 2,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}},
    }
    return made("Deployment", "web", namespace, spec=spec)


async def judged(comparer: Comparer, target: Object, live: Object, *rules: Rule) -> Verdict:
    pair = Pair(key_of(target), target, live)
    found = await comparer.compare([pair], {pair.key: repr(target)}, rules)
    return found[pair.key]


@pytest.fixture
def comparer(client: Client) -> Comparer:
    return Comparer(client, no_jq)


async def applied(client: Client, obj: Object) -> Object:
    return await client.apply(copy.deepcopy(obj), force=True, manager=MANAGER)


async def test_what_was_applied_is_the_same_without_asking(
    client: Client, comparer: Comparer, namespace: str
) -> None:
    target = deployment(namespace)
    live = await applied(client, target)
    assert not (await judged(comparer, target, live)).modified
    assert comparer.dry_runs == 0


async def test_a_change_by_somebody_else_is_named_with_who_made_it(
    client: Client, comparer: Comparer, namespace: str
) -> None:
    target = deployment(namespace)
    await applied(client, target)
    live = await client.patch(DEPLOYMENT, "web", {"spec": {"replicas": 5}}, namespace=namespace)
    verdict = await judged(comparer, target, live)
    (difference,) = verdict.differences
    assert (difference.path, difference.desired, difference.live) == (".spec.replicas", 2, 5)
    assert difference.why.startswith("argosy changed it at 20")


async def test_what_left_git_is_a_difference(client: Client, comparer: Comparer, namespace: str) -> None:
    live = await applied(client, made("ConfigMap", "a", namespace, data={"old": "1", "kept": "2"}))
    verdict = await judged(comparer, made("ConfigMap", "a", namespace, data={"kept": "2"}), live)
    (difference,) = verdict.differences
    assert (difference.path, difference.live) == (".data.old", "1")
    assert difference.why.startswith("it is no longer in Git; argocd-controller wrote it")


async def test_what_others_add_is_none_of_ours(client: Client, comparer: Comparer, namespace: str) -> None:
    target = made("ConfigMap", "a", namespace, data={"kept": "2"})
    await applied(client, target)
    live = await client.patch(CONFIG, "a", {"data": {"theirs": "1"}}, namespace=namespace)
    assert not (await judged(comparer, target, live)).modified


async def test_a_judgement_is_remembered_until_something_changes(
    client: Client, comparer: Comparer, namespace: str
) -> None:
    target = made("ConfigMap", "a", namespace, data={"k": "1"})
    await applied(client, target)
    live = await client.patch(CONFIG, "a", {"data": {"k": "2"}}, namespace=namespace)
    assert (await judged(comparer, target, live)).modified
    assert (await judged(comparer, target, live)).modified
    assert comparer.dry_runs == 1
    live = await client.patch(CONFIG, "a", {"data": {"k": "3"}}, namespace=namespace)
    assert (await judged(comparer, target, live)).differences[0].live == "3"
    assert comparer.dry_runs == 2


@pytest.mark.parametrize(
    "rule",
    [
        Rule(kind="Deployment", group="apps", pointers=("/spec/replicas",)),
        Rule(kind="Dep*", group="*", name="web", managers=("argosy",)),
    ],
)
async def test_what_is_to_be_overlooked_is(
    client: Client, comparer: Comparer, namespace: str, rule: Rule
) -> None:
    target = deployment(namespace)
    await applied(client, target)
    live = await client.patch(DEPLOYMENT, "web", {"spec": {"replicas": 5}}, namespace=namespace)
    assert (await judged(comparer, target, live)).modified
    assert not (await judged(comparer, target, live, rule)).modified


async def test_a_rule_for_another_object_overlooks_nothing(
    client: Client, comparer: Comparer, namespace: str
) -> None:
    target = deployment(namespace)
    await applied(client, target)
    live = await client.patch(DEPLOYMENT, "web", {"spec": {"replicas": 5}}, namespace=namespace)
    rule = Rule(kind="Deployment", group="apps", name="other", pointers=("/spec/replicas",))
    assert (await judged(comparer, target, live, rule)).modified


async def test_no_value_of_a_secret_is_in_a_difference(
    client: Client, comparer: Comparer, namespace: str
) -> None:
    await applied(client, made("Secret", "s", namespace, stringData={"password": "old-secret"}))
    live = await client.get(Kind("", "v1", "Secret"), "s", namespace)
    verdict = await judged(
        comparer, made("Secret", "s", namespace, stringData={"password": "new-secret"}), live
    )
    assert verdict.modified
    said = repr(verdict)
    assert 'secret"' not in said
    for value in ("old-secret", "new-secret", "b2xkLXNlY3JldA", "bmV3LXNlY3JldA"):
        assert value not in said


async def test_a_refusal_is_said_and_not_remembered(
    client: Client, comparer: Comparer, namespace: str
) -> None:
    target = deployment(namespace)
    live = await applied(client, target)
    target["spec"]["selector"] = {"matchLabels": {"app": "other"}}
    verdict = await judged(comparer, target, live)
    assert verdict.modified
    assert "field is immutable" in verdict.trouble


_CHANGES: list[tuple[list[str | int], object]] = [
    (["spec", "replicas"], 2),
    (["spec", "replicas"], 3),
    (["spec", "template", "spec", "containers", 0, "image"], "nginx:2"),
    (["spec", "template", "spec", "containers", 0, "ports"], [{"containerPort": 80, "protocol": "UDP"}]),
    (
        ["spec", "template", "spec", "containers", 0, "ports"],
        [{"containerPort": 80, "protocol": "UDP"}, {"containerPort": 80, "protocol": "TCP"}],
    ),
    (
        ["spec", "template", "spec", "containers", 0, "env"],
        [{"name": "B", "value": "2"}, {"name": "A", "value": "1"}],
    ),
    (["spec", "template", "spec", "containers", 0, "env"], []),
    (["spec", "template", "spec", "containers", 0, "args"], ["--y", "--x"]),
    (["spec", "template", "spec", "containers", 0, "resources", "limits", "cpu"], "1"),
    (["spec", "template", "spec", "containers", 0, "resources", "limits", "cpu"], 1),
    (["spec", "template", "spec", "containers", 0, "resources", "limits", "memory"], "1024Mi"),
    (["spec", "template", "spec", "securityContext"], {}),
    (["spec", "template", "spec", "terminationGracePeriodSeconds"], 30),
    (["spec", "template", "metadata", "annotations"], {"a": "b"}),
    (["spec", "strategy"], {"type": "RollingUpdate"}),
    (["metadata", "labels"], {"x": "y"}),
    (["metadata", "annotations"], None),
]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    now=st.lists(st.sampled_from(_CHANGES), max_size=4), then=st.lists(st.sampled_from(_CHANGES), max_size=4)
)
async def test_the_first_look_never_says_same_where_the_server_does_not(
    client: Client,
    namespace: str,
    now: list[tuple[list[str | int], object]],
    then: list[tuple[list[str | int], object]],
) -> None:
    # given something that was applied, and another wish
    live = await applied(client, changed(deployment(namespace), now))
    target = changed(deployment(namespace), then)
    comparer = Comparer(client, no_jq)
    verdict = await judged(comparer, target, live)
    # when the server is asked in any case
    predicted = await client.apply(target, force=True, manager=MANAGER, dry_run=True)
    nothing = Overlooked()
    truly = cleaned(predicted, nothing, live=live) != cleaned(live, nothing, live=live)
    # then both say the same
    assert verdict.modified == truly


def changed(obj: Object, changes: list[tuple[list[str | int], object]]) -> Object:
    for path, value in changes:
        place = obj
        for step in path[:-1]:
            place = place[step]  # type: ignore[index]
        place[path[-1]] = copy.deepcopy(value)  # type: ignore[index]
    return obj


def test_empty_and_absent_are_the_same() -> None:
    assert containment.contains({"a": {}}, {"a": None})
    assert containment.contains({}, {"a": {"b": None} | {}, "c": []}) is False
    assert containment.contains({}, {"c": []})
