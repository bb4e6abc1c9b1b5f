"""Paths by elements, wildcards, and the host names that a cluster may take."""

from __future__ import annotations

import pytest

from argosy.domain.ingress import elements, may_take, parent


@pytest.mark.parametrize(
    ("path", "found"),
    [("/", ()), ("", ()), ("/a", ("a",)), ("/a/", ("a",)), ("/a/b", ("a", "b")), ("/a//b", ("a", "", "b"))],
)
def test_a_path_is_its_elements_and_one_slash_at_the_end_is_none(path: str, found: tuple[str, ...]) -> None:
    assert elements(path) == found


def test_a_wildcard_stands_for_exactly_one_label() -> None:
    assert parent("shop.example.test") == "*.example.test"
    assert parent("a.shop.example.test") == "*.shop.example.test"


@pytest.mark.parametrize(
    ("pattern", "host", "may"),
    [
        ("*.localhost", "shop.localhost", True),
        ("*.localhost", "a.b.localhost", True),
        ("*.localhost", "*.localhost", True),
        ("*.localhost", "*.a.localhost", True),
        ("*.localhost", "localhost", False),
        ("*.localhost", "notlocalhost", False),
        ("*.localhost", "shop.localhost.evil.test", False),
        ("shop.example.test", "shop.example.test", True),
        ("shop.example.test", "a.shop.example.test", False),
        ("shop.example.test", "*.shop.example.test", False),
        ("*.example.test", "*.test", False),
    ],
)
def test_a_cluster_may_take_what_a_pattern_of_its_operator_covers(pattern: str, host: str, may: bool) -> None:
    assert may_take(host, [pattern]) is may
    assert not may_take(host, [])
