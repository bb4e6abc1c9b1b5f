"""The life of simulated containers."""

from __future__ import annotations

import pytest

from argosy.kube.nodes.simulation import life, status
from argosy.kube.nodes.simulation.wishes import Behaviour, behaviour
from argosy.kube.objects import Object


def pod(*, annotations: dict[str, str] | None = None, image: str = "app:1", **spec: object) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "it",
            "namespace": "default",
            "uid": "uid-it",
            "annotations": annotations or {},
            "generation": 1,
        },
        "spec": {"containers": [{"name": "main", "image": image}], **spec},
        "status": {},
    }


class Told:
    """A pod that lives through time, and what it looks like."""

    def __init__(self, one: Object) -> None:
        self.pod, self.states = one, dict[str, life.Container]()
        self.reasons: list[str] = []
        self.due: float | None = None

    def at(self, now: float) -> Object:
        step = life.advance(self.pod, self.states, self.behaviour, set(), now)
        self.states, self.due = step.containers, step.due
        self.reasons += [one.reason for one in step.happened]
        shown = status.shown(
            self.pod, self.states, self.behaviour, addresses=("172.18.0.2", "10.244.0.1"), now=now
        )
        self.pod = {**self.pod, "status": shown}
        return shown

    def behaviour(self, container: Object, first: bool) -> Behaviour:
        return behaviour(self.pod, container["image"], first=first)


def condition(shown: Object, kind: str) -> str:
    return next(one["status"] for one in shown["conditions"] if one["type"] == kind)


def main(shown: Object) -> Object:
    return shown["containerStatuses"][0]


def test_without_delay_a_pod_is_ready_in_one_step() -> None:
    told = Told(pod())
    shown = told.at(100)
    assert (shown["phase"], condition(shown, "Ready"), shown["podIP"]) == ("Running", "True", "10.244.0.1")
    assert told.reasons == ["Pulling", "Pulled", "Created", "Started"]
    assert told.due is None


def test_delays_are_lived_through() -> None:
    told = Told(pod(annotations={"argosy.io/simulate-pull": "2s", "argosy.io/simulate-ready-after": "1m"}))
    shown = told.at(100)
    assert (shown["phase"], main(shown)["state"]["waiting"]["reason"], told.due) == (
        "Pending",
        "ContainerCreating",
        102,
    )
    shown = told.at(102)
    assert (shown["phase"], condition(shown, "Ready"), told.due) == ("Running", "False", 162)
    assert condition(told.at(162), "Ready") == "True"
    assert told.due is None


def test_a_crash_loop_waits_longer_and_longer() -> None:
    told = Told(pod(annotations={"argosy.io/simulate": "crash"}))
    shown, pauses, now = told.at(100), [], 100.0
    for _ in range(7):
        assert main(shown)["state"]["waiting"]["reason"] == "CrashLoopBackOff"
        assert told.due is not None
        pauses.append(told.due - now)
        now = told.due
        shown = told.at(now)
    assert pauses == [10, 20, 40, 80, 160, 300, 300]
    assert main(shown)["restartCount"] == 8
    assert main(shown)["lastState"]["terminated"]["exitCode"] == 1
    assert told.reasons.count("BackOff") >= 7


def test_an_image_that_is_not_there_is_tried_again_and_again() -> None:
    told = Told(pod(image="app:does-not-exist"))
    assert main(told.at(100))["state"]["waiting"]["reason"] == "ErrImagePull"
    assert main(told.at(101))["state"]["waiting"]["reason"] == "ImagePullBackOff"
    assert told.due == 110
    told.at(110)
    assert told.reasons.count("Failed") == 4


def test_an_image_that_cannot_be_one_is_called_so() -> None:
    assert main(Told(pod(image="NOT an image")).at(1))["state"]["waiting"]["reason"] == "InvalidImageName"


@pytest.mark.parametrize(
    ("annotations", "policy", "phase"),
    [
        ({}, "Never", "Succeeded"),
        ({"argosy.io/simulate": "fail"}, "Never", "Failed"),
        ({"argosy.io/simulate": "fail"}, "OnFailure", "Running"),
        ({"argosy.io/simulate-run-for": "1m"}, "Never", "Running"),
        ({"argosy.io/simulate": "exit-0"}, "Always", "Running"),
        ({}, "Always", "Running"),
    ],
)
def test_how_a_pod_ends_follows_its_policy(annotations: dict[str, str], policy: str, phase: str) -> None:
    assert Told(pod(annotations=annotations, restartPolicy=policy)).at(100)["phase"] == phase


def test_first_containers_go_first_and_in_order() -> None:
    before = [{"name": name, "image": "setup:1"} for name in ("one", "two")]
    told = Told(pod(initContainers=before, annotations={"argosy.io/simulate-run-for": "5s"}))
    shown = told.at(100)
    assert [one["state"].keys() for one in shown["initContainerStatuses"]] == [{"running"}, {"waiting"}]
    assert main(shown)["state"]["waiting"]["reason"] == "PodInitializing"
    assert condition(shown, "Initialized") == "False"
    told.at(105)
    shown = told.at(110)
    assert (shown["phase"], condition(shown, "Initialized")) == ("Running", "True")


def test_a_sidecar_stays_while_the_pod_runs_and_ends_with_it() -> None:
    side = {"name": "side", "image": "side:1", "restartPolicy": "Always"}
    told = Told(
        pod(initContainers=[side], restartPolicy="Never", annotations={"argosy.io/simulate-run-for": "5s"})
    )
    assert "running" in told.at(100)["initContainerStatuses"][0]["state"]
    shown = told.at(105)
    assert (shown["phase"], "terminated" in shown["initContainerStatuses"][0]["state"]) == ("Succeeded", True)


def test_a_pod_that_never_gets_ready_does_when_it_is_told_to() -> None:
    told = Told(pod(annotations={"argosy.io/simulate": "never-ready"}))
    assert condition(told.at(100), "Ready") == "False"
    told.pod["metadata"]["annotations"] = {}
    assert condition(told.at(101), "Ready") == "True"


def test_a_node_that_starts_anew_goes_on_where_it_was() -> None:
    told = Told(pod(annotations={"argosy.io/simulate": "crash"}))
    told.at(100)
    told.at(110)
    known = status.recovered(told.pod, 112)
    assert (known["main"].phase, known["main"].restarts, known["main"].since) == ("backoff", 2, 110)
    running = Told(pod())
    running.at(100)
    assert status.recovered(running.pod, 500)["main"].since == 100


def test_times_of_conditions_move_only_with_their_status() -> None:
    told = Told(pod())
    before = told.at(100)["conditions"]
    assert told.at(200)["conditions"] == before


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        ({}, "BestEffort"),
        ({"requests": {"cpu": "1"}}, "Burstable"),
        ({"limits": {"cpu": "1", "memory": "1Gi"}}, "Guaranteed"),
        (
            {"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "500m", "memory": "1Gi"}},
            "Burstable",
        ),
    ],
)
def test_quality_of_service_follows_requests_and_limits(resources: Object, expected: str) -> None:
    one = pod()
    one["spec"]["containers"][0]["resources"] = resources
    assert status.qos_class(one) == expected


def test_a_killed_pod_has_failed_and_says_by_what() -> None:
    told = Told(pod())
    shown = status.killed(told.pod, told.at(100), 105)
    assert (shown["phase"], main(shown)["state"]["terminated"]["exitCode"]) == ("Failed", status.KILLED)
    assert condition(shown, "Ready") == "False"
