"""Pods that have to end well so many times."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.kube.controllers.job import failures, indexes, planning
from argosy.kube.controllers.job.controller import status
from argosy.kube.controllers.job.pods import INDEX, TRACKING, pod_for
from argosy.kube.objects import Object
from tests.unit.kube.controllers.objects import NOW, ago, owner, pod


def job(*, status: Object | None = None, **spec: object) -> Object:
    made = owner(
        "Job", status=status or {}, spec={"parallelism": 1, "completions": 1, "backoffLimit": 6, **spec}
    )
    del made["spec"]["replicas"]
    return made


def ended(name: str, phase: str, *, code: int = 1, index: int | None = None, seconds: float = 1) -> Object:
    found = pod(
        name, phase=phase, finalizers=[TRACKING], annotations={} if index is None else {INDEX: str(index)}
    )
    terminated = {"exitCode": code, "finishedAt": ago(seconds)}
    found["status"]["containerStatuses"][0]["state"] = {"terminated": terminated}
    return found


def standing(it: Object, *pods: Object) -> planning.Standing:
    return planning.Standing(it, list(pods), NOW)


@pytest.mark.parametrize(
    ("spec", "pods", "created"),
    [
        ({"completions": 5, "parallelism": 2}, [], 2),
        ({"completions": 5, "parallelism": 2}, [pod("a")], 1),
        ({"completions": 2, "parallelism": 2}, [ended("a", "Succeeded")], 1),
        ({"completions": None, "parallelism": 3}, [], 3),
        ({"completions": None, "parallelism": 3}, [ended("a", "Succeeded"), pod("b")], 0),
        ({"suspend": True}, [], 0),
        ({"parallelism": 0}, [], 0),
    ],
)
def test_as_many_pods_are_made_as_are_still_needed(spec: Object, pods: list[Object], created: int) -> None:
    assert len(planning.plan(standing(job(**spec), *pods)).create) == created


def test_after_a_failure_the_next_try_waits() -> None:
    found = planning.plan(standing(job(), ended("a", "Failed", seconds=4)))
    assert (found.create, found.again) == ([], pytest.approx(6))
    assert planning.plan(standing(job(), ended("a", "Failed", seconds=11))).create == [None]
    twice = planning.plan(standing(job(), ended("a", "Failed", seconds=50), ended("b", "Failed", seconds=11)))
    assert twice.again == pytest.approx(9)


def test_indexes_are_served_from_the_lowest() -> None:
    it = job(completions=5, parallelism=2, completionMode="Indexed", status={"completedIndexes": "0,2"})
    busy = pod("a", annotations={INDEX: "1"})
    assert planning.plan(standing(it, busy)).create == [3]


def test_too_many_failures_end_a_job_and_its_pods() -> None:
    it = job(backoffLimit=1, parallelism=2, completions=5)
    seen = standing(it, ended("a", "Failed"), ended("b", "Failed"), pod("c"))
    assert seen.failure == ("BackoffLimitExceeded", "Job has reached the specified backoff limit")
    assert [one["metadata"]["name"] for one in planning.plan(seen).delete] == ["c"]
    told = {one["type"]: one["reason"] for one in status(it, seen)["conditions"]}
    assert told == {"FailureTarget": "BackoffLimitExceeded"}, "it has failed when its last pod has stopped"


def test_a_deadline_ends_a_job() -> None:
    late = job(activeDeadlineSeconds=10, status={"startTime": ago(11)})
    assert standing(late).failure == ("DeadlineExceeded", "Job was active longer than specified deadline")
    early = planning.plan(standing(job(activeDeadlineSeconds=10, status={"startTime": ago(4)}), pod("a")))
    assert early.again == pytest.approx(6)


def test_a_job_is_complete_when_its_pods_are_counted() -> None:
    it = job(status={"startTime": ago(10), "uncountedTerminatedPods": {"succeeded": ["uid-a"]}})
    found = status(it, standing(it, ended("a", "Succeeded")))
    assert (found["succeeded"], found["uncountedTerminatedPods"], found["completionTime"]) == (1, {}, ago(0))
    assert [(one["type"], one["reason"]) for one in found["conditions"]] == [
        ("SuccessCriteriaMet", "CompletionsReached"),
        ("Complete", "CompletionsReached"),
    ]


def test_a_pod_is_counted_once_however_often_it_is_seen() -> None:
    noted = job(completions=3, status={"succeeded": 1, "uncountedTerminatedPods": {"succeeded": ["uid-a"]}})
    assert standing(noted, ended("a", "Succeeded")).succeeded == 2
    counted = job(completions=3, status={"succeeded": 2})
    free = ended("a", "Succeeded")
    free["metadata"]["finalizers"] = []
    assert standing(counted, free).succeeded == 2


def test_a_suspended_job_stops_its_pods_and_says_so() -> None:
    it = job(suspend=True, status={"startTime": ago(10)})
    seen = standing(it, pod("a"))
    assert len(planning.plan(seen).delete) == 1
    found = status(it, seen)
    assert ("startTime" in found, found["conditions"][0]["type"]) == (False, "Suspended")


@pytest.mark.parametrize(
    ("rule", "action"),
    [
        ({"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}, "FailJob"),
        ({"action": "Ignore", "onExitCodes": {"operator": "NotIn", "values": [1]}}, "Ignore"),
        ({"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1]}}, "Count"),
        (
            {"action": "FailJob", "onExitCodes": {"containerName": "x", "operator": "In", "values": [42]}},
            "Count",
        ),
        ({"action": "Ignore", "onPodConditions": [{"type": "Ready", "status": "False"}]}, "Ignore"),
    ],
)
def test_the_failure_policy_decides_what_a_failed_pod_means(rule: Object, action: str) -> None:
    it = job(podFailurePolicy={"rules": [rule]})
    assert failures.judge(it, ended("a", "Failed", code=42)).action == action


def test_an_indexed_pod_is_told_its_number() -> None:
    made = pod_for(job(completionMode="Indexed"), 7)
    assert (made["metadata"]["generateName"], made["spec"]["hostname"]) == ("it-7-", "it-7")
    assert made["metadata"]["finalizers"] == [TRACKING]
    assert made["spec"]["containers"][0]["env"][0]["name"] == "JOB_COMPLETION_INDEX"


@given(st.sets(st.integers(0, 60)))
def test_sets_of_numbers_are_read_as_they_were_written(numbers: set[int]) -> None:
    assert indexes.read(indexes.write(numbers), 61) == numbers


def test_numbers_are_written_as_upstream_does() -> None:
    assert indexes.write({0, 1, 2, 5, 7, 8}) == "0-2,5,7,8"
