"""Repositories that were written to hurt: nothing outside of them is read, nothing they bring is run, and whoever floods or loops harms only itself."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import logging
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from argosy.argo.cd.rendering import RenderError
from argosy.argo.cd.repositories.credentials import LABEL
from argosy.argo.cd.repositories.overlooking import Overlooking
from tests.git_repository import Work
from tests.unit.argo.cd.repositories.world import Server, World, manifest

SECRET = "hunter2-do-not-show"
CHART = {"app/Chart.yaml": "apiVersion: v2\nname: app\nversion: 1.0.0"}


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    (tmp_path / "secret.yaml").write_text(manifest(SECRET))
    async with World(tmp_path) as made:
        yield made


async def refused(world: World, *sources: dict[str, Any], **said: Any) -> str:
    with pytest.raises(RenderError) as failed:
        await world.render(*sources, **said)
    assert SECRET not in str(failed.value)
    assert str(world.folder / "git") not in str(failed.value)
    return str(failed.value)


OUT = "../../../secret.yaml"


@pytest.mark.parametrize("target", [OUT, "/etc/passwd", "/proc/self/environ"])
@pytest.mark.parametrize(
    ("files", "link", "source"),
    [
        ({}, "app/a.yaml", {}),
        ({"app/kustomization.yaml": "resources: [a.yaml]"}, "app/a.yaml", {}),
        ({"app/kustomization.yaml": "configMapGenerator: [{name: x, files: [a.txt]}]"}, "app/a.txt", {}),
        ({"app/a.jsonnet": "{kind: importstr 'x.txt'}"}, "app/x.txt", {}),
        (CHART, "app/templates/a.yaml", {}),
        (CHART, "app/files/a.txt", {}),
        (CHART, "app/x.yaml", {"helm": {"valueFiles": ["x.yaml"]}}),
        (CHART, "other/x.yaml", {"helm": {"valueFiles": ["../other/x.yaml"]}}),
        (CHART, "other/x.yaml", {"helm": {"valueFiles": ["../other/*.yaml"]}}),
        (CHART, "other/x", {"helm": {"fileParameters": [{"name": "x", "path": "../other/x"}]}}),
        ({}, "app", {}),
        ({"app/a.yaml": manifest("a")}, "app/.argocd-source.yaml", {}),
    ],
)
async def test_a_link_out_of_the_repository_is_not_followed(
    world: World, files: dict[str, str], link: str, source: dict[str, Any], target: str
) -> None:
    work = world.work()
    work.link(link, target)
    work.commit({"x": "", **files})
    assert "out of the repository" in await refused(world, {"path": "app", **source})


async def test_a_circle_of_links_ends(world: World) -> None:
    work = world.work()
    work.link("app/a.yaml", "b.yaml")
    work.link("app/b.yaml", "a.yaml")
    work.link("folder/x/again", "..")
    work.link("folder/x/here", ".")
    work.commit(
        {"folder/a.yaml": manifest("a"), "folder/Chart.yaml": "apiVersion: v2\nname: x\nversion: 1.0.0"}
    )
    assert "lead in a circle" in await refused(world, {"path": "app"})
    assert await world.names({"path": "folder", "directory": {"recurse": True, "exclude": "Chart.yaml"}}) == [
        "a"
    ]
    assert "circle" in await refused(world, {"path": "folder", "helm": {"releaseName": "x"}})


@pytest.mark.parametrize(
    ("files", "source"),
    [
        ({"app/a.yaml": manifest("a")}, {"path": "../app"}),
        ({"app/a.yaml": manifest("a")}, {"path": "app/../../x"}),
        (CHART, {"helm": {"valueFiles": [f"../{OUT}"]}}),
        (
            CHART,
            {"helm": {"valueFiles": ["$ARGOCD_APP_SOURCE_TARGET_REVISION/x.yaml"]}, "targetRevision": "main"},
        ),
        (CHART, {"helm": {"fileParameters": [{"name": "x", "path": f"../{OUT}"}]}}),
        ({"app/kustomization.yaml": f"resources: [../{OUT}]"}, {}),
        ({"app/kustomization.yaml": f"components: [../{OUT}]"}, {}),
        ({"app/a.jsonnet": f"import '../{OUT}'"}, {}),
        ({"app/a.jsonnet": "import '/etc/passwd'"}, {}),
        ({"app/a.jsonnet": "{}"}, {"directory": {"jsonnet": {"libs": [f"../{OUT}"]}}}),
    ],
)
async def test_a_path_out_of_the_repository_is_not_taken(
    world: World, files: dict[str, str], source: dict[str, Any]
) -> None:
    world.work().commit(files)
    await refused(world, {"path": "app", **source})


@pytest.mark.parametrize(
    ("kustomization", "said"),
    [
        ("resources: ['https://example.org/x.yaml']", "remote|not fetched|https://example.org"),
        ("resources: ['github.com/org/repository//base?ref=v1']", "remote|github.com"),
        ("resources: ['git@example.org:x.git']", "remote|example.org"),
        ("generators: [g.yaml]", "plugin|exec"),
        ("helmCharts: [{name: x, repo: 'https://example.org'}]", "helm"),
    ],
)
async def test_remote_bases_plugins_and_charts_are_refused_by_default(
    world: World, kustomization: str, said: str
) -> None:
    plugin = (
        "apiVersion: v1\nkind: Run\nmetadata:\n  name: x\n  annotations:\n    config.kubernetes.io/function: |\n"
        "      exec: {path: ./evil.sh}\n"
    )
    work = world.work()
    evil = f"#!/bin/sh\ntouch {world.folder}/ran\n"
    work.commit({"app/kustomization.yaml": kustomization, "app/g.yaml": plugin, "app/evil.sh": evil})
    found = await refused(world)
    assert any(word in found for word in said.split("|"))
    assert not (world.folder / "ran").exists()


async def test_what_git_would_run_for_a_repository_is_not_run(world: World) -> None:
    work = world.work()
    work.commit(
        {
            ".gitattributes": "* filter=evil\n*.yaml ident\n",
            ".gitconfig": f'[filter "evil"]\n\tsmudge = touch {world.folder}/ran\n',
            "app/a.yaml": manifest("a", id="$Id$"),
        }
    )
    hooks = work.folder / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in ("post-checkout", "pre-receive", "post-update"):
        (hooks / name).write_text(f"#!/bin/sh\ntouch {world.folder}/ran\n")
        (hooks / name).chmod(0o755)
    (found,) = (await world.render()).objects
    assert found["data"] == {"id": "$Id$"}
    assert not (world.folder / "ran").exists()


@pytest.mark.parametrize(
    "revision", ["--upload-pack=touch ran", "-x", "main:app/a.yaml", "main^{/x}", "@{-1}", "refs/heads/../x", "$(id)", "\n", "a b"]
)  # fmt: skip
async def test_a_revision_is_never_an_option_or_an_expression(world: World, revision: str) -> None:
    world.work().commit({"app/a.yaml": manifest("a")})
    assert "unable to resolve" in await refused(world, {"path": "app", "targetRevision": revision})


@pytest.mark.parametrize(
    "url",
    [
        "ext::sh -c 'touch ran'", "ext::sh%20-c%20id", "file:///etc", "/etc", "../x", "-oProxyCommand=id", "fd::7", "ssh://-oProxyCommand=id/x",
        "ssh://git@-x/x", "https://example.org:x/y", "javascript:alert(1)", "https://", "git://example.org/x", "https://a b/c", "",
    ],
)  # fmt: skip
async def test_an_address_never_runs_anything_and_never_reads_this_machine(world: World, url: str) -> None:
    await refused(world, {"repoURL": url, "path": "app"})
    assert not list((world.folder / "git").glob("*")) if (world.folder / "git").exists() else True


LAUGHS = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 9)
)
BOMBS = {
    "a billion laughs": {"app/a.yaml": f"apiVersion: v1\nkind: A\nmetadata: {{name: x}}\n{LAUGHS}"},
    "laughs in a kustomization": {"app/kustomization.yaml": LAUGHS},
    "laughs in parameters": {"app/.argocd-source.yaml": LAUGHS, "app/a.yaml": manifest("a")},
    "laughs in a chart": {**CHART, "app/Chart.yaml": f"apiVersion: v2\nname: x\nversion: 1.0.0\n{LAUGHS}"},
    "very deep lists": {"app/a.yaml": f"apiVersion: v1\nkind: A\nmetadata: {{name: x}}\nx: {'[' * 100_000}"},
    "very deep JSON": {"app/a.json": '{"kind":"A","x":' + "[" * 500_000},
    "very deep JSON in YAML": {"app/a.yaml": "{apiVersion: v1, kind: A, metadata: {}, x: " + "[" * 500_000},
    "tags that make objects": {"app/a.yaml": "apiVersion: v1\nkind: A\nmetadata: !!python/object/apply:os.system [id]"},
    "fifty megabytes": {"app/a.yaml": manifest("a") + "#" + "x" * 50 * 2**20},
    "fifty megabytes of one value": {"app/kustomization.yaml": "namePrefix: " + "x" * 50 * 2**20},
    "fifty megabytes of JSON": {"app/a.json": '{"kind": "A", "x": "' + "x" * 50 * 2**20},
    "a template that repeats for ever": {**CHART, "app/templates/a.yaml": "{{- range until 100000000 }}xxxxxxxxxxxxxxxx{{ end }}"},
    "a template that calls itself": {**CHART, "app/templates/a.yaml": '{{ define "a" }}{{ include "a" . }}{{ end }}{{ include "a" . }}'},
    "jsonnet that calls itself": {"app/a.jsonnet": "local f(x) = f(x + 1) + 1; f(0)"},
    "jsonnet that grows": {"app/a.jsonnet": "local d(s, n) = if n == 0 then s else d(s + s, n - 1); {kind: d('xxxxxxxx', 30)}"},
    "jsonnet that never ends": {"app/a.jsonnet": "local f(n) = f(n + 1) tailstrict; f(0)"},
    "a schema that reads this machine": {**CHART, "app/values.schema.json": '{"$ref": "file:///dev/zero"}'},
}  # fmt: skip


@pytest.mark.parametrize("bomb", BOMBS)
async def test_a_bomb_harms_only_who_brought_it(tmp_path: Path, bomb: str) -> None:
    async with World(tmp_path, seconds=10) as world:
        world.work("good").commit({"app/a.yaml": manifest("good")})
        world.work().commit(BOMBS[bomb])
        good = {"repoURL": "https://git.test/good", "path": "app"}
        await world.render(good, application="good")
        # when somebody brings a bomb
        exploding = asyncio.create_task(refused(world, {"path": "app"}, application="bad"))
        # then others are served meanwhile, within a second but for what this machine is busy with
        began = time.monotonic()
        assert await world.names(good, application="good", fresh=True) == ["good"]
        assert time.monotonic() - began < 5
        said = await asyncio.wait_for(exploding, 60)
        assert len(said) < 5000
        assert await world.names(good, application="good", fresh=True) == ["good"]


@pytest.mark.parametrize(
    "template",
    [
        '{{ .Files.Get "/etc/passwd" }}', '{{ .Files.Get "../../../../etc/passwd" }}', '{{ (.Files.Glob "/etc/pass*").AsConfig }}',
        '{{ env "PATH" }}', '{{ expandenv "$PATH" }}', '{{ lookup "v1" "Secret" "kube-system" "" }}', '{{ getHostByName "localhost" }}',
    ],
)  # fmt: skip
async def test_a_chart_sees_nothing_of_this_machine(world: World, template: str) -> None:
    shown = (
        f"apiVersion: v1\nkind: A\nmetadata: {{name: x}}\nshown: {{{{ print ({template[3:-3]}) | quote }}}}"
    )
    world.work().commit({**CHART, "app/templates/a.yaml": shown})
    with contextlib.suppress(RenderError):  # a function that does not exist is as good
        (found,) = (await world.render()).objects
        assert found["shown"] in {"", "map[]", "{}"}


async def test_what_people_write_reaches_nobody_over_the_network(world: World) -> None:
    async with Server() as server:
        server.put("/x", manifest("fetched"))
        files = {
            "schema/Chart.yaml": CHART["app/Chart.yaml"],
            "schema/values.schema.json": f'{{"$ref": "{server.url}/x"}}',
            "kustomize/kustomization.yaml": f"resources: [{server.url}/x]",
            "patch/kustomization.yaml": f"resources: [a.yaml]\npatches: [{{path: '{server.url}/x'}}]",
            "patch/a.yaml": manifest("a"),
            "jsonnet/a.jsonnet": f"import '{server.url}/x'",
        }
        world.work().commit(files)
        for path in ("schema", "kustomize", "patch", "jsonnet"):
            await refused(world, {"path": path})
        values = {"path": "schema", "helm": {"valueFiles": [f"{server.url}/x"]}}
        await refused(world, values)
        assert not server.asked


def secret_manifest(more: str) -> str:
    return f"apiVersion: v1\nkind: Secret\nmetadata: {{name: x}}\nstringData: {{password: {SECRET}}}\n{more}"


@pytest.mark.parametrize(
    "files",
    [
        {"app/a.yaml": secret_manifest("x: [")},
        {"app/a.yaml": secret_manifest("metadata: 5")},
        {"app/a.yaml": secret_manifest("kind: 5")},
        {"app/a.yaml": secret_manifest("apiVersion: ''")},
        {"app/a.yaml": f"apiVersion: v1\nkind: Secret\nmetadata: {{name: x, labels: {{a: [{SECRET}]}}}}"},
        {"app/a.json": f'{{"kind": "Secret", "data": "{SECRET}'},
        {"app/kustomization.yaml": "resources: [a.yaml, a.yaml]", "app/a.yaml": secret_manifest("")},
        {"app/kustomization.yaml": f"secretGenerator: [{{name: x, literals: [{SECRET}]}}]"},
        {"app/kustomization.yaml": "resources: [a.yaml]\npatches: [{target: {kind: Secret}, patch: '- {op: test, path: /stringData/password, value: x}'}]", "app/a.yaml": secret_manifest("")},
        {**CHART, "app/values.yaml": f"password: {SECRET}", "app/values.schema.json": '{"properties": {"password": {"type": "integer"}}}'},
        {**CHART, "app/templates/a.yaml": secret_manifest("x: [")},
        {"app/a.jsonnet": f"local password = '{SECRET}'; {{kind: 'Secret', data: password}} + 5 + error 'x'"},
    ],
)  # fmt: skip
async def test_no_error_shows_a_secret_s_value(
    world: World, files: dict[str, str], caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    world.work().commit(files)
    await refused(world)
    assert SECRET not in caplog.text
    assert SECRET not in "".join(capfd.readouterr())


@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("where", ["url", "secret"])
async def test_no_error_shows_how_somebody_signs_in(world: World, scheme: str, where: str) -> None:
    address = f"{scheme}://127.0.0.1:1"
    if where == "secret":
        data = {
            "url": address,
            "username": "me",
            "password": SECRET,
            "proxy": f"http://me:{SECRET}@127.0.0.1:1",
        }
        encoded = {key: base64.b64encode(value.encode()).decode() for key, value in data.items()}
        for kind in ("repository", "repo-creds"):
            labels = {LABEL: kind}
            world.credentials.changed(None, {"metadata": {"name": kind, "labels": labels}, "data": encoded})
    else:
        address = f"{scheme}://me:{SECRET}@127.0.0.1:1"
    await refused(world, {"repoURL": f"{address}/x.git", "path": "app"})
    await refused(world, {"repoURL": address, "chart": "x", "targetRevision": "1.0.0"})
    await refused(world, {"repoURL": f"oci://me:{SECRET}@127.0.0.1:1/x", "path": "."})


async def test_an_expression_of_jq_shows_no_value(world: World, capfd: pytest.CaptureFixture[str]) -> None:
    jq = Overlooking(world.pool)
    secret = {"kind": "Secret", "metadata": {"name": "x"}, "data": {"password": SECRET}}
    expressions = (
        ".data.password.x",
        ".data | debug",
        "error(.data.password)",
        ".data.password | stderr",
        ".data | halt_error",
    )
    for one in expressions:
        await jq(secret, (one,))
    await world.pool.close()
    shown = "".join(capfd.readouterr())
    assert SECRET not in shown
    assert "it does not fit the object" in shown


async def test_many_who_hurt_at_once_leave_room_for_the_others(tmp_path: Path) -> None:
    async with World(tmp_path, seconds=20) as world:
        world.work("good").commit({"app/a.yaml": manifest("good")})
        endless = "local f(n) = f(n + 1) tailstrict; f(0)"
        world.work().commit({f"{number}/a.jsonnet": f"// {number}\n{endless}" for number in range(5)})
        good = {"repoURL": "https://git.test/good", "path": "app"}
        await world.render(good, application="good")
        bad = [
            asyncio.create_task(world.render({"path": str(number)}, application=f"bad-{number}")) for number in range(5)
        ]  # fmt: skip
        await asyncio.sleep(0)
        began = time.monotonic()
        assert await world.names(good, application="good", fresh=True) == ["good"]
        assert time.monotonic() - began < 10  # they move aside after a fifth of a second here
        for one in bad:
            one.cancel()
        await asyncio.gather(*bad, return_exceptions=True)


def test_the_checkout_of_tests_is_not_what_is_read(tmp_path: Path) -> None:
    """These tests lean on committing hostile trees with the real Git: it must not have refused them."""
    work = Work(tmp_path / "w")
    work.link("a", OUT)
    work.commit()
    assert work.git("ls-tree", "HEAD", "a").startswith("120000")
