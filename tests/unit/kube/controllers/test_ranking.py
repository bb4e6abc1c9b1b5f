"""Which of too many pods go first."""

from __future__ import annotations

import pytest

from argosy.kube.controllers.pods.ranking import to_delete
from argosy.kube.objects import Object, name_of
from tests.unit.kube.controllers.objects import NOW, pod


@pytest.mark.parametrize(
    ("goes", "stays"),
    [
        (pod("x", node=""), pod("y", phase="Pending")),
        (pod("x", phase="Pending"), pod("y", ready=False)),
        (pod("x", ready=False), pod("y")),
        (pod("x", annotations={"controller.kubernetes.io/pod-deletion-cost": "-5"}), pod("y", age=1)),
        (pod("x", ready_for=1), pod("y", ready_for=5000)),
        (pod("x", restarts=3), pod("y")),
        (pod("x", age=1), pod("y", age=5000)),
    ],
    ids=["unscheduled", "pending", "not ready", "cheap", "ready for shorter", "restarted", "younger"],
)
def test_the_pod_that_is_missed_least_goes_first(goes: Object, stays: Object) -> None:
    both = [stays, goes]
    assert to_delete(both, both, 1, NOW) == [goes]


def test_of_equal_pods_one_goes_where_most_of_its_siblings_are() -> None:
    pods = [pod("a", node="one"), pod("b", node="two"), pod("c", node="two")]
    assert name_of(to_delete(pods, pods, 1, NOW)[0]) in {"b", "c"}


def test_pods_of_nearly_the_same_age_are_equally_old() -> None:
    pods = [pod("a", age=900, restarts=0), pod("b", age=901, restarts=0)]
    assert to_delete(pods, pods, 1, NOW) == [pods[0]]
