"""Names of refs: what Git itself would not take is refused before it is asked, and so is what it could take for an option."""

from __future__ import annotations

import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argosy.kit.git.failing import GitFailed
from argosy.kit.git.names import full_ref, is_abbreviated, is_oid, is_ref_name, oid, ref_name

ODD = st.text(alphabet="ab./-~^:?*[\\@{ \n\x7f.lock", min_size=1, max_size=12)


@settings(max_examples=150)
@given(name=ODD | st.text(min_size=1, max_size=20))
def test_every_name_that_is_let_through_is_one_for_git(name: str) -> None:
    if is_ref_name(name):
        judged = subprocess.run(["git", "check-ref-format", f"refs/heads/{name}"], check=False)
        assert judged.returncode == 0


@pytest.mark.parametrize(
    "name", ["main", "feature/a-b", "v1.2.3", "release_2", "ünïcode", "a@b", "refs/heads/main"]
)
def test_ordinary_names_are_let_through(name: str) -> None:
    assert ref_name(name) == name


@pytest.mark.parametrize(
    "name",
    ["", "-x", "--upload-pack=x", "a..b", "a b", "a\nb", "/a", "a/", "a//b", ".a", "a/.b", "a.lock", "a.lock/b", "@",
     "a@{1}", "a^", "a~1", "a:b", "a?", "a*", "a[", "a\\b", "a.", "x" * 241, "a\x00b"],
)  # fmt: skip
def test_odd_names_are_refused_with_what_would_work(name: str) -> None:
    with pytest.raises(GitFailed) as refused:
        ref_name(name)
    assert refused.value.code == "git.name"
    assert refused.value.cure


def test_a_full_ref_says_what_kind_it_is() -> None:
    assert full_ref("refs/heads/main") == "refs/heads/main"
    with pytest.raises(GitFailed, match="not a full ref"):
        full_ref("main")


def test_hashes_are_forty_lower_case_digits() -> None:
    assert is_oid("0" * 40)
    assert not is_oid("0" * 39)
    assert not is_oid("G" * 40)
    assert is_abbreviated("abcdef0")
    assert not is_abbreviated("abc")
    with pytest.raises(GitFailed, match="not a commit's hash"):
        oid("--all")
