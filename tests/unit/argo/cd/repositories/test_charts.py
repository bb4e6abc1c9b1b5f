"""Charts from a repository over HTTP: the version that is meant, the archive once, credentials only to where they belong."""

from __future__ import annotations

import asyncio
import base64
import os
import time
from typing import Any

import aiohttp
import pytest

from argosy.argo.cd.rendering import RenderError
from argosy.argo.cd.repositories.credentials import LABEL, REPOSITORY
from argosy.argo.cd.repositories.fetching import FetchFailed
from argosy.argo.cd.repositories.kustomize import KustomizeSettings
from tests.unit.argo.cd.repositories.world import Server, World, chart


def secret(world: World, **data: str) -> None:
    encoded = {key: base64.b64encode(value.encode()).decode() for key, value in data.items()}
    labels = {LABEL: REPOSITORY}
    world.credentials.changed(None, {"metadata": {"name": "charts", "labels": labels}, "data": encoded})


def web(server: Server, revision: str = "*", **said: Any) -> dict[str, Any]:
    return {"repoURL": server.url, "chart": "web", "targetRevision": revision, **said}


def offer(server: Server, *versions: str) -> None:
    server.charts(*(("web", version, chart("web", version)) for version in versions))


@pytest.mark.parametrize(
    ("revision", "version"),
    [("1.2.0", "1.2.0"), ("", "1.10.0"), ("*", "1.10.0"), ("1.2.x", "1.2.0"), ("~1.1", ""), (">=2-0", "2.0.0-rc1")],
)  # fmt: skip
async def test_the_version_that_is_meant_is_rendered(
    world: World, server: Server, revision: str, version: str
) -> None:
    offer(server, "1.2.0", "1.10.0", "2.0.0-rc1")
    if not version:
        with pytest.raises(RenderError, match=r"has no version '~1.1'; the newest is 2\.0\.0-rc1"):
            await world.render(web(server, revision))
        return
    found = await world.render(web(server, revision))
    assert found.revisions == (version,)
    assert found.types == ("Helm",)
    assert [one["metadata"]["name"] for one in found.objects] == [f"web-{version}"]


async def test_an_archive_is_fetched_once_and_the_index_again_only_for_a_refresh(
    world: World, server: Server
) -> None:
    offer(server, "1.0.0")
    for application in ("a", "b", "c"):
        await world.render(web(server), application=application, resolve=False)
    assert server.paths() == ["/index.yaml", "/web-1.0.0.tgz"]
    # and then only if it has changed
    await world.render(web(server))
    assert server.asked[-1][1]["If-None-Match"]
    offer(server, "1.0.0", "1.1.0")
    assert (await world.render(web(server))).revisions == ("1.1.0",)
    assert server.paths() == ["/index.yaml", "/web-1.0.0.tgz", "/index.yaml", "/index.yaml", "/web-1.1.0.tgz"]


async def test_many_who_ask_at_once_fetch_once(world: World, server: Server) -> None:
    offer(server, "1.0.0")
    await asyncio.gather(
        *(world.render(web(server), application=str(one), resolve=False) for one in range(8))
    )
    assert sorted(server.paths()) == ["/index.yaml", "/web-1.0.0.tgz"]


async def test_a_newer_version_is_rendered_and_the_same_one_is_not(world: World, server: Server) -> None:
    offer(server, "1.0.0")
    await world.render(web(server))
    await world.render(web(server))
    assert world.renderer.renders == 1


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [
        ("/index.yaml", "apiVersion: v1\nentries:\n  other:\n  - version: 1.0.0\n    urls: [x]\n", "chart 'web' not found in index of http://"),
        ("/index.yaml", "hello", "is no chart repository: its index.yaml has no entries"),
        ("/web-1.0.0.tgz", b"hello", "is not the one whose digest is in the index"),
        ("/web-1.0.0.tgz", None, "/web-1.0.0.tgz: not found (HTTP 404)"),
        ("/index.yaml", None, "/index.yaml: not found (HTTP 404)"),
    ],
)  # fmt: skip
async def test_what_is_not_there_or_not_right_is_said(
    world: World, server: Server, path: str, body: str | bytes | None, said: str
) -> None:
    offer(server, "1.0.0")
    if body is None:
        del server.pages[path]
    else:
        server.put(path, body)
    with pytest.raises(RenderError) as failed:
        await world.render(web(server))
    assert said in str(failed.value)


