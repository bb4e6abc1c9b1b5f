"""Which ReplicaSet stands for which template."""

from __future__ import annotations

import re

from argosy.kube.controllers.deployment import revisions
from argosy.kube.objects import annotations_of, labels_of
from tests.unit.kube.controllers.objects import owner


def test_a_template_has_one_name_whatever_is_empty_in_it() -> None:
    one, other = owner("Deployment"), owner("Deployment")
    other["spec"]["template"]["spec"]["securityContext"] = {}
    assert (
        revisions.new_replica_set(one, [])["metadata"]["name"]
        == revisions.new_replica_set(other, [])["metadata"]["name"]
    )


def test_a_new_set_is_found_again_by_its_template() -> None:
    deployment = owner("Deployment")
    made = revisions.new_replica_set(deployment, [])
    made["metadata"]["creationTimestamp"] = "2026-01-01T00:00:00Z"
    assert revisions.find_new(deployment, [made]) is made
    assert re.fullmatch(r"[b-df-hj-np-tv-xz2-9]{10}", labels_of(made)[revisions.HASH])
    assert made["spec"]["selector"]["matchLabels"][revisions.HASH] == labels_of(made)[revisions.HASH]


def test_a_collision_makes_another_name() -> None:
    one, other = owner("Deployment"), owner("Deployment", status={"collisionCount": 1})
    assert (
        revisions.new_replica_set(one, [])["metadata"]["name"]
        != revisions.new_replica_set(other, [])["metadata"]["name"]
    )


def test_going_back_makes_an_old_set_the_newest_and_it_remembers() -> None:
    deployment = owner("Deployment")
    back, later = owner("ReplicaSet", "back"), owner("ReplicaSet", "later")
    back["metadata"]["annotations"] = {revisions.REVISION: "1"}
    later["metadata"]["annotations"] = {revisions.REVISION: "2"}
    found = revisions.refreshed(deployment, back, [later])
    assert found is not None
    assert annotations_of(found) == {
        revisions.REVISION: "3",
        "deployment.kubernetes.io/revision-history": "1",
    }
    assert revisions.refreshed(deployment, found, [later]) is None


def test_only_what_people_wrote_is_carried_over() -> None:
    deployment = owner("Deployment")
    deployment["metadata"]["annotations"] = {
        "kubernetes.io/change-cause": "because",
        "kubectl.kubernetes.io/last-applied-configuration": "{}",
        revisions.REVISION: "7",
    }
    found = annotations_of(revisions.new_replica_set(deployment, []))
    assert found["kubernetes.io/change-cause"] == "because"
    assert found[revisions.REVISION] == "1"
    assert "kubectl.kubernetes.io/last-applied-configuration" not in found


def test_beyond_the_limit_only_empty_sets_go() -> None:
    deployment = owner("Deployment", spec={"revisionHistoryLimit": 1})
    sets = [
        owner("ReplicaSet", name, spec={"replicas": size}) for name, size in (("a", 0), ("b", 2), ("c", 0))
    ]
    for number, one in enumerate(sets):
        one["metadata"]["annotations"] = {revisions.REVISION: str(number)}
        one["status"] = {"observedGeneration": 1}
    assert revisions.to_clean_up(deployment, sets) == [sets[0]]
