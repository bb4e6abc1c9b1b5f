"""What a Deployment says of its rollout."""

from __future__ import annotations

from argosy.kube.controllers.deployment import progress
from argosy.kube.objects import Object
from tests.unit.kube.controllers.objects import NOW, ago, owner


def deployment(*, reason: str = "", updated: float = 0, status: Object | None = None) -> Object:
    found = owner("Deployment", spec={"replicas": 2, "progressDeadlineSeconds": 10}, status=status or {})
    if reason:
        found["status"]["conditions"] = [
            {
                "type": "Progressing",
                "status": "True",
                "reason": reason,
                "lastUpdateTime": ago(updated),
                "lastTransitionTime": ago(updated),
            }
        ]
    return found


def replica_set(replicas: int, available: int, *, conditions: list[Object] | None = None) -> Object:
    status = {"replicas": replicas, "readyReplicas": available, "availableReplicas": available}
    return owner(
        "ReplicaSet", "new", spec={"replicas": replicas}, status={**status, "conditions": conditions or []}
    )


def said(status: Object, kind: str) -> tuple[str, str, str]:
    found = next(one for one in status["conditions"] if one["type"] == kind)
    return found["status"], found["reason"], found["message"]


def test_a_finished_rollout_says_so() -> None:
    status = progress.rolled(deployment(reason="ReplicaSetUpdated"), replica_set(2, 2), [], NOW)
    assert said(status, "Progressing") == (
        "True",
        "NewReplicaSetAvailable",
        'ReplicaSet "new" has successfully progressed.',
    )
    assert said(status, "Available")[1] == "MinimumReplicasAvailable"
    assert (status["replicas"], status["updatedReplicas"], status["availableReplicas"]) == (2, 2, 2)


def test_a_step_forward_is_progress() -> None:
    before = deployment(reason="NewReplicaSetCreated", updated=5)
    status = progress.rolled(before, replica_set(2, 1), [], NOW)
    assert said(status, "Progressing")[1:] == ("ReplicaSetUpdated", 'ReplicaSet "new" is progressing.')


def test_no_step_for_too_long_is_a_missed_deadline() -> None:
    counts = {"replicas": 2, "updatedReplicas": 2, "readyReplicas": 1, "availableReplicas": 1}
    stuck = deployment(reason="ReplicaSetUpdated", updated=11, status=counts)
    status = progress.rolled(stuck, replica_set(2, 1), [], NOW)
    assert said(status, "Progressing") == (
        "False",
        "ProgressDeadlineExceeded",
        'ReplicaSet "new" has timed out progressing.',
    )


def test_the_deadline_is_looked_at_when_it_is_over() -> None:
    waiting = deployment(reason="ReplicaSetUpdated", updated=4)
    assert progress.next_check(waiting, waiting["status"], NOW) == 7
    assert progress.next_check(waiting, {**waiting["status"], "conditions": []}, NOW) is None


def test_what_keeps_a_replica_set_from_making_pods_is_told() -> None:
    failure = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "no room"}
    status = progress.rolled(deployment(), replica_set(2, 0, conditions=[failure]), [], NOW)
    assert said(status, "ReplicaFailure") == ("True", "FailedCreate", "no room")


def test_a_pause_is_told_once_and_taken_back() -> None:
    paused = deployment(reason="ReplicaSetUpdated")
    paused["spec"]["paused"] = True
    status = progress.with_pause(paused)
    assert said(status, "Progressing")[:2] == ("Unknown", "DeploymentPaused")
    resumed = {**paused, "spec": {**paused["spec"], "paused": False}, "status": status}
    assert said(progress.with_pause(resumed), "Progressing")[:2] == ("Unknown", "DeploymentResumed")
