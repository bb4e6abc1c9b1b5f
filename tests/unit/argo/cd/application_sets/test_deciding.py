"""The smaller decisions: conditions, which applications are valid, what a live one becomes, and what concerns a set."""

from __future__ import annotations

import msgspec
import pytest

from argosy.argo.cd.application_sets import asking, conditions, desiring, resources, turned, validating
from argosy.argo.cd.application_sets.repositories import may_mean, same_place
from argosy.argo.cd.application_sets.settings import Settings
from argosy.argo.cd.application_sets.unsupported import unknown_fields
from argosy.contracts.argo.application_set import SetSpec
from argosy.kube.objects import Object
from tests.unit.argo.cd.application_sets.worlds import application_set, cluster

IN = "https://kubernetes.default.svc"


def set_spec(**said: object) -> SetSpec:
    return msgspec.convert({"generators": [], "template": {}, **said}, SetSpec)


# Conditions


def kinds(status: Object) -> dict[str, tuple[str, str]]:
    return {one["type"]: (one["status"], one["reason"]) for one in status["conditions"]}


def test_a_success_ends_the_error_before_it() -> None:
    status = conditions.with_conditions({}, conditions.failed("X", "no", generated=False), rolling=False)
    assert kinds(status) == {
        "ErrorOccurred": ("True", "X"),
        "ParametersGenerated": ("False", "ErrorOccurred"),
        "ResourcesUpToDate": ("False", "ErrorOccurred"),
    }
    assert status["health"] == {"status": "Degraded", "message": "no"}
    status = conditions.with_conditions(status, conditions.done(), rolling=False)
    assert kinds(status) == {
        "ErrorOccurred": ("False", "ApplicationSetUpToDate"),
        "ParametersGenerated": ("True", "ParametersGenerated"),
        "ResourcesUpToDate": ("True", "ApplicationSetUpToDate"),
    }
    assert status["health"] == {
        "status": "Healthy",
        "message": "All applications have been generated successfully",
    }


def test_a_condition_keeps_the_time_at_which_it_became_what_it_says() -> None:
    status = conditions.with_conditions({}, conditions.done(), rolling=False)
    for one in status["conditions"]:
        one["lastTransitionTime"] = "2020-01-01T00:00:00Z"
    again = conditions.with_conditions(status, conditions.done(), rolling=False)
    assert again == status
    failed = conditions.with_conditions(status, conditions.failed("X", "no", generated=True), rolling=False)
    times = {one["type"]: one["lastTransitionTime"] for one in failed["conditions"]}
    assert times["ParametersGenerated"] == "2020-01-01T00:00:00Z"
    assert times["ErrorOccurred"] != "2020-01-01T00:00:00Z"


def test_conditions_of_a_rollout_stay_while_there_is_one() -> None:
    told = [conditions.Condition("RolloutProgressing", "True", "ApplicationSetModified", "step 1")]
    status = conditions.with_conditions({}, [*told, *conditions.done()], rolling=True)
    assert status["health"] == {"status": "Progressing", "message": "step 1"}
    assert "RolloutProgressing" in kinds(conditions.with_conditions(status, conditions.done(), rolling=True))
    assert "RolloutProgressing" not in kinds(
        conditions.with_conditions(status, conditions.done(), rolling=False)
    )


def test_a_set_without_conditions_has_no_known_health() -> None:
    assert conditions.health([])["status"] == "Unknown"
    assert (
        conditions.health([{"type": "Other", "status": "True"}])["message"]
        == "Waiting for health status to be determined"
    )


# Fields


def test_fields_that_nobody_reads_are_named() -> None:
    found = application_set(
        "[{list: {elements: [{a: 1}], odd: 1}}, {matrix: {generators: [{git: {repoURL: x, odd: 2}}, {list: {}}]}}]"
    )
    found["spec"] |= {"odd": 3, "syncPolicy": {"odd": 4}}
    assert unknown_fields(found["spec"]) == [
        "spec.generators[0].list.odd",
        "spec.generators[1].matrix.generators[0].git.odd",
        "spec.odd",
        "spec.syncPolicy.odd",
    ]
    assert unknown_fields(application_set("[{list: {elements: [{any: thing}]}}]")["spec"]) == []


