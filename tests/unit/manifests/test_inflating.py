"""Charts inside of a kustomization: where they come from, and whose values win."""

from __future__ import annotations

from pathlib import Path

import pytest

from argosy.kube.objects import Object
from argosy.manifests.charts import MissingDependencies
from argosy.manifests.helm import Release
from argosy.manifests.inflating import inflator
from argosy.manifests.kustomize import Options, build
from argosy.manifests.programs import find_helm
from argosy.manifests.tree import SourceError, cause
from tests import needs
from tests.trees import Files

CHART = {
    "app/charts/web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0",
    "app/charts/web/values.yaml": "a: chart\nb: chart\nc: chart\nd: chart",
    "app/charts/web/templates/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}, namespace: {{ .Release.Namespace }}}\n"
    "data: {{ .Values | toYaml | nindent 2 }}\n",
    "app/own.yaml": "b: own\nc: own\nd: own",
    "app/more.yaml": "d: more",
}


def built(folder: Path, charts: str, fetched: dict[str, Path] | None = None, **files: str) -> list[Object]:
    program = find_helm() or needs.absent("no helm on this machine")
    written = {**CHART, "app/kustomization.yaml": f"namePrefix: x-\nhelmCharts: [{charts}]", **files}
    tree = Files({path: text.encode() for path, text in written.items() if text})
    release = Release(
        program=program, name="app", namespace="prod", folder=folder, trees={}, fetched=fetched or {}, kube_version="1.31"
    )  # fmt: skip
    return build(tree, "app", options=Options(helm=True), helm=inflator(tree, release))


@pytest.mark.parametrize(
    ("merge", "a", "b", "c", "d"),
    [
        ("override", "inline", "inline", "own", "more"),
        ("merge", "inline", "own", "own", "more"),
        ("replace", "inline", "inline", "chart", "more"),
    ],
)
def test_values_override_each_other_as_the_kustomization_wants_it(
    tmp_path: Path, merge: str, a: str, b: str, c: str, d: str
) -> None:
    said = f"valuesMerge: {merge}, valuesInline: {{a: inline, b: inline}}, valuesFile: own.yaml, additionalValuesFiles: [more.yaml]"
    (found,) = built(tmp_path, f"{{name: web, releaseName: shop, namespace: other, {said}}}")
    assert found["metadata"] == {"name": "x-shop", "namespace": "other"}
    assert found["data"] == {"a": a, "b": b, "c": c, "d": d}


def test_a_chart_that_is_not_there_is_asked_for_with_its_repository(tmp_path: Path) -> None:
    with pytest.raises(SourceError) as failed:
        built(tmp_path, "{name: db, version: 1.2.3, repo: 'https://charts.example'}")
    missing = cause(failed.value, MissingDependencies)
    assert missing is not None
    assert [one.key for one in missing.missing] == ["https://charts.example|db|1.2.3"]


@pytest.mark.parametrize(
    ("chart", "said"),
    [
        ("{name: db}", "no chart found at 'app/charts/db'"),
        ("{name: ../../../x}", "outside the repository"),
        ("{name: web, valuesFile: ../../x.yaml}", "outside the repository"),
        ("{name: web, valuesMerge: never}", "valuesMerge must be one of"),
        ("{name: web, valuesInline: {a: {{b: c}}}}", "kustomization.yaml"),
    ],
)
def test_what_makes_no_sense_is_said(tmp_path: Path, chart: str, said: str) -> None:
    with pytest.raises(SourceError, match=said):
        built(tmp_path, chart)
