"""The controller against a cluster: what it makes, changes, deletes and tells."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from argosy.argo.cd.application_sets.controller import APPLICATION, APPLICATION_SET
from argosy.kube.objects import Object
from argosy.kube.reconcile.kinds import EVENT, SECRET
from tests.unit.argo.cd.application_sets.conftest import World
from tests.unit.argo.cd.application_sets.worlds import URL, application_set, cluster_secret

TWO = "[{list: {elements: [{name: a}, {name: b}]}}]"
DONE = "ResourcesUpToDate"
GIT = str([{"git": {"repoURL": URL, "revision": "main", "directories": [{"path": "*"}]}}])


def elements(*names: str) -> Object:
    return {"spec": {"generators": [{"list": {"elements": [{"name": name} for name in names]}}]}}


async def test_applications_are_made_owned_and_told_of(world: World) -> None:
    async with world.running():
        made = await world.put(application_set(TWO))
        apps = await world.until_apps("a", "b")
        found = await world.until_condition(DONE, "True")
        told = await world.until(EVENT, lambda events: len(events) >= 2)
    owner = apps["a"]["metadata"]["ownerReferences"]
    assert owner == [
        {
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "ApplicationSet",
            "name": "web",
            "uid": made["metadata"]["uid"],
            "controller": True,
            "blockOwnerDeletion": True,
        }
    ]
    assert apps["a"]["metadata"]["finalizers"] == ["resources-finalizer.argocd.argoproj.io"]
    status = found["status"]
    assert [one["name"] for one in status["resources"]] == ["a", "b"]
    assert status["resourcesCount"] == 2
    assert status["health"] == {
        "status": "Healthy",
        "message": "All applications have been generated successfully",
    }
    assert sorted((one["reason"], one["message"]) for one in told.values()) == [
        ("created", 'created Application "a"'),
        ("created", 'created Application "b"'),
    ]


async def test_what_is_no_longer_generated_is_deleted_and_the_rest_is_changed(world: World) -> None:
    async with world.running():
        await world.put(application_set(TWO, syncPolicy={"preserveResourcesOnDeletion": True}))
        await world.until_apps("a", "b")
        await world.change_set(elements("b", "c"))
        await world.until_apps("b", "c")
        await world.change_set({"spec": {"template": {"metadata": {"labels": {"new": "x"}}}}})
        await world.until(
            APPLICATION,
            lambda found: all(
                (one["metadata"].get("labels") or {}).get("new") == "x" for one in found.values()
            ),
        )


async def test_what_somebody_changes_is_changed_back_and_what_is_overlooked_stays(world: World) -> None:
    ignored = [{"jsonPointers": ["/spec/source/path"], "jqPathExpressions": [".spec.source.targetRevision"]}]
    async with world.running():
        await world.put(
            application_set("[{list: {elements: [{name: a}]}}]", ignoreApplicationDifferences=ignored)
        )
        await world.until_apps("a")
        await world.change_app(
            "a",
            {
                "metadata": {"labels": {"mine": "x"}, "annotations": {"argocd.argoproj.io/refresh": "hard"}},
                "spec": {"project": "other", "source": {"targetRevision": "fix", "path": "mine"}},
            },
        )
        found = await world.until(APPLICATION, lambda found: found["a"]["spec"]["project"] == "default")
    app = found["a"]
    assert app["spec"]["source"] == {"repoURL": URL, "path": "mine", "targetRevision": "fix"}
    assert not app["metadata"].get("labels")
    assert app["metadata"]["annotations"] == {"argocd.argoproj.io/refresh": "hard"}


@pytest.mark.parametrize(
    ("policy", "updated", "deleted"),
    [("create-only", False, False), ("create-update", True, False), ("create-delete", False, True)],
)
async def test_a_policy_limits_what_is_done(world: World, policy: str, updated: bool, deleted: bool) -> None:
    quiet = {"applicationsSync": policy, "preserveResourcesOnDeletion": True}
    async with world.running():
        await world.put(application_set(TWO, syncPolicy=quiet))
        await world.until_apps("a", "b")
        change = elements("b", "c")
        change["spec"]["template"] = {"metadata": {"labels": {"new": "x"}}}
        await world.change_set(change)
        names = {"b", "c"} if deleted else {"a", "b", "c"}
        await world.until_apps(*names)
        await world.until(
            APPLICATION_SET,
            lambda found: (found["web"].get("status") or {}).get("resourcesCount") == len(names),
        )
        apps = await world.apps()
    assert apps["c"]["metadata"]["labels"] == {"new": "x"}
    assert (apps["b"]["metadata"].get("labels") == {"new": "x"}) is updated


async def test_an_error_deletes_and_changes_nothing(world: World) -> None:
    world.repositories.files[URL] = {"a/x": "", "b/x": ""}
    async with world.running() as controller:
        await world.put(application_set(GIT, template="{{ .path.basename }}"))
        await world.until_apps("a", "b")
        await world.until_condition(DONE, "True")
        before = await world.apps()
        del world.repositories.files[URL]
        assert controller.changed(URL, "refs/heads/main") == 1
        found = await world.until_condition("ErrorOccurred", "True", says="cannot be reached")
    assert await world.apps() == before
    assert found["status"]["health"]["status"] == "Degraded"
    assert found["status"]["resourcesCount"] == 2
    told = {one["type"]: one for one in found["status"]["conditions"]}
    assert told["ParametersGenerated"]["status"] == "False"
    assert told["ErrorOccurred"]["reason"] == "ApplicationGenerationFromParamsError"


async def test_a_push_makes_what_it_brings(world: World) -> None:
    world.repositories.files[URL] = {"a/x": ""}
    async with world.running() as controller:
        await world.put(application_set(GIT, template="{{ .path.basename }}"))
        await world.until_apps("a")
        await world.until_condition(DONE, "True")
        world.repositories.files[URL] = {"a/x": "", "c/x": ""}
        assert controller.changed("https://git.example.com/team/other") == 0
        assert controller.changed(URL, "refs/heads/elsewhere") == 0
        assert controller.watched() == {(URL, "main")}
        assert controller.changed(URL.removesuffix(".git")) == 1
        await world.until_apps("a", "c")


async def test_a_refresh_that_is_asked_for_asks_the_remote_and_is_then_taken_away(world: World) -> None:
    world.repositories.files[URL] = {"a/x": ""}
    annotation = "argocd.argoproj.io/application-set-refresh"
    async with world.running():
        await world.put(application_set(GIT, template="{{ .path.basename }}"))
        await world.until_condition(DONE, "True")
        await world.change_set({"metadata": {"annotations": {annotation: "true"}}})
        await world.until(
            APPLICATION_SET,
            lambda found: annotation not in (found["web"]["metadata"].get("annotations") or {}),
        )
    assert (URL, "main", True) in world.repositories.asked


async def test_a_cluster_that_comes_and_goes_brings_and_takes_its_application(world: World) -> None:
    async with world.running():
        generators = "[{clusters: {selector: {matchLabels: {env: prod}}}}]"
        template = """