# Validity


def made(name: str = "a", project: str = "default", **destination: str) -> Object:
    return {
        "metadata": {"name": name},
        "spec": {"project": project, "destination": destination or {"server": IN}},
    }


@pytest.mark.parametrize(
    ("app", "said"),
    [
        (made(), ""),
        (made(name="in", server=IN), ""),
        (made(project="none"), "application references project none which does not exist"),
        (made(server="https://dev.example.com"), ""),
        (made(server="https://dev.example.com/"), ""),
        (
            made(server="https://gone"),
            'application destination spec is invalid: error getting cluster by server "https://gone"',
        ),
        ({"metadata": {"name": "a"}, "spec": {"project": "default", "destination": {"name": "dev"}}}, ""),
        (
            {
                "metadata": {"name": "a"},
                "spec": {"project": "default", "destination": {"name": "in-cluster"}},
            },
            "",
        ),
        (
            {"metadata": {"name": "a"}, "spec": {"project": "default", "destination": {"name": "gone"}}},
            "application destination spec is invalid: there are no clusters with this name: gone",
        ),
        (
            {"metadata": {"name": "a"}, "spec": {"project": "default", "destination": {"name": "twin"}}},
            "there are 2 clusters with the same name: [https://one https://two]",
        ),
        (
            {
                "metadata": {"name": "a"},
                "spec": {"project": "default", "destination": {"name": "x", "server": "y"}},
            },
            "application destination can't have both name and server defined: x y",
        ),
        (
            {"metadata": {"name": "a"}, "spec": {"project": "default", "destination": {}}},
            "Destination server missing from app spec",
        ),
        (
            {"metadata": {"name": "a"}, "spec": {"project": "default"}},
            "application a has an invalid spec: Object missing required field `destination`",
        ),
        ({"metadata": {}, "spec": {}}, "contains an application with no name"),
    ],
)
def test_an_application_that_cannot_be_is_told(app: Object, said: str) -> None:
    clusters = [cluster("dev"), cluster("twin", "https://one"), cluster("twin", "https://two")]
    found = validating.invalid("web", [app], clusters, {"default"})
    assert said in found.get(app["metadata"].get("name", ""), "") if said else found == {}


def test_two_applications_with_one_name_are_both_wrong() -> None:
    found = validating.invalid("web", [made(), made(), made("b")], [], None)
    assert found == {"a": "ApplicationSet web contains applications with duplicate name: a"}


def test_of_many_errors_the_last_is_told_and_the_others_counted() -> None:
    assert validating.summary({"b": "two", "a": "one", "c": "three"}) == "three (and 2 more)"
    assert validating.summary({"a": "one"}) == "one"


# What a live application becomes

OWNER = {
    "apiVersion": "argoproj.io/v1alpha1",
    "kind": "ApplicationSet",
    "metadata": {"name": "web", "uid": "u1"},
}
OURS = {
    "apiVersion": "argoproj.io/v1alpha1", "kind": "ApplicationSet", "name": "web", "uid": "u1",
    "controller": True, "blockOwnerDeletion": True,
}  # fmt: skip


def live(spec: Object | None = None, **metadata: object) -> Object:
    return {
        "metadata": {"name": "a", "namespace": "argocd", "ownerReferences": [OURS], **metadata},
        "spec": spec or {"project": "default", "destination": {"server": IN}},
    }


def change(
    found: Object, generated: Object, rules: SetSpec | None = None, settings: Settings | None = None
) -> Object:
    rules = rules or set_spec()
    after = desiring.desired(found, generated, OWNER, rules, settings or Settings())
    over = desiring.overlooked(rules.ignore_application_differences, "a")
    return desiring.patch(desiring.without(desiring.current(found), over), desiring.without(after, over))


def test_what_is_as_it_should_be_is_not_touched() -> None:
    assert change(live(), made()) == {}


def test_what_says_nothing_makes_no_difference() -> None:
    spec = {
        "project": "default",
        "destination": {"server": IN, "name": ""},
        "syncPolicy": {"syncOptions": []},
        "source": {"path": "x", "helm": {"values": ""}},
    }
    generated = made()
    generated["spec"]["source"] = {"path": "x"}
    assert change(live(spec), generated) == {}
    assert change(live({**generated["spec"]}), {**generated, "spec": spec}) == {}


