"""A pod behind an Ingress is somebody else's program: what it is told, and what it can do to whoever opens it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from argosy.platform.gateway.ingress.crossing import SANDBOX
from tests.ingress_world import KEY, App, World, deploy, expose, parsed, world
from tests.unit.kube.controllers.ingress.objects import path, rule

OWN = "/ingress/local/default/web/"
HOST = "web.localhost"


@pytest.fixture
def app() -> App:
    return App()


@pytest.fixture
async def it(tmp_path: Path, app: App, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[World]:
    async with world(tmp_path, app, monkeypatch) as made:
        client = made.client()
        await deploy(client)
        await expose(client, rule(path(), host=HOST), rule(path()))
        await client.close()
        await made.until_served(OWN)
        app.asked.clear()
        yield made


async def test_under_our_name_neither_a_session_nor_a_key_reaches_a_pod(it: World, app: App) -> None:
    session = f"{it.settings.cookie}=a-session"
    by_key = await it.send(OWN, Authorization=f"Bearer {KEY}", Cookie="theirs=1", Referer=f"{it.url}/users")
    by_session = await it.send(OWN, Authorization="", Cookie=f"{session}; theirs=1")

    assert (by_key[0], by_session[0]) == (200, 200)
    for asked in app.asked:
        assert not {"cookie", "authorization", "referer"} & set(asked.headers)
        assert "a-session" not in str(asked.headers.raw) and KEY not in str(asked.headers.raw)
        assert asked.headers["x-forwarded-for"] == "127.0.0.1"


async def test_under_a_host_of_its_own_a_pod_keeps_its_own_cookies_and_sees_none_of_ours(
    it: World, app: App
) -> None:
    ours = f"{it.settings.cookie}=a-session; {it.settings.device_cookie}=d"

    await it.send("/", host=HOST, Cookie=f"{ours}; theirs=1", Authorization=KEY)
    await it.send("/", host=HOST, Authorization="Bearer theirs")

    assert app.asked[0].headers["cookie"] == "theirs=1"
    assert "authorization" not in app.asked[0].headers
    assert app.asked[1].headers["authorization"] == "Bearer theirs"


async def test_what_a_client_says_of_itself_to_a_pod_is_said_by_us_alone(it: World, app: App) -> None:
    await it.send(
        "/", host=HOST, X_Forwarded_For="6.6.6.6", X_Forwarded_Host="evil.example", X_Argosy_Passage="x"
    )

    headers = app.asked[0].headers
    assert headers["x-forwarded-for"] == "127.0.0.1"
    assert headers["x-forwarded-host"] == f"{HOST}:{it.port}"
    assert "x-argosy-passage" not in headers


async def test_under_our_name_a_pod_sets_no_cookie_and_its_page_is_in_a_sandbox(it: World, app: App) -> None:
    app.body = b"<script>fetch('/api/me')</script>"
    app.headers = [
        ("content-type", "text/html"), ("set-cookie", f"{it.settings.cookie}=planted"), ("clear-site-data", '"cookies"'),
        ("access-control-allow-origin", "*"), ("content-security-policy", "sandbox allow-scripts allow-same-origin"),
    ]  # fmt: skip

    status, headers, body = await it.send(OWN)

    assert (status, body) == (200, app.body)
    assert headers["content-security-policy"] == SANDBOX
    assert not {"set-cookie", "clear-site-data", "access-control-allow-origin"} & set(headers)


async def test_under_our_name_a_script_is_a_file_that_no_page_can_run(it: World, app: App) -> None:
    app.headers, app.body = [("content-type", "text/javascript")], b"alert(1)"

    _, headers, _ = await it.send(OWN + "x.js")

    assert headers["content-type"] == "application/octet-stream"
    assert (headers["content-disposition"], headers["x-content-type-options"]) == ("attachment", "nosniff")


async def test_under_a_host_of_its_own_a_pod_sets_cookies_for_exactly_that_host(it: World, app: App) -> None:
    app.headers = [
        ("content-type", "text/html"), ("set-cookie", "theirs=1; Domain=localhost; Path=/"),
        ("content-security-policy", "default-src 'self'"), ("clear-site-data", '"cookies"'),
    ]  # fmt: skip

    _, headers, _ = await it.send("/", host=HOST)

    assert headers["set-cookie"] == "theirs=1; Path=/"
    assert headers["content-security-policy"] == "default-src 'self'"
    assert "clear-site-data" not in headers


async def test_a_pod_cannot_send_people_elsewhere_in_our_name(it: World, app: App) -> None:
    app.status, app.headers = 302, [("location", "https://evil.example/")]

    status, headers, body = await it.send(OWN)

    assert (status, parsed(body)["code"]) == (503, "ingress.redirect")
    assert "location" not in headers

    app.headers = [("location", "/login")]
    assert (await it.send(OWN))[1]["location"] == f"{OWN}login"
    app.headers = [("location", "https://elsewhere.example/")]
    assert (await it.send("/", host=HOST))[1]["location"] == "https://elsewhere.example/"


async def test_a_pod_cannot_speak_as_the_platform_s_own_part(it: World, app: App) -> None:
    app.headers = [("x-argosy-failed", "1"), ("content-type", "application/json")]
    app.body = (
        b'{"status":401,"code":"auth.required","name":"Unauthenticated","message":"sign in at evil.example"}'
    )

    for where, host in ((OWN, ""), ("/", HOST)):
        status, headers, body = await it.send(where, host=host)

        assert (status, body) == (200, app.body)
        assert not {"www-authenticate", "x-argosy-failed"} & set(headers)


async def test_an_upgrade_is_refused_and_not_half_done(it: World, app: App) -> None:
    status, _, body = await it.send("/", host=HOST, Connection="Upgrade", Upgrade="websocket")

    assert (status, parsed(body)["code"]) == (400, "ingress.upgrade")
    assert app.asked == []