metadata: {name: 'on-{{ .name }}'}
spec: {project: default, source: {repoURL: r, path: p}, destination: {name: '{{ .name }}'}}
"""
        await world.put(application_set(generators, template=template))
        await world.until_condition(DONE, "True")
        await world.put(cluster_secret("one", env="prod"))
        await world.until_apps("on-one")
        await world.client.delete(SECRET, "one", world.namespace)
        # Its cluster is gone, so nobody could do what the finalizer waits for.
        await world.until_apps()
        events = await world.until(
            EVENT, lambda found: any(one["reason"] == "Deleted" for one in found.values())
        )
    assert any("because application has an invalid destination" in one["message"] for one in events.values())


@pytest.mark.parametrize(
    ("generators", "said", "apps"),
    [
        ("[{list: {elements: [{name: a}, {name: a}, {name: b}]}}]", "duplicate name: a", {"b"}),
        ("[{plugin: {configMapRef: {name: x}}}]", "the generator plugin is not supported here", set()),
        ("[{list: {elements: [{name: a}]}}, {list: {elements: [{name: 'x{{'}]}}]", "is invalid", {"a"}),
    ],
)
async def test_what_is_wrong_is_told(world: World, generators: str, said: str, apps: set[str]) -> None:
    async with world.running():
        await world.put(application_set(generators))
        found = await world.until_condition("ErrorOccurred", "True", says=said)
        assert set(await world.apps()) == apps
    told = {one["type"]: one["status"] for one in found["status"]["conditions"]}
    assert told["ResourcesUpToDate"] == "False"


async def test_an_application_that_was_valid_stays_while_it_is_not(world: World) -> None:
    async with world.running():
        await world.put(application_set(TWO))
        await world.until_apps("a", "b")
        await world.change_set(elements("a", "a"))
        await world.until_condition("ErrorOccurred", "True", says="duplicate name: a")
        await world.until(APPLICATION, lambda found: "deletionTimestamp" in found["b"]["metadata"])
        assert "deletionTimestamp" not in (await world.app("a"))["metadata"]


async def test_fields_that_are_not_supported_are_named(world: World) -> None:
    async with world.running():
        await world.put(application_set(TWO, odd={"x": 1}))
        found = await world.until_condition("UnsupportedFields", "True", says="spec.odd")
        assert found["status"]["health"]["status"] == "Healthy"
        await world.change_set({"spec": {"odd": None}})
        await world.until(
            APPLICATION_SET,
            lambda found: all(
                one["type"] != "UnsupportedFields" for one in found["web"]["status"]["conditions"]
            ),
        )


async def test_an_application_of_another_set_is_left_alone(world: World) -> None:
    async with world.running():
        await world.put(application_set("[{list: {elements: [{name: a}]}}]", name="first"))
        await world.until_apps("a")
        await world.put(application_set(TWO))
        await world.until_condition(
            "ErrorOccurred", "True", says="is already owned by another ApplicationSet controller first"
        )
        apps = await world.until_apps("a", "b")
    assert apps["a"]["metadata"]["ownerReferences"][0]["name"] == "first"


# Ending and beginning again


async def settled(world: World) -> dict[str, str]:
    """Every object's version, when the set is done."""
    await world.until_condition(DONE, "True")
    found = {name: one["metadata"]["resourceVersion"] for name, one in (await world.apps()).items()}
    return found | {"the set": (await world.set())["metadata"]["resourceVersion"]}


