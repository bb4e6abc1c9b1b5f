"""A rendering is found again by what was read for it: what a commit does not touch is not rendered, and never differs from a fresh rendering."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from argosy.argo.cd.rendering import RenderError
from argosy.argo.cd.repositories.kustomize import KustomizeSettings
from tests.unit.argo.cd.repositories.world import World, manifest

WEB, API = {"path": "web"}, {"path": "api"}


async def test_a_folder_of_a_repository_becomes_objects_at_a_commit(world: World) -> None:
    commit = world.work().commit({"app/a.yaml": manifest("a"), "app/b.yaml": manifest("b")})
    found = await world.render()
    assert [one["metadata"]["name"] for one in found.objects] == ["a", "b"]
    assert found.revisions == (commit,)
    assert found.types == ("Directory",)
    assert found.digest


async def test_a_commit_that_touches_nothing_that_was_read_costs_no_rendering(world: World) -> None:
    work = world.work()
    work.commit({"web/a.yaml": manifest("a"), "api/b.yaml": manifest("b")})
    before = await world.render(WEB)
    # when something else is changed
    commit = work.commit({"api/b.yaml": manifest("b2"), "README": "x", "web/notes.txt": "not a manifest"})
    # then a new name in the folder is looked at, but what is in other folders is not
    after = await world.render(WEB)
    assert after.revisions == (commit,)
    work.commit({"api/b.yaml": manifest("b3")})
    renders = world.renderer.renders
    again = await world.render(WEB)
    assert world.renderer.renders == renders
    assert again.objects is after.objects
    assert again.digest == before.digest


async def test_the_same_question_gets_the_same_object(world: World) -> None:
    world.work().commit({"app/a.yaml": manifest("a")})
    assert await world.render() is await world.render()
    assert world.renderer.renders == 1


async def test_what_was_read_and_changes_is_rendered_anew(world: World) -> None:
    work = world.work()
    work.commit({"app/a.yaml": manifest("a")})
    await world.render()
    work.commit({"app/a.yaml": manifest("a2")})
    assert await world.names() == ["a2"]
    work.commit({"app/b.yaml": manifest("b")})
    assert await world.names() == ["a2", "b"]
    work.commit({"app/a.yaml": None})
    assert await world.names() == ["b"]
    assert world.renderer.renders == 4


async def test_a_base_that_several_share_counts_for_each_of_them_and_for_nobody_else(world: World) -> None:
    work = world.work()
    overlay = "resources: [../base]\nnamePrefix: {}-\n"
    work.commit(
        {"base/a.yaml": manifest("a"), "base/kustomization.yaml": "resources: [a.yaml]", "other/x.yaml": manifest("x")}
        | {f"{name}/kustomization.yaml": overlay.format(name) for name in ("one", "two")}
    )  # fmt: skip
    sources = [{"path": name} for name in ("one", "two", "other")]
    for source in sources:
        await world.render(source, application=source["path"])
    work.commit({"base/a.yaml": manifest("b")})
    before = world.renderer.renders
    found = [await world.names(source, application=source["path"]) for source in sources]
    assert found == [["one-b"], ["two-b"], ["x"]]
    assert world.renderer.renders == before + 2


async def test_value_files_of_another_source_count_and_the_rest_of_it_does_not(world: World) -> None:
    world.work("charts").commit(
        {
            "web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0",
            "web/templates/a.yaml": "apiVersion: v1\nkind: A\nmetadata: {name: {{ .Values.name }}}",
        }
    )
    values = world.work("values")
    values.commit({"prod.yaml": "name: one", "test.yaml": "name: test"})
    sources = (
        {"repoURL": "https://git.test/charts", "path": "web", "helm": {"valueFiles": ["$values/prod.yaml"]}},
        {"repoURL": "https://git.test/values", "ref": "values"},
    )
    first = await world.render(*sources)
    assert first.objects[0]["metadata"]["name"] == "one"
    assert first.types == ("Helm", "Directory")
    values.commit({"test.yaml": "name: other"})
    second = await world.render(*sources)
    assert world.renderer.renders == 1
    assert second.objects is first.objects
    assert second.revisions != first.revisions
    values.commit({"prod.yaml": "name: two"})
    assert await world.names(*sources) == ["two"]
    assert world.renderer.renders == 2


async def test_who_uses_the_revision_is_rendered_for_each_one(world: World) -> None:
    work = world.work()
    work.commit({"app/a.yaml": manifest("a"), "app/kustomization.yaml": "resources: [a.yaml]"})
    source = {
        "path": "app",
        "kustomize": {
            "commonAnnotations": {"rev": "${ARGOCD_APP_REVISION_SHORT}"},
            "commonAnnotationsEnvsubst": True,
        },
    }
    await world.render(source)
    commit = work.commit({"other": "x"})
    found = await world.render(source)
    assert found.objects[0]["metadata"]["annotations"]["rev"] == commit[:7]
    assert world.renderer.renders == 2


async def test_parameters_in_the_repository_count_as_soon_as_they_appear(world: World) -> None:
    work = world.work()
    work.commit({"app/a.yaml": manifest("a"), "app/kustomization.yaml": "resources: [a.yaml]"})
    assert await world.names() == ["a"]
    work.commit({"app/.argocd-source-web.yaml": "kustomize: {namePrefix: x-}"})
    assert await world.names() == ["x-a"]
    assert await world.names(application="other") == ["a"]


async def test_applications_with_one_source_share_its_rendering_unless_it_is_about_them(world: World) -> None:
    work = world.work()
    work.commit({"app/a.yaml": manifest("a"), "app/kustomization.yaml": "resources: [a.yaml]"})
    found = await asyncio.gather(*(world.render(application=f"web-{number}") for number in range(20)))
    assert world.renderer.renders == 1
    assert all(one.objects is found[0].objects for one in found)
    # each of them still looks for parameters of its own
    work.commit({"app/.argocd-source-web-7.yaml": "kustomize: {namePrefix: seven-}"})
    assert await world.names(application="web-6") == ["a"]
    assert await world.names(application="web-7") == ["seven-a"]
    # and what asks for the application's name is not shared
    named = {"path": "app", "kustomize": {"commonLabels": {"app": "$ARGOCD_APP_NAME"}}}
    labels = [
        (await world.render(named, application=name)).objects[0]["metadata"]["labels"] for name in ("b", "c")
    ]
    assert labels == [{"app": "b"}, {"app": "c"}]


async def test_charts_are_never_shared_because_they_know_their_release(world: World) -> None:
    world.work().commit(
        {
            "app/Chart.yaml": "apiVersion: v2\nname: x\nversion: 1.0.0",
            "app/templates/a.yaml": "apiVersion: v1\nkind: A\nmetadata: {name: {{ .Release.Name }}}",
        }
    )
    assert await world.names(application="one") == ["one"]
    assert await world.names(application="two") == ["two"]


async def test_only_charts_are_rendered_anew_for_another_cluster_version(world: World) -> None:
    world.work().commit(
        {
            "plain/a.yaml": manifest("a"),
            "chart/Chart.yaml": "apiVersion: v2\nname: x\nversion: 1.0.0",
            "chart/templates/a.yaml": "apiVersion: v1\nkind: A\nmetadata: {name: v{{ .Capabilities.KubeVersion.Minor }}}",
        }
    )
    sources = ({"path": "plain"}, {"path": "chart"})
    assert await world.names(*sources, kube_version="1.30.0") == ["a", "v30"]
    assert await world.names(*sources, kube_version="1.31.0") == ["a", "v31"]
    assert world.renderer.renders == 3


async def test_sources_are_rendered_one_behind_the_other(world: World) -> None:
    world.work("one").commit({"app/a.yaml": manifest("a")})
    world.work("two").commit({"app/b.yaml": manifest("b")})
    sources = [{"repoURL": f"https://git.test/{name}", "path": "app"} for name in ("two", "one")]
    found = await world.render(*sources)
    assert [one["metadata"]["name"] for one in found.objects] == ["b", "a"]
    assert len(found.revisions) == 2


@pytest.mark.parametrize(
    ("files", "source", "said"),
    [
        ({"app/a.yaml": "apiVersion: v1\nkind: A\nmetadata: ["}, {"path": "app"}, 'https://git.test/shop app: Failed to unmarshal "a.yaml"'),
        ({"x": "y"}, {"path": "app"}, "app: app path does not exist"),
        ({"x": "y"}, {"path": "../app"}, "app path is outside repository root"),
        ({"app/a.yaml": ""}, {"path": "app", "kustomize": {"version": "v9"}}, "kustomize version v9 is not registered"),
        ({"app/a.yaml": ""}, {"path": "app", "targetRevision": "gone"}, "unable to resolve 'gone' to a commit SHA"),
        ({"app/a.yaml": ""}, {"path": "app", "targetRevision": "^9"}, "no tag that fits"),
        ({"app/a.yaml": ""}, {"path": "app", "repoURL": "ext::sh%20-c%20id"}, "remote helper"),
    ],
)  # fmt: skip
async def test_what_cannot_be_rendered_says_why(
    world: World, files: dict[str, str], source: dict[str, object], said: str
) -> None:
    world.work().commit(files)
    with pytest.raises(RenderError) as failed:
        await world.render(source)
    assert said in str(failed.value)


async def test_an_error_is_remembered_until_the_commit_changes_or_somebody_insists(world: World) -> None:
    work = world.work()
    work.commit({"app/a.yaml": "apiVersion: v1\nkind: A\nmetadata: ["})
    for _ in range(3):
        with pytest.raises(RenderError):
            await world.render()
    assert world.renderer.renders == 1
    with pytest.raises(RenderError):
        await world.render(fresh=True)
    assert world.renderer.renders == 2
    work.commit({"app/a.yaml": manifest("a")})
    assert await world.names() == ["a"]


async def test_a_hard_refresh_renders_anew(world: World) -> None:
    world.work().commit({"app/a.yaml": manifest("a")})
    before = await world.render()
    after = await world.render(fresh=True)
    assert world.renderer.renders == 2
    assert after.objects is before.objects  # equal manifests are kept once


async def test_a_branch_that_is_deleted_and_a_path_that_is_emptied_are_errors_and_not_nothing(
    world: World,
) -> None:
    work = world.work()
    work.commit({"app/a.yaml": manifest("a"), "x": ""})
    work.git("branch", "release")
    source = {"path": "app", "targetRevision": "release"}
    assert await world.names(source) == ["a"]
    work.git("branch", "-D", "release")
    with pytest.raises(RenderError, match="unable to resolve 'release'"):
        await world.render(source)
    work.commit({"app/a.yaml": None})
    with pytest.raises(RenderError, match="app path does not exist"):
        await world.render()


async def test_an_endless_source_fails_alone_is_not_tried_again_and_does_not_hold_up_others(
    tmp_path: Path,
) -> None:
    async with World(tmp_path, seconds=1) as world:
        world.work().commit(
            {"loop/a.jsonnet": "local f(n) = f(n + 1) tailstrict; f(0)", "app/a.yaml": manifest("a")}
        )
        await world.render()  # a worker is warm
        slow = asyncio.create_task(world.render({"path": "loop"}, application="loop"))
        assert await world.names() == ["a"]
        with pytest.raises(RenderError, match=r"loop: it did not end within 1 s"):
            await slow
        renders = world.renderer.renders
        with pytest.raises(RenderError, match="did not end"):
            await world.render({"path": "loop"}, application="loop")
        assert world.renderer.renders == renders


async def test_many_applications_of_one_repository_are_checked_together(world: World) -> None:
    work = world.work()
    work.commit({f"app-{number}/a.yaml": manifest(f"a{number}") for number in range(100)})
    sources = [{"path": f"app-{number}"} for number in range(100)]
    for number, source in enumerate(sources):
        await world.render(source, application=str(number), resolve=False)
    # when one of them is changed
    work.commit({"app-7/a.yaml": manifest("changed")})
    world.git.announced("https://git.test/shop")
    jobs, renders = world.pool.jobs, world.renderer.renders
    found = await asyncio.gather(
        *(
            world.names(source, application=str(number), resolve=False)
            for number, source in enumerate(sources)
        )
    )
    # then one is rendered, and the others cost a handful of looks together
    assert found[7] == ["changed"]
    assert found[8] == ["a8"]
    assert world.renderer.renders == renders + 1
    assert world.pool.jobs <= jobs + 10


async def test_a_mirror_that_lost_its_objects_is_fetched_anew(world: World) -> None:
    world.work().commit({"app/a.yaml": manifest("a")})
    await world.render()
    (mirror,) = (world.folder / "git").glob("*.git")
    for pack in (mirror / "objects" / "pack").iterdir():
        pack.unlink()
    assert await world.names(fresh=True, application="other") == ["a"]


async def test_an_application_may_choose_a_kustomize_of_its_own(world: World, tmp_path: Path) -> None:
    binary = tmp_path / "kustomize"
    binary.write_text(
        "#!/bin/sh\n[ \"$1 $3\" = 'build --enable-helm' ] || exit 3\n"
        'while read -r line; do echo "$line"; done < "$2/a.yaml"\n'
    )
    binary.chmod(0o755)
    world.work().commit({"app/a.yaml": manifest("a"), "app/kustomization.yaml": "resources: [nowhere.yaml]"})
    world.renderer.kustomize = KustomizeSettings.read(
        {"kustomize.path.v5": str(binary), "kustomize.buildOptions.v5": "--enable-helm", "kustomize.buildOptions": "--x"}
    )  # fmt: skip
    assert await world.names({"path": "app", "kustomize": {"version": "v5"}}) == ["a"]
    with pytest.raises(RenderError, match="--x is not supported by the built-in kustomize"):
        await world.render()


async def test_what_is_gone_is_forgotten(world: World) -> None:
    world.work().commit({"app/a.yaml": manifest("a")})
    await world.render()
    world.renderer.forget("web")
    await world.render()
    assert world.renderer.renders == 2
