"""What was read is what a rendering depends on."""

from __future__ import annotations

import pytest

from argosy.manifests.tree import Now, Recorded, SourceError, inside
from tests.trees import Files


def test_a_change_of_a_file_that_was_read_counts() -> None:
    # given a rendering that read one file
    tree = Recorded(Files({"a/x.yaml": b"1", "a/y.yaml": b"1"}))
    tree.read("a/x.yaml")
    # then only a change of that file makes a second rendering necessary
    assert Now(Files({"a/x.yaml": b"1", "a/y.yaml": b"2", "b": b""})).has(tree.inputs)
    assert not Now(Files({"a/x.yaml": b"2", "a/y.yaml": b"1"})).has(tree.inputs)
    assert not Now(Files({"a/y.yaml": b"1"})).has(tree.inputs)


def test_a_file_that_was_looked_for_counts_when_it_appears() -> None:
    tree = Recorded(Files({"a/x.yaml": b"1"}))
    assert tree.form("a/kustomization.yaml") is None
    assert not Now(Files({"a/x.yaml": b"1", "a/kustomization.yaml": b""})).has(tree.inputs)


def test_of_a_folder_that_was_listed_only_the_names_count() -> None:
    tree = Recorded(Files({"a/x.yaml": b"1"}))
    assert tree.names("a") == ["x.yaml"]
    assert Now(Files({"a/x.yaml": b"2"})).has(tree.inputs)
    assert not Now(Files({"a/x.yaml": b"1", "a/y.yaml": b"1"})).has(tree.inputs)
    assert not Now(Files({"a": b"now a file"})).has(tree.inputs)


@pytest.mark.parametrize(
    ("base", "relative", "path"),
    [
        ("apps/web", "../base", "apps/base"),
        ("apps/web", "./x/../y.yaml", "apps/web/y.yaml"),
        ("apps/web", "/shared", "shared"),
        ("", "apps", "apps"),
        ("apps", "..", ""),
    ],
)
def test_a_path_is_seen_from_its_folder(base: str, relative: str, path: str) -> None:
    assert inside(base, relative, says="kustomization.yaml") == path


@pytest.mark.parametrize("relative", ["..", "../../x", "x/../../../y"])
def test_no_path_leaves_the_repository(relative: str) -> None:
    with pytest.raises(SourceError, match="outside the repository"):
        inside("", relative, says="kustomization.yaml")