async def quiet(world: World, work: Callable[[], Awaitable[None]]) -> None:
    """After this every change that `work` caused has been looked at: another set, made afterwards, is done."""
    await work()
    await world.put(application_set("[{list: {elements: []}}]", name="later"))
    await world.until_condition(DONE, "True", name="later")
    await world.client.delete(APPLICATION_SET, "later", world.namespace)


async def nothing() -> None:
    await asyncio.sleep(0)


async def test_a_controller_that_starts_again_writes_nothing(world: World) -> None:
    async with world.running():
        await world.put(application_set(TWO))
        before = await settled(world)
    async with world.running():
        await quiet(world, nothing)
        assert await settled(world) == before


@pytest.mark.parametrize("after", range(1, 7))
async def test_one_that_is_killed_anywhere_leaves_work_for_the_next_and_nothing_twice(
    world: World, after: int
) -> None:
    await world.put(application_set("[{list: {elements: [{name: a}, {name: b}, {name: c}]}}]"))
    async with world.running():
        seen = 0

        def enough(found: dict[str, Object]) -> bool:
            nonlocal seen
            seen += 1
            return seen > after or len(found) == 3

        await world.until(APPLICATION, enough)
    async with world.running():
        apps = await world.until_apps("a", "b", "c")
        await settled(world)
    assert all(one["metadata"]["generation"] == 1 for one in apps.values())


async def test_two_controllers_do_no_harm(world: World) -> None:
    world.repositories.files[URL] = {f"app{number}/x": "" for number in range(8)}
    names = {f"app{number}" for number in range(8)}
    async with world.running() as first, world.running() as second:
        await world.put(application_set(GIT, template="{{ .path.basename }}"))
        await world.until_apps(*names)
        await world.until_condition(DONE, "True")
        world.repositories.files[URL] = {f"app{number}/x": "" for number in range(4, 12)}
        first.changed(URL)
        second.changed(URL)
        wanted = {f"app{number}" for number in range(4, 12)}
        await world.until(
            APPLICATION,
            lambda found: (
                {name for name, one in found.items() if "deletionTimestamp" not in one["metadata"]} == wanted
            ),
        )
        await world.until_condition(DONE, "True")
    for one in (await world.apps()).values():
        assert len(one["metadata"]["ownerReferences"]) == 1


