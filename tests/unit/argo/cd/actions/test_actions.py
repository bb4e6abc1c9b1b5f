"""Which actions objects have, and what becomes of them."""

from __future__ import annotations

from copy import deepcopy
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argosy.argo.cd.actions import Action, ActionError, Change, actions_of, perform
from argosy.argo.cd.actions.offer import BUILTINS
from argosy.domain.health import Scripts
from argosy.kube.objects import Object

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def of(kind: str, spec: Object | None = None, status: Object | None = None, **metadata: object) -> Object:
    version, _, name = kind.rpartition("/")
    obj = {
        "apiVersion": version,
        "kind": name,
        "metadata": {"name": "web", "namespace": "shop", "uid": "u1", **metadata},
        "spec": spec or {},
    }
    return obj if status is None else {**obj, "status": status}


def changed(name: str, obj: Object, **params: str) -> Object:
    (change,) = perform(name, obj, params, None, now=NOW)
    assert change.operation == "patch"
    return change.object


DEPLOYMENT = of("apps/v1/Deployment", {"replicas": 2, "template": {"spec": {}}})


def test_a_deployment_can_be_restarted_paused_and_scaled() -> None:
    assert actions_of(DEPLOYMENT) == [
        Action("restart", icon="fa fa-fw fa-redo"),
        Action("pause", icon="fa fa-fw fa-pause-circle"),
        Action("resume", disabled=True, icon="fa fa-fw fa-play-circle"),
        Action("scale", icon="fa fa-fw fa-plus-circle", params=(("replicas", ""),)),
    ]
    restarted = changed("restart", DEPLOYMENT)["spec"]["template"]["metadata"]["annotations"]
    assert restarted == {"kubectl.kubernetes.io/restartedAt": "2026-01-02T03:04:05Z"}
    assert changed("scale", DEPLOYMENT, replicas="6")["spec"]["replicas"] == 6
    paused = changed("pause", DEPLOYMENT)
    assert paused["spec"]["paused"] is True
    assert changed("resume", paused) == DEPLOYMENT


def test_the_live_object_is_left_as_it_is() -> None:
    before = deepcopy(DEPLOYMENT)
    changed("restart", DEPLOYMENT)
    changed("pause", DEPLOYMENT)
    assert before == DEPLOYMENT


@pytest.mark.parametrize("replicas", ["", "many", "-1", "1.5", "٣", "1e3"])
def test_only_a_whole_number_of_replicas_can_be_asked_for(replicas: str) -> None:
    with pytest.raises(ActionError, match=f"invalid number: {replicas}"):
        changed("scale", DEPLOYMENT, replicas=replicas)


def test_a_job_is_made_from_its_schedule() -> None:
    template = {
        "metadata": {"labels": {"a": "b"}},
        "spec": {"template": {"spec": {"volumes": [{"emptyDir": {}}]}}},
    }
    cron = of("batch/v1/CronJob", {"jobTemplate": template})
    (change,) = perform("create-job", cron, {}, None, now=NOW)
    owner = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "name": "web",
        "uid": "u1",
        "blockOwnerDeletion": True,
        "controller": True,
    }
    assert change == Change("create", {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "labels": {"a": "b"},
            "name": "web-2601020304",
            "namespace": "shop",
            "annotations": {"cronjob.kubernetes.io/instantiate": "manual"},
            "ownerReferences": [owner],
        },
        "spec": template["spec"],
    })  # fmt: skip


@pytest.mark.parametrize(
    "obj, offered",
    [
        (of("batch/v1/CronJob", {"suspend": True}), ["create-job", "resume"]),
        (of("batch/v1/CronJob"), ["create-job", "suspend"]),
        (of("batch/v1/Job", {}, {}), ["suspend", "terminate"]),
        (of("batch/v1/Job", {"suspend": True}), ["resume"]),
        (of("batch/v1/Job", {}, {"conditions": [{"type": "Complete", "status": "True"}]}), []),
        (of("v1/ConfigMap"), []),
    ],
)
def test_only_what_makes_sense_is_offered(obj: Object, offered: list[str]) -> None:
    assert [action.name for action in actions_of(obj)] == offered


def test_a_job_is_terminated_once() -> None:
    ended = changed("terminate", of("batch/v1/Job", {}, {}))
    (condition,) = ended["status"]["conditions"]
    assert (condition["type"], condition["reason"]) == ("FailureTarget", "ManuallyTerminated")
    assert changed("terminate", ended) == ended


