"""What kind of source a folder is, and what files in it may change about it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from argosy.contracts.argo.source import Source
from argosy.manifests.choosing import has_overrides_of_one, overridden, source_type
from argosy.manifests.tree import SourceError
from tests.trees import Files


def source(**said: Any) -> Source:
    return msgspec.convert({"repoURL": "https://git.example/x", "path": "app", **said}, Source)


@pytest.mark.parametrize(
    ("files", "said", "kind"),
    [
        (["app/a.yaml"], {}, "Directory"),
        (["app/Chart.yaml"], {}, "Helm"),
        (["app/kustomization.yaml"], {}, "Kustomize"),
        (["app/kustomization.yml"], {}, "Kustomize"),
        (["app/Kustomization"], {}, "Kustomize"),
        (["app/Chart.yaml", "app/kustomization.yaml"], {}, "Kustomize"),  # the later name wins, as upstream
        (["app/sub/Chart.yaml"], {}, "Directory"),
        (["app/kustomization.yaml/x"], {}, "Directory"),
        (["app/Chart.yaml"], {"directory": {"recurse": True}}, "Directory"),
        (["app/a.yaml"], {"helm": {"releaseName": "x"}}, "Helm"),
        (["app/a.yaml"], {"kustomize": {"namePrefix": "x-"}}, "Kustomize"),
        (["app/Chart.yaml"], {"directory": {"recurse": False}, "kustomize": {}}, "Helm"),  # nothing is set
        (["app/a.yaml"], {"helm": {}}, "Directory"),
        (["x"], {"chart": "web"}, "Helm"),
    ],
)
def test_the_kind_is_what_the_source_says_or_what_lies_there(
    files: list[str], said: dict[str, Any], kind: str
) -> None:
    assert source_type(Files(dict.fromkeys(files, b"")), "app", source(**said)) == kind


def test_two_kinds_at_once_are_refused() -> None:
    both = source(helm={"releaseName": "x"}, kustomize={"namePrefix": "x"})
    with pytest.raises(SourceError, match="^multiple application sources defined: Kustomize,Helm$"):
        source_type(Files({}), "app", both)


def test_a_plugin_is_refused_by_name() -> None:
    with pytest.raises(SourceError, match="plugin is not supported"):
        source_type(Files({}), "app", source(plugin={"name": "x"}))


def test_files_in_the_folder_change_parameters_the_one_for_the_application_last() -> None:
    tree = Files(
        {
            "app/.argocd-source.yaml": b"kustomize: {images: ['a:1'], namePrefix: all-}\n",
            "app/.argocd-source-web.yaml": b"kustomize: {images: ['a:2']}\n",
            "app/.argocd-source-other.yaml": b"kustomize: {namePrefix: other-}\n",
        }
    )
    found = overridden(tree, "app", source(kustomize={"nameSuffix": "-x"}), "web")
    assert found.kustomize is not None
    assert found.kustomize.images == ["a:2"]
    assert (found.kustomize.name_prefix, found.kustomize.name_suffix) == ("all-", "-x")
    assert has_overrides_of_one(tree, "app")


def test_nothing_changes_where_nothing_is_said() -> None:
    said = source(directory={"recurse": True})
    assert overridden(Files({"app/a.yaml": b""}), "app", said, "web") is said
    assert not has_overrides_of_one(Files({"app/.argocd-source.yaml": b""}), "app")


def test_null_takes_away_what_the_application_says() -> None:
    tree = Files({"app/.argocd-source.yaml": b"helm: {values: null, releaseName: z}"})
    found = overridden(tree, "app", source(helm={"values": "a: 1", "releaseName": "x"}), "web")
    assert found.helm is not None
    assert (found.helm.values, found.helm.release_name) == ("", "z")


def test_where_it_comes_from_is_not_for_the_repository_to_say() -> None:
    tree = Files(
        {
            "app/.argocd-source.yaml": b"{repoURL: https://evil.example, path: x, targetRevision: w, chart: z, helm: {version: v3}}"
        }
    )
    before = source(targetRevision="main")
    found = overridden(tree, "app", before, "web")
    assert (found.repo_url, found.path, found.target_revision, found.chart) == (
        before.repo_url, "app", "main", "",
    )  # fmt: skip


@pytest.mark.parametrize("text", [b"helm: [", b"helm: {parameters: 5}", b"\xff", b"5"])
def test_what_cannot_be_understood_is_named(text: bytes) -> None:
    with pytest.raises(
        SourceError, match=r"error while parsing source parameters: app/\.argocd-source\.yaml: "
    ):
        overridden(Files({"app/.argocd-source.yaml": text}), "app", source(), "web")
