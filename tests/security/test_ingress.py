"""Ingresses on the real platform: who may open them, and what an Ingress can never be: the platform itself."""

from __future__ import annotations

import asyncio
import http.client
import secrets
import time
from collections.abc import Iterator
from typing import Self
from urllib.parse import urlsplit

import pytest

from argosy.kube.client import from_kubeconfig
from argosy.kube.objects import Object
from argosy.kube.types import Kind
from argosy.platform.gateway.headers import CSP
from tests.security.cast import NAMES, Cast, Name, reaches
from tests.security.matrix import INGRESSES, Row
from tests.security.wire import Sender, raw, sender, statuses
from tests.unit.kube.controllers.ingress.objects import backend, ingress, path, rule

BY_PATH, BY_HOST = INGRESSES.values()
INGRESS = Kind("networking.k8s.io", "v1", "Ingress")


class Served:
    """An Ingress in the cluster `local`, with a host and without; behind it is no Service, which the platform says itself."""

    def __init__(self, cast: Cast) -> None:
        self.cast = cast
        self.name = f"t-{secrets.token_hex(4)}"
        self.host = f"{self.name}.localhost"
        self.path = f"/ingress/local/default/{self.name}/"

    def __enter__(self) -> Self:
        made = ingress(
            rule(path(), host=self.host),
            rule(path(), host="localhost"),
            name=self.name,
            default=backend("gone"),
        )
        del made["metadata"]["uid"]
        self._do(made, delete=False)
        until = time.monotonic() + 20
        while self.by_host("GET", "/")[0] != 503:
            assert time.monotonic() < until, "the edge did not hear of the Ingress"
        return self

    def __exit__(self, *_: object) -> None:
        self._do({}, delete=True)

    def by_host(self, method: str, where: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
        parts = urlsplit(self.cast.installation.url)
        link = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=20)
        try:
            link.request(method, where, headers={"Host": f"{self.host}:{parts.port}", **headers})
            answer = link.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        finally:
            link.close()

    def _do(self, made: Object, *, delete: bool) -> None:
        async def doing() -> None:
            client = from_kubeconfig(self.cast.installation.data_dir / "clusters" / "local" / "kubeconfig")
            await (client.delete(INGRESS, self.name) if delete else client.create(made))
            await client.close()

        asyncio.run(doing())


@pytest.fixture(scope="module")
def served(cast: Cast) -> Iterator[Served]:
    with Served(cast) as made:
        yield made


@pytest.mark.parametrize("name", [name for name in NAMES if name != "scoped key"])
def test_an_ingress_without_a_host_is_open_to_whom_the_matrix_lets_through(
    cast: Cast, served: Served, name: Name
) -> None:
    reply = cast.client(name, Row(BY_PATH.least)).get(served.path)

    if reaches(BY_PATH, name):
        assert (reply.status, reply.code) == (503, "ingress.no_backend")
    else:
        assert reply.status in (401, 403)
        assert (reply.status == 401) == (name in ("anonymous", "revoked key", "expired key"))


def test_no_key_can_be_limited_to_ingresses(cast: Cast) -> None:
    wanted = {"name": "ingress", "scopes": [BY_PATH.scope]}

    assert cast.tenant.admin.post("/api/api-keys", wanted).status == 422


@pytest.mark.parametrize("where", ["/", "/api/me", "/healthz", "/metrics", "/ingress/local/default/x/"])
def test_a_host_of_an_ingress_is_open_to_everybody_and_nothing_of_the_platform_answers_there(
    served: Served, where: str
) -> None:
    status, headers, body = served.by_host("GET", where)

    assert status == 503
    assert b"ingress.no_backend" in body
    assert headers["retry-after"] == "1"
    assert headers["content-security-policy"] == CSP


def test_a_session_of_the_platform_is_nothing_under_a_host_of_an_ingress(cast: Cast, served: Served) -> None:
    status, headers, _ = served.by_host("POST", "/api/auth/logout", Cookie=cast.tenant.admin.cookie)

    assert status == 503
    assert "set-cookie" not in headers
    assert cast.tenant.admin.get("/api/me").status == 200


def test_a_write_by_cookie_from_another_site_reaches_no_pod(cast: Cast, served: Served) -> None:
    client = sender(cast.tenant.admin)
    by_cookie = Sender(client.url, headers={"Cookie": client.cookie})

    reply = by_cookie.send("POST", served.path, b"{}", {"Origin": "https://evil.example"})

    assert (reply.status, reply.code) == (403, "origin.foreign")


def test_an_ingress_that_wants_the_platform_s_own_name_does_not_get_it(cast: Cast, served: Served) -> None:
    port = urlsplit(cast.installation.url).port

    reply = Sender(cast.installation.url).send("GET", "/api/version", headers={"Host": f"localhost:{port}"})

    assert reply.status == 200
    assert "version" in reply.json


def test_two_host_headers_are_no_choice_between_the_platform_and_an_ingress(
    cast: Cast, served: Served
) -> None:
    netloc = urlsplit(cast.installation.url).netloc
    for first, second in ((netloc, served.host), (served.host, netloc)):
        request = f"GET /api/version HTTP/1.1\r\nHost: {first}\r\nHost: {second}\r\nConnection: close\r\n\r\n"

        assert statuses(raw(cast.installation.url, request.encode())) == [400]


@pytest.mark.parametrize(
    "where",
    [
        "../../../../api/version",
        "%2e%2e/%2e%2e/%2e%2e/%2e%2e/api/version",
        "..%5c..%5capi",
        "a/./b",
        "%00",
        "%ff",
    ],
)
def test_a_path_that_leads_out_of_an_ingress_is_refused(cast: Cast, served: Served, where: str) -> None:
    reply = cast.client("admin", BY_PATH).get(served.path + where)

    assert (reply.status, reply.code) == (400, "path.encoding")


@pytest.mark.parametrize(
    "where",
    [
        "/ingress/",
        "/ingress/local",
        "/ingress/local/default",
        "/ingress/nobody/default/web/",
        "/ingress//////",
    ],
)
def test_what_is_no_ingress_is_not_there(cast: Cast, served: Served, where: str) -> None:
    reply = cast.client("admin", BY_PATH).get(where)

    assert (reply.status, reply.code) == (404, "ingress.absent")
