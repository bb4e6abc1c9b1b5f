"""Budgets, quotas, volumes, roles, nodes, autoscalers: each one decision."""

from __future__ import annotations

import pytest

from argosy.kube.controllers import autoscaling, cluster_roles, disruption, namespaces, nodes, resource_quota
from argosy.kube.controllers.shares import share
from argosy.kube.controllers.volumes import matching
from argosy.kube.objects import Object, name_of
from tests.unit.kube.controllers.objects import NOW, ago, node, owner, pod


@pytest.mark.parametrize(
    ("value", "up", "expected"),
    [("25%", True, 3), ("25%", False, 2), (4, True, 4), ("no", True, 0), (None, True, 0)],
)
def test_a_share_is_a_number_or_a_percentage(value: object, up: bool, expected: int) -> None:
    assert share(value, 10, up=up) == expected


@pytest.mark.parametrize(
    ("spec", "healthy", "allowed"),
    [
        ({"maxUnavailable": 1}, 3, 1),
        ({"maxUnavailable": 1}, 2, 0),
        ({"minAvailable": "50%"}, 3, 1),
        ({"minAvailable": 3}, 3, 0),
    ],
)
def test_a_budget_allows_what_can_be_missed(spec: Object, healthy: int, allowed: int) -> None:
    budget = owner("PodDisruptionBudget")
    budget["spec"] = spec
    pods = [pod(f"p{n}", ready=n < healthy) for n in range(3)]
    found = disruption.status(budget, pods, 3, NOW)
    assert (found["currentHealthy"], found["disruptionsAllowed"]) == (healthy, allowed)


def test_a_granted_disruption_counts_until_its_pod_goes() -> None:
    budget = owner(
        "PodDisruptionBudget", status={"disruptedPods": {"p0": ago(1), "p1": ago(999), "gone": ago(1)}}
    )
    budget["spec"] = {"maxUnavailable": 1}
    found = disruption.status(budget, [pod("p0"), pod("p1"), pod("p2")], 3, NOW)
    assert (found["disruptedPods"], found["currentHealthy"]) == ({"p0": ago(1)}, 2)


def test_a_quota_adds_up_what_running_pods_ask_for() -> None:
    pods = [pod("a"), pod("b"), pod("done", phase="Succeeded")]
    for one in pods:
        requests = {"cpu": "750m", "memory": "128Mi"}
        one["spec"]["containers"][0]["resources"] = {"requests": requests}
    assert resource_quota.used_by(pods, "cpu") == "1500m"
    assert resource_quota.used_by(pods, "requests.memory") == "256Mi"
    assert resource_quota.counted("count/deployments.apps") == "deployments.apps"


def volume(name: str, size: str, **more: object) -> Object:
    spec = {"capacity": {"storage": size}, "accessModes": ["ReadWriteOnce"], **more}
    return {"metadata": {"name": name}, "spec": spec, "status": {"phase": "Available"}}


def claim(size: str = "1Gi", **more: object) -> Object:
    made = owner("PersistentVolumeClaim", "data")
    made["metadata"]["resourceVersion"] = "1"
    made["spec"] = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": size}},
        **more,
    }
    return made


@pytest.mark.parametrize(
    ("volumes", "found"),
    [
        ([volume("big", "5Gi"), volume("fits", "1Gi")], "fits"),
        ([volume("small", "1Mi")], None),
        ([volume("class", "1Gi", storageClassName="fast")], None),
        ([volume("taken", "1Gi", claimRef={"namespace": "other", "name": "data"})], None),
        (
            [volume("mine", "9Gi", claimRef={"namespace": "default", "name": "data"}), volume("fits", "1Gi")],
            "mine",
        ),
    ],
)
def test_a_claim_gets_what_was_promised_or_fits_best(volumes: list[Object], found: str | None) -> None:
    chosen = matching.find(claim(), volumes)
    assert (name_of(chosen) if chosen else None) == found


def test_a_volume_is_made_as_large_as_it_was_asked_for() -> None:
    made = matching.provisioned(claim("3Gi"), {"metadata": {"name": "standard"}, "reclaimPolicy": "Retain"})
    assert made["spec"]["capacity"] == {"storage": "3Gi"}
    assert made["spec"]["persistentVolumeReclaimPolicy"] == "Retain"
    assert matching.is_promised(made, claim())


def test_an_aggregated_role_has_each_rule_once() -> None:
    rule = {"resources": ["pods"], "verbs": ["get"]}
    labels = {"to": "view"}
    roles = [{"metadata": {"name": name, "labels": labels}, "rules": [rule]} for name in "ab"]
    view = {
        "metadata": {"name": "view"},
        "aggregationRule": {"clusterRoleSelectors": [{"matchLabels": labels}]},
    }
    assert cluster_roles.rules(view, [*roles, view]) == [rule]


def test_a_node_takes_pods_once_it_is_ready() -> None:
    new = node("a", taints=[{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}])
    assert nodes.taints(new) == new["spec"]["taints"]
    new["status"]["conditions"] = [{"type": "Ready", "status": "True"}]
    assert nodes.taints(new) == []
    new["spec"]["unschedulable"] = True
    assert nodes.taints(new) == [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]


@pytest.mark.parametrize(("current", "wanted"), [(0, 0), (1, 2), (3, 3), (9, 5)])
def test_an_autoscaler_keeps_its_target_between_its_bounds(current: int, wanted: int) -> None:
    it = owner("HorizontalPodAutoscaler")
    it["spec"] = {"minReplicas": 2, "maxReplicas": 5}
    assert autoscaling.bounded(it, current) == wanted


def test_a_namespace_says_what_is_left_and_when_nothing_is() -> None:
    remains = namespaces.Remains()
    remains.counts["pods."] = 2
    remains.finalizers["example.com/x"] = 1
    told = {one["type"]: (one["status"], one["message"]) for one in namespaces.with_conditions([], remains)}
    assert told["NamespaceContentRemaining"] == (
        "True",
        "Some resources are remaining: pods. has 2 resource instances",
    )
    assert told["NamespaceFinalizersRemaining"][0] == "True"
    done = namespaces.with_conditions(namespaces.with_conditions([], remains), namespaces.Remains())
    assert {one["status"] for one in done} == {"False"}