# Deleting the set


async def test_a_set_whose_policy_deletes_nothing_leaves_its_applications(world: World) -> None:
    made = application_set(TWO, syncPolicy={"applicationsSync": "create-only"})
    made["metadata"]["finalizers"] = ["resources-finalizer.argocd.argoproj.io"]
    async with world.running():
        await world.put(made)
        await world.until_apps("a", "b")
        await world.client.delete(APPLICATION_SET, "web", world.namespace)
        await world.until(APPLICATION_SET, lambda found: not found)
    assert all(not one["metadata"].get("ownerReferences") for one in (await world.apps()).values())


async def test_a_set_with_steps_may_be_deleted_backwards(world: World) -> None:
    async with world.running():
        await world.put(rolling_set(deletionOrder="Reverse"))
        await world.until_apps("dev1", "dev2", "prod1")
        await world.until(
            APPLICATION_SET,
            lambda found: (
                found["web"]["metadata"].get("finalizers") == ["resources-finalizer.argocd.argoproj.io"]
            ),
        )
        await world.client.delete(APPLICATION_SET, "web", world.namespace)
        for name in ("prod1", "dev2", "dev1"):
            apps = await world.until(
                APPLICATION, lambda found, name=name: "deletionTimestamp" in found[name]["metadata"]
            )
            going = [one for one, app in apps.items() if "deletionTimestamp" in app["metadata"]]
            assert going == [name]
            await world.change_app(name, {"metadata": {"finalizers": None}})
        await world.until(APPLICATION_SET, lambda found: not found)


# Rollouts


def rolling_set(**strategy: object) -> Object:
    elements = "[{name: dev1, env: dev}, {name: dev2, env: dev}, {name: prod1, env: prod}]"
    template = """
metadata: {name: '{{ .name }}', labels: {env: '{{ .env }}'}}
spec:
  project: default
  source: {repoURL: https://git.example.com/team/apps.git, path: web, targetRevision: main}
  destination: {server: https://kubernetes.default.svc, namespace: web}
  syncPolicy: {automated: {prune: true}}
"""
    steps = [
        {"matchExpressions": [{"key": "env", "operator": "In", "values": [env]}], "maxUpdate": most}
        for env, most in (("dev", 1), ("prod", "100%"))
    ]
    rolling = {"type": "RollingSync", "rollingSync": {"steps": steps}, **strategy}
    return application_set(f"[{{list: {{elements: {elements}}}}}]", template=template, strategy=rolling)


async def steps_of(world: World) -> dict[str, str]:
    status = (await world.set()).get("status") or {}
    return {one["application"]: one["status"] for one in status.get("applicationStatus") or ()}


async def until_steps(world: World, **wanted: str) -> None:
    def holds(found: dict[str, Object]) -> bool:
        told = (found["web"].get("status") or {}).get("applicationStatus") or ()
        return {one["application"]: one["status"] for one in told} == wanted

    await world.until(APPLICATION_SET, holds)


NOON = "2026-05-04T12:00:00Z"
LATER = "2099-01-01T00:00:00Z"


async def compares(world: World, name: str, sync: str = "OutOfSync") -> None:
    """As the engine does: it looked at the sources."""
    status = {
        "sync": {"status": sync, "revision": "r1"},
        "health": {"status": "Healthy"},
        "reconciledAt": LATER,
    }
    await world.change_app(name, {"status": status})


async def syncs(world: World, name: str) -> Object:
    """As the engine does when it finds an order: takes it, and ends well. Answers the order."""
    apps = await world.until(APPLICATION, lambda found: found[name].get("operation") is not None)
    order = apps[name]["operation"]
    assert isinstance(order, dict)
    state = {"phase": "Succeeded", "startedAt": LATER, "operation": order}
    await world.change_app(
        name, {"operation": None, "status": {"operationState": state, "sync": {"status": "Synced"}}}
    )
    return order