def rollout(spec: Object | None = None, status: Object | None = None) -> Object:
    canary = {"replicas": 1, "strategy": {"canary": {"steps": [{}, {}]}}}
    return of(
        "argoproj.io/v1alpha1/Rollout",
        canary | (spec or {}),
        {"observedGeneration": "3", **(status or {})},
        generation=3,
    )


def disabled(obj: Object) -> set[str]:
    return {action.name for action in actions_of(obj) if action.disabled}


def test_a_rollout_under_way_can_be_promoted_aborted_and_moved_on() -> None:
    under_way = rollout(
        status={"currentPodHash": "new", "stableRS": "old", "currentStepIndex": 1, "pauseConditions": [{}]}
    )
    assert disabled(under_way) == {"retry"}
    assert changed("promote-full", under_way)["status"]["promoteFull"] is True
    assert changed("abort", under_way)["status"]["abort"] is True
    assert disabled(changed("abort", under_way)) == {"abort", "pause"}
    moved = changed("skip-current-step", under_way)["status"]
    assert moved["currentStepIndex"] == 2
    assert "pauseConditions" not in moved
    assert "pauseConditions" not in changed("resume", under_way)["status"]
    assert changed("retry", changed("abort", under_way)) == under_way


def test_a_rollout_that_is_done_or_unseen_can_only_be_restarted() -> None:
    assert disabled(rollout(status={"currentPodHash": "a", "stableRS": "a", "currentStepIndex": 2})) == {
        "resume", "abort", "retry", "pause", "promote-full", "skip-current-step"
    }  # fmt: skip
    assert changed("restart", rollout())["spec"]["restartAt"] == "2026-01-02T03:04:05Z"


def test_a_workflow_is_made_from_its_schedule_and_from_its_template() -> None:
    about = {"labels": {"a": "b"}, "finalizers": ["f"]}
    cron = of(
        "argoproj.io/v1alpha1/CronWorkflow", {"workflowSpec": {"entrypoint": "x"}, "workflowMetadata": about}
    )
    (made,) = perform("create-workflow", cron, {}, None, now=NOW)
    assert made.operation == "create"
    assert made.object["metadata"]["labels"] == {"a": "b", "workflows.argoproj.io/cron-workflow": "web"}
    assert made.object["metadata"]["annotations"] == {
        "workflows.argoproj.io/scheduled-time": "2026-01-02T03:04:05Z"
    }
    assert made.object["metadata"]["finalizers"] == ["f"]
    assert made.object["spec"] == {"entrypoint": "x"}
    (made,) = perform("create-workflow", of("argoproj.io/v1alpha1/WorkflowTemplate"), {}, None, now=NOW)
    assert made.object["spec"] == {"workflowTemplateRef": {"name": "web"}}
    assert made.object["metadata"]["name"] == "web-202601020304"


@pytest.mark.parametrize(
    "policy, title, after",
    [
        ({}, "Enable Auto-Sync", {"enabled": True}),
        ({"automated": {"prune": True}}, "Disable Auto-Sync", {"prune": True, "enabled": False}),
        ({"automated": {"enabled": False}}, "Enable Auto-Sync", {"enabled": True}),
    ],
)
def test_auto_sync_is_toggled_without_losing_its_settings(policy: Object, title: str, after: Object) -> None:
    app = of("argoproj.io/v1alpha1/Application", {"syncPolicy": policy})
    assert [action.display_name for action in actions_of(app)] == [title]
    assert changed("toggle-auto-sync", app)["spec"]["syncPolicy"]["automated"] == after


def test_a_flux_object_is_suspended_resumed_and_reconciled() -> None:
    obj = of("kustomize.toolkit.fluxcd.io/v1/Kustomization")
    assert disabled(obj) == {"resume"}
    assert disabled(changed("suspend", obj)) == {"suspend", "reconcile"}
    assert changed("resume", changed("suspend", obj))["spec"]["suspend"] is False
    asked = changed("reconcile", obj)["metadata"]["annotations"]
    assert asked == {"reconcile.fluxcd.io/requestedAt": "By Argo CD at: 2026-01-02T03:04:05"}


