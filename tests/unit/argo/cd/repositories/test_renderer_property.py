"""Whatever was committed before, a rendering that is found again equals one that is made anew; and untouched applications cost nothing."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import hypothesis
import pytest
from hypothesis import strategies as st

from argosy.argo.cd.rendering import RenderError
from tests.unit.argo.cd.repositories.world import World, manifest

PATHS = (
    "base/kustomization.yaml", "base/a.yaml", "one/kustomization.yaml", "one/patch.yaml", "two/kustomization.yaml", "plain/a.yaml",
    "plain/b.yaml", "plain/deep/c.yaml", "chart/Chart.yaml", "chart/values.yaml", "chart/templates/a.yaml", "values/prod.yaml", "values/x.yaml",
    "plain/lib.libsonnet", "plain/d.jsonnet", "one/.argocd-source-web.yaml", "README",
)  # fmt: skip
CONTENTS: dict[str, list[str]] = {
    "kustomization.yaml": [
        "resources: [a.yaml]", "resources: [../base]\nnamePrefix: x-", "resources: [../base]\npatches: [{path: patch.yaml}]", "resources: [",
    ],
    "patch.yaml": ["apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {p: '1'}"],
    "Chart.yaml": ["apiVersion: v2\nname: c\nversion: 1.0.0"],
    "values.yaml": ["n: one", "n: two"],
    "prod.yaml": ["n: prod"],
    "x.yaml": ["n: x", "m: y"],
    "lib.libsonnet": ["'l1'", "'l2'"],
    "d.jsonnet": ["{apiVersion: 'v1', kind: 'A', metadata: {name: import 'lib.libsonnet'}}"],
    ".argocd-source-web.yaml": ["kustomize: {nameSuffix: -s}"],
}  # fmt: skip
TEMPLATE = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {n: '{{ .Values.n }}'}"
SOURCES = (
    {"path": "one"},
    {"path": "two"},
    {"path": "plain", "directory": {"recurse": True, "exclude": "{b.yaml,*.libsonnet}"}},
    {"path": "chart", "helm": {"valueFiles": ["../values/*.yaml"], "ignoreMissingValueFiles": True}},
    {"path": "base"},
)


@st.composite
def edit(draw: st.DrawFn) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for path in draw(st.lists(st.sampled_from(PATHS), min_size=1, max_size=5, unique=True)):
        name = path.rpartition("/")[2]
        contents = CONTENTS.get(
            name, [TEMPLATE] if "templates" in path else [manifest("a"), manifest("b", k="v")]
        )
        found[path] = draw(st.sampled_from([*contents, *contents, None]))
    return found


EDITS = st.lists(edit(), min_size=2, max_size=6)
SLOW = [hypothesis.HealthCheck.too_slow]


@hypothesis.settings(max_examples=3, suppress_health_check=SLOW)
@hypothesis.given(EDITS)
def test_what_is_found_again_equals_what_is_made_anew(edits: list[dict[str, str | None]]) -> None:
    check(edits)


@pytest.mark.long
@pytest.mark.timeout(900)
@hypothesis.settings(max_examples=60, suppress_health_check=SLOW)
@hypothesis.given(EDITS)
def test_what_is_found_again_equals_what_is_made_anew_in_many_histories(
    edits: list[dict[str, str | None]],
) -> None:
    check(edits)


def check(edits: list[dict[str, str | None]]) -> None:
    async def history(folder: Path) -> None:
        async with World(folder) as world:
            work = world.work()
            work.commit({path: (CONTENTS.get(path.rpartition("/")[2]) or [TEMPLATE if "templates" in path else manifest("a")])[0] for path in PATHS})  # fmt: skip
            await compare(world)
            for one in edits:
                work.commit(
                    {path: text for path, text in one.items() if text or (work.folder / path).exists()}
                )
                await compare(world)
                # a commit that changes what nobody reads costs nothing that succeeded before
                work.commit({"unrelated": str(work.git("rev-parse", "HEAD"))})
                before = world.renderer.renders
                failures = await compare(world, anew=False)
                assert world.renderer.renders - before == failures

    async def compare(world: World, *, anew: bool = True) -> int:
        failures = 0
        for source in SOURCES:
            found = await outcome(world, source)
            failures += isinstance(found, str)
            if anew:
                assert found == await outcome(world, source, application="web", fresh=True)
        return failures

    async def outcome(world: World, source: dict[str, object], **said: object) -> object:
        try:
            return list((await world.render(source, **said)).objects)
        except RenderError as error:
            return str(error)

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(history(Path(folder)))