async def test_a_rollout_goes_step_by_step_and_says_how_far_it_is(world: World) -> None:
    async with world.running():
        await world.put(rolling_set())
        apps = await world.until_apps("dev1", "dev2", "prod1")
        assert all(
            one["spec"]["syncPolicy"]["automated"] == {"prune": True, "enabled": False}
            for one in apps.values()
        )
        for name in apps:
            await compares(world, name)
        await until_steps(world, dev1="Pending", dev2="Waiting", prod1="Waiting")
        await world.until_condition("RolloutProgressing", "True", says="performing rollout of step 1")
        order = await syncs(world, "dev1")
        assert order["initiatedBy"] == {"username": "applicationset-controller", "automated": True}
        assert order["sync"] == {"revision": "r1", "prune": True}
        await until_steps(world, dev1="Healthy", dev2="Pending", prod1="Waiting")
        await syncs(world, "dev2")
        await until_steps(world, dev1="Healthy", dev2="Healthy", prod1="Pending")
        await world.until_condition("RolloutProgressing", "True", says="performing rollout of step 2")
        await syncs(world, "prod1")
        await until_steps(world, dev1="Healthy", dev2="Healthy", prod1="Healthy")
        await world.until_condition(
            "RolloutProgressing", "False", says="ApplicationSet Rollout has completed"
        )


async def test_a_rollout_that_is_cut_short_orders_nothing_twice(world: World) -> None:
    await world.put(rolling_set())
    async with world.running():
        for name in await world.until_apps("dev1", "dev2", "prod1"):
            await compares(world, name)
        await until_steps(world, dev1="Pending", dev2="Waiting", prod1="Waiting")
        order = (await world.until(APPLICATION, lambda found: found["dev1"].get("operation")))["dev1"][
            "operation"
        ]
    # The engine takes the order and is not done while the next controller comes.
    state = {"phase": "Running", "startedAt": LATER, "operation": order}
    await world.change_app("dev1", {"operation": None, "status": {"operationState": state}})
    async with world.running():
        await until_steps(world, dev1="Progressing", dev2="Waiting", prod1="Waiting")
        await quiet(world, nothing)
        assert "operation" not in await world.app("dev1")


async def test_a_change_goes_through_the_steps_again_when_all_have_looked_at_it(world: World) -> None:
    async with world.running():
        await world.put(rolling_set())
        for name in await world.until_apps("dev1", "dev2", "prod1"):
            await compares(world, name, "Synced")
        await until_steps(world, dev1="Healthy", dev2="Healthy", prod1="Healthy")
        for name in ("dev1", "dev2", "prod1"):  # one that was not compared yet may have been asked to sync
            await world.change_app(name, {"operation": None})
        early = {"status": {"sync": {"status": "OutOfSync", "revision": "r2"}, "reconciledAt": NOON}}
        for name in ("dev1", "dev2", "prod1"):
            await world.change_app(name, early)
        await world.until(
            APPLICATION,
            lambda found: all(
                (one["metadata"].get("annotations") or {}).get("argocd.argoproj.io/refresh") == "normal"
                for one in found.values()
            ),
        )
        assert all(one.get("operation") is None for one in (await world.apps()).values())
        assert set((await steps_of(world)).values()) == {"Waiting"}
        for name in ("dev1", "dev2", "prod1"):
            looked = {"argocd.argoproj.io/refresh": None, "argocd.argoproj.io/refresh-timestamp": None}
            await world.change_app(
                name, {"metadata": {"annotations": looked}, "status": {"reconciledAt": LATER}}
            )
        await until_steps(world, dev1="Pending", dev2="Waiting", prod1="Waiting")
        assert (await syncs(world, "dev1"))["sync"]["revision"] == "r2"


async def test_a_rollout_without_steps_is_an_error_and_the_end_of_one_leaves_nothing(world: World) -> None:
    async with world.running():
        await world.put(application_set(TWO, strategy={"type": "RollingSync", "rollingSync": {}}))
        await world.until_condition("ErrorOccurred", "True", says="No steps defined for rollout")
        assert await world.apps() == {}
        await world.change_set({"spec": {"strategy": None}})
        found = await world.until_condition(DONE, "True")
    assert "RolloutProgressing" not in {one["type"] for one in found["status"]["conditions"]}
    assert "applicationStatus" not in found["status"]