def test_automatic_syncs_are_a_difference_even_when_they_say_nothing() -> None:
    generated = made()
    generated["spec"]["syncPolicy"] = {"automated": {}}
    assert change(live(), generated) == {"spec": {"syncPolicy": {"automated": {}}}}
    assert change(live(generated["spec"]), made()) == {"spec": {"syncPolicy": None}}
    switched = {**generated["spec"], "syncPolicy": {"automated": {"enabled": False}}}
    assert change(live(switched), generated) == {"spec": {"syncPolicy": {"automated": {"enabled": None}}}}


def test_labels_that_nobody_generates_go_and_preserved_ones_stay() -> None:
    found = live(
        labels={"old": "1", "kept": "2"}, annotations={"x": "1", "argocd.argoproj.io/refresh": "normal"}
    )
    rules = set_spec(preservedFields={"labels": ["kept"]})
    generated = made()
    generated["metadata"]["labels"] = {"new": "3"}
    assert change(found, generated, rules) == {
        "metadata": {"labels": {"old": None, "new": "3"}, "annotations": {"x": None}}
    }
    everywhere = Settings(preserved_labels=("old",), preserved_annotations=("x",))
    assert change(found, generated, rules, everywhere) == {"metadata": {"labels": {"new": "3"}}}


def test_finalizers_of_a_deletion_that_runs_stay() -> None:
    found = live(finalizers=["post-delete-finalizer.argocd.argoproj.io/cleanup", "x/y"])
    assert change(found, made()) == {
        "metadata": {"finalizers": ["post-delete-finalizer.argocd.argoproj.io/cleanup"]}
    }


def test_an_application_of_somebody_else_is_left_alone() -> None:
    other = {**OURS, "name": "other", "uid": "u2"}
    with pytest.raises(desiring.NotOurs, match="already owned by another ApplicationSet controller other"):
        change(live(ownerReferences=[other]), made())


def test_an_orphan_is_adopted_and_other_owners_stay() -> None:
    friend = {"kind": "ConfigMap", "name": "x", "uid": "u3"}
    assert change(live(ownerReferences=[friend]), made()) == {"metadata": {"ownerReferences": [friend, OURS]}}
    before = {**OURS, "uid": "u0"}
    assert change(live(ownerReferences=[before]), made()) == {"metadata": {"ownerReferences": [OURS]}}


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({"jsonPointers": ["/spec/source/targetRevision"]}, {}),
        ({"name": "a", "jsonPointers": ["/spec/source/targetRevision"]}, {}),
        (
            {"name": "b", "jsonPointers": ["/spec/source/targetRevision"]},
            {"spec": {"source": {"targetRevision": "main"}}},
        ),
        ({"jsonPointers": ["/spec/source"]}, {}),
    ],
)
def test_differences_that_are_to_be_overlooked_are(rule: Object, expected: Object) -> None:
    generated = made()
    generated["spec"]["source"] = {"repoURL": "r", "targetRevision": "main"}
    found = live({**generated["spec"], "source": {"repoURL": "r", "targetRevision": "fix"}})
    assert change(found, generated, set_spec(ignoreApplicationDifferences=[rule])) == expected


def test_beside_what_is_overlooked_everything_counts() -> None:
    rules = set_spec(ignoreApplicationDifferences=[{"jsonPointers": ["/metadata/labels/kept"]}])
    assert change(live(labels={"old": "1", "kept": "2"}), made(), rules) == {
        "metadata": {"labels": {"old": None}}
    }


def test_an_order_to_sync_is_part_of_what_is_written() -> None:
    generated = {**made(), "operation": {"sync": {}}}
    assert change(live(), generated) == {"operation": {"sync": {}}}


