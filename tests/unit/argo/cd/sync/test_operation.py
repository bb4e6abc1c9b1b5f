"""Syncs against a cluster: what is made, in which order, what is waited for, and how it ends."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from argosy.argo.cd import marks
from argosy.argo.cd.resources import Pair, key_of
from argosy.argo.cd.sync.operation import Outcome, Sync
from argosy.argo.cd.sync.options import Options, Request
from argosy.contracts.argo.operation import ResourceResult
from argosy.domain.health import Health
from argosy.kube.client import Client
from argosy.kube.objects import Object, metadata, uid_of
from argosy.kube.types import Kind
from tests.unit.argo.cd.objects import made

CONFIG, JOB, DEPLOYMENT = (
    Kind("", "v1", "ConfigMap"),
    Kind("batch", "v1", "Job"),
    Kind("apps", "v1", "Deployment"),
)


class Killed(Exception):
    """The process ends here."""


def health_of(obj: Object) -> Health | None:
    """As the tests say it: a label on the object."""
    said = (metadata(obj).get("labels") or {}).get("health", "")
    if said:
        return Health(said, f"it is {said.lower()}")
    return Health("Progressing", "it runs") if obj["kind"] == "Job" else None


@dataclass
class Application:
    """What Git says, and what is remembered between the steps."""

    client: Client
    namespace: str
    targets: list[Object] = field(default_factory=list)
    hooks: list[Object] = field(default_factory=list)
    request: Request = field(init=False)
    recorded: list[ResourceResult] = field(default_factory=list)
    saves: list[list[ResourceResult]] = field(default_factory=list)
    dies_at_save: int = -1
    permit: str = ""

    def __post_init__(self) -> None:
        self.request = Request(namespace=self.namespace, revision="abcdefgh", started_at=1, prune=True)

    def asks(self, *options: str, **request: object) -> None:
        self.request = replace(self.request, options=Options.read(options), **request)  # type: ignore[arg-type]

    async def step(self, *, unmodified: Sequence[Object] = ()) -> Outcome:
        sync = await self._sync(unmodified)
        outcome = await sync.advance()
        self.recorded = outcome.results
        return outcome

    async def terminate(self) -> Outcome:
        return await (await self._sync(())).terminate()

    async def _sync(self, unmodified: Sequence[Object]) -> Sync:
        return Sync(
            client=self.client,
            request=self.request,
            pairs=await self._pairs(),
            hooks=self.hooks,
            recorded=self.recorded,
            health_of=health_of,
            permit=lambda obj, namespaced: self.permit if obj["kind"] == "Secret" else "",
            save=self._save,
            unmodified=frozenset(key_of(one) for one in unmodified),
        )

    async def _pairs(self) -> list[Pair]:
        lives = [
            live
            for kind in (CONFIG, JOB, DEPLOYMENT)
            for live in (await self.client.list(kind, self.namespace)).items
        ]
        found = {key_of(live): live for live in lives if (metadata(live).get("labels") or {}).get("app")}
        pairs = [Pair(key_of(one), one, found.pop(key_of(one), None)) for one in self.targets]
        return pairs + [Pair(key, None, live) for key, live in found.items()]

    async def _save(self, results: list[ResourceResult]) -> None:
        self.saves.append(results)
        self.recorded = results
        if len(self.saves) == self.dies_at_save:
            raise Killed


@pytest.fixture
def app(client: Client, namespace: str) -> Application:
    return Application(client, namespace)


def ours(kind: str, name: str, app: Application, *, health: str = "", **said: object) -> Object:
    """One that the application tracks."""
    obj = made(kind, name, app.namespace, **said)
    obj["metadata"]["labels"] = {"app": "ours"} | ({"health": health} if health else {})
    if kind == "Job":
        pod = {"restartPolicy": "Never", "containers": [{"name": "a", "image": "busybox:1"}]}
        obj["spec"] = {"template": {"spec": pod}}
    return obj


async def says(app: Application, kind: Kind, name: str, health: str) -> None:
    """A controller reports."""
    await app.client.patch(
        kind, name, {"metadata": {"labels": {"health": health}}}, namespace=app.namespace, form="merge"
    )


def told(outcome: Outcome) -> list[tuple[str, str, str]]:
    return [(one.name, one.status, one.hook_phase) for one in outcome.results]


async def test_one_wave_without_hooks_is_done_as_soon_as_it_is_applied(app: Application) -> None:
    app.targets = [
        ours("ConfigMap", "a", app, data={"k": "1"}),
        ours("ConfigMap", "b", app, health="Progressing"),
    ]
    outcome = await app.step()
    assert (outcome.phase, outcome.message) == ("Succeeded", "successfully synced (all tasks run)")
    assert [(one.name, one.status, one.message) for one in outcome.results] == [
        ("a", "Synced", "configmap/a created"),
        ("b", "Synced", "configmap/b created"),
    ]


async def test_a_second_sync_changes_nothing(app: Application) -> None:
    app.targets = [ours("ConfigMap", "a", app)]
    await app.step()
    app.recorded = []
    outcome = await app.step()
    assert outcome.results[0].message == "configmap/a unchanged"


async def test_a_field_that_leaves_git_leaves_the_cluster(app: Application) -> None:
    app.targets = [ours("ConfigMap", "a", app, data={"old": "1", "kept": "2"})]
    await app.step()
    app.recorded, app.targets = [], [ours("ConfigMap", "a", app, data={"kept": "2"})]
    outcome = await app.step()
    assert outcome.results[0].message == "configmap/a configured"
    assert (await app.client.get(CONFIG, "a", app.namespace))["data"] == {"kept": "2"}


async def test_a_wave_waits_for_the_health_of_the_one_before(app: Application) -> None:
    app.targets = [
        ours("ConfigMap", "first", app, health="Progressing", wave=0),
        ours("ConfigMap", "second", app, wave=1),
    ]
    outcome = await app.step()
    assert (outcome.phase, outcome.message) == ("Running", "waiting for healthy state of /ConfigMap/first")
    assert await app.client.find(CONFIG, "second", app.namespace) is None
    # when it is healthy
    await says(app, CONFIG, "first", "Healthy")
    app.targets[0]["metadata"]["labels"].pop("health")  # Git says nothing of it
    outcome = await app.step()
    assert outcome.phase == "Succeeded"
    assert await app.client.find(CONFIG, "second", app.namespace) is not None


async def test_a_degraded_object_of_an_earlier_wave_fails_the_sync(app: Application) -> None:
    app.targets = [
        ours("ConfigMap", "first", app, health="Degraded"),
        ours("ConfigMap", "second", app, wave=1),
    ]
    outcome = await app.step()
    assert outcome.phase == "Failed"
    assert outcome.message.startswith("one or more synchronization tasks completed unsuccessfully")


async def test_hooks_run_around_the_sync_and_are_waited_for(app: Application) -> None:
    app.targets = [ours("ConfigMap", "a", app)]
    app.hooks = [
        ours("Job", "before", app, hook="PreSync", policy="HookSucceeded"),
        ours("Job", "after", app, hook="PostSync"),
    ]
    outcome = await app.step()
    assert outcome.message == "waiting for completion of hook batch/Job/before"
    assert await app.client.find(CONFIG, "a", app.namespace) is None
    held = await app.client.get(JOB, "before", app.namespace)
    assert marks.HOOK_FINALIZER in held["metadata"]["finalizers"]
    await says(app, JOB, "before", "Healthy")
    outcome = await app.step()
    assert outcome.message == "waiting for completion of hook batch/Job/after"
    await says(app, JOB, "after", "Healthy")
    outcome = await app.step()
    assert (outcome.phase, told(outcome)) == (
        "Succeeded",
        [("before", "Synced", "Succeeded"), ("a", "Synced", "Succeeded"), ("after", "Synced", "Succeeded")],
    )
    # then the one that asks for it is gone, and the other stays until the next sync, free of our finalizer
    gone = await app.client.find(JOB, "before", app.namespace)
    assert gone is None or marks.HOOK_FINALIZER not in metadata(gone).get("finalizers", [])
    after = await app.client.get(JOB, "after", app.namespace)
    assert not metadata(after).get("finalizers")


async def test_a_failing_hook_fails_the_sync_and_runs_what_is_for_failures(app: Application) -> None:
    app.targets = [ours("ConfigMap", "a", app)]
    app.hooks = [
        ours("Job", "before", app, hook="PreSync", policy="HookFailed"),
        ours("ConfigMap", "alarm", app, hook="SyncFail"),
    ]
    await app.step()
    await says(app, JOB, "before", "Degraded")
    outcome = await app.step()
    assert outcome.phase == "Failed"
    assert outcome.message.startswith("one or more synchronization tasks completed unsuccessfully")
    assert await app.client.find(CONFIG, "alarm", app.namespace) is not None
    assert await app.client.find(CONFIG, "a", app.namespace) is None


async def test_an_old_hook_is_deleted_before_it_is_made_anew(app: Application) -> None:
    app.asks("PrunePropagationPolicy=background")
    app.hooks = [ours("Job", "migrate", app, hook="PreSync")]
    await app.step()
    first = await app.client.get(JOB, "migrate", app.namespace)
    await says(app, JOB, "migrate", "Healthy")
    assert (await app.step()).phase == "Succeeded"
    app.recorded, app.request = [], replace(app.request, started_at=2)
    await app.step()
    outcome = await app.step()
    assert outcome.message == "waiting for completion of hook batch/Job/migrate"
    assert uid_of(await app.client.get(JOB, "migrate", app.namespace)) != uid_of(first)


@pytest.mark.parametrize("at", [1, 2, 3])
async def test_whoever_is_killed_between_two_steps_makes_no_hook_twice(app: Application, at: int) -> None:
    # given a sync with a hook that is killed as it writes down how far it is
    app.hooks = [ours("Job", "", app, hook="PreSync"), ours("Job", "after", app, hook="PostSync")]
    app.hooks[0]["metadata"] |= {"generateName": "migrate-"}
    del app.hooks[0]["metadata"]["name"]
    app.dies_at_save = at
    made_ones: set[str] = set()
    for _ in range(8):
        try:
            outcome = await app.step()
        except Killed:
            outcome = Outcome("Running", "", app.recorded)
        jobs = (await app.client.list(JOB, app.namespace)).items
        made_ones |= {uid_of(job) for job in jobs}
        for job in jobs:
            await says(app, JOB, job["metadata"]["name"], "Healthy")
        if outcome.phase == "Succeeded":
            break
    # then it ends well, and each hook was made once
    assert outcome.phase == "Succeeded", outcome.message
    assert len(made_ones) == 2


async def test_a_hook_that_somebody_deleted_is_said_to_be_missing(app: Application) -> None:
    app.hooks = [ours("Job", "before", app, hook="PreSync")]
    await app.step()
    await app.client.patch(JOB, "before", {"metadata": {"finalizers": None}}, namespace=app.namespace)
    await app.client.delete(JOB, "before", app.namespace, propagation="Background")
    outcome = await app.step()
    assert outcome.phase == "Failed"
    assert "Resource batch/Job/before is missing, it might have been deleted" in outcome.results[0].message


async def test_what_git_no_longer_has_is_pruned_when_that_is_asked(app: Application) -> None:
    app.targets = [ours("ConfigMap", "old", app), ours("ConfigMap", "kept", app, options="Prune=false")]
    await app.step()
    app.recorded, app.targets = [], []
    app.asks(prune=False)
    assert {one.message for one in (await app.step()).results} == {"ignored (requires pruning)"}
    app.recorded = []
    app.asks("PrunePropagationPolicy=background", prune=True)
    outcome = await app.step()
    assert {one.name: one.message for one in outcome.results} == {
        "old": "pruned",
        "kept": "ignored (no prune)",
    }
    assert await app.client.find(CONFIG, "old", app.namespace) is None
    assert await app.client.find(CONFIG, "kept", app.namespace) is not None


async def test_what_asks_for_it_is_pruned_only_after_a_confirmation(app: Application) -> None:
    app.targets = [ours("ConfigMap", "data", app, options="Prune=confirm")]
    await app.step()
    app.recorded, app.targets = [], []
    app.asks("PrunePropagationPolicy=background")
    outcome = await app.step()
    assert (outcome.phase, outcome.message) == (
        "Running",
        "waiting for pruning confirmation of /ConfigMap/data",
    )
    app.asks("PrunePropagationPolicy=background", prune_confirmed=True)
    assert (await app.step()).phase == "Succeeded"
    assert await app.client.find(CONFIG, "data", app.namespace) is None


async def test_a_mistake_in_one_manifest_keeps_all_from_being_applied(app: Application) -> None:
    app.targets = [ours("ConfigMap", "good", app), ours("ConfigMap", "bad", app, dat={"a": "b"})]
    outcome = await app.step()
    assert (outcome.phase, outcome.message) == ("Failed", "one or more objects failed to apply (dry run)")
    assert [one.name for one in outcome.results] == ["bad"]
    assert "dat" in outcome.results[0].message
    assert await app.client.find(CONFIG, "good", app.namespace) is None


async def test_a_mistake_passes_when_validation_is_off(app: Application) -> None:
    app.targets = [ours("ConfigMap", "a", app, options="Validate=false", dat={"a": "b"})]
    assert (await app.step()).phase == "Succeeded"


async def test_a_kind_that_is_not_served_is_named(app: Application) -> None:
    app.targets = [ours("Widget", "w", app, api="example.com/v1"), ours("ConfigMap", "a", app)]
    outcome = await app.step()
    assert outcome.phase == "Failed"
    assert outcome.message.startswith("one or more synchronization tasks are not valid")
    assert 'Make sure the "Widget" CRD is installed on the destination cluster.' in outcome.results[0].message
    assert await app.client.find(CONFIG, "a", app.namespace) is None


async def test_a_definition_and_its_resource_may_come_in_one_sync(app: Application) -> None:
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    version = {"name": "v1", "served": True, "storage": True, "schema": schema}
    names = {"kind": "Gadget", "plural": "gadgets"}
    spec = {"group": "example.org", "scope": "Namespaced", "names": names, "versions": [version]}
    definition = made("CustomResourceDefinition", "gadgets.example.org", "", spec=spec)
    app.targets = [ours("Gadget", "g", app, api="example.org/v1"), definition]
    outcome = await app.step()
    assert outcome.phase == "Succeeded", outcome
    assert await app.client.find(Kind("example.org", "v1", "Gadget"), "g", app.namespace) is not None


async def test_what_the_project_forbids_fails_the_sync_before_anything_is_done(app: Application) -> None:
    app.permit = "resource :Secret is not permitted in project web"
    app.targets = [ours("Secret", "s", app), ours("ConfigMap", "a", app)]
    outcome = await app.step()
    assert outcome.phase == "Failed"
    assert outcome.results[0].message == app.permit
    assert await app.client.find(CONFIG, "a", app.namespace) is None


async def test_the_namespace_is_made_first(app: Application) -> None:
    app.namespace += "-new"
    app.request = replace(app.request, namespace=app.namespace)
    app.asks("CreateNamespace=true")
    app.targets = [ours("ConfigMap", "a", app)]
    outcome = await app.step()
    assert outcome.phase == "Succeeded", outcome
    assert await app.client.find(CONFIG, "a", app.namespace) is not None


async def test_a_dry_run_says_what_would_be_and_does_nothing(app: Application) -> None:
    app.targets = [ours("ConfigMap", "old", app)]
    await app.step()
    app.recorded, app.targets = [], [ours("ConfigMap", "new", app)]
    app.asks(dry_run=True)
    outcome = await app.step()
    assert outcome.phase == "Succeeded"
    assert {one.name: one.message for one in outcome.results} == {
        "old": "pruned (dry run)",
        "new": "configmap/new created (dry run)",
    }
    assert await app.client.find(CONFIG, "new", app.namespace) is None
    assert await app.client.find(CONFIG, "old", app.namespace) is not None


async def test_what_cannot_be_changed_is_made_anew_when_forced(app: Application) -> None:
    app.targets = [ours("Job", "once", app)]
    assert (await app.step()).phase == "Succeeded"
    changed = ours("Job", "once", app)
    changed["spec"]["template"]["spec"]["containers"][0]["image"] = "busybox:2"
    app.recorded, app.targets = [], [changed]
    outcome = await app.step()
    assert outcome.phase == "Failed"
    assert "field is immutable" in outcome.message
    app.recorded = []
    app.asks("Force=true")
    # a Job without controllers has nothing that holds it
    assert (await app.step()).phase == "Succeeded"
    live = await app.client.get(JOB, "once", app.namespace)
    assert live["spec"]["template"]["spec"]["containers"][0]["image"] == "busybox:2"


async def test_only_what_differs_is_applied_when_that_is_asked(app: Application) -> None:
    app.targets = [ours("ConfigMap", "same", app), ours("ConfigMap", "other", app)]
    await app.step()
    app.recorded = []
    app.asks("ApplyOutOfSyncOnly=true")
    outcome = await app.step(unmodified=[app.targets[0]])
    assert [one.name for one in outcome.results] == ["other"]


async def test_a_terminated_sync_deletes_its_running_hooks(app: Application) -> None:
    app.hooks = [ours("Job", "endless", app, hook="Sync")]
    app.targets = [ours("ConfigMap", "a", app)]
    await app.step()
    outcome = await app.terminate()
    assert (outcome.phase, outcome.message) == ("Failed", "Operation terminated")
    live = await app.client.find(JOB, "endless", app.namespace)
    assert live is None or "deletionTimestamp" in live["metadata"]


async def test_fields_of_a_client_side_apply_are_taken_over(app: Application) -> None:
    # given an object that kubectl applied, as it did before server-side apply
    old = made("ConfigMap", "a", app.namespace, data={"old": "1", "kept": "2"})
    old["metadata"]["annotations"] = {"kubectl.kubernetes.io/last-applied-configuration": "{}"}
    old["metadata"]["labels"] = {"app": "ours"}
    kubectl = Client(app.client._transport, manager="kubectl-client-side-apply")
    await kubectl.create(old)
    # when Git has only one of its fields
    app.targets = [ours("ConfigMap", "a", app, data={"kept": "2"})]
    outcome = await app.step()
    assert outcome.phase == "Succeeded", outcome
    assert (await app.client.get(CONFIG, "a", app.namespace))["data"] == {"kept": "2"}


async def test_no_value_of_a_secret_is_in_a_message(app: Application) -> None:
    value = "correct-horse-battery"
    app.targets = [ours("Secret", "s", app, stringData={"k": value}, type="kubernetes.io/tls")]
    outcome = await app.step()
    assert outcome.phase == "Failed"
    said = f"{outcome.message} {outcome.results}"
    assert value not in said
    assert base64.b64encode(value.encode()).decode() not in said
