"""The guide's list of what is refused is true, line by line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from argosy.manifests.kustomize import Options, build
from argosy.manifests.tree import SourceError
from tests.trees import Files

GUIDE = Path(__file__).parents[4] / "docs" / "guides" / "kustomize.md"
FILES = {
    "a base or component with a URL": "resources: ['https://github.com/example/app//base?ref=main']",
    "a base from GitHub without a scheme": "components: [github.com/example/app]",
    "a base over SSH": "resources: ['git@example.com:team/app.git']",
    "a file with a URL": "resources: []\npatches: [{path: 'https://example.com/patch.yaml'}]",
    "Helm charts": "helmCharts: [{name: web}]",
    "Helm charts in the old field": "helmChartInflationGenerator: [{chartName: web}]",
    "plugins of your own: programs, containers, shared libraries": "transformers:\n- |\n  apiVersion: example.com/v1\n  kind: Mine\n  metadata: {name: m}",
    "another built-in schema": "resources: []\nopenapi: {version: v1.30.0}",
    "YAML tags beyond the plain types": "resources: [tagged.yaml]",
    "a bomb of aliases": "resources: [bomb.yaml]",
    "build options that start programs": "",
}
TREE = {
    "tagged.yaml": b"kind: ConfigMap\nmetadata: {name: a}\nbinaryData: {a: !!binary aGk=}\n",
    "bomb.yaml": b"a: &a ["
    + b"x, " * 50
    + b"]\n"
    + b"".join(b"%c: &%c [%s]\n" % (98 + n, 98 + n, b", ".join([b"*%c" % (97 + n)] * 20)) for n in range(4)),
}


def rows() -> dict[str, str]:
    """What is refused, and the words that say so."""
    table = GUIDE.read_text().partition("## What is refused")[2].partition("\n## ")[0]
    lines = [re.split(r"\s*\|\s*", line.strip("| \n")) for line in table.splitlines() if line.startswith("|")]
    return {what: said.strip("`") for what, _, said in lines[2:]}


def test_every_line_of_the_guide_has_its_file_here() -> None:
    assert rows().keys() == FILES.keys()


@pytest.mark.parametrize("what", FILES)
def test_it_is_refused_in_the_words_of_the_guide(what: str) -> None:
    tree = Files({"kustomization.yaml": FILES[what].encode(), **TREE})
    words = "--enable-exec" if what == "build options that start programs" else ""

    with pytest.raises(SourceError) as raised:
        build(tree, "", options=Options.read(words))

    said = str(raised.value)
    assert rows()[what] in said
    assert said.startswith(("kustomization.yaml: ", "kustomize.buildOptions: "))
    assert said.count("\n") <= 2
