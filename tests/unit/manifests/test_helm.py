"""Charts through the real `helm template`: values and their order, parameters, dependencies, what is in and what is left out."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from argosy.contracts.argo.source import HelmSource
from argosy.kube.objects import Object
from argosy.manifests import helm
from argosy.manifests.charts import Dependency, MissingDependencies, dependencies
from argosy.manifests.environment import Environment
from argosy.manifests.programs import find_helm
from argosy.manifests.tree import MissingPath, Recorded, SourceError, Tree
from tests import needs
from tests.trees import Files

SHOW = """
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}, namespace: {{ .Release.Namespace }}}
data: {{ .Values | toYaml | nindent 2 }}
"""
CHART: dict[str, bytes] = {
    "web/Chart.yaml": b"apiVersion: v2\nname: web\nversion: 1.0.0\n",
    "web/values.yaml": b"a: default\nb: default\n",
    "web/templates/show.yaml": SHOW.encode(),
}


@pytest.fixture(scope="session")
def program() -> str:
    return find_helm() or needs.absent("no helm on this machine")


class Rendering:
    def __init__(self, program: str, folder: Path) -> None:
        self.program, self.folder = program, folder
        self.environment = Environment({"ARGOCD_APP_NAME": "shop", "ARGOCD_APP_REVISION": "abc"})

    def __call__(
        self,
        files: Mapping[str, bytes | str],
        *,
        path: str = "web",
        others: Mapping[str, Tree] | None = None,
        fetched: Mapping[str, Path] | None = None,
        name: str = "shop",
        namespace: str = "prod",
        kube_version: str = "",
        api_versions: list[str] | None = None,
        tree: Tree | None = None,
        **said: Any,
    ) -> list[Object]:
        release = helm.Release(
            program=self.program,
            name=name,
            namespace=namespace,
            folder=self.folder / str(len(list(self.folder.iterdir()))),
            trees=others or {},
            fetched=fetched or {},
            kube_version=kube_version,
            api_versions=api_versions or [],
        )
        release.folder.mkdir()
        written = {name: data.encode() if isinstance(data, str) else data for name, data in files.items()}
        source = msgspec.convert(said, HelmSource)
        return helm.render(Files(written) if tree is None else tree, path, source, self.environment, release)

    def data(self, files: Mapping[str, bytes | str], **said: Any) -> dict[str, Any]:
        (found,) = self({**CHART, **files}, **said)
        data: dict[str, Any] = found["data"]
        return data


@pytest.fixture
def rendered(program: str, tmp_path: Path) -> Rendering:
    return Rendering(program, tmp_path)


def test_a_chart_is_rendered_with_its_values_under_the_application_s_name(rendered: Rendering) -> None:
    (found,) = rendered(CHART)
    assert found == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "shop", "namespace": "prod"},
        "data": {"a": "default", "b": "default"},
    }
    (found,) = rendered(CHART, releaseName="other", namespace="elsewhere")
    assert found["metadata"] == {"name": "shop", "namespace": "elsewhere"} | {"name": "other"}
    (found,) = rendered(CHART, namespace="")
    assert found["metadata"]["namespace"] == "default"


def test_values_override_each_other_in_the_order_chart_files_values_parameters(rendered: Rendering) -> None:
    files = {
        "web/one.yaml": "a: one\nb: one\nc: one\nd: one\n",
        "two.yaml": "b: two\nc: two\nd: two\n",
    }
    found = rendered.data(
        files,
        valueFiles=["one.yaml", "../two.yaml"],
        values="c: values\nd: values\n",
        parameters=[{"name": "d", "value": "parameter"}],
    )
    assert found == {"a": "one", "b": "two", "c": "values", "d": "parameter"}
    found = rendered.data(files, valueFiles=["/two.yaml", "one.yaml"], values="c: x", valuesObject={"c": 1})
    assert found == {"a": "one", "b": "one", "c": 1, "d": "one"}


def test_patterns_of_value_files_leave_what_is_named_itself_at_its_place(rendered: Rendering) -> None:
    files = {f"web/env/{name}.yaml": f"a: {name}\n{name}: here" for name in ("k1", "k2", "k3")}
    files |= {"web/env/deep/k4.yaml": "a: k4", "web/env/x.json": "a: json"}
    assert rendered.data(files, valueFiles=["env/*.yaml"])["a"] == "k3"
    found = rendered.data(files, valueFiles=["env/k3.yaml", "env/*.yaml"])
    assert found == {"a": "k2", "b": "default", "k1": "here", "k2": "here", "k3": "here"}
    assert rendered.data(files, valueFiles=["env/**/*.yaml"])["a"] == "k3"
    assert rendered.data(files, valueFiles=["env/k[12].yaml"])["a"] == "k2"


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("gone.yaml", "gone.yaml: there is no file 'web/gone.yaml'"),
        ("env/*.yaml", "the pattern env/*.yaml matches no file"),
        ("$values/x.yaml", "no source with the ref 'values'"),
        ("../../x.yaml", "outside the repository"),
        ("https://user:hunter2@example.org/x.yaml?token=1", "https://example.org/x.yaml: value files are not fetched"),
        ("env/[a.yaml", "spec.source.helm.valueFiles"),
    ],
)  # fmt: skip
def test_value_files_that_cannot_be_had_are_said(rendered: Rendering, file: str, said: str) -> None:
    with pytest.raises(SourceError) as failed:
        rendered(CHART, valueFiles=[file])
    assert said in str(failed.value)
    assert "hunter2" not in str(failed.value)


def test_missing_value_files_may_be_ignored(rendered: Rendering) -> None:
    found = rendered.data({}, valueFiles=["gone.yaml", "*.nothing"], ignoreMissingValueFiles=True)
    assert found == {"a": "default", "b": "default"}


def test_value_files_come_from_another_source_by_its_ref(rendered: Rendering) -> None:
    values = Recorded(Files({"env/shop.yaml": b"a: other", "env/b.yaml": b"b: other"}))
    found = rendered.data(
        {}, others={"values": values}, valueFiles=["$values/env/$ARGOCD_APP_NAME.yaml", "$values/env/b*.yaml"]
    )
    assert found == {"a": "other", "b": "other"}
    assert values.inputs["env/shop.yaml"]
    assert rendered.environment.used == {"ARGOCD_APP_NAME"}


def test_parameters_are_set_as_text_or_as_what_they_look_like(rendered: Rendering) -> None:
    found = rendered.data(
        {},
        parameters=[
            {"name": "number", "value": "1"},
            {"name": "text", "value": "1", "forceString": True},
            {"name": "commas", "value": "a,b\\,c"},
            {"name": "list", "value": "{a,b}"},
            {"name": "deep.er[0].x", "value": "$ARGOCD_APP_REVISION"},
            {"name": "a", "value": "first"},
            {"name": "a", "value": "last"},
        ],
    )
    assert found == {
        "a": "last",
        "b": "default",
        "number": 1,
        "text": "1",
        "commas": "a,b,c",
        "list": ["a", "b"],
        "deep": {"er": [{"x": "abc"}]},
    }


def test_parameters_may_be_the_content_of_files(rendered: Rendering) -> None:
    given = [{"name": "text", "path": "files/a,b.txt"}]
    found = rendered.data({"web/files/a,b.txt": "one, {two}\n"}, fileParameters=given)
    assert found["text"] == "one, {two}\n"
    with pytest.raises(MissingPath):
        rendered(CHART, fileParameters=given)


def test_definitions_hooks_and_tests_are_in_unless_they_are_skipped(rendered: Rendering) -> None:
    def annotated(name: str, hook: str) -> str:
        return (
            f"apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, annotations: {{'helm.sh/hook': {hook}}}}}"
        )

    files = CHART | {
        "web/crds/x.yaml": b"apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: xs.x}",
        "web/templates/before.yaml": annotated("before", "pre-install").encode(),
        "web/templates/test.yaml": annotated("trial", "test").encode(),
    }
    names = [one["metadata"]["name"] for one in rendered(files)]
    assert sorted(names) == ["before", "shop", "trial", "xs.x"]
    names = [one["metadata"]["name"] for one in rendered(files, skipCrds=True, skipTests=True)]
    assert sorted(names) == ["before", "shop"]


def test_the_schema_of_values_may_be_skipped(rendered: Rendering) -> None:
    files = CHART | {"web/values.schema.json": b'{"properties": {"a": {"type": "integer"}}}'}
    with pytest.raises(SourceError, match="values don't meet the specifications of the schema"):
        rendered(files)
    assert len(rendered(files, skipSchemaValidation=True)) == 1


def test_the_chart_knows_the_cluster_s_version_and_apis(rendered: Rendering) -> None:
    template = 'apiVersion: v1\nkind: A\nmetadata: {name: x}\nv: {{ .Capabilities.KubeVersion }}\nhas: {{ .Capabilities.APIVersions.Has "x.io/v1" }}'
    files = CHART | {"web/templates/show.yaml": template.encode()}
    (found,) = rendered(files, kube_version="v1.29.3+k3s1", api_versions=["x.io/v1"])
    assert (found["v"], found["has"]) == ("v1.29.3", True)
    (found,) = rendered(files, kube_version="v1.29.3", kubeVersion="1.31", apiVersions=["y.io/v1"])
    assert (found["v"], found["has"]) == ("v1.31.0", False)
    with pytest.raises(SourceError, match="could not parse kubernetes version new"):
        rendered(files, kubeVersion="new")


def test_charts_inside_of_the_chart_are_rendered_with_their_part_of_the_values(rendered: Rendering) -> None:
    files = {
        **CHART,
        "web/Chart.yaml": b"apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies: [{name: db, version: 1.x.x}]",
        "web/charts/database/Chart.yaml": b"apiVersion: v2\nname: db\nversion: 1.0.0",
        "web/charts/database/templates/a.yaml": b"apiVersion: v1\nkind: Db\nmetadata: {name: {{ .Values.name }}}",
    }
    found = rendered(files, valuesObject={"db": {"name": "main"}})
    assert [one["metadata"]["name"] for one in found if one["kind"] == "Db"] == ["main"]


def packed(name: str, version: str) -> bytes:
    said = io.BytesIO()
    with tarfile.open(fileobj=said, mode="w:gz") as tar:
        for path, text in {
            "Chart.yaml": f"apiVersion: v2\nname: {name}\nversion: {version}",
            "templates/a.yaml": f"apiVersion: v1\nkind: Packed\nmetadata: {{name: {name}-{version}}}",
        }.items():
            member = tarfile.TarInfo(f"{name}/{path}")
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text.encode()))
    return said.getvalue()


NEEDY = {
    **CHART,
    "web/Chart.yaml": b"apiVersion: v2\nname: web\nversion: 1.0.0\ndependencies:\n"
    b"- {name: db, version: ~1.2, repository: 'https://charts.example'}\n- {name: lib, version: '*', repository: 'file://../lib'}",
    "web/charts/db-admin-2.0.0.tgz": packed("db-admin", "2.0.0"),
    "lib/Chart.yaml": b"apiVersion: v2\nname: lib\nversion: 0.1.0\n",
    "lib/templates/a.yaml": b"apiVersion: v1\nkind: Beside\nmetadata: {name: lib}",
}  # fmt: skip


def test_what_a_chart_needs_and_does_not_bring_is_asked_for_and_then_used(
    rendered: Rendering, tmp_path: Path
) -> None:
    with pytest.raises(
        MissingDependencies, match="the chart needs db ~1.2 of https://charts.example"
    ) as asked:
        rendered(NEEDY)
    (missing,) = asked.value.missing
    archive = tmp_path / "fetched.tgz"
    archive.write_bytes(packed("db", "1.2.9"))
    found = rendered(NEEDY, fetched={missing.key: archive})
    assert {one["metadata"]["name"] for one in found} == {"shop", "lib", "db-1.2.9", "db-admin-2.0.0"}


def test_the_versions_that_a_lock_pins_are_the_ones_asked_for() -> None:
    locked = NEEDY | {"web/Chart.lock": b"dependencies: [{name: db, version: 1.2.3, repository: x}]"}
    assert dependencies(Files(locked), "web") == [
        Dependency("db", "1.2.3", "https://charts.example"),
        Dependency("lib", "*", "file://../lib"),
    ]


@pytest.mark.parametrize(
    ("chart", "said"),
    [
        ("dependencies: [{name: lib, repository: 'file://../../x'}]", "web/Chart.yaml: lib: '../../x' is outside the repository"),
        ("dependencies: [{name: lib, repository: 'file://../no'}]", "lib: there is no chart at file://../no (no)"),
        ("dependencies: [{name: ../../x, repository: 'https://x'}]", "'../../x' is no name of a chart"),
        ("dependencies: [5]", "web/Chart.yaml: dependencies: Expected"),
        ("x: [", "web/Chart.yaml: yaml: line"),
    ],
)  # fmt: skip
def test_dependencies_that_make_no_sense_are_said(rendered: Rendering, chart: str, said: str) -> None:
    files = {**NEEDY, "web/Chart.yaml": f"apiVersion: v2\nname: web\nversion: 1.0.0\n{chart}"}
    with pytest.raises(SourceError) as failed:
        rendered(files)
    assert said in str(failed.value)


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{{ .Values.a.b.c }}", "`helm template` failed: .*web/templates/x.yaml:1"),
        ('{{ fail "no luck" }}', "no luck"),
        ("{{ nosuch }}", 'function "nosuch" not defined'),
        ("kind: A\nx: [", "web/templates/x.yaml"),
        ("foo: bar", 'Failed to unmarshal "helm template": Object .Kind. is missing in an object with foo'),
    ],
)  # fmt: skip
def test_a_chart_that_fails_says_why_without_the_folders_of_this_machine(
    rendered: Rendering, tmp_path: Path, template: str, said: str
) -> None:
    with pytest.raises(SourceError, match=said) as failed:
        rendered(CHART | {"web/templates/x.yaml": template.encode()})
    assert str(tmp_path) not in str(failed.value)


def test_a_release_name_that_helm_would_refuse_is_refused_with_the_field_to_set(rendered: Rendering) -> None:
    with pytest.raises(SourceError, match=r"longer than 53 characters; set spec\.source\.helm\.releaseName"):
        rendered(CHART, name="x" * 54)


def test_a_folder_without_a_chart_and_no_folder_are_told_apart(rendered: Rendering) -> None:
    with pytest.raises(SourceError, match="web/Chart.yaml: there is no chart in this folder"):
        rendered({"web/x": ""})
    with pytest.raises(MissingPath):
        rendered({"x": ""})


def test_a_rendering_depends_on_the_chart_as_a_whole_and_on_its_value_files(rendered: Rendering) -> None:
    tree = Recorded(Files({**CHART, "env/a.yaml": b"a: 1", "env/b.yaml": b"b: 1"}))
    rendered({}, tree=tree, valueFiles=["../env/a.yaml"])
    assert {"web", "env/a.yaml"} <= tree.inputs.keys()
    assert "env/b.yaml" not in tree.inputs
    assert not any(name.startswith("web/templates") for name in tree.inputs)
