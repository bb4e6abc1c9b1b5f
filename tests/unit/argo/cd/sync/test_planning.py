"""Whose turn it is: phases, waves, kinds, names, and what must be there before its users."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.argo.cd.resources import Pair, key_of
from argosy.argo.cd.sync.options import Options, Request
from argosy.argo.cd.sync.planning import namespace_task, plan
from argosy.argo.cd.sync.task import Task
from argosy.kube.objects import Object
from tests.unit.argo.cd.objects import made

_REQUEST = Request(namespace="web", revision="0123456789abcdef", started_at=1_700_000_000, prune=True)


def wanted(*targets: Object) -> list[Pair]:
    return [Pair(key_of(one), one, None) for one in targets]


def extra(*lives: Object) -> list[Pair]:
    return [Pair(key_of(one), None, one) for one in lives]


def turns(
    pairs: list[Pair], *hooks: Object, request: Request = _REQUEST, namespace: Task | None = None
) -> list[str]:
    tasks = plan(pairs, hooks, request, results=[], namespace=namespace)
    return [f"{task.phase}/{task.wave} {task.key.kind}/{task.key.name}" for task in tasks]


def test_kinds_have_their_order_and_unknown_ones_come_last() -> None:
    pairs = wanted(
        made("Widget", "a", api="example.com/v1"),
        made("Deployment", "b"),
        made("Service", "c"),
        made("ConfigMap", "e"),
        made("ConfigMap", "d"),
        made("Ingress", "f"),
    )
    assert turns(pairs) == [
        "Sync/0 ConfigMap/d",
        "Sync/0 ConfigMap/e",
        "Sync/0 Service/c",
        "Sync/0 Deployment/b",
        "Sync/0 Ingress/f",
        "Sync/0 Widget/a",
    ]


def test_waves_come_before_kinds_and_phases_before_waves() -> None:
    pairs = wanted(made("ConfigMap", "late", wave=5), made("Deployment", "early", wave=-1))
    hooks = [made("Job", "after", hook="PostSync", wave=-9), made("Job", "before", hook="PreSync", wave=9)]
    assert turns(pairs, *hooks) == [
        "PreSync/9 Job/before",
        "Sync/-1 Deployment/early",
        "Sync/5 ConfigMap/late",
        "PostSync/-9 Job/after",
    ]


def test_a_hook_of_two_phases_has_two_turns() -> None:
    assert turns([], made("Job", "twice", hook="PreSync, PostSync")) == [
        "PreSync/0 Job/twice",
        "PostSync/0 Job/twice",
    ]


@pytest.mark.parametrize(
    ("annotation", "phases"),
    [
        ("pre-install,pre-upgrade", ["PreSync"]),
        ("post-install", ["PostSync"]),
        ("pre-install,post-upgrade", ["PreSync", "PostSync"]),
        ("test", []),
        ("pre-rollback", []),
    ],
)
def test_hooks_of_helm_have_the_phases_of_ours(annotation: str, phases: list[str]) -> None:
    hook = made("Job", "a")
    hook["metadata"]["annotations"] = {"helm.sh/hook": annotation, "helm.sh/hook-weight": "3"}
    assert turns([], hook) == [f"{phase}/3 Job/a" for phase in phases]


def test_a_hook_with_only_a_prefix_is_named_for_this_sync() -> None:
    hook = made("Job", "", hook="PreSync")
    hook["metadata"] = {"generateName": "migrate-", "annotations": hook["metadata"]["annotations"]}
    (task,) = plan([], [hook], _REQUEST, results=[])
    assert task.key.name == "migrate-0123456-presync-1700000000"
    assert task.target is not None
    assert task.target["metadata"]["finalizers"] == ["argocd.argoproj.io/hook-finalizer"]
    assert "finalizers" not in hook["metadata"]


def test_what_is_pruned_goes_in_the_opposite_order_of_how_it_came() -> None:
    pairs = extra(*(made("ConfigMap", f"w{wave}", wave=wave) for wave in (0, 1, 5)))
    assert turns(pairs) == ["Sync/0 ConfigMap/w5", "Sync/1 ConfigMap/w1", "Sync/5 ConfigMap/w0"]


def test_what_is_pruned_last_goes_after_every_wave() -> None:
    pairs = wanted(made("ConfigMap", "new", wave=3)) + extra(
        made("ConfigMap", "old", options="PruneLast=true"), made("ConfigMap", "other")
    )
    assert turns(pairs) == ["Sync/0 ConfigMap/other", "Sync/3 ConfigMap/new", "Sync/4 ConfigMap/old"]


def test_a_namespace_goes_before_its_first_user_and_takes_over_its_turn() -> None:
    pairs = wanted(made("ConfigMap", "inside", "apart", wave=-2), made("Namespace", "apart", "", wave=7))
    assert turns(pairs) == ["Sync/-2 Namespace/apart", "Sync/-2 ConfigMap/inside"]


def test_a_definition_goes_before_its_first_resource() -> None:
    definition = made(
        "CustomResourceDefinition",
        "widgets.example.com",
        "",
        wave=1,
        spec={"group": "example.com", "names": {"kind": "Widget"}},
    )
    pairs = wanted(definition, made("ConfigMap", "x", wave=-1), made("Widget", "w", api="example.com/v1"))
    assert turns(pairs) == [
        "Sync/-1 ConfigMap/x",
        "Sync/0 CustomResourceDefinition/widgets.example.com",
        "Sync/0 Widget/w",
    ]


def test_the_namespace_is_made_only_when_git_has_none() -> None:
    request = Request(namespace="web", revision="", started_at=0, options=Options(create_namespace=True))
    made_one = namespace_task(request, None, None)
    assert turns(wanted(made("ConfigMap", "a")), namespace=made_one, request=request) == [
        "PreSync/0 Namespace/web",
        "Sync/0 ConfigMap/a",
    ]
    own = wanted(made("Namespace", "web", ""), made("ConfigMap", "a"))
    assert turns(own, namespace=namespace_task(request, None, None), request=request) == [
        "Sync/0 Namespace/web",
        "Sync/0 ConfigMap/a",
    ]


def test_a_namespace_that_is_there_is_left_alone_unless_its_metadata_is_managed() -> None:
    live = made("Namespace", "web", "")
    assert namespace_task(_REQUEST, None, live) is None
    managed = namespace_task(_REQUEST, {"labels": {"team": "a"}}, live)
    assert managed is not None
    assert managed.target is not None
    assert managed.target["metadata"] == {"name": "web", "labels": {"team": "a"}}


def test_unknown_hooks_are_neither_run_nor_managed() -> None:
    assert turns(wanted(made("Job", "x", hook="Whenever")), made("Job", "y", hook="Whenever")) == []
    assert turns(wanted(made("Job", "z", hook="Skip"))) == []


_OBJECTS = st.lists(
    st.tuples(
        st.sampled_from(["Namespace", "ConfigMap", "Deployment", "Widget", "Secret"]),
        st.integers(-2, 2),
        st.booleans(),
    ),
    max_size=12,
)


@given(_OBJECTS)
def test_every_object_has_one_turn_and_turns_only_rise(kinds: list[tuple[str, int, bool]]) -> None:
    pairs: list[Pair] = []
    for number, (kind, wave, there) in enumerate(kinds):
        namespace = "" if kind == "Namespace" else f"ns{number % 3}"
        one = made(kind, f"ns{number}" if kind == "Namespace" else f"n{number}", namespace, wave=wave)
        pairs += extra(one) if there else wanted(one)
    tasks = plan(pairs, [], _REQUEST, results=[])
    assert sorted(task.key for task in tasks) == sorted(pair.key for pair in pairs)
    applied = [task.wave for task in tasks]
    assert applied == sorted(applied)
    for place, task in enumerate(tasks):  # whoever lives in a namespace of the same sync comes after it
        inside = [other for other in tasks[:place] if other.key.namespace == task.key.name]
        assert (
            task.target is None or task.key.kind != "Namespace" or all(one.target is None for one in inside)
        )
