"""Applications at work: what a person writes, what the engine does, what the status says of it."""

from __future__ import annotations

import pytest

from argosy.argo.cd.applications.reading import APPLICATION
from argosy.kube.types import Kind
from tests.unit.argo.cd.engine_room import Room, conditions, healthy, message, phase, synced
from tests.unit.argo.cd.objects import made

CONFIG, JOB = Kind("", "v1", "ConfigMap"), Kind("batch", "v1", "Job")
AUTOMATIC = {
    "automated": {"prune": True, "selfHeal": True},
    "syncOptions": ["PrunePropagationPolicy=background"],  # nobody collects garbage here
}


async def test_a_new_application_is_out_of_sync_and_missing(room: Room) -> None:
    revision = room.git.push(made("ConfigMap", "a", room.namespace))
    await room.application()
    app = await room.until(lambda app: synced(app) == "OutOfSync")
    assert healthy(app) == "Missing"
    status = app["status"]
    assert status["sync"]["revision"] == revision
    assert status["sync"]["comparedTo"]["source"]["repoURL"] == "https://git.example/web"
    assert [(one["name"], one["status"], one["health"]) for one in status["resources"]] == [
        ("a", "OutOfSync", {"status": "Missing"})
    ]
    assert (status["sourceType"], status["controllerNamespace"]) == ("Directory", "argocd")
    assert status["reconciledAt"]


async def test_a_sync_that_was_asked_for_brings_it_there(room: Room) -> None:
    revision = room.git.push(made("ConfigMap", "a", room.namespace, data={"k": "1"}))
    await room.application()
    await room.until(lambda app: synced(app) == "OutOfSync")
    await room.sync()
    app = await room.until(lambda app: synced(app) == "Synced" and phase(app) == "Succeeded")
    assert healthy(app) == "Healthy"
    assert "operation" not in app
    state = app["status"]["operationState"]
    assert state["message"] == "successfully synced (all tasks run)"
    assert state["syncResult"]["revision"] == revision
    assert [one["message"] for one in state["syncResult"]["resources"]] == ["configmap/a created"]
    (entry,) = app["status"]["history"]
    assert (entry["id"], entry["revision"]) == (0, revision)
    assert app["status"]["reconciledAt"] >= state["finishedAt"]
    live = await room.client.get(CONFIG, "a", room.namespace)
    assert live["metadata"]["annotations"] == {
        "argocd.argoproj.io/tracking-id": f"{room.namespace}_web:/ConfigMap:{room.namespace}/a"
    }


async def test_an_automatic_application_follows_git(room: Room) -> None:
    room.git.push(made("ConfigMap", "a", room.namespace), made("ConfigMap", "b", room.namespace))
    await room.application(syncPolicy=AUTOMATIC)
    await room.until(lambda app: synced(app) == "Synced")
    # when one object leaves Git and another changes
    revision = room.git.push(made("ConfigMap", "a", room.namespace, data={"k": "2"}))
    await room.refresh()
    app = await room.until(
        lambda app: synced(app) == "Synced" and app["status"]["sync"]["revision"] == revision
    )
    assert [one["name"] for one in app["status"]["resources"]] == ["a"]
    assert len(app["status"]["history"]) == 2
    assert app["status"]["operationState"]["operation"]["initiatedBy"] == {"automated": True}
    assert "argocd.argoproj.io/refresh" not in app["metadata"].get("annotations", {})
    assert await room.client.find(CONFIG, "b", room.namespace) is None


async def test_what_somebody_changes_is_healed_and_is_no_history(room: Room) -> None:
    room.git.push(made("ConfigMap", "a", room.namespace, data={"k": "1"}))
    await room.application(syncPolicy=AUTOMATIC)
    await room.until(lambda app: synced(app) == "Synced" and phase(app) == "Succeeded")
    await room.client.patch(CONFIG, "a", {"data": {"k": "changed"}}, namespace=room.namespace)
    app = await room.until(
        lambda app: phase(app) == "Succeeded" and _heals(app) == 1 and synced(app) == "Synced"
    )
    assert len(app["status"]["history"]) == 1
    assert (await room.client.get(CONFIG, "a", room.namespace))["data"] == {"k": "1"}


