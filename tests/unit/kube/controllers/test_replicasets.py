"""As many pods as it says."""

from __future__ import annotations

from argosy.kube.controllers import replicasets
from argosy.kube.controllers.pods import making, owning
from argosy.kube.objects import name_of
from tests.unit.kube.controllers.objects import NOW, owner, pod


def test_missing_pods_are_made_but_not_all_at_once() -> None:
    assert replicasets.plan(3, [pod("a")], [], NOW).create == 2
    assert replicasets.plan(100_000, [], [], NOW).create == making.BURST


def test_too_many_pods_go_worst_first() -> None:
    pods = [pod("fine"), pod("sick", ready=False)]
    planned = replicasets.plan(1, pods, pods, NOW)
    assert (planned.create, [name_of(one) for one in planned.delete]) == (0, ["sick"])


def test_the_status_counts_ready_and_available_pods() -> None:
    it = owner("ReplicaSet", spec={"minReadySeconds": 10})
    pods = [pod("old", labels={"app": "it"}), pod("young", ready_for=3), pod("sick", ready=False)]
    status = replicasets.status(it, pods, 0, "", NOW)
    counts = {key: value for key, value in status.items() if isinstance(value, int)}
    assert counts == {
        "replicas": 3,
        "fullyLabeledReplicas": 1,
        "readyReplicas": 2,
        "availableReplicas": 1,
        "terminatingReplicas": 0,
        "observedGeneration": 1,
    }


def test_a_failure_stays_told_until_it_is_over() -> None:
    it = owner("ReplicaSet")
    failing = replicasets.status(it, [], 0, "quota", NOW)
    assert failing["conditions"][0]["reason"] == "FailedCreate"
    it["status"] = failing
    assert replicasets.status(it, [], 0, "quota again", NOW)["conditions"] == failing["conditions"]
    assert replicasets.status(it, [], 0, "", NOW)["conditions"] == []


def test_pods_are_claimed_by_selector_and_let_go_without_it() -> None:
    it = owner("ReplicaSet")
    mine, lost, free, going = (
        pod("mine", labels={"app": "it"}),
        pod("lost", labels={"app": "other"}),
        pod("free", labels={"app": "it"}),
        pod("going", labels={"app": "it"}, going=True),
    )
    claims = owning.plan(it, it["spec"]["selector"], [mine, lost], [free, going])
    assert claims == owning.Claims([mine], [free], [lost])


def test_an_owner_that_goes_lets_nobody_go() -> None:
    it = owner("ReplicaSet")
    it["metadata"]["deletionTimestamp"] = "2026-05-04T12:00:00Z"
    lost = pod("lost", labels={"app": "other"})
    assert owning.plan(it, it["spec"]["selector"], [lost], [pod("free", labels={"app": "it"})]).kept == [lost]


def test_a_pod_out_of_a_template_knows_its_owner() -> None:
    it = owner("ReplicaSet")
    made = making.from_template(it["spec"]["template"], it)
    [reference] = made["metadata"]["ownerReferences"]
    assert (made["metadata"]["generateName"], made["metadata"]["labels"]) == ("it-", {"app": "it"})
    assert (reference["controller"], reference["blockOwnerDeletion"], reference["uid"]) == (
        True,
        True,
        "uid-it",
    )
