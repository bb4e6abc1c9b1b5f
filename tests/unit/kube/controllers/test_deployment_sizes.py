"""The steps of a rollout, as sizes of ReplicaSets."""

from __future__ import annotations

import pytest

from argosy.kube.controllers.deployment import sizes
from argosy.kube.objects import Object
from tests.unit.kube.controllers.objects import ago, owner


def deployment(
    replicas: int, surge: object = "25%", unavailable: object = "25%", *, kind: str = "RollingUpdate"
) -> Object:
    rolling = {"maxSurge": surge, "maxUnavailable": unavailable} if kind == "RollingUpdate" else None
    strategy = {"type": kind, **({"rollingUpdate": rolling} if rolling else {})}
    return owner("Deployment", spec={"replicas": replicas, "strategy": strategy})


def replica_set(
    name: str,
    replicas: int,
    available: int | None = None,
    *,
    age: float = 100,
    desired: int | None = None,
    most: int = 0,
) -> Object:
    made = owner(
        "ReplicaSet",
        name,
        spec={"replicas": replicas},
        status={"availableReplicas": replicas if available is None else available},
    )
    made["metadata"]["creationTimestamp"] = ago(age)
    if desired is not None:
        made["metadata"]["annotations"] = {sizes.DESIRED: str(desired), sizes.MOST: str(most)}
    return made


@pytest.mark.parametrize(
    ("replicas", "surge", "unavailable", "fence"),
    [
        (3, "25%", "25%", (1, 0)),
        (4, "25%", "25%", (1, 1)),
        (10, 3, 2, (3, 2)),
        (10, 0, 0, (0, 1)),
        (1, "100%", "0%", (1, 0)),
    ],
)
def test_the_fence_rounds_surge_up_and_unavailable_down(
    replicas: int, surge: object, unavailable: object, fence: tuple[int, int]
) -> None:
    assert sizes.fence(deployment(replicas, surge, unavailable)) == fence


@pytest.mark.parametrize(
    ("old", "current", "wanted"),
    [
        ([], 0, 10),
        ([replica_set("a", 10)], 0, 3),
        ([replica_set("a", 8)], 3, 5),
        ([replica_set("a", 0)], 10, 10),
    ],
)
def test_the_new_set_grows_as_far_as_the_surge_allows(old: list[Object], current: int, wanted: int) -> None:
    there = [*old, *([replica_set("new", current)] if current else [])]
    assert sizes.new_size(deployment(10, 3, 2), there, current) == wanted


def test_a_recreated_deployment_has_its_new_pods_at_once() -> None:
    assert sizes.new_size(deployment(4, kind="Recreate"), [], 0) == 4


@pytest.mark.parametrize(
    ("old", "new", "shrunk"),
    [
        # The new pods do not work yet: only what the fence allows.
        ([replica_set("a", 10)], replica_set("new", 3, 0), {"a": 8}),
        # They work: as many old ones may go.
        ([replica_set("a", 8)], replica_set("new", 5), {"a": 3}),
        # Nothing works anywhere: what is broken goes first.
        ([replica_set("a", 8, 4)], replica_set("new", 5, 5), {"a": 3}),
        ([replica_set("a", 8)], replica_set("new", 5, 0), {}),
        # The oldest goes first.
        ([replica_set("b", 4, age=50), replica_set("a", 4, age=90)], replica_set("new", 5), {"a": 0, "b": 3}),
    ],
    ids=["new ones starting", "new ones work", "broken ones", "no room", "oldest"],
)
def test_old_sets_shrink_by_what_can_be_spared(
    old: list[Object], new: Object, shrunk: dict[str, int]
) -> None:
    assert sizes.shrunk(deployment(10, 3, 2), new, old) == shrunk


def test_scaling_in_the_middle_of_a_rollout_keeps_the_shares() -> None:
    old = replica_set("a", 8, desired=10, most=13)
    new = replica_set("new", 5, desired=10, most=13)
    found = sizes.scaled(deployment(20, 3, 2), new, [old])
    assert (sum(found.values()), found["a"] > found["new"]) == (23, True)


def test_scaling_one_set_is_simple() -> None:
    assert sizes.scaled(deployment(7), replica_set("new", 3), []) == {"new": 7}


def test_a_full_new_set_takes_everything_from_the_others() -> None:
    new = replica_set("new", 10, desired=10, most=13)
    assert sizes.scaled(deployment(10), new, [replica_set("a", 2)]) == {"a": 0}
