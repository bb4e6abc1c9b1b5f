"""One commit as a tree of files: links followed and never out of it, digests that change exactly when the content does."""

from __future__ import annotations

import string
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from argosy.kit.git.exporting import Budget, export
from argosy.kit.git.reading import Reader
from argosy.kit.git.tree import GitTree, Missing, Refused
from argosy.manifests.tree import MissingPath, Now, Recorded, SourceError, Tree
from tests.git_repository import Work


@pytest.fixture
def reader(work: Work) -> Iterator[Reader]:
    with Reader(work.folder / ".git") as reader:
        yield reader


def test_files_and_folders_are_what_was_committed(work: Work, reader: Reader) -> None:
    tree = GitTree(
        reader, work.commit({"a.yaml": "a: 1\n", "dir/b.yaml": "b", "dir/sub/c": "c", "umlaut-ä": "x"})
    )
    assert tree.names("") == ["a.yaml", "dir", "umlaut-ä"]
    assert tree.names("dir") == ["b.yaml", "sub"]
    assert tree.read("a.yaml") == b"a: 1\n"
    assert tree.read("dir/sub/c") == b"c"
    assert [tree.form(path) for path in ("", "a.yaml", "dir", "dir/x", "a.yaml/x")] == [
        "folder",
        "file",
        "folder",
        None,
        None,
    ]
    assert tree.digest("nowhere") == ""
    assert {path for path, _ in tree.walk()} == {
        "a.yaml",
        "dir",
        "umlaut-ä",
        "dir/b.yaml",
        "dir/sub",
        "dir/sub/c",
    }


def test_it_is_a_tree_for_renderers_and_raises_what_they_expect(work: Work, reader: Reader) -> None:
    first = work.commit({"app/a.yaml": "a", "other/b.yaml": "b"})
    second = work.commit({"other/b.yaml": "changed"})
    third = work.commit({"app/a.yaml": "changed"})

    def at(commit: str) -> Tree:
        return GitTree(reader, commit, missing=MissingPath, refused=SourceError)

    recorded = Recorded(at(first))
    recorded.names("app")
    recorded.read("app/a.yaml")
    assert Now(at(second)).has(recorded.inputs)
    assert not Now(at(third)).has(recorded.inputs)
    with pytest.raises(MissingPath, match="nothing/here does not exist"):
        at(first).read("nothing/here")
    with pytest.raises(SourceError, match="folder, not a file"):
        at(first).read("app")
    with pytest.raises(SourceError, match="file, not a folder"):
        at(first).names("app/a.yaml")


def test_links_inside_are_followed_wherever_they_stand(work: Work, reader: Reader) -> None:
    work.write({"base/a.yaml": "a", "apps/one/own": "own"})
    work.link("apps/one/base", "../../base")
    work.link("apps/two", "one/./base/../one".replace("base/../one", ""))
    work.link("file", "apps/one/base/a.yaml")
    tree = GitTree(reader, work.commit())
    assert tree.read("apps/one/base/a.yaml") == b"a"
    assert tree.read("apps/two/base/a.yaml") == b"a"
    assert tree.read("file") == b"a"
    assert tree.form("apps/one/base") == "folder"
    assert tree.names("apps/one") == ["base", "own"]
    assert tree.digest("file") == tree.digest("base/a.yaml")


@pytest.mark.parametrize("target", ["../outside", "/etc/passwd", "a/../../x", "../../../../etc/passwd"])
def test_a_link_out_of_the_repository_is_refused(work: Work, reader: Reader, target: str) -> None:
    work.link("link", target)
    tree = GitTree(reader, work.commit({"a/b": "x"}))
    for ask in (tree.form, tree.read, tree.names, tree.digest):
        with pytest.raises(Refused, match="leads out of the repository"):
            ask("link")


def test_links_in_a_circle_are_refused(work: Work, reader: Reader) -> None:
    work.link("a", "b")
    work.link("b", "a")
    tree = GitTree(reader, work.commit())
    with pytest.raises(Refused, match="in a circle"):
        tree.form("a")


def test_a_link_to_nothing_is_not_there(work: Work, reader: Reader) -> None:
    work.link("broken", "gone")
    tree = GitTree(reader, work.commit())
    assert tree.form("broken") is None
    assert tree.names("") == ["broken"]
    with pytest.raises(Missing):
        tree.read("broken")


def test_the_digest_of_a_folder_sees_what_its_links_lead_to(work: Work, reader: Reader) -> None:
    work.write({"base/a": "1", "other": "x"})
    work.link("app/base", "../base")
    work.link("app/self", ".")
    digests = [
        GitTree(reader, work.commit(files)).digest("app") for files in ({}, {"other": "y"}, {"base/a": "2"})
    ]
    assert digests[0] == digests[1] != digests[2]


