"""kr8s, unmodified: it finds out everything about a cluster by itself, and is written for asyncio as we are."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import kr8s.asyncio
import pytest
from kr8s.asyncio.objects import ConfigMap, Deployment, Pod, new_class

from tests.conformance.kube.live import Embedded
from tests.conformance.kube.test_python_client import DEPLOYMENT

# It warns of each version of Kubernetes that is younger than its own release.
pytestmark = pytest.mark.filterwarnings("ignore:Kubernetes version:UserWarning")


@pytest.fixture
async def api(embedded: Embedded, namespace: str) -> AsyncIterator[kr8s.asyncio.Api]:
    found = await kr8s.asyncio.api(kubeconfig=str(embedded.kubeconfig), namespace=namespace)
    yield found
    if found._session is not None:
        await found._session.aclose()  # it has no way to close by itself


async def test_objects_are_made_changed_and_deleted(api: kr8s.asyncio.Api, namespace: str) -> None:
    made = await ConfigMap(
        {"metadata": {"name": "settings", "namespace": namespace}, "data": {"colour": "green"}}, api=api
    )
    await made.create()
    await made.label({"tier": "front"})
    await made.patch({"data": {"size": "1"}})
    found = await ConfigMap.get("settings", namespace=namespace, api=api)
    assert found.data == {"colour": "green", "size": "1"}
    assert [one.name async for one in api.get("configmaps", label_selector={"tier": "front"})] == ["settings"]
    await found.delete()
    assert not await found.exists()
    with pytest.raises(kr8s.NotFoundError):
        await ConfigMap.get("settings", namespace=namespace, api=api, timeout=1)


async def test_a_deployment_is_waited_for_scaled_and_read(api: kr8s.asyncio.Api, namespace: str) -> None:
    deployment = await Deployment(
        {**DEPLOYMENT, "metadata": {"name": "web", "namespace": namespace}}, api=api
    )
    await deployment.create()
    await deployment.wait("condition=Available", timeout=20)
    await deployment.scale(3)
    await deployment.wait("jsonpath='{.status.readyReplicas}'=3", timeout=20)
    pods = [pod async for pod in api.get("pods", label_selector="app=web")]
    assert len(pods) == 3
    await pods[0].wait("condition=Ready", timeout=20)
    lines = [line async for line in pods[0].logs()]
    assert lines == ["This container is simulated: nothing runs here, and this is its whole log."]
    await deployment.delete(propagation_policy="Foreground")
    await deployment.wait("delete", timeout=20)
    assert [pod async for pod in api.get("pods", label_selector="app=web")] == []


async def test_a_watch_tells_what_happens(api: kr8s.asyncio.Api, namespace: str) -> None:
    seen: list[tuple[str, str]] = []
    there = asyncio.Event()

    async def watch() -> None:
        async for kind, one in api.watch("configmaps", label_selector="app=web"):
            seen.append((kind, one.raw["data"]["colour"]))
            there.set()
            if len(seen) == 2:
                return

    watching = asyncio.create_task(watch())
    body = {"metadata": {"name": "settings", "namespace": namespace, "labels": {"app": "web"}}}
    made = await ConfigMap({**body, "data": {"colour": "green"}}, api=api)
    await made.create()
    async with asyncio.timeout(10):
        await there.wait()
        await made.patch({"data": {"colour": "blue"}})
        await watching
    assert seen == [("ADDED", "green"), ("MODIFIED", "blue")]


async def test_kinds_are_discovered(api: kr8s.asyncio.Api, namespace: str) -> None:
    kinds = {one["kind"] for one in await api.api_resources()}
    assert {"Pod", "Deployment", "CustomResourceDefinition", "Lease"} <= kinds
    assert (await api.version())["minor"] == "36"
    Budget = new_class("PodDisruptionBudget", "policy/v1", asyncio=True)  # noqa: N806 - a class
    budget = await Budget(
        {"metadata": {"name": "web", "namespace": namespace}, "spec": {"minAvailable": 1}}, api=api
    )
    await budget.create()
    assert (await Budget.get("web", namespace=namespace, api=api)).spec.minAvailable == 1


async def test_what_is_refused_says_why(api: kr8s.asyncio.Api, namespace: str) -> None:
    wrong = await Pod(
        {"metadata": {"name": "Not A Name", "namespace": namespace}, "spec": {"containers": []}}, api=api
    )
    with pytest.raises(kr8s.ServerError, match="lowercase RFC 1123 subdomain"):
        await wrong.create()