# What concerns a set


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({}, {"status": {"reconciledAt": "x"}}, False),
        ({}, {"status": {"health": {"status": "Healthy"}}}, True),
        ({}, {"status": {"sync": {"status": "Synced"}}}, True),
        ({}, {"status": {"operationState": {"phase": "Running"}}}, True),
        ({}, {"spec": {"project": "x"}}, True),
        ({}, {"metadata": {"labels": {"a": "b"}}}, True),
        ({}, {"metadata": {"annotations": {"a": "b"}}}, True),
        ({}, {"metadata": {"finalizers": ["a"]}}, True),
        ({"metadata": {"resourceVersion": "1"}}, {"metadata": {"resourceVersion": "2"}}, False),
        ({"metadata": {"labels": {}}}, {"metadata": {}}, False),
    ],
)
def test_an_application_concerns_its_set_by_what_the_set_decides_or_tells(
    before: Object, after: Object, expected: bool
) -> None:
    assert turned.of_application(before, after) is expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({}, {"status": {"conditions": [1]}}, False),
        ({}, {"status": {"applicationStatus": [1]}}, True),
        ({}, {"spec": {"goTemplate": True}}, True),
        ({}, {"metadata": {"annotations": {turned.REFRESH: "true"}}}, True),
        ({"metadata": {"annotations": {turned.REFRESH: "true"}}}, {}, False),
        ({}, {"metadata": {"deletionTimestamp": "now"}}, True),
    ],
)
def test_a_set_is_looked_at_for_what_people_change(before: Object, after: Object, expected: bool) -> None:
    assert turned.of_set(before, after) is expected


def test_generators_are_asked_however_deep_they_are() -> None:
    deep = "[{matrix: {generators: [{merge: {mergeKeys: [a], generators: [{clusters: {}}, {git: {repoURL: x, requeueAfterSeconds: 7}}]}}, {list: {}}]}}]"
    assert asking.reads_clusters(application_set(deep))
    assert asking.requeue_seconds(application_set(deep)) == 7
    assert not asking.reads_clusters(application_set("[{list: {}}]"))
    assert asking.requeue_seconds(application_set("[{git: {repoURL: x}}]")) is None


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("https://git.example.com/Team/apps.git", "https://GIT.example.com/team/apps", True),
        ("git@git.example.com:team/apps.git", "https://user@git.example.com/team/apps", True),
        ("ssh://git@git.example.com:2222/team/apps", "git@git.example.com:team/apps", True),
        ("https://git.example.com/team/apps", "https://git.example.com/team/other", False),
        ("https://a.example.com/x", "https://b.example.com/x", False),
    ],
)
def test_a_repository_is_known_by_any_of_its_urls(left: str, right: str, expected: bool) -> None:
    assert same_place(left, right) is expected


@pytest.mark.parametrize(
    ("wanted", "announced", "expected"),
    [
        ("main", "refs/heads/main", True),
        ("HEAD", "refs/heads/x", True),
        ("", "x", True),
        ("v1", "refs/heads/main", False),
        ("main", "", True),
    ],
)
def test_a_push_concerns_those_who_read_its_branch(wanted: str, announced: str, expected: bool) -> None:
    assert may_mean(wanted, announced) is expected


def test_the_list_of_applications_is_cut_and_counted() -> None:
    apps = [
        {
            "metadata": {"name": name, "namespace": "argocd"},
            "status": {"sync": {"status": "Synced"}, "health": {"status": "Healthy"}},
        }
        for name in "cab"
    ]
    told = resources.listed(apps, most=2)
    assert [one["name"] for one in told["resources"]] == ["a", "b"]
    assert told["resourcesCount"] == 3
    assert told["resources"][0] == {
        "group": "argoproj.io", "version": "v1alpha1", "kind": "Application", "name": "a", "namespace": "argocd",
        "status": "Synced", "health": {"status": "Healthy"},
    }  # fmt: skip
    assert resources.listed([], most=2) == {}


@pytest.mark.parametrize(
    ("policy", "update", "delete"),
    [
        ("create-only", False, False),
        ("create-update", True, False),
        ("create-delete", False, True),
        ("sync", True, True),
        (None, True, True),
    ],
)
def test_a_policy_says_what_may_be_done(policy: str | None, update: bool, delete: bool) -> None:
    rules = set_spec(syncPolicy={"applicationsSync": policy}) if policy else set_spec()
    assert (Settings().may_update(rules), Settings().may_delete(rules)) == (update, delete)
    fixed = Settings(policy="create-only", may_override=False)
    assert (fixed.may_update(rules), fixed.may_delete(rules)) == (False, False)
