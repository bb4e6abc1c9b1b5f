"""Charts and manifests from an OCI registry: tags, a token, a layer that is what its digest says."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import pytest

from argosy.argo.cd.rendering import RenderError
from argosy.argo.cd.repositories.credentials import LABEL, REPOSITORY
from tests.unit.argo.cd.repositories.world import Server, World, chart, manifest, packed

CHART = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"


def digest(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


class Registry:
    """What a registry's pages are; `name` is a repository in it."""

    def __init__(self, server: Server, world: World, **secret: str) -> None:
        self.server = server
        self.host = server.url.removeprefix("http://")
        data = {
            "url": f"{self.host}/charts",
            "type": "helm",
            "enableOCI": "true",
            "insecureOCIForceHttp": "true",
            **secret,
        }
        self.secret = {
            "metadata": {"name": "oci", "labels": {LABEL: REPOSITORY}},
            "data": {key: base64.b64encode(value.encode()).decode() for key, value in data.items()},
        }  # fmt: skip
        world.credentials.changed(None, self.secret)

    def push(self, name: str, tag: str, layer: bytes, media: str = CHART) -> str:
        layers = [
            {"mediaType": media, "digest": digest(layer), "size": len(layer)},
            {
                "mediaType": "application/vnd.cncf.helm.chart.provenance.v1.prov",
                "digest": digest(b""),
                "size": 0,
            },
        ]
        said = json.dumps({"schemaVersion": 2, "layers": layers}).encode()
        for where in (tag, digest(said)):
            self.server.put(f"/v2/{name}/manifests/{where}", said)
        self.server.put(f"/v2/{name}/blobs/{digest(layer)}", layer)
        page = self.server.pages.get(f"/v2/{name}/tags/list")
        tags = json.loads(page[1])["tags"] if page else []
        self.server.put(f"/v2/{name}/tags/list", json.dumps({"name": name, "tags": [*tags, tag]}))
        return digest(said)

    def source(self, revision: str, **said: Any) -> dict[str, Any]:
        return {"repoURL": f"{self.host}/charts", "chart": "web", "targetRevision": revision, **said}


@pytest.mark.parametrize(
    ("revision", "version"), [("1.2.0", "1.2.0"), ("1.x", "1.10.0+b"), ("*", "1.10.0+b"), ("", "1.10.0+b")]
)
async def test_the_version_that_is_meant_is_pulled(
    world: World, server: Server, revision: str, version: str
) -> None:
    registry = Registry(server, world)
    for one in ("1.2.0", "1.10.0+b", "latest"):
        registry.push("charts/web", one.replace("+", "_"), chart("web", one))
    found = await world.render(registry.source(revision))
    assert found.revisions == (version,)
    assert found.objects[0]["metadata"]["name"] == f"web-{version}"


async def test_a_list_of_tags_that_goes_on_is_read_to_its_end(world: World, server: Server) -> None:
    registry = Registry(server, world)
    registry.push("charts/web", "2.0.0", chart("web", "2.0.0"))
    server.put("/v2/charts/web/tags/list?last=x", json.dumps({"tags": ["2.0.0"]}))
    more = '</v2/charts/web/tags/list?last=x>; rel="next"'
    server.put("/v2/charts/web/tags/list", json.dumps({"tags": ["1.0.0"]}), Link=more)
    assert (await world.render(registry.source("*"))).revisions == ("2.0.0",)
    server.put(
        "/v2/charts/web/tags/list", json.dumps({"tags": []}), Link='<https://evil.example/>; rel="next"'
    )
    with pytest.raises(RenderError, match="its list of tags goes on somewhere else"):
        await world.render(registry.source("*"))


async def test_a_tag_that_was_moved_is_noticed_by_a_refresh(world: World, server: Server) -> None:
    registry = Registry(server, world)
    registry.push("charts/web", "1.0.0", chart("web", "1.0.0"))
    assert await world.names(registry.source("1.0.0")) == ["web-1.0.0"]
    registry.push("charts/web", "1.0.0", chart("web", "1.0.0", **{"templates/b.yaml": manifest("more")}))
    assert await world.names(registry.source("1.0.0"), resolve=False) == ["web-1.0.0"]
    assert sorted(await world.names(registry.source("1.0.0"))) == ["more", "web-1.0.0"]


async def test_a_registry_that_wants_a_token_gets_one_with_the_secret_s_login(
    world: World, server: Server
) -> None:
    registry = Registry(server, world, username="me", password="hunter2")
    registry.push("charts/web", "1.0.0", chart("web", "1.0.0"))
    server.token = "t0ken"
    assert await world.names(registry.source("1.0.0")) == ["web-1.0.0"]
    asked = next(headers for path, headers in server.asked if path.startswith("/token?"))
    assert asked["Authorization"] == f"Basic {base64.b64encode(b'me:hunter2').decode()}"
    assert "/token?service=registry&scope=repository:charts/web:pull" in server.paths()


async def test_manifests_in_a_registry_are_a_source_of_their_own(world: World, server: Server) -> None:
    registry = Registry(server, world)
    pushed = registry.push("team/app", "v1", packed({"prod/a.yaml": manifest("a"), "b.yaml": manifest("b")}), LAYER)  # fmt: skip
    world.credentials.changed(
        None, {**registry.secret, "data": registry.secret["data"] | {"url": base64.b64encode(f"oci://{registry.host}/team/app".encode()).decode()}}
    )  # fmt: skip
    source = {"repoURL": f"oci://{registry.host}/team/app", "targetRevision": "v1", "path": "prod"}
    found = await world.render(source)
    assert [one["metadata"]["name"] for one in found.objects] == ["a"]
    assert found.revisions == (pushed,)
    assert await world.names({**source, "path": ".", "targetRevision": pushed}) == ["b"]


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        ("layer", "what was fetched is not what its digest says"),
        ("media", "is neither a chart nor manifests"),
        ("json", "the answer is not what a registry says"),
        ("gone", "not found (HTTP 404)"),
    ],
)
async def test_what_a_registry_should_not_say_is_said(
    world: World, server: Server, spoil: str, said: str
) -> None:
    registry = Registry(server, world)
    data = chart("web", "1.0.0")
    registry.push("charts/web", "1.0.0", data, "text/plain" if spoil == "media" else CHART)
    if spoil == "layer":
        server.put(f"/v2/charts/web/blobs/{digest(data)}", data + b"x")
    elif spoil == "json":
        server.put("/v2/charts/web/manifests/1.0.0", "<html>")
    elif spoil == "gone":
        del server.pages["/v2/charts/web/manifests/1.0.0"]
    with pytest.raises(RenderError) as failed:
        await world.render(registry.source("1.0.0"))
    assert said in str(failed.value)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ({"repoURL": "oci://x", "path": "."}, "is no reference to a registry"),
        ({"repoURL": "oci://x.example/../y", "path": "."}, "cannot be reached|is no reference"),
        ({"repoURL": "oci://x.example/A?b=c", "path": "."}, "is no reference to a registry"),
        ({"repoURL": "oci://127.0.0.1:1/x", "path": ".", "targetRevision": "a/../b"}, "cannot be a tag"),
        ({"repoURL": "oci://127.0.0.1:1/x", "path": ".", "targetRevision": "v1"}, "cannot be reached"),
    ],
)
async def test_references_are_judged_before_anybody_is_asked(
    world: World, source: dict[str, str], said: str
) -> None:
    with pytest.raises(RenderError, match=said):
        await world.render(source)
