"""A folder of plain manifests: which files count, in which order, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from argosy.contracts.argo.source import DirectorySource, Jsonnet, JsonnetVariable
from argosy.manifests import directory
from argosy.manifests.environment import Environment
from argosy.manifests.folder import FolderTree
from argosy.manifests.tree import MissingPath, SourceError
from tests.trees import Files

NONE = Environment({})


def manifest(name: str) -> bytes:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n".encode()


def names(files: dict[str, bytes], path: str = "app", **said: object) -> list[str]:
    found = directory.render(Files(files), path, DirectorySource(**said), NONE)  # type: ignore[arg-type]
    return [one["metadata"]["name"] for one in found]


def test_files_are_read_in_the_order_of_their_names_and_folders_are_left_alone() -> None:
    files = {
        "app/b.yaml": manifest("b"),
        "app/a.yml": manifest("a"),
        "app/c.json": b'{"apiVersion":"v1","kind":"A","metadata":{"name":"c"}}',
        "app/d.txt": manifest("d"),
        "app/README.yaml.bak": manifest("e"),
        "app/sub/f.yaml": manifest("f"),
        "other/g.yaml": manifest("g"),
    }
    assert names(files) == ["a", "b", "c"]


def test_recursion_meets_folders_at_their_place_among_the_files() -> None:
    files = {f"app/{path}": manifest(path[0]) for path in ("a.yaml", "b/x.yaml", "c.yaml", "d/e/y.yml")}
    assert names(files, recurse=True) == ["a", "b", "c", "d"]
    assert names({one.removeprefix("app/"): data for one, data in files.items()}, "", recurse=True) == [
        "a", "b", "c", "d",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("include", "exclude", "found"),
    [
        ("", "", ["a", "b", "c", "d"]),
        ("*.yaml", "", ["a", "c", "d"]),  # a star crosses folders
        ("a.*", "", ["a"]),
        ("{a,b}.*", "", ["a", "b"]),
        ("sub/*", "", ["c", "d"]),
        ("", "sub/*", ["a", "b"]),
        ("", "{a.yaml,sub/d.*}", ["b", "c"]),
        ("*.yaml", "*d*", ["a", "c"]),
    ],
)
def test_patterns_choose_among_them(include: str, exclude: str, found: list[str]) -> None:
    files = {f"app/{path}": manifest(path.rpartition("/")[2][0]) for path in ("a.yaml", "b.yml", "sub/c.yaml", "sub/d.yaml")}  # fmt: skip
    assert names(files, recurse=True, include=include, exclude=exclude) == found


@pytest.mark.parametrize("field", ["include", "exclude"])
def test_a_pattern_that_does_not_end_is_named_with_its_field(field: str) -> None:
    with pytest.raises(SourceError, match=rf"spec\.source\.directory\.{field}: .*\[ without"):
        names({"app/a.yaml": manifest("a")}, **{field: "[a"})


def test_a_marked_file_is_skipped_however_broken_it_is() -> None:
    files = {
        "app/a.yaml": b"# +argocd:skip-file-rendering\napiVersion: kind: metadata: [",
        "app/b.yaml": manifest("b"),
    }
    assert names(files) == ["b"]


def test_another_tool_s_file_is_skipped_and_a_broken_manifest_is_not() -> None:
    assert names({"app/a.yaml": b"replicas: 3", "app/b.yaml": manifest("b")}) == ["b"]
    with pytest.raises(SourceError, match='Failed to unmarshal "a.yaml": yaml: line [34]'):
        names({"app/a.yaml": b"apiVersion: v1\nkind: A\nmetadata: {\n"})


def test_manifests_of_more_than_ten_megabytes_are_refused_with_a_way_out() -> None:
    comment = b"#" + b"x" * (4 * 2**20)
    files = {f"app/{number}.yaml": manifest(f"m{number}") + comment for number in range(3)}
    assert names({name: data for name, data in files.items() if "2" not in name}) == ["m0", "m1"]
    with pytest.raises(SourceError, match=r"larger than 10 MB together; .*directory\.exclude"):
        names(files)
    assert names(files, exclude="2.*") == ["m0", "m1"]


def test_a_folder_that_is_not_there_is_missing() -> None:
    with pytest.raises(MissingPath, match="app: app path does not exist"):
        names({"other/a.yaml": manifest("a")})
    with pytest.raises(MissingPath):
        names({"app": b"a file"})


def test_links_to_files_are_followed_and_links_to_folders_are_not(tmp_path: Path) -> None:
    (tmp_path / "app" / "sub").mkdir(parents=True)
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "a.yaml").write_bytes(manifest("a"))
    (tmp_path / "app" / "a.yaml").symlink_to("../shared/a.yaml")
    (tmp_path / "app" / "sub" / "again").symlink_to("..")
    (tmp_path / "app" / "gone.yaml").symlink_to("nowhere.yaml")
    found = directory.render(FolderTree(tmp_path), "app", DirectorySource(recurse=True), NONE)
    assert [one["metadata"]["name"] for one in found] == ["a"]


def test_a_link_out_of_the_repository_is_refused(tmp_path: Path) -> None:
    (tmp_path / "repository" / "app").mkdir(parents=True)
    (tmp_path / "secret.yaml").write_bytes(manifest("secret"))
    (tmp_path / "repository" / "app" / "a.yaml").symlink_to("../../secret.yaml")
    with pytest.raises(SourceError, match="out of the repository"):
        directory.render(FolderTree(tmp_path / "repository"), "app", DirectorySource(), NONE)


MAIN = b"""
function(name='nobody', count=1) {
  apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: name },
  data: { count: '%d' % count, region: std.extVar('region'), more: std.extVar('more').x },
}
"""


def test_jsonnet_takes_arguments_and_variables_as_text_or_code() -> None:
    said = Jsonnet(
        tlas=[JsonnetVariable(name="name", value="$ARGOCD_APP_NAME-x"), JsonnetVariable(name="count", value="1+2", code=True)],
        ext_vars=[JsonnetVariable(name="region", value="eu"), JsonnetVariable(name="more", value="{x: 'y'}", code=True)],
    )  # fmt: skip
    environment = Environment({"ARGOCD_APP_NAME": "web"})
    (found,) = directory.render(
        Files({"app/main.jsonnet": MAIN}), "app", DirectorySource(jsonnet=said), environment
    )
    assert found["metadata"]["name"] == "web-x"
    assert found["data"] == {"count": "3", "region": "eu", "more": "y"}
    assert environment.used == {"ARGOCD_APP_NAME"}


def test_jsonnet_imports_from_beside_itself_then_from_the_libraries_from_last_to_first() -> None:
    files = {
        "app/sub/main.jsonnet": b"[{apiVersion: 'v1', kind: 'A', metadata: {name: n}} for n in "
        b"[import 'here', import 'lib', import 'app', importstr 'text']]",
        "app/sub/here": b"'here'",
        "app/here": b"'not here'",
        "one/lib": b"'one'",
        "two/lib": b"import 'deeper'",
        "two/deeper": b"'two'",
        "app/app": b"'app'",
        "one/text": b"plain",
    }
    assert names(files, recurse=True, jsonnet=Jsonnet(libs=["one", "/two"])) == [
        "here",
        "two",
        "app",
        "plain",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import 'nowhere'", "couldn't open import 'nowhere': no match locally or in the Jsonnet library paths"),
        ("import '../../../etc/passwd'", "outside the repository"),
        ("importstr '/etc/passwd'", "paths start in the folder of the importing file"),
        ("std.extVar('x')", "undefined external variable: x"),
        ("local f(x) = f(x + 1) + 1; f(0)", "max stack frames exceeded"),
        ("error 'no'", "RUNTIME ERROR: no"),
        ("{", "main.jsonnet"),
        ("5", 'Failed to unmarshal "main.jsonnet": a document is no mapping but a number'),
        ("{kind: 1}", "Object 'Kind' is missing"),
    ],
)  # fmt: skip
def test_jsonnet_that_fails_says_why_and_in_which_file(text: str, said: str) -> None:
    with pytest.raises(SourceError, match="main.jsonnet") as failed:
        names({"app/main.jsonnet": text.encode()})
    assert said in str(failed.value)


def test_a_library_outside_of_the_repository_is_refused_by_its_field() -> None:
    with pytest.raises(SourceError, match=r"spec\.source\.directory\.jsonnet\.libs: '\.\./x'"):
        names({"app/main.jsonnet": b"{}"}, jsonnet=Jsonnet(libs=["../x"]))
