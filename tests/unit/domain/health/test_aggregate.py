"""The health of an application from that of its objects."""

from __future__ import annotations

from itertools import pairwise

import pytest

from argosy.domain.health import ORDER, Health, Part, worst
from argosy.kube.objects import Object


def obj(
    name: str, kind: str = "Deployment", version: str = "apps/v1", namespace: str = "shop", **annotations: str
) -> Object:
    return {
        "apiVersion": version,
        "kind": kind,
        "metadata": {"name": name, "namespace": namespace, "annotations": annotations},
    }


def part(status: str, name: str = "web", *, live: bool = True, own: bool = False, **more: str) -> Part:
    one = obj(name, **more)
    return Part(one, one if live else None, Health(status) if status else None, own)


def test_nothing_is_healthy() -> None:
    assert worst([]) == Health("Healthy")


@pytest.mark.parametrize("better, worse", list(pairwise(ORDER)))
def test_the_worst_wins_and_is_named(better: str, worse: str) -> None:
    assert worst([part(better, "a"), part(worse, "b"), part(better, "c")]) == Health(
        worse, "Caused by apps/Deployment:shop/b"
    )


def test_up_to_three_causes_are_named() -> None:
    parts = [part("Degraded", name) for name in "abcde"]
    named = "apps/Deployment:shop/a, apps/Deployment:shop/b, apps/Deployment:shop/c"
    assert worst(parts[:3]) == Health("Degraded", f"Caused by {named}")
    assert worst(parts) == Health("Degraded", f"Caused by {named} and 2 more")


def test_the_core_group_and_the_cluster_are_left_out_of_a_name() -> None:
    one = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
    assert worst([Part(one, one, Health("Progressing"))]) == Health("Progressing", "Caused by Namespace:shop")


def test_a_missing_object_does_not_count_unless_all_are_missing() -> None:
    missing = part("Missing", live=False)
    assert worst([part("Healthy"), missing]) == Health("Healthy")
    assert worst([missing, missing]) == Health("Missing")


@pytest.mark.parametrize(
    "left_out",
    [
        part(""),
        part("Degraded", own=True),
        part("Degraded", **{"argocd.argoproj.io/ignore-healthcheck": "true"}),
        part("Missing", kind="Application", version="argoproj.io/v1alpha1"),
        part("Unknown", kind="Application", version="argoproj.io/v1alpha1"),
    ],
    ids=["no rule", "itself", "told to ignore", "missing child application", "unknown child application"],
)
def test_some_do_not_count_but_are_there(left_out: Part) -> None:
    assert worst([left_out]) == Health("Healthy")


@pytest.mark.parametrize(
    "annotations",
    [
        {"argocd.argoproj.io/hook": "PreSync"},
        {"argocd.argoproj.io/hook": "Skip"},
        {"helm.sh/hook": "pre-install"},
        {"helm.sh/hook": "test"},
    ],
)
def test_hooks_are_no_part_of_it(annotations: dict[str, str]) -> None:
    hook = part("Degraded", **annotations)
    assert worst([hook]) == Health("Healthy")
    assert worst([hook, part("Missing", live=False)]) == Health("Missing")


def test_a_definition_that_helm_marks_is_no_hook() -> None:
    assert worst([part("Degraded", **{"helm.sh/hook": "crd-install"})]).status == "Degraded"


def test_a_child_application_that_is_degraded_counts() -> None:
    assert worst([part("Degraded", kind="Application", version="argoproj.io/v1alpha1")]).status == "Degraded"
