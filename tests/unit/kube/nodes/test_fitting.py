"""Which node a pod gets."""

from __future__ import annotations

import pytest

from argosy.kube.nodes.scheduling.fitting import Choice, Load
from argosy.kube.nodes.scheduling.fitting import choose as choose_among
from argosy.kube.nodes.scheduling.surroundings import Surroundings
from argosy.kube.objects import Object, name_of
from argosy.kube.quantities import NANO
from tests.unit.kube.controllers.objects import node

NODES = [node("a", labels={"disk": "slow"}), node("b", labels={"disk": "fast"})]
HELPLESS = "no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling."


def pod(**spec: object) -> Object:
    return {"metadata": {"name": "it"}, "spec": {"containers": [{"name": "main"}], **spec}}


def choose(pod: Object, nodes: list[Object], loads: dict[str, Load]) -> Choice:
    return choose_among(pod, Surroundings({name_of(one): one for one in nodes}), loads)


def required(expression: Object) -> Object:
    terms = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}


def test_pods_are_spread() -> None:
    assert choose(pod(), NODES, {"a": Load(2, {}), "b": Load(1, {})}).node == "b"


@pytest.mark.parametrize(
    "spec",
    [
        {"nodeSelector": {"disk": "fast"}},
        {"affinity": required({"key": "disk", "operator": "In", "values": ["fast"]})},
        {"affinity": required({"key": "disk", "operator": "NotIn", "values": ["slow"]})},
    ],
)
def test_a_pod_gets_what_it_selects(spec: Object) -> None:
    assert choose(pod(**spec), NODES, {"a": Load(0, {}), "b": Load(2, {})}).node == "b"


def test_nobody_fits_is_said_in_upstreams_words() -> None:
    found = choose(pod(nodeSelector={"disk": "none"}), NODES, {})
    assert found.why_none == (
        f"0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. {HELPLESS}"
    )
    assert choose(pod(), [], {}).why_none == "no nodes available to schedule pods"


def test_taints_keep_pods_away_that_do_not_tolerate_them() -> None:
    tainted = [node("a", taints=[{"key": "gpu", "value": "yes", "effect": "NoSchedule"}])]
    assert "1 node(s) had untolerated taint {gpu: yes}" in choose(pod(), tainted, {}).why_none
    for toleration in (
        {"key": "gpu", "operator": "Exists"},
        {"key": "gpu", "value": "yes", "effect": "NoSchedule"},
        {"operator": "Exists"},
    ):
        assert choose(pod(tolerations=[toleration]), tainted, {}).node == "a"


def test_a_cordoned_node_takes_nothing() -> None:
    cordoned = node("a")
    cordoned["spec"]["unschedulable"] = True
    assert "1 node(s) were unschedulable" in choose(pod(), [cordoned], {}).why_none


def test_a_full_node_takes_nothing() -> None:
    greedy = pod(containers=[{"name": "main", "resources": {"requests": {"cpu": "1500m"}}}])
    loads = {"a": Load(1, {"cpu": NANO}), "b": Load(3, {})}
    found = choose(greedy, NODES, loads)
    assert found.why_none.startswith("0/2 nodes are available: 1 Insufficient cpu, 1 Too many pods.")
    assert "2 No preemption victims found for incoming pod." in found.why_none


def test_the_neediest_first_container_counts() -> None:
    first = [{"name": "setup", "resources": {"requests": {"cpu": "3"}}}]
    assert "2 Insufficient cpu" in choose(pod(initContainers=first), NODES, {}).why_none


def test_a_node_that_would_rather_not_comes_last() -> None:
    shy = node("a", taints=[{"key": "x", "effect": "PreferNoSchedule"}])
    assert choose(pod(), [shy, node("b")], {"b": Load(2, {})}).node == "b"