async def test_a_change_without_self_heal_is_only_seen(room: Room) -> None:
    room.git.push(made("ConfigMap", "a", room.namespace, data={"k": "1"}))
    await room.application()
    await room.sync()
    await room.until(lambda app: synced(app) == "Synced")
    await room.client.patch(CONFIG, "a", {"data": {"k": "changed"}}, namespace=room.namespace)
    await room.until(lambda app: synced(app) == "OutOfSync")
    assert (await room.client.get(CONFIG, "a", room.namespace))["data"] == {"k": "changed"}


async def test_health_follows_the_objects(room: Room) -> None:
    room.git.push(made("ConfigMap", "a", room.namespace))
    await room.application(syncPolicy=AUTOMATIC)
    await room.until(lambda app: healthy(app) == "Healthy")
    change = {"metadata": {"labels": {"health": "Degraded"}}}
    await room.client.patch(CONFIG, "a", change, namespace=room.namespace)
    app = await room.until(lambda app: healthy(app) == "Degraded")
    assert app["status"]["resources"][0]["health"] == {"status": "Degraded", "message": "it is degraded"}


async def test_a_hook_is_waited_for(room: Room) -> None:
    job = made("Job", "migrate", room.namespace, hook="PreSync")
    job["spec"] = {
        "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "b"}]}}
    }
    room.git.push(job, made("ConfigMap", "a", room.namespace))
    await room.application()
    await room.sync()
    await room.until(lambda app: message(app) == "waiting for completion of hook batch/Job/migrate")
    change = {"metadata": {"labels": {"health": "Healthy"}}}
    await room.client.patch(JOB, "migrate", change, namespace=room.namespace)
    app = await room.until(lambda app: phase(app) == "Succeeded")
    assert [one.get("hookPhase") for one in app["status"]["operationState"]["syncResult"]["resources"]] == [
        "Succeeded",
        "Running",  # of what is no hook nobody waits for more than that it was applied
    ]


async def test_a_failed_sync_is_tried_again(room: Room) -> None:
    room.git.push(made("Widget", "w", room.namespace, api="example.com/v1"))
    retry = {"limit": 1, "backoff": {"duration": "10ms"}}
    await room.application(syncPolicy={"automated": {}, "retry": retry})
    app = await room.until(lambda app: phase(app) == "Failed")
    assert message(app).startswith("one or more synchronization tasks are not valid")
    assert message(app).endswith("(retried 1 times).")
    app = await room.until(lambda app: "SyncError" in conditions(app))
    revision = app["status"]["sync"]["revision"]
    assert conditions(app)["SyncError"].startswith(f"Failed last sync attempt to [{revision}]: one or more")


async def test_a_repository_that_cannot_be_read_is_a_condition(room: Room) -> None:
    room.git.broken = "repository https://git.example/web not found"
    await room.application()
    app = await room.until(lambda app: "ComparisonError" in conditions(app))
    assert conditions(app)["ComparisonError"] == (
        "Failed to load target state: repository https://git.example/web not found"
    )
    assert synced(app) == "Unknown"
    # when it can be read again
    room.git.broken = ""
    room.git.push(made("ConfigMap", "a", room.namespace))
    await room.refresh()
    app = await room.until(lambda app: synced(app) == "OutOfSync")
    assert not conditions(app)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"project": "other"}, "Application referencing project other which does not exist"),
        ({"destination": {"name": "mars"}}, "there are no clusters with this name: mars"),
        (
            {"destination": {"server": "https://kubernetes.default.svc", "namespace": "forbidden"}},
            "application destination server 'https://kubernetes.default.svc' and namespace 'forbidden' do not match any of "
            "the allowed destinations in project 'default'",
        ),
        (
            {"source": {"repoURL": "https://forbidden/x", "path": "."}},
            "application repo https://forbidden/x is not permitted in project 'default'",
        ),
        (
            {"source": {"repoURL": "https://git.example/x", "path": ".", "plugin": {"name": "x"}}},
            "spec.source.plugin is not supported",
        ),
        ({"source": {"repoURL": "https://git.example/x"}}, "spec.source.repoURL and either spec.source.path"),
    ],
)
async def test_what_may_not_be_is_said(room: Room, spec: dict[str, object], words: str) -> None:
    await room.application(**spec)
    app = await room.until(lambda app: "InvalidSpecError" in conditions(app))
    assert conditions(app)["InvalidSpecError"].startswith(words)
    assert (synced(app), healthy(app)) == ("Unknown", "Unknown")


