"""One pod on each node that wants one."""

from __future__ import annotations

import pytest

from argosy.kube.controllers.daemonset import planning
from argosy.kube.controllers.history import HASH
from argosy.kube.objects import Object, name_of
from tests.unit.kube.controllers.objects import NOW, node, owner, pod

NODES = [node("a"), node("b"), node("c")]


def daemon(name: str, where: str, *, mark: str = "new", **more: object) -> Object:
    return pod(name, node=where, labels={HASH: mark}, **more)  # type: ignore[arg-type]


def seen(pods: list[Object], *, nodes: list[Object] | None = None, **spec: object) -> planning.Situation:
    it = owner("DaemonSet", spec=dict(spec))
    return planning.Situation(it, nodes or NODES, planning.by_node(pods), "new", NOW)


def test_each_node_gets_one() -> None:
    assert planning.plan(seen([daemon("x", "a")])).create == ["b", "c"]


def test_of_two_on_one_node_the_younger_goes() -> None:
    pods = [daemon("x", "a", age=50), daemon("y", "a", age=90), daemon("z", "b"), daemon("w", "c")]
    assert [name_of(one) for one in planning.plan(seen(pods)).delete] == ["x"]


@pytest.mark.parametrize(
    ("taint", "started", "stays"),
    [
        ({"key": "mine", "effect": "NoSchedule"}, False, True),
        ({"key": "mine", "effect": "NoExecute"}, False, False),
        ({"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}, True, True),
        ({"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}, True, True),
    ],
)
def test_taints_keep_daemons_away_unless_they_mean_trouble(taint: Object, started: bool, stays: bool) -> None:
    assert planning.should_run(owner("DaemonSet"), node("a", taints=[taint])) == (started, stays)


def test_an_update_takes_one_node_at_a_time() -> None:
    old = [daemon(name, where, mark="old") for name, where in (("x", "a"), ("y", "b"), ("z", "c"))]
    assert len(planning.plan(seen(old)).delete) == 1
    busy = [daemon("x", "a", ready=False), *old[1:]]
    assert planning.plan(seen(busy)).delete == []
    broken = [daemon("x", "a", mark="old", ready=False), *old[1:]]
    assert [name_of(one) for one in planning.plan(seen(broken)).delete] == ["x"]


def test_with_a_surge_the_new_pod_comes_first() -> None:
    rolling = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    old = [daemon(name, where, mark="old") for name, where in (("x", "a"), ("y", "b"), ("z", "c"))]
    first = planning.plan(seen(old, updateStrategy=rolling))
    assert (first.create, first.delete) == (["a"], [])
    then = planning.plan(seen([*old, daemon("n", "a")], updateStrategy=rolling))
    assert (then.create, [name_of(one) for one in then.delete]) == (["b"], ["x"])


def test_a_daemon_is_made_for_its_node_alone() -> None:
    made = planning.pod_for(owner("DaemonSet"), "b", "mark")
    assert (planning.node_of(made), made["metadata"]["labels"][HASH]) == ("b", "mark")


def test_the_status_counts_nodes() -> None:
    status = planning.status(seen([daemon("x", "a"), daemon("y", "b", mark="old", ready=False)]))
    assert {key: value for key, value in status.items() if value} == {
        "currentNumberScheduled": 2,
        "desiredNumberScheduled": 3,
        "numberReady": 1,
        "numberAvailable": 1,
        "numberUnavailable": 2,
        "updatedNumberScheduled": 1,
        "observedGeneration": 1,
    }
