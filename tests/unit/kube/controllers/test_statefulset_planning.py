"""Pods with names that stay, in order."""

from __future__ import annotations

import pytest

from argosy.kube.controllers.history import HASH
from argosy.kube.controllers.statefulset import identity, planning, volume_claims
from argosy.kube.objects import Object, name_of
from tests.unit.kube.controllers.objects import NOW, owner, pod


def member(number: int, *, revision: str = "new", **more: object) -> Object:
    return pod(f"it-{number}", labels={HASH: revision}, **more)  # type: ignore[arg-type]


def seen(pods: list[Object], *, current: str = "new", **spec: object) -> planning.Situation:
    it = owner("StatefulSet", spec={"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {}}, **spec})
    return planning.Situation(it, pods, current, "new", NOW)


def shown(planned: planning.Plan) -> tuple[list[int], list[str]]:
    return [number for number, _ in planned.create], [name_of(one) for one in planned.delete]


@pytest.mark.parametrize(
    ("pods", "spec", "created", "deleted"),
    [
        ([], {}, [0], []),
        ([member(0)], {}, [1], []),
        ([member(0, ready=False)], {}, [], []),
        ([member(0, going=True)], {}, [], []),
        ([], {"podManagementPolicy": "Parallel"}, [0, 1, 2], []),
        ([member(0), member(2)], {}, [1], []),
        ([member(n) for n in range(5)], {}, [], ["it-4"]),
        ([*(member(n) for n in range(4)), member(4, going=True)], {}, [], []),
        ([member(n) for n in range(5)], {"podManagementPolicy": "Parallel"}, [], ["it-4", "it-3"]),
        ([], {"ordinals": {"start": 5}}, [5], []),
        ([member(n) for n in range(3)], {}, [], []),
    ],
    ids=[
        "first", "next", "waits for ready", "waits for the end", "parallel", "gap", "last goes first", "one by one",
        "parallel down", "start", "nothing",
    ],
)  # fmt: skip
def test_pods_come_and_go_in_order(
    pods: list[Object], spec: Object, created: list[int], deleted: list[str]
) -> None:
    assert shown(planning.plan(seen(pods, **spec))) == (created, deleted)


def test_an_update_goes_from_the_top_and_waits_for_each() -> None:
    old = [member(n, revision="old") for n in range(3)]
    assert shown(planning.plan(seen(old, current="old"))) == ([], ["it-2"])
    half = [old[0], old[1], member(2, ready=False)]
    assert shown(planning.plan(seen(half, current="old"))) == ([], [])
    assert shown(planning.plan(seen([old[0], old[1], member(2)], current="old"))) == ([], ["it-1"])


def test_below_the_partition_nothing_is_updated_and_pods_come_back_as_they_were() -> None:
    spec = {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 2}}}
    pods = [member(0, revision="old"), member(1, revision="old"), member(2)]
    assert shown(planning.plan(seen(pods, current="old", **spec))) == ([], [])
    assert planning.plan(seen(pods[:1], current="old", **spec)).create == [(1, "old")]


def test_on_delete_waits_for_people() -> None:
    pods = [member(n, revision="old") for n in range(3)]
    spec = {"updateStrategy": {"type": "OnDelete"}}
    assert shown(planning.plan(seen(pods, current="old", **spec))) == ([], [])


def test_an_ended_pod_is_made_again() -> None:
    planned = planning.plan(seen([member(0, phase="Failed")]))
    assert [name_of(one) for one in planned.replace_failed] == ["it-0"]


def test_when_all_pods_are_new_the_new_revision_is_the_current_one() -> None:
    status = planning.status(seen([member(n) for n in range(3)], current="old"))
    assert (status["currentRevision"], status["currentReplicas"]) == ("new", 3)
    half = planning.status(seen([member(0, revision="old"), member(1), member(2)], current="old"))
    assert (half["currentRevision"], half["currentReplicas"], half["updatedReplicas"]) == ("old", 1, 2)


def test_a_member_has_its_own_name_and_volumes() -> None:
    template = {"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"]}}
    it = owner("StatefulSet", spec={"serviceName": "svc", "volumeClaimTemplates": [template]})
    made = identity.pod_for(it, it["spec"]["template"], 4, "rev")
    assert (made["metadata"]["name"], made["spec"]["hostname"], made["spec"]["subdomain"]) == (
        "it-4",
        "it-4",
        "svc",
    )
    assert made["spec"]["volumes"] == [{"name": "data", "persistentVolumeClaim": {"claimName": "data-it-4"}}]
    assert [name_of(one) for one in identity.claims_for(it, 4)] == ["data-it-4"]
    assert identity.ordinal_of(it, made) == 4


@pytest.mark.parametrize("name", ["it-x", "it-01", "other-1", "it"])
def test_foreign_names_have_no_number(name: str) -> None:
    assert identity.ordinal_of(owner("StatefulSet"), pod(name)) is None


@pytest.mark.parametrize(
    ("policy", "condemned", "holder"),
    [
        ({}, False, None),
        ({"whenDeleted": "Delete"}, False, "uid-it"),
        ({"whenScaled": "Delete"}, True, "uid-it-3"),
        ({"whenScaled": "Delete"}, False, None),
        ({"whenScaled": "Delete", "whenDeleted": "Delete"}, True, "uid-it-3"),
    ],
)
def test_claims_belong_to_whom_the_policy_says(policy: Object, condemned: bool, holder: str | None) -> None:
    it = owner("StatefulSet", spec={"persistentVolumeClaimRetentionPolicy": policy})
    found = volume_claims.owners(it, pod("it-3"), condemned=condemned)
    assert [one["uid"] for one in found] == ([holder] if holder else [])