@pytest.mark.parametrize(
    "instance, chosen", [("any", "web-3"), ("3", "web-3"), ("web-1", "web-1"), ("9", None), ("other", None)]
)
def test_a_replica_becomes_the_primary(instance: str, chosen: str | None) -> None:
    status = {"currentPrimary": "web-2", "instancesStatus": {"healthy": ["web-1", "web-2", "web-3"]}}
    cluster = of("postgresql.cnpg.io/v1/Cluster", {}, status)
    if chosen is None:
        with pytest.raises(
            ActionError, match=f"Could not find a healthy instance matching the criteria: {instance}"
        ):
            changed("promote", cluster, instance=instance)
    else:
        assert changed("promote", cluster, instance=instance)["status"]["targetPrimary"] == chosen


def test_an_action_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ActionError, match="apps/Deployment has no action 'explode'"):
        perform("explode", DEPLOYMENT, {}, None, now=NOW)


SCRIPTED = """
discovery.lua: |
  return {touch = {disabled = obj.spec.paused == true, iconClass = "fa fa-hand", displayName = "Touch", params = {{name = "how", default = "softly"}}}, restart = {}}
definitions:
- name: touch
  action.lua: |
    obj.metadata.annotations = {touched = actionParams.how}
    return obj
- name: copy
  action.lua: |
    return {{operation = "create", resource = {kind = "ConfigMap", metadata = {name = obj.metadata.name .. "-copy"}}}, {operation = "patch", resource = obj}}
- name: bad
  action.lua: |
    return {{operation = "delete", resource = obj}}
- name: worse
  action.lua: |
    error("no " .. actionParams.what, 0)
- name: nothing
  action.lua: |
    return nil
"""


def scripts(*, merged: bool = False) -> Scripts:
    text = SCRIPTED + ("mergeBuiltinActions: true\n" if merged else "")
    return Scripts.read({"resource.customizations.actions.apps_Deployment": text})


def test_actions_of_ones_own_take_the_place_of_the_built_in_ones() -> None:
    assert actions_of(DEPLOYMENT, scripts()) == [
        Action("restart"),
        Action("touch", display_name="Touch", icon="fa fa-hand", params=(("how", "softly"),)),
    ]


def test_or_they_are_merged_with_them() -> None:
    assert [action.name for action in actions_of(DEPLOYMENT, scripts(merged=True))] == [
        "restart",
        "touch",
        "pause",
        "resume",
        "scale",
    ]


def test_a_script_changes_the_object_and_its_empty_maps_stay_maps() -> None:
    (change,) = perform("touch", DEPLOYMENT, {"how": "softly"}, scripts(), now=NOW)
    assert change.operation == "patch"
    assert change.object["metadata"]["annotations"] == {"touched": "softly"}
    assert change.object["spec"] == {"replicas": 2, "template": {"spec": {}}}


def test_a_script_may_create_and_patch() -> None:
    made = perform("copy", DEPLOYMENT, {}, scripts(), now=NOW)
    assert [(change.operation, change.object["kind"]) for change in made] == [
        ("create", "ConfigMap"),
        ("patch", "Deployment"),
    ]
    assert made[1].object == DEPLOYMENT


@pytest.mark.parametrize(
    "name, words",
    [
        ("bad", "action bad of apps/Deployment: unsupported operation: delete"),
        ("worse", "action worse of apps/Deployment: no way"),
        ("nothing", "action nothing of apps/Deployment: expect table output from Lua script, not nil"),
    ],
)
def test_a_script_that_fails_says_why(name: str, words: str) -> None:
    with pytest.raises(ActionError) as failure:
        perform(name, DEPLOYMENT, {"what": "way"}, scripts(), now=NOW)
    assert str(failure.value) == words


def test_a_built_in_action_is_there_even_where_it_is_not_offered() -> None:
    """As in Argo CD: the discovery says what is shown."""
    assert (
        perform("scale", DEPLOYMENT, {"replicas": "3"}, scripts(), now=NOW)[0].object["spec"]["replicas"] == 3
    )


leaves = st.none() | st.booleans() | st.integers(-2, 9) | st.sampled_from(["", "x", "True"])
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                [
                    "spec",
                    "status",
                    "metadata",
                    "annotations",
                    "conditions",
                    "suspend",
                    "strategy",
                    "canary",
                    "steps",
                ]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(BUILTINS)), values, values, values)
def test_any_object_can_be_asked_for_its_actions(
    key: str, metadata: object, spec: object, status: object
) -> None:
    group, _, kind = key.rpartition("/")
    obj = {"apiVersion": f"{group}/v1", "kind": kind, "metadata": metadata, "spec": spec, "status": status}
    for action in actions_of(obj):
        assert action.name
