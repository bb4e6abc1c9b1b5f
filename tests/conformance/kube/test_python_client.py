"""The official Python client, unmodified: typed, dynamic, watching, and electing a leader."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from kubernetes import client, config, dynamic, utils, watch
from kubernetes.client import V1ConfigMap, V1DeleteOptions, V1ObjectMeta
from kubernetes.client.exceptions import ApiException
from kubernetes.leaderelection import electionconfig, leaderelection
from kubernetes.leaderelection.resourcelock.leaselock import LeaseLock

from tests.conformance.kube.live import Embedded, until

DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web"},
    "spec": {
        "replicas": 2,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "web", "image": "nginx"}]},
        },
    },
}


@pytest.fixture
def api(embedded: Embedded) -> Iterator[client.ApiClient]:
    with config.new_client_from_config(str(embedded.kubeconfig)) as found:
        yield found


@pytest.fixture
def core(api: client.ApiClient) -> client.CoreV1Api:
    return client.CoreV1Api(api)


@pytest.fixture
def apps(api: client.ApiClient) -> client.AppsV1Api:
    return client.AppsV1Api(api)


def settings(name: str = "settings", **data: str) -> V1ConfigMap:
    return V1ConfigMap(
        metadata=V1ObjectMeta(name=name, labels={"app": "web"}), data=data or {"colour": "green"}
    )


def test_every_verb_on_a_typed_object(core: client.CoreV1Api, namespace: str) -> None:
    made = core.create_namespaced_config_map(namespace, settings())
    assert made.metadata.uid
    with pytest.raises(ApiException) as there:
        core.create_namespaced_config_map(namespace, settings())
    assert (there.value.status, there.value.reason) == (409, "Conflict")
    made.data["size"] = "1"
    replaced = core.replace_namespaced_config_map("settings", namespace, made)
    assert int(replaced.metadata.resource_version) > int(made.metadata.resource_version)
    with pytest.raises(ApiException) as late:
        core.replace_namespaced_config_map("settings", namespace, made)
    assert late.value.status == 409
    assert "the object has been modified" in late.value.body
    core.patch_namespaced_config_map("settings", namespace, {"data": {"colour": None, "shape": "round"}})
    found = core.read_namespaced_config_map("settings", namespace)
    assert found.data == {"size": "1", "shape": "round"}
    assert [
        one.metadata.name for one in core.list_namespaced_config_map(namespace, label_selector="app").items
    ] == ["settings"]
    core.delete_namespaced_config_map("settings", namespace, body=V1DeleteOptions())
    with pytest.raises(ApiException) as gone:
        core.read_namespaced_config_map("settings", namespace)
    assert gone.value.status == 404


def test_lists_come_in_pages(core: client.CoreV1Api, namespace: str) -> None:
    for number in range(5):
        core.create_namespaced_config_map(namespace, settings(f"settings-{number}"))
    names: list[str] = []
    goes_on, rounds = None, 0
    while rounds == 0 or goes_on:
        page = core.list_namespaced_config_map(
            namespace, label_selector="app=web", limit=2, _continue=goes_on
        )
        names += [one.metadata.name for one in page.items]
        goes_on, rounds = page.metadata._continue, rounds + 1
    assert names == [f"settings-{number}" for number in range(5)]
    assert rounds == 3
    core.delete_collection_namespaced_config_map(namespace, label_selector="app=web")
    assert not core.list_namespaced_config_map(namespace, label_selector="app=web").items


def test_a_watch_goes_on_from_where_it_ended(core: client.CoreV1Api, namespace: str) -> None:
    core.create_namespaced_config_map(namespace, settings("first"))
    start = core.list_namespaced_config_map(namespace).metadata.resource_version
    core.create_namespaced_config_map(namespace, settings("second"))
    selected = {"label_selector": "app=web", "timeout_seconds": 1}
    watching = watch.Watch()
    seen = [
        (one["type"], one["object"].metadata.name)
        for one in watching.stream(
            core.list_namespaced_config_map, namespace, resource_version=start, **selected
        )
    ]
    assert seen == [("ADDED", "second")]
    core.delete_namespaced_config_map("first", namespace)
    core.patch_namespaced_config_map("second", namespace, {"data": {"a": "b"}})
    resumed = [
        (one["type"], one["object"].metadata.name)
        for one in watch.Watch().stream(
            core.list_namespaced_config_map, namespace, resource_version=watching.resource_version, **selected
        )
    ]
    assert resumed == [("DELETED", "first"), ("MODIFIED", "second")]


def test_a_watch_from_before_all_history_is_told_that_it_is_gone(
    core: client.CoreV1Api, namespace: str
) -> None:
    from_the_future = core.list_namespaced_config_map
    with pytest.raises(ApiException) as refused:
        list(watch.Watch().stream(from_the_future, namespace, resource_version="nonsense", timeout_seconds=1))
    assert refused.value.status == 400


def test_a_deployment_is_seen_to_become_ready(
    core: client.CoreV1Api, apps: client.AppsV1Api, namespace: str
) -> None:
    apps.create_namespaced_deployment(namespace, DEPLOYMENT)
    watching = watch.Watch()
    for event in watching.stream(apps.list_namespaced_deployment, namespace, timeout_seconds=20):
        if event["object"].status.ready_replicas == 2:
            watching.stop()
    assert apps.read_namespaced_deployment_status("web", namespace).status.ready_replicas == 2
    apps.patch_namespaced_deployment_scale("web", namespace, {"spec": {"replicas": 1}})
    until(lambda: apps.read_namespaced_deployment("web", namespace).status.ready_replicas == 1)
    pod = core.list_namespaced_pod(namespace, label_selector="app=web").items[0].metadata.name
    assert "This container is simulated" in core.read_namespaced_pod_log(pod, namespace)
    following = watch.Watch()
    for line in following.stream(core.read_namespaced_pod_log, pod, namespace):
        assert line == "This container is simulated: nothing runs here, and this is its whole log."
        following.stop()
    apps.delete_namespaced_deployment("web", namespace, propagation_policy="Foreground")
    until(lambda: not core.list_namespaced_pod(namespace).items)


def test_the_dynamic_client_discovers_applies_and_finds_conflicts(
    api: client.ApiClient, namespace: str
) -> None:
    dynamically = dynamic.DynamicClient(api)
    deployments = dynamically.resources.get(api_version="apps/v1", kind="Deployment")
    applied = deployments.server_side_apply(
        body=DEPLOYMENT, name="web", namespace=namespace, field_manager="one", force_conflicts=False
    )
    assert applied.spec.strategy.type == "RollingUpdate"
    changed = {**DEPLOYMENT, "spec": {**DEPLOYMENT["spec"], "replicas": 3}}
    with pytest.raises(dynamic.exceptions.ConflictError) as refused:
        deployments.server_side_apply(body=changed, name="web", namespace=namespace, field_manager="two")
    assert 'conflict with \\"one\\": .spec.replicas' in refused.value.body
    deployments.server_side_apply(
        body=changed, name="web", namespace=namespace, field_manager="two", force_conflicts=True
    )
    assert deployments.get(name="web", namespace=namespace).spec.replicas == 3
    assert {one.kind for one in dynamically.resources.search(group="batch")} >= {"Job", "CronJob"}


def test_objects_are_made_from_yaml(api: client.ApiClient, core: client.CoreV1Api, namespace: str) -> None:
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "web"},
        "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]},
    }
    utils.create_from_yaml(api, yaml_objects=[DEPLOYMENT, service], namespace=namespace)
    slices = client.DiscoveryV1Api(api).list_namespaced_endpoint_slice
    until(
        lambda: [
            one for found in slices(namespace).items for one in found.endpoints or () if one.conditions.ready
        ]
    )


def test_one_leader_at_a_time_is_elected(embedded: Embedded, namespace: str) -> None:
    """The election works on a Lease, with the conflicts of resourceVersions as its only lock."""
    config.load_kube_config(str(embedded.kubeconfig))

    def candidate(name: str) -> leaderelection.LeaderElection:
        return leaderelection.LeaderElection(
            electionconfig.Config(
                LeaseLock("leader", namespace, name), lease_duration=3, renew_deadline=2, retry_period=1.1,
                onstarted_leading=lambda: None, onstopped_leading=lambda: None,
            )
        )  # fmt: skip

    one, two = candidate("one"), candidate("two")
    assert one.try_acquire_or_renew()
    assert not two.try_acquire_or_renew()
    # When the leader is silent for the time of its lease, the other takes it and the first has lost.
    until(two.try_acquire_or_renew, seconds=10)
    assert not one.try_acquire_or_renew()
    assert client.CoordinationV1Api().read_namespaced_lease("leader", namespace).spec.holder_identity == "two"


def test_who_may_not_is_told_so(
    embedded: Embedded, api: client.ApiClient, core: client.CoreV1Api, namespace: str
) -> None:
    core.create_namespaced_service_account(namespace, {"metadata": {"name": "robot"}})
    token = core.create_namespaced_service_account_token("robot", namespace, {"spec": {}}).status.token
    settings = client.Configuration(host=embedded.server.url, api_key={"authorization": f"Bearer {token}"})
    settings.ssl_ca_cert = api.configuration.ssl_ca_cert
    with client.ApiClient(settings) as robot, pytest.raises(ApiException) as refused:
        client.CoreV1Api(robot).list_namespaced_secret(namespace)
    assert refused.value.status == 403
    assert f'"system:serviceaccount:{namespace}:robot" cannot list resource' in refused.value.body.replace(
        '\\"', '"'
    )
