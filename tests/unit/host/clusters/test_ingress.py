"""Ingresses of real clusters, opened through the real edge: who answers, under which host and path, and what is said of the rest."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from argosy.contracts.ingress import TOKEN
from argosy.kube.client import Client
from argosy.kube.types import Kind
from tests.ingress_world import INGRESS, KEY, App, World, deploy, expose, parsed, seen, told, world
from tests.unit.kube.controllers.ingress.objects import backend, path, rule

CLASS = Kind("networking.k8s.io", "v1", "IngressClass")
SECRET = Kind("", "v1", "Secret")


@pytest.fixture
def app() -> App:
    return App()


@pytest.fixture
async def it(tmp_path: Path, app: App, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[World]:
    async with world(tmp_path, app, monkeypatch) as made:
        yield made


@pytest.fixture
async def client(it: World) -> AsyncIterator[Client]:
    made = it.client()
    yield made
    await made.close()


async def test_an_ingress_is_served_under_its_host_and_without_one_under_its_own_path(
    it: World, client: Client, app: App
) -> None:
    await deploy(client)
    made = await expose(client, rule(path("/shop"), host="web.localhost"), rule(path("/")))

    assert made["spec"]["ingressClassName"] == "argosy"
    assert made["status"]["loadBalancer"]["ingress"] == [
        {"ip": "127.0.0.1", "ports": [{"port": it.port, "protocol": "TCP"}]}
    ]
    assert await told(client, "web", "Sync") == (
        f"Served at http://web.localhost:{it.port}/shop, {it.url}/ingress/local/default/web/"
    )
    app.body = b'{"hello":1}'
    await it.until_served("/shop/a%2Fb?q=%20x", host="web.localhost")
    assert parsed(await it.until_served("/ingress/local/default/web/x/y?z=1")) == {"hello": 1}
    by_host, by_path = app.asked[0].scope, app.asked[-1].scope
    assert (by_host["raw_path"], by_host["query_string"]) == (b"/shop/a%2Fb", b"q=%20x")
    assert (by_path["raw_path"], by_path["query_string"]) == (b"/x/y", b"z=1")
    assert app.asked[-1].headers["x-forwarded-prefix"] == "/ingress/local/default/web"
    assert (await it.send("/other", host="web.localhost"))[0] == 404


async def test_bodies_pass_both_ways_in_any_method(it: World, client: Client, app: App) -> None:
    await deploy(client)
    await expose(client, default=backend())
    await it.until_served("/ingress/local/default/web/")
    app.status, app.body = 418, b"[" + b"1," * 400_000 + b"1]"
    sent = b"x" * 900_000

    status, headers, body = await it.send("/ingress/local/default/web/in", method="PATCH", body=sent)

    assert (status, body) == (418, app.body)
    assert headers["content-type"] == "application/json"
    assert (app.asked[-1].method, app.bodies[-1]) == ("PATCH", sent)


async def test_a_simulated_pod_is_named_and_said_to_be_simulated(it: World, client: Client) -> None:
    await deploy(client, answers=False)
    await expose(client, rule(path(), host="web.localhost"))

    async with asyncio.timeout(20):
        while (found := parsed((await it.send("/", host="web.localhost"))[2]))["code"] != "ingress.simulated":
            await asyncio.sleep(0.01)

    assert found["status"] == (await it.send("/", host="web.localhost", method="HEAD"))[0] == 503
    assert found["context"]["pod"] == "web"
    assert "simulated" in found["message"]


async def test_a_service_that_is_missing_is_named_and_worth_another_try(it: World, client: Client) -> None:
    await expose(client, rule(path(service="gone"), host="web.localhost"))

    body = await it.until_served("/", host="web.localhost", status=503)

    assert parsed(body)["message"] == "there is no Service default/gone"
    assert (await it.send("/", host="web.localhost"))[1]["retry-after"] == "1"


async def test_another_class_takes_the_address_and_the_route_away_and_ours_brings_them_back(
    it: World, client: Client
) -> None:
    await deploy(client)
    await client.create(
        {
            "apiVersion": "networking.k8s.io/v1",
            "kind": "IngressClass",
            "metadata": {"name": "other"},
            "spec": {"controller": "example.com/other"},
        }
    )
    await expose(client, rule(path(), host="web.localhost"))
    await it.until_served("/", host="web.localhost")

    await client.patch(INGRESS, "web", {"spec": {"ingressClassName": "other"}})

    await seen(client, INGRESS, "web", lambda one: not one["status"]["loadBalancer"])
    assert parsed(await it.until_served("/", host="web.localhost", status=400))["code"] == "host.unknown"

    await client.patch(INGRESS, "web", {"spec": {"ingressClassName": "argosy"}})

    await seen(client, INGRESS, "web", lambda one: bool(one["status"]["loadBalancer"]))
    await it.until_served("/", host="web.localhost")


async def test_a_deleted_ingress_is_not_served_any_more(it: World, client: Client) -> None:
    await deploy(client)
    await expose(client, rule(path(), host="web.localhost"), default=backend())
    await it.until_served("/", host="web.localhost")

    await client.delete(INGRESS, "web")

    await it.until_served("/", host="web.localhost", status=400)
    assert (await it.send("/ingress/local/default/web/"))[0] == 404


@pytest.mark.parametrize("host", ["localhost", "shop.example.test", "*.example.test"])
async def test_the_platform_s_own_names_and_those_that_nobody_allowed_are_refused_in_words(
    it: World, client: Client, app: App, host: str
) -> None:
    await deploy(client)
    await expose(client, rule(path(), host=host), rule(path(), host="web.localhost"))
    await it.until_served("/", host="web.localhost")

    words = await told(client, "web", "HostNotServed")

    assert words.startswith(host)
    asked = len(app.asked)
    for where in ("/", "/anything", "/api/version", "/healthz"):
        await it.send(where, host=host.replace("*", "a"))
    assert len(app.asked) == asked


async def test_a_wildcard_covers_one_label_and_never_the_platform_itself(
    it: World, client: Client, app: App
) -> None:
    await deploy(client)
    await it.fleet.let_take("local", ["*.localhost", "*.0.0.1"], True)
    await expose(client, rule(path(), host="*.localhost"))
    await it.until_served("/", host="anything.localhost")
    asked = len(app.asked)

    assert (await it.send("/", host="a.b.localhost"))[0] == 400
    assert (await it.send("/", host="localhost"))[1]["content-type"].startswith("text/html")
    assert len(app.asked) == asked


async def test_of_two_ingresses_with_one_host_and_path_the_older_is_served_and_the_other_is_told(
    it: World, client: Client, app: App
) -> None:
    await deploy(client)
    old = await expose(client, rule(path(), host="web.localhost"), name="old")
    await it.until_served("/", host="web.localhost")
    await seen(client, INGRESS, "old", lambda one: one["metadata"]["creationTimestamp"] != "")
    await expose(client, rule(path(service="other"), path("/more"), host="web.localhost"), name="young")

    words = await told(client, "young", "HostTaken")

    assert words == "web.localhost/ is served for the older Ingress default/old of the cluster local"
    await it.until_served("/more", host="web.localhost")
    assert (await it.send("/", host="web.localhost"))[0] == 200

    await client.delete(INGRESS, old["metadata"]["name"])

    body = await it.until_served("/", host="web.localhost", status=503)
    assert parsed(body)["message"] == "there is no Service default/other"


async def test_a_host_belongs_to_one_cluster_and_is_free_when_that_is_deleted(
    it: World, client: Client
) -> None:
    await deploy(client)
    await it.fleet.create("earlier")  # of two made in one second, the first by name is taken for the older
    earlier = it.client("earlier")
    await deploy(earlier)
    await expose(earlier, rule(path(), host="web.localhost"), name="theirs")
    await it.until_served("/", host="web.localhost")
    await expose(client, rule(path(service="gone"), host="web.localhost"), name="ours")

    assert "of the cluster earlier" in await told(client, "ours", "HostTaken")
    assert [(one.cluster, one.url) for one in it.fleet.reached()] == [
        ("earlier", f"http://web.localhost:{it.port}/")
    ]
    await earlier.close()
    await it.fleet.delete("earlier")

    await it.until_served("/", host="web.localhost", status=503)
    assert [one.cluster for one in it.fleet.reached()] == ["local"]


async def test_what_a_cluster_may_take_is_changed_while_it_runs_and_kept(it: World, client: Client) -> None:
    await deploy(client)
    await expose(client, rule(path(), host="shop.example.test"), default=backend())
    await it.until_served("/ingress/local/default/web/")

    await it.fleet.let_take("local", ["*.example.test"], False)

    await it.until_served("/", host="shop.example.test")
    assert "switched off" in await told(client, "web", "PathNotServed")
    await it.until_served("/ingress/local/default/web/", status=404)
    await client.close()
    await it.stop_clusters()
    await it.start_clusters()
    await it.until_served("/", host="shop.example.test")


async def test_a_missing_tls_secret_is_named_until_it_is_there(it: World, client: Client) -> None:
    tls = [{"hosts": ["web.localhost"], "secretName": "web-tls"}]
    await expose(client, rule(path(), host="web.localhost"), tls=tls)

    assert (
        await told(client, "web", "TLSSecretMissing")
        == "there is no Secret 'web-tls' of type kubernetes.io/tls"
    )
    assert "its own certificate" in await told(client, "web", "TLSNotServed")


async def test_routes_return_with_the_clusters_and_until_then_the_reason_is_told(
    it: World, client: Client, app: App
) -> None:
    await deploy(client)
    await expose(client, rule(path(), host="web.localhost"), default=backend())
    await it.until_served("/", host="web.localhost")
    await client.close()

    await it.stop_clusters()

    for where, host in (("/", "web.localhost"), ("/ingress/local/default/web/", "")):
        await it.until_served(where, host=host, status=503)
        status, headers, body = await it.send(where, host=host)
        assert (status, parsed(body)["code"], headers["retry-after"]) == (503, "ingress.away", "2")

    await it.start_clusters()

    await it.until_served("/", host="web.localhost")
    await it.until_served("/ingress/local/default/web/")


async def test_what_never_ends_comes_as_it_is_made_and_ends_with_who_listens(
    it: World, client: Client, app: App
) -> None:
    await deploy(client)
    await expose(client, rule(path(), host="web.localhost"))
    await it.until_served("/", host="web.localhost")
    app.endless = asyncio.Event()

    async with it.streaming("/", "web.localhost") as answer:
        assert await asyncio.wait_for(answer.content.readline(), 10) == b"the first\n"

    await asyncio.wait_for(app.endless.wait(), 10)


async def test_a_stream_under_our_own_name_ends_when_the_credential_does(
    it: World, client: Client, app: App
) -> None:
    await deploy(client)
    await expose(client, default=backend())
    await it.until_served("/ingress/local/default/web/")
    app.endless = asyncio.Event()

    async with it.streaming("/ingress/local/default/web/", "") as answer:
        assert await asyncio.wait_for(answer.content.readline(), 10) == b"the first\n"
        it.streams.end_all()
        assert await asyncio.wait_for(answer.content.read(), 10) == b""

    await asyncio.wait_for(app.endless.wait(), 10)


async def test_the_socket_of_the_clusters_answers_nobody_without_its_token(it: World, client: Client) -> None:
    await deploy(client)
    await expose(client, rule(path(), host="web.localhost"))
    right = (it.data.secrets / "ingress-token").read_text()
    connector = aiohttp.UnixConnector(it.settings.clusters)
    async with aiohttp.ClientSession("http://clusters", connector=connector) as session:
        for token, status in (("", 401), (KEY, 401), (right, 200)):
            async with session.get("/routes", headers={TOKEN: token}) as answer:
                assert answer.status == status
        for where, status in (("web/80", 200), ("kubernetes/443", 404), ("web/81", 404)):
            async with session.get(f"/backends/local/default/{where}/", headers={TOKEN: right}) as answer:
                assert answer.status == status
