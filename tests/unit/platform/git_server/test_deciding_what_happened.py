"""What is announced follows from what was announced and what is there, and paths from outside name only repositories."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.kit.clock import now
from argosy.kit.errors import BadRequest, NotFound
from argosy.kit.git.names import NO_COMMIT
from argosy.kit.git.running import MEGABYTE
from argosy.platform.git_server.announcing import differences, first_branch
from argosy.platform.git_server.pushing import allowance
from argosy.platform.git_server.serving import wanted
from argosy.platform.git_server.settings import GitServerSettings
from argosy.platform.git_server.store import Stored

REFS = st.dictionaries(
    st.sampled_from(["refs/heads/a", "refs/heads/b", "refs/tags/c", "refs/heads/main"]),
    st.sampled_from(["1" * 40, "2" * 40]),
)
ACCOUNT = "a" * 24


@given(announced=REFS, there=REFS)
def test_announcing_the_differences_makes_both_the_same(
    announced: dict[str, str], there: dict[str, str]
) -> None:
    state = dict(announced)
    for update in differences(announced, there):
        assert state.get(update.ref, NO_COMMIT) == update.before != update.after
        if update.deletes:
            del state[update.ref]
        else:
            state[update.ref] = update.after
    assert state == there
    assert differences(there, there) == []


@pytest.mark.parametrize(
    ("announced", "refs", "chosen"),
    [
        ({}, {}, None),
        ({}, {"refs/heads/main": "1"}, None),
        ({}, {"refs/heads/trunk": "1", "refs/heads/zzz": "1"}, "trunk"),
        ({}, {"refs/tags/v1": "1"}, None),
        ({"refs/tags/v1": "1"}, {"refs/heads/trunk": "1", "refs/tags/v1": "1"}, "trunk"),
        ({"refs/heads/old": "1"}, {"refs/heads/trunk": "1"}, None),
    ],
)
def test_only_the_first_branch_may_become_the_default_one(
    announced: dict[str, str], refs: dict[str, str], chosen: str | None
) -> None:
    assert first_branch("main", announced, refs) == chosen


@pytest.mark.parametrize(
    ("method", "path", "query", "name", "operation"),
    [
        ("GET", f"/{ACCOUNT}/shop.git/info/refs", "service=git-upload-pack", "shop", "fetch"),
        ("GET", f"/{ACCOUNT}/shop/info/refs", "service=git-receive-pack", "shop", "push"),
        ("POST", f"/{ACCOUNT}/a.b-c_d.git/git-upload-pack", "", "a.b-c_d", "fetch"),
        ("POST", f"/{ACCOUNT}/shop.git/git-receive-pack", "", "shop", "push"),
    ],
)
def test_what_git_asks_for_is_understood(
    method: str, path: str, query: str, name: str, operation: str
) -> None:
    asked = wanted(method, path, query)
    assert (asked.account, asked.name, asked.operation) == (ACCOUNT, name, operation)


@given(path=st.text(alphabet="/.%-agit\\\0é", max_size=40), method=st.sampled_from(["GET", "POST"]))
def test_whatever_else_is_asked_is_not_there(path: str, method: str) -> None:
    for asked in (path, f"/{ACCOUNT}/{path}", f"/{ACCOUNT}/{path}/info/refs"):
        try:
            found = wanted(method, asked, "service=git-upload-pack")
        except (NotFound, BadRequest):
            continue
        assert found.account == ACCOUNT
        assert not {"/", "\\", "\0", "%"} & set(found.name)
        assert found.name.strip(".")


@pytest.mark.parametrize(
    ("wanted_mb", "size", "taken", "megabytes", "says"),
    [
        (None, 0, 0, 512, "this push is larger than 512 MB"),
        (1, 0, 0, 1, "this push is larger than 1 MB"),
        (9999, 0, 0, 512, "this push is larger than 512 MB"),
        (None, 4000, 4000, 96, "this repository would become larger than 4096 MB"),
        (None, 0, 20400, 80, "the repositories of this account would become larger than 20480 MB"),
        (None, 5000, 5000, 0, "this repository would become larger"),
    ],
)
def test_the_narrowest_limit_is_the_one_that_is_named(
    wanted_mb: int | None, size: int, taken: int, megabytes: int, says: str
) -> None:
    stored = Stored("b" * 24, ACCOUNT, "shop", "", "main", [], wanted_mb, None, now(), size * MEGABYTE)
    found = allowance(stored, taken * MEGABYTE, GitServerSettings())
    assert found.bytes == megabytes * MEGABYTE
    assert says in found.reason