async def test_an_archive_that_is_no_chart_is_said_by_its_missing_file(world: World, server: Server) -> None:
    server.put("/index.yaml", "entries:\n  web:\n  - version: 1.0.0\n    urls: [x.tgz]\n")
    server.put("/x.tgz", chart("web", "1.0.0").replace(b"x", b"y")[:40])
    with pytest.raises(RenderError, match="the archive cannot be unpacked"):
        await world.render(web(server))


async def test_credentials_go_to_the_repository_and_to_nobody_else(world: World, server: Server) -> None:
    async with Server() as other:
        data = chart("web", "1.0.0")
        other.put("/a.tgz", data)
        server.login = ("me", "hunter2")
        server.put("/index.yaml", f"entries:\n  web:\n  - version: 1.0.0\n    urls: ['{other.url}/a.tgz']\n")
        # without them
        with pytest.raises(RenderError, match="authentication required") as failed:
            await world.render(web(server))
        # with them
        secret(world, url=server.url, type="helm", username="me", password="hunter2")
        assert await world.names(web(server)) == ["web-1.0.0"]
        assert "Authorization" not in other.asked[-1][1]
        assert "hunter2" not in str(failed.value)
        # unless the application passes them on
        for file in (world.folder / "charts").glob("*.tgz"):
            file.unlink()
        passing = web(server, helm={"passCredentials": True, "releaseName": "x"})
        assert await world.names(passing) == ["web-1.0.0"]
        assert other.asked[-1][1]["Authorization"] == aiohttp.encode_basic_auth("me", "hunter2")


async def test_a_redirect_to_elsewhere_takes_no_credentials_along(world: World, server: Server) -> None:
    async with Server() as other:
        offer(other, "1.0.0")
        server.login = ("me", "hunter2")
        server.put("/index.yaml", b"", 302, Location=f"{other.url}/index.yaml")
        server.put("/web-1.0.0.tgz", b"", 302, Location=f"{other.url}/web-1.0.0.tgz")
        secret(world, url=server.url, type="helm", username="me", password="hunter2")
        assert await world.names(web(server)) == ["web-1.0.0"]
        assert len(other.asked) == 2
        assert not any("Authorization" in headers for _, headers in other.asked)


@pytest.mark.parametrize(
    ("location", "said"),
    [
        ("/index.yaml", "redirected more than 5 times"),
        ("file:///etc/passwd", "only http and https are fetched"),
    ],
)
async def test_redirects_that_lead_nowhere_end(
    world: World, server: Server, location: str, said: str
) -> None:
    server.put("/index.yaml", b"", 302, Location=location)
    with pytest.raises(RenderError, match=said):
        await world.render(web(server))


async def test_a_repository_that_is_away_is_said_without_its_password(world: World) -> None:
    source = {"repoURL": "http://me:hunter2@127.0.0.1:1/x", "chart": "web", "targetRevision": "*"}
    with pytest.raises(RenderError, match=r"http://127\.0\.0\.1:1/x/index\.yaml cannot be reached") as failed:
        await world.render(source)
    assert "hunter2" not in str(failed.value)


