"""What a build may reach, what it costs, and what it says when something is wrong."""

from __future__ import annotations

import pytest

from argosy.manifests.kustomize import Edits, Options, build
from argosy.manifests.tree import Inputs, Now, Recorded, SourceError
from tests.trees import Files

CONFIG = b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: b}\n"
SECRET = b"apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {password: hunter2, number: 5}\n"


def files(**content: str) -> Files:
    found = {
        name.replace("__", "/").replace("_yaml", ".yaml"): text.encode() for name, text in content.items()
    }
    return Files({"a.yaml": CONFIG, "base/a.yaml": CONFIG, "secret.yaml": SECRET, **found})


def error(tree: Files, path: str = "") -> str:
    with pytest.raises(SourceError) as raised:
        build(tree, path)
    return str(raised.value)


def test_a_folder_becomes_plain_objects() -> None:
    assert build(files(kustomization_yaml="resources: [a.yaml]"), "") == [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"a": "b"}}
    ]


def test_two_builds_share_nothing_that_may_be_changed() -> None:
    tree = files(kustomization_yaml="resources: [a.yaml]")

    build(tree, "")[0]["data"]["a"] = "changed"

    assert build(tree, "")[0]["data"]["a"] == "b"


def test_only_what_was_read_counts_as_input() -> None:
    tree = files(
        overlay__kustomization_yaml="resources: [../base]", base__kustomization_yaml="resources: [a.yaml]"
    )
    recorded = Recorded(tree)

    build(recorded, "overlay")

    inputs: Inputs = recorded.inputs
    assert Now(Files({**tree.files, "unrelated.yaml": b"x"})).has(inputs)
    assert not Now(Files({**tree.files, "base/a.yaml": CONFIG + b"# changed"})).has(inputs)
    assert not Now(Files({**tree.files, "overlay/kustomization.yml": b"resources: []"})).has(inputs)


def test_the_error_names_the_innermost_file_and_its_field() -> None:
    tree = files(
        overlay__kustomization_yaml="resources: [../base]",
        base__kustomization_yaml="resources: [a.yaml]\npatches:\n- path: missing.yaml",
    )

    assert error(tree, "overlay") == (
        "base/kustomization.yaml: patches[0]: failed to get the patch file from path(missing.yaml): "
        "open base/missing.yaml: no such file or directory"
    )


@pytest.mark.parametrize("path", ["../../etc/passwd", "/etc/passwd", "../.."])
def test_nothing_outside_of_the_repository_is_read(path: str) -> None:
    tree = files(overlay__kustomization_yaml=f"resources: ['{path}']")

    assert "outside the repository" in (said := error(tree, "overlay")) or "absolute" in said


def test_files_from_elsewhere_in_the_repository_are_read_when_the_options_say_so() -> None:
    tree = files(overlay__kustomization_yaml="resources: [../a.yaml]")

    assert "security; file 'a.yaml' is not in or below 'overlay'" in error(tree, "overlay")
    assert build(tree, "overlay", options=Options.read("--load-restrictor=LoadRestrictionsNone"))


def test_an_unknown_build_option_is_an_error_with_the_way_out() -> None:
    with pytest.raises(
        SourceError, match=r"--enable-alpha-plugins is not supported.*choose a kustomize binary"
    ):
        Options.read("--enable-helm --enable-alpha-plugins")


def test_a_build_that_reads_ever_more_files_ends() -> None:
    sources = "".join(f"  - k{n}=a.yaml\n" for n in range(10_001))
    tree = files(kustomization_yaml=f"configMapGenerator:\n- name: c\n  files:\n{sources}")

    assert "reads more than 10000 files" in error(tree)


def test_a_file_that_is_no_text_says_so() -> None:
    tree = Files({"kustomization.yaml": b"resources: [a.yaml]", "a.yaml": b"\xff\xfe\x00"})

    assert "'a.yaml' is not UTF-8 text" in error(tree)


@pytest.mark.parametrize(
    "kustomization",
    [
        'resources: [secret.yaml]\npatches:\n- target: {kind: Secret}\n  patch: \'[{"op": "test", "path": "/stringData/password", "value": "hunter2x"}]\'',
        "resources: [secret.yaml]\npatches:\n- patch: 'password: hunter2'",
        "resources: [secret.yaml]\nreplacements:\n- source: {kind: Secret, fieldPath: stringData.password}\n  targets: [{select: {kind: Secret}, fieldPaths: [stringData.number]}]",
        "resources: [secret.yaml]\nreplacements:\n- source: {kind: Secret, fieldPath: stringData.password, options: {delimiter: x, index: 4}}\n  targets: [{select: {kind: Secret}}]",
        "secretGenerator:\n- name: s\n  literals: ['=hunter2']",
        "secretGenerator:\n- name: s\n  literals: [password=hunter2, password=hunter2]",
    ],
)
def test_no_error_shows_what_is_in_a_secret(kustomization: str) -> None:
    assert "hunter2" not in error(files(kustomization_yaml=kustomization))


def test_a_chart_is_rendered_by_whoever_can_if_the_options_allow_it() -> None:
    tree = files(
        kustomization_yaml="namespace: prod\nhelmCharts: [{name: web, releaseName: r}]\ncommonLabels: {a: b}"
    )

    def helm(chart: object, globals_: object, folder: str) -> str:
        return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: made, namespace: from-helm}\n"

    made = build(tree, "", options=Options(helm=True), helm=helm)

    assert made[0]["metadata"] == {"name": "made", "namespace": "from-helm", "labels": {"a": "b"}}
    with pytest.raises(SourceError, match="must specify --enable-helm"):
        build(tree, "", helm=helm)


def test_edits_leave_the_tree_as_it_is() -> None:
    tree = files(kustomization_yaml="resources: [a.yaml]")
    before = dict(tree.files)

    assert build(tree, "", edits=Edits(name_prefix="x-"))[0]["metadata"]["name"] == "x-a"
    assert build(tree, "")[0]["metadata"]["name"] == "a"
    assert tree.files == before


def test_edits_know_the_build_environment() -> None:
    tree = files(kustomization_yaml="resources: [a.yaml]")
    edits = Edits(
        common_labels={"app": "${ARGOCD_APP_NAME}", "price": "$$5", "gone": "[$NOBODY]"},
        common_annotations={"kept": "$ARGOCD_APP_NAME"},
        environment={"ARGOCD_APP_NAME": "shop"},
    )

    metadata = build(tree, "", edits=edits)[0]["metadata"]

    assert metadata["labels"] == {"app": "shop", "price": "$5", "gone": "[]"}
    assert metadata["annotations"] == {"kept": "$ARGOCD_APP_NAME"}


def test_an_edit_that_is_wrong_names_the_field_of_the_application() -> None:
    with pytest.raises(
        SourceError, match=r"^kustomization.yaml: spec.source.kustomize.images: invalid format of image"
    ):
        build(files(kustomization_yaml="resources: []"), "", edits=Edits(images=["nginx"]))


def test_a_thousand_resources_take_no_time_that_grows_with_their_square() -> None:
    objects = "---\n".join(
        f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{n}}}\n" for n in range(1000)
    )
    tree = Files(
        {
            "kustomization.yaml": b"namespace: prod\nnamePrefix: x-\nresources: [a.yaml]",
            "a.yaml": objects.encode(),
        }
    )

    made = build(tree, "")

    assert len(made) == 1000
    assert made[0]["metadata"] == {"name": "x-c0", "namespace": "prod"}
