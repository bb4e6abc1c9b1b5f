"""Submodules are fetched when something in them is read, from where that is allowed, and no deeper than is sensible."""

from __future__ import annotations

import pytest

from argosy.argo.cd.rendering import RenderError
from tests.git_repository import Work
from tests.unit.argo.cd.repositories.world import World, manifest


def linked(work: Work, path: str, url: str, commit: str, files: dict[str, str] | None = None) -> str:
    """A commit with a submodule, as `git submodule add` would make it; nothing is cloned."""
    work.write({".gitmodules": f'[submodule "{path}"]\n\tpath = {path}\n\turl = {url}\n', **(files or {})})
    work.git("add", "--all")
    work.git("update-index", "--add", "--cacheinfo", f"160000,{commit},{path}")
    work.git("commit", "--quiet", "--message=linked")
    return work.git("rev-parse", "HEAD")


@pytest.mark.parametrize("url", ["https://git.test/lib", "../lib"])
async def test_a_submodule_is_fetched_when_it_is_read(world: World, url: str) -> None:
    lib = world.work("lib").commit(
        {"base/kustomization.yaml": "resources: [a.yaml]", "base/a.yaml": manifest("a")}
    )
    linked(
        world.work(), "vendor/lib", url, lib,
        {"app/kustomization.yaml": "resources: [../vendor/lib/base]\nnamePrefix: x-", "plain/b.yaml": manifest("b")},
    )  # fmt: skip
    assert await world.names({"path": "plain"}) == ["b"]
    assert len(list((world.folder / "git").glob("*.git"))) == 1
    assert await world.names() == ["x-a"]
    assert len(list((world.folder / "git").glob("*.git"))) == 2


async def test_a_path_may_be_in_a_submodule_of_a_submodule(world: World) -> None:
    deep = world.work("deep").commit({"app/a.yaml": manifest("deep")})
    lib = linked(world.work("lib"), "inner", "https://git.test/deep", deep)
    linked(world.work(), "outer", "https://git.test/lib", lib)
    assert await world.names({"path": "outer/inner/app"}) == ["deep"]


async def test_a_commit_that_leaves_the_submodule_alone_costs_no_rendering(world: World) -> None:
    lib = world.work("lib")
    first = lib.commit({"app/a.yaml": manifest("one")})
    work = world.work()
    linked(work, "lib", "https://git.test/lib", first)
    assert await world.names({"path": "lib/app"}) == ["one"]
    work.write({"README": "x"})
    work.git("add", "README")
    work.git("commit", "--quiet", "--message=x")
    assert await world.names({"path": "lib/app"}) == ["one"]
    assert world.renderer.renders == 1
    # and one that moves it is rendered
    linked(work, "lib", "https://git.test/lib", lib.commit({"app/a.yaml": manifest("two")}))
    assert await world.names({"path": "lib/app"}) == ["two"]
    assert world.renderer.renders == 2


async def test_value_files_may_be_in_a_submodule_of_another_source(world: World) -> None:
    lib = world.work("lib").commit({"x.yaml": "name: from-lib"})
    linked(world.work("values"), "lib", "../lib", lib)
    world.work().commit(
        {
            "app/Chart.yaml": "apiVersion: v2\nname: x\nversion: 1.0.0",
            "app/templates/a.yaml": "apiVersion: v1\nkind: A\nmetadata: {name: {{ .Values.name }}}",
        }
    )
    sources = (
        {"path": "app", "helm": {"valueFiles": ["$v/lib/x.yaml"]}},
        {"repoURL": "https://git.test/values", "ref": "v"},
    )
    assert await world.names(*sources) == ["from-lib"]


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("https://elsewhere.example/lib", "https://elsewhere.example/lib is on another host than https://git.test/shop"),
        ("ext::sh -c id", "is not the URL of a repository"),
        ("ext::sh%20-c%20id", "names a remote helper"),
        ("file:///etc", "has the scheme 'file'"),
        ("/etc", "is a path on this machine"),
        ("-oProxyCommand=id", "is not the URL of a repository"),
        ("../../../../../etc", "etc"),
    ],
)  # fmt: skip
async def test_addresses_that_must_not_be_gone_to_are_refused_when_they_are_needed(
    world: World, url: str, said: str
) -> None:
    linked(world.work(), "lib", url, "1" * 40, {"plain/b.yaml": manifest("b")})
    with pytest.raises(RenderError) as failed:
        await world.render({"path": "lib/app"})
    assert said in str(failed.value)
    assert await world.names({"path": "plain"}) == ["b"]


async def test_a_submodule_that_contains_itself_ends(world: World) -> None:
    work = world.work()
    first = work.commit({"app/a.yaml": manifest("a")})
    second = linked(work, "me", "https://git.test/shop", first)
    for _ in range(8):
        work.git("update-index", "--cacheinfo", f"160000,{second},me")
        work.git("commit", "--quiet", "--message=again")
        second = work.git("rev-parse", "HEAD")
    with pytest.raises(RenderError, match="nested deeper than 5 times"):
        await world.render({"path": "me/me/me/me/me/me/me/app"})


async def test_a_submodule_without_an_address_is_said(world: World) -> None:
    work = world.work()
    work.commit({"x": ""})
    work.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},lib")
    work.git("commit", "--quiet", "--message=x")
    with pytest.raises(RenderError, match=r"of which \.gitmodules has no address"):
        await world.render({"path": "lib/app"})
