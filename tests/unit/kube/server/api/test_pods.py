"""What one does to a pod: bind, evict, delete, resize it, look into it."""

from __future__ import annotations

import pytest

from tests.unit.kube.server.api.serving import POD, PODS, server

BINDING = {
    "apiVersion": "v1",
    "kind": "Binding",
    "metadata": {"name": "one", "annotations": {"why": "room"}},
    "target": {"kind": "Node", "name": "n1"},
}
STRATEGIC = "application/strategic-merge-patch+json"


@pytest.fixture
async def made(tmp_path):
    cluster = await server(tmp_path)
    status, _ = await cluster.ask("POST", PODS, POD)
    assert status == 201
    return cluster


async def test_a_pod_is_bound_once_and_nobody_owns_that(made):
    node = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "n1", "labels": {"topology.kubernetes.io/zone": "z"}},
    }
    await made.ask("POST", "/api/v1/nodes", node)
    assert (await made.ask("POST", f"{PODS}/one/binding", BINDING))[0] == 201
    _, pod = await made.ask("GET", f"{PODS}/one")
    assert pod["spec"]["nodeName"] == "n1"
    assert pod["metadata"]["annotations"] == {"why": "room"}
    assert pod["metadata"]["labels"] == {"topology.kubernetes.io/zone": "z"}
    assert [one["manager"] for one in pod["metadata"]["managedFields"]] == ["tests"]
    status, again = await made.ask("POST", "/api/v1/namespaces/default/bindings", BINDING)
    assert (status, again["message"]) == (
        409,
        'Operation cannot be fulfilled on pods/binding "one": pod one is already assigned to node "n1"',
    )


async def test_a_pod_that_reached_no_node_is_marked_and_gone_in_one_delete(made):
    _, listed = await made.ask("GET", PODS)
    seen = listed["metadata"]["resourceVersion"]
    _, deleted = await made.ask("DELETE", f"{PODS}/one")
    assert deleted["metadata"]["deletionGracePeriodSeconds"] == 0
    assert deleted["metadata"]["generation"] == 2
    assert (await made.ask("GET", f"{PODS}/one"))[0] == 404
    events = made.lines(f"{PODS}?watch=true&resourceVersion={seen}&timeoutSeconds=1")
    told = [(await anext(events))["type"] for _ in range(2)]
    assert told == ["MODIFIED", "DELETED"]


async def test_an_eviction_that_a_budget_forbids_says_which_and_why(made):
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "b"},
        "spec": {"minAvailable": 1, "selector": {}},
    }
    budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
    await made.ask("POST", budgets, budget)
    merge = "application/merge-patch+json"
    state = {"status": {"observedGeneration": 1, "currentHealthy": 1, "desiredHealthy": 1, "expectedPods": 1}}
    await made.ask("PATCH", f"{budgets}/b/status", state, media=merge)
    await made.ask("POST", f"{PODS}/one/binding", BINDING)
    ready = {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}
    await made.ask("PATCH", f"{PODS}/one/status", ready, media=merge)
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "one"}}
    status, refused = await made.ask("POST", f"{PODS}/one/eviction", eviction)
    assert status == 429
    assert refused["details"]["causes"][0]["message"] == (
        "The disruption budget b needs 1 healthy pods and has 1 currently"
    )
    allowed = {"status": {"disruptionsAllowed": 1, "currentHealthy": 2}}
    await made.ask("PATCH", f"{budgets}/b/status", allowed, media=merge)
    assert (await made.ask("POST", f"{PODS}/one/eviction", eviction))[0] == 201
    _, spent = await made.ask("GET", f"{budgets}/b")
    assert list(spent["status"]["disruptedPods"]) == ["one"]
    assert spent["status"]["conditions"][0]["reason"] == "InsufficientPods"
    _, going = await made.ask("GET", f"{PODS}/one")
    assert going["metadata"]["deletionTimestamp"]
    assert "DisruptionTarget" in {one["type"] for one in going["status"]["conditions"]}


async def test_a_container_to_look_around_with_is_added_and_stays(made):
    path = f"{PODS}/one/ephemeralcontainers"
    debug = {
        "spec": {"ephemeralContainers": [{"name": "debug", "image": "busybox"}], "restartPolicy": "Never"}
    }
    status, pod = await made.ask("PATCH", path, debug, media=STRATEGIC)
    assert (status, pod["spec"]["restartPolicy"], pod["metadata"]["generation"]) == (200, "Always", 2)
    status, refused = await made.ask(
        "PATCH", path, {"spec": {"ephemeralContainers": []}}, media="application/merge-patch+json"
    )
    assert status == 422
    assert 'existing ephemeral containers "debug" may not be removed' in refused["message"]


@pytest.mark.parametrize(
    ("resources", "words"),
    [
        ({"requests": {"cpu": "2"}}, ""),
        (
            {"requests": {"cpu": "2", "example.com/gpu": "1"}, "limits": {"example.com/gpu": "1"}},
            "only cpu and memory",
        ),
        ({"requests": {"cpu": "2"}, "limits": {"cpu": "2", "memory": "1Gi"}}, "Pod QOS Class may not change"),
    ],
)
async def test_a_resize_changes_what_a_container_may_use_and_nothing_else(tmp_path, resources, words):
    cluster = await server(tmp_path)
    container = {"name": "web", "image": "i", "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}
    await cluster.ask("POST", PODS, {**POD, "spec": {"containers": [container]}})
    change = {"spec": {"containers": [{"name": "web", "image": "other", "resources": resources}]}}
    status, answer = await cluster.ask("PATCH", f"{PODS}/one/resize", change, media=STRATEGIC)
    if words:
        assert (status, words in answer["message"]) == (422, True)
    else:
        assert status == 200
        assert answer["spec"]["containers"][0]["image"] == "i"
        assert answer["spec"]["containers"][0]["resources"]["requests"]["cpu"] == "2"


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("", 204),
        ("?container=x", 400),
        ("?tailLines=-1", 422),
        ("?sinceSeconds=0", 422),
        ("?limitBytes=0", 422),
    ],
)
async def test_the_log_of_a_pod_on_no_node_is_empty_and_odd_wishes_are_refused(made, query, code):
    assert (await made.ask("GET", f"{PODS}/one/log{query}"))[0] == code