async def test_a_field_that_nobody_knows_is_named(room: Room) -> None:
    room.git.push(made("ConfigMap", "a", room.namespace))
    source = {"repoURL": "https://git.example/web", "path": ".", "helm": {"valuesFiles": ["x"]}}
    await room.application(source=source)
    app = await room.until(lambda app: bool(conditions(app)))
    assert (
        conditions(app)["UnsupportedFieldWarning"]
        == "spec.source.helm.valuesFiles is unknown and has no effect"
    )


async def test_an_application_takes_its_objects_along_when_it_is_deleted(room: Room) -> None:
    room.git.push(
        made("ConfigMap", "a", room.namespace),
        made("ConfigMap", "kept", room.namespace, options="Delete=false"),
    )
    await room.application(syncPolicy=AUTOMATIC)
    finalizer = "resources-finalizer.argocd.argoproj.io/background"
    await room.change({"metadata": {"finalizers": [finalizer]}})
    await room.until(lambda app: synced(app) == "Synced")
    watched = room.client.watch(APPLICATION, room.namespace, initial=True)
    await room.client.delete(APPLICATION, "web", room.namespace)
    async for event in watched:
        if event.type == "DELETED":
            break
    await watched.aclose()
    assert await room.client.find(CONFIG, "a", room.namespace) is None
    assert await room.client.find(CONFIG, "kept", room.namespace) is not None


async def test_two_applications_that_want_one_object_both_say_so(room: Room) -> None:
    room.git.push(made("ConfigMap", "a", room.namespace))
    await room.application()
    await room.sync()
    await room.until(lambda app: synced(app) == "Synced")
    await room.application("other")
    app = await room.until(lambda app: "SharedResourceWarning" in conditions(app), "other")
    ns = room.namespace
    assert (
        conditions(app)["SharedResourceWarning"]
        == f"ConfigMap/a is part of applications {ns}/other and {ns}/web"
    )


async def test_nothing_is_deleted_when_git_is_empty(room: Room) -> None:
    room.git.push(made("ConfigMap", "a", room.namespace))
    await room.application(syncPolicy=AUTOMATIC)
    await room.until(lambda app: synced(app) == "Synced")
    revision = room.git.push()
    await room.refresh()
    app = await room.until(lambda app: "SyncError" in conditions(app))
    assert conditions(app)["SyncError"] == (
        f"Skipping sync attempt to [{revision}]: auto-sync will wipe out all resources"
    )
    assert await room.client.find(CONFIG, "a", room.namespace) is not None


async def test_something_newer_ends_an_automatic_sync_that_waits(room: Room) -> None:
    # given a sync that waits for a hook that never ends
    job = made("Job", "endless", room.namespace, hook="PreSync")
    job["spec"] = {
        "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "b"}]}}
    }
    room.git.push(job, made("ConfigMap", "a", room.namespace))
    await room.application(syncPolicy=AUTOMATIC)
    await room.until(lambda app: message(app).startswith("waiting for completion of hook"))
    # when the mistake is mended in Git
    revision = room.git.push(made("ConfigMap", "a", room.namespace))
    await room.refresh()
    # then the old one makes way, and the new one is synced
    app = await room.until(
        lambda app: synced(app) == "Synced" and app["status"]["sync"]["revision"] == revision
    )
    assert app["status"]["history"][-1]["revision"] == revision


def _heals(app: dict[str, object]) -> int:
    state = app["status"].get("operationState") or {}  # type: ignore[attr-defined]
    return int(((state.get("operation") or {}).get("sync") or {}).get("autoHealAttemptsCount", 0))
