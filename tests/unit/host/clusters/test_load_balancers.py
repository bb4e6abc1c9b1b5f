"""Services of type LoadBalancer in a real embedded cluster."""

from __future__ import annotations

from pathlib import Path

import pytest

from argosy.kube.client import Client
from argosy.kube.objects import Object
from tests.ingress_world import SERVICE, App, seen, told, world


async def balanced(client: Client, name: str, **more: object) -> None:
    spec = {"type": "LoadBalancer", "ports": [{"port": 80}], **more}
    await client.create({"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec})


def points(service: Object) -> list[Object]:
    return (service["status"]["loadBalancer"] or {}).get("ingress") or []


async def test_each_gets_an_address_of_its_own_and_loses_it_with_its_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(tmp_path, App(), monkeypatch) as it:
        client = it.client()
        for name in ("one", "two"):
            await balanced(client, name)
        await balanced(client, "chosen", loadBalancerIP="172.18.200.7")
        given = [points(await seen(client, SERVICE, name, points))[0] for name in ("one", "two", "chosen")]

        assert {one["ip"] for one in given[:2]} == {"172.18.128.1", "172.18.128.2"}
        assert given[2] == {"ip": "172.18.200.7", "ipMode": "VIP"}
        assert "nothing listens there" in await told(client, "one", "EnsuredLoadBalancer")

        await client.patch(SERVICE, "one", {"spec": {"type": "ClusterIP"}})
        await seen(client, SERVICE, "one", lambda one: not points(one))
        await balanced(client, "three")
        freed = points(await seen(client, SERVICE, "three", points))[0]["ip"]
        assert freed == given[0]["ip"]
        await client.close()


async def test_who_names_another_balancer_is_left_to_that_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world(tmp_path, App(), monkeypatch) as it:
        client = it.client()
        await balanced(client, "theirs", loadBalancerClass="example.com/other")
        await balanced(client, "ours")

        await seen(client, SERVICE, "ours", points)
        assert points(await client.get(SERVICE, "theirs")) == []
        await client.close()
