"""May a push move a ref: the default branch is safe whatever rules say, and rules that match must all agree."""

from __future__ import annotations

import pytest

from argosy.contracts.git_server import Protection
from argosy.kit.calls import Principal
from argosy.kit.git.names import NO_COMMIT
from argosy.platform.git_server.protection import Rules, Update, needs_history, refused

A, B = "a" * 40, "b" * 40
ADA = Principal("user", "1" * 24, "Ada", "f" * 24, teams=("2" * 24,))
RULES = Rules(
    "main",
    [
        Protection("main", force=True, deletion=True),
        Protection("release/*", pushers=["2" * 24]),
        Protection("release/1", force=True, deletion=True),
        Protection("locked", pushers=["9" * 24]),
        Protection("v*", pushers=["1" * 24]),
        Protection("free-*", force=True, deletion=True),
    ],
)


@pytest.mark.parametrize(
    ("ref", "before", "after", "forward", "says"),
    [
        ("refs/heads/main", A, B, True, ""),
        ("refs/heads/main", NO_COMMIT, B, True, ""),
        ("refs/heads/main", A, B, False, "default branch: its history cannot be rewritten"),
        ("refs/heads/main", A, NO_COMMIT, True, "default branch and cannot be deleted"),
        ("refs/heads/other", A, B, False, ""),
        ("refs/heads/other", A, NO_COMMIT, True, ""),
        ("refs/heads/release/2", A, B, True, ""),
        ("refs/heads/release/2", A, B, False, "protected: its history cannot be rewritten"),
        ("refs/heads/release/1", A, B, False, "protected: its history cannot be rewritten"),
        ("refs/heads/release/1", A, NO_COMMIT, True, "protected and cannot be deleted"),
        ("refs/heads/locked", NO_COMMIT, A, True, "you are not among those who may push"),
        ("refs/tags/v1", NO_COMMIT, A, True, ""),
        ("refs/tags/v1", A, B, False, "protected: its history"),
        ("refs/heads/free-x", A, B, False, ""),
        ("refs/heads/free-x", A, NO_COMMIT, True, ""),
        ("refs/notes/commits", A, B, False, ""),
        ("refs/x", NO_COMMIT, A, True, "neither a branch nor a tag"),
        ("refs/heads/-x", NO_COMMIT, A, True, "neither a branch nor a tag"),
        ("refs/heads/a..b", NO_COMMIT, A, True, "neither a branch nor a tag"),
        ("HEAD", A, B, True, "neither a branch nor a tag"),
    ],
)
def test_a_ref_moves_only_as_rules_allow(ref: str, before: str, after: str, forward: bool, says: str) -> None:
    reason = refused(Update(ref, before, after), RULES, ADA, forward=forward)
    assert bool(reason) == bool(says)
    assert says in reason


@pytest.mark.parametrize(
    ("ref", "before", "after", "needed"),
    [("refs/heads/main", A, B, True), ("refs/heads/main", NO_COMMIT, B, False), ("refs/heads/main", A, NO_COMMIT, False),
     ("refs/heads/other", A, B, False), ("refs/heads/locked", A, B, True)],
)  # fmt: skip
def test_git_is_asked_about_history_only_where_it_matters(
    ref: str, before: str, after: str, needed: bool
) -> None:
    assert needs_history(Update(ref, before, after), RULES) is needed