def test_a_submodule_is_named_and_refused_until_somebody_brings_it(work: Work, reader: Reader) -> None:
    inner = work.commit({"lib.yaml": "lib"})
    outer = work.with_tree(("160000", inner, "vendor"))
    tree = GitTree(reader, outer)
    assert tree.names("") == ["vendor"]
    assert tree.form("vendor") == "folder"
    with pytest.raises(Refused, match="vendor is a Git submodule"):
        tree.read("vendor/lib.yaml")
    with pytest.raises(Refused, match="vendor is a Git submodule"):
        tree.names("vendor")
    whole = GitTree(reader, outer, submodules={"vendor": GitTree(reader, inner)})
    assert whole.names("vendor") == ["lib.yaml"]
    assert whole.read("vendor/lib.yaml") == b"lib"


def test_a_file_over_the_limit_is_refused_and_reading_goes_on(work: Work, reader: Reader) -> None:
    tree = GitTree(reader, work.commit({"big": b"x" * 3_000_000, "small": "s"}), file_limit=1 << 20)
    with pytest.raises(Refused, match=r"big: 2\.9 MiB is more than the 1 MiB"):
        tree.read("big")
    assert tree.read("small") == b"s"


def test_a_reader_whose_process_died_starts_another(work: Work, reader: Reader) -> None:
    tree = GitTree(reader, work.commit({"a": "1"}))
    assert reader._git is not None
    reader._git.kill()
    reader._git.wait()
    assert tree.read("a") == b"1"


def test_an_export_holds_files_only_and_nothing_that_points_anywhere(
    work: Work, reader: Reader, tmp_path: Path
) -> None:
    work.write(
        {"lib/common.yaml": "common", "chart/Chart.yaml": "name: x", "chart/run.sh": "#!", "elsewhere": "x"}
    )
    (work.folder / "chart/run.sh").chmod(0o755)
    work.link("chart/lib", "../lib")
    work.link("chart/gone", "nowhere")
    into = tmp_path / "export"
    export(GitTree(reader, work.commit()), "chart", into)
    found = {str(path.relative_to(into)) for path in into.rglob("*")}
    assert found == {"Chart.yaml", "run.sh", "lib", "lib/common.yaml"}
    assert not any(path.is_symlink() for path in into.rglob("*"))
    assert (into / "lib/common.yaml").read_text() == "common"
    assert (into / "run.sh").stat().st_mode & 0o100


def test_an_export_refuses_what_a_disk_could_misunderstand(
    work: Work, reader: Reader, tmp_path: Path
) -> None:
    blob = work.blob("evil")
    for name in ("..", ".git", ".GIT", "a\\b", "a/b"):
        tree = GitTree(reader, work.with_tree(("100644", blob, name)))
        with pytest.raises(Refused, match="no file may have"):
            export(tree, "", tmp_path / f"export-{ord(name[-1])}-{len(name)}")
    assert not (tmp_path / "evil").exists()


def test_an_export_that_is_too_large_or_contains_itself_ends(
    work: Work, reader: Reader, tmp_path: Path
) -> None:
    work.link("loop/again", ".")
    tree = GitTree(reader, work.commit({"a": "1", "b": "2", "loop/x": "x"}))
    with pytest.raises(Refused, match="too many or too large"):
        export(tree, "", tmp_path / "files", budget=Budget(files=1))
    with pytest.raises(Refused, match="contain themselves"):
        export(tree, "loop", tmp_path / "loop")


NAMES = st.text(alphabet=string.ascii_letters + "äé _-.", min_size=1, max_size=5).filter(
    lambda name: name.strip(". ") == name and name.lower() != "git"
)
FILES = st.dictionaries(
    st.lists(NAMES, min_size=1, max_size=3).map("/".join), st.binary(max_size=40), max_size=8
)


def _no_file_is_a_folder(files: dict[str, bytes]) -> bool:
    return not any(other.startswith(f"{path}/") for path in files for other in files)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files=FILES.filter(_no_file_is_a_folder))
def test_every_tree_reads_back_as_it_was_written(work: Work, reader: Reader, files: dict[str, bytes]) -> None:
    work.git("rm", "-r", "--quiet", "--ignore-unmatch", ".")
    tree = GitTree(reader, work.commit(files))
    assert {path: tree.read(path) for path, entry in tree.walk() if entry.kind == "file"} == files