async def test_an_answer_that_is_too_large_is_not_taken(
    world: World, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("argosy.argo.cd.repositories.charts._LARGEST", 100)
    offer(server, "1.0.0")
    with pytest.raises(RenderError, match=r"web-1\.0\.0\.tgz: larger than"):
        await world.render(web(server))


NEEDS = "dependencies: [{name: db, version: ~1.2, repository: '%s'}]"


def needy(world: World, repository: str) -> dict[str, str]:
    world.work().commit(
        {
            "app/Chart.yaml": f"apiVersion: v2\nname: app\nversion: 1.0.0\n{NEEDS % repository}",
            "app/templates/a.yaml": "apiVersion: v1\nkind: A\nmetadata: {name: app}",
        }
    )
    return {"path": "app"}


async def test_a_chart_in_git_gets_what_it_needs_from_a_repository(world: World, server: Server) -> None:
    server.charts(*(("db", version, chart("db", version)) for version in ("1.2.3", "1.2.10", "1.3.0")))
    source = needy(world, server.url)
    assert sorted(await world.names(source)) == ["app", "db-1.2.10"]
    assert world.renderer.renders == 1


async def test_what_it_needs_may_come_from_a_repository_by_its_name(world: World, server: Server) -> None:
    server.charts(("db", "1.2.3", chart("db", "1.2.3")))
    source = needy(world, "@stable")
    with pytest.raises(RenderError, match="no repository is called @stable; add one with that name"):
        await world.render(source)
    secret(world, url=server.url, type="helm", name="stable")
    assert sorted(await world.names(source, fresh=True)) == ["app", "db-1.2.3"]


@pytest.mark.parametrize("by_name", [True, False])
async def test_nothing_is_fetched_from_where_the_project_does_not_permit_it(
    world: World, server: Server, by_name: bool
) -> None:
    server.charts(("db", "1.2.3", chart("db", "1.2.3")))
    secret(world, url=server.url, type="helm", name="stable")
    source = needy(world, "alias:stable" if by_name else server.url)
    with pytest.raises(RenderError) as failed:
        await world.render(source, permits=lambda url: url.startswith("https://git.test"), project="shop")
    assert f"helm repos {server.url} are not permitted in project 'shop'" in str(failed.value)
    assert not server.asked


async def test_a_dependency_that_says_of_no_repository_is_said(world: World) -> None:
    with pytest.raises(RenderError, match="needs db ~1.2, and says of no repository that has it"):
        await world.render(needy(world, ""))


async def test_a_dependency_that_could_not_be_fetched_is_tried_again_after_a_while(
    world: World, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("argosy.argo.cd.repositories.making._SOON", 0.001)
    source = needy(world, server.url)
    with pytest.raises(RenderError, match="the chart needs db ~1.2: .*not found"):
        await world.render(source)
    server.charts(("db", "1.2.3", chart("db", "1.2.3")))
    assert sorted(await world.names(source)) == ["app", "db-1.2.3"]


async def test_charts_that_nobody_has_asked_for_in_a_month_are_dropped(world: World, server: Server) -> None:
    offer(server, "1.0.0")
    await world.render(web(server))
    (archive,) = (world.folder / "charts").glob("*.tgz")
    await world.charts.tidy()
    assert archive.exists()
    os.utime(archive, (0, time.time() - 40 * 24 * 3600))
    await world.charts.tidy()
    assert [one.suffix for one in (world.folder / "charts").iterdir()] == [".yaml"]


async def test_it_can_be_asked_whether_a_repository_answers(world: World, server: Server) -> None:
    secret(world, url=server.url, type="helm")
    with pytest.raises(FetchFailed):
        await world.charts.answers(world.credentials.find(server.url, ""))
    offer(server, "1.0.0")
    await world.charts.answers(world.credentials.find(server.url, ""))


async def test_a_chart_in_a_kustomization_is_fetched_when_the_settings_allow_charts_there(
    world: World, server: Server
) -> None:
    server.charts(("db", "1.2.3", chart("db", "1.2.3")))
    world.work().commit(
        {
            "app/kustomization.yaml": f"namePrefix: x-\nhelmCharts: [{{name: db, version: 1.2.3, repo: '{server.url}'}}]"
        }
    )
    with pytest.raises(RenderError, match="must specify --enable-helm"):
        await world.render()
    world.renderer.kustomize = KustomizeSettings.read({"kustomize.buildOptions": "--enable-helm"})
    assert await world.names() == ["x-db-1.2.3"]
    with pytest.raises(RenderError, match="are not permitted in project"):
        await world.render(permits=lambda _: False, fresh=True)
