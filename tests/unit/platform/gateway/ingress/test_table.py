"""Whose request it is: upstream's rules for hosts, paths and their precedence."""

from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.contracts.ingress import IngressRoute
from argosy.kit.errors import BadRequest
from argosy.platform.gateway.ingress.table import Table

Covers = Literal["Exact", "Prefix", "Default"]


def route(
    host: str, path: str = "/", covers: Covers = "Prefix", service: str = "", ingress: str = "web"
) -> IngressRoute:
    return IngressRoute("local", "default", ingress, host, path, covers, service or f"{covers}{path}", "80")


def served(routes: list[IngressRoute], host: str, path: str) -> str | None:
    paths = Table(routes).of_host(host)
    found = paths.find(path) if paths is not None else None
    return found.service if found is not None else None


@pytest.mark.parametrize(
    ("kind", "path", "asked", "matches"),
    [  # the table in the documentation of Kubernetes
        ("Prefix", "/", "/all/paths", True),
        ("Prefix", "/", "/", True),
        ("Exact", "/foo", "/foo", True),
        ("Exact", "/foo", "/bar", False),
        ("Exact", "/foo", "/foo/", False),
        ("Exact", "/foo/", "/foo", False),
        ("Exact", "/foo/", "/foo/", True),
        ("Exact", "/", "/", True),
        ("Exact", "/", "/x", False),
        ("Prefix", "/foo", "/foo", True),
        ("Prefix", "/foo", "/foo/", True),
        ("Prefix", "/foo/", "/foo", True),
        ("Prefix", "/foo/", "/foo/", True),
        ("Prefix", "/aaa/bb", "/aaa/bbb", False),
        ("Prefix", "/aaa/bbb", "/aaa/bbb", True),
        ("Prefix", "/aaa/bbb/", "/aaa/bbb", True),
        ("Prefix", "/aaa/bbb", "/aaa/bbb/", True),
        ("Prefix", "/aaa/bbb", "/aaa/bbb/ccc", True),
        ("Prefix", "/aaa/bbb", "/aaa/bbbxyz", False),
        ("Prefix", "/a b", "/a%20b", True),
        ("Prefix", "/a/b", "/a%2Fb", False),
        ("Prefix", "/foo", "/FOO", False),
    ],
)
def test_a_path_matches(kind: Covers, path: str, asked: str, matches: bool) -> None:
    assert (served([route("x", path, kind)], "x", asked) is not None) is matches


@pytest.mark.parametrize(
    ("asked", "service"),
    [
        ("/", "Prefix/"),
        ("/aaa", "Prefix/aaa"),
        ("/aaa/bbb", "Exact/aaa/bbb"),
        ("/aaa/bbb/", "Prefix/aaa/bbb"),
        ("/aaa/bbb/ccc", "Prefix/aaa/bbb"),
        ("/aaa/ccc", "Prefix/aaa"),
        ("/ccc", "Prefix/"),
    ],
)
def test_the_longest_path_wins_and_an_exact_one_before_a_prefix(asked: str, service: str) -> None:
    routes = [
        route("x"),
        route("x", "/aaa"),
        route("x", "/aaa/bbb"),
        route("x", "/aaa/bbb", "Exact"),
        route("x", covers="Default"),
    ]

    assert served(routes, "x", asked) == service


def test_what_no_path_covers_goes_to_the_default_backend() -> None:
    routes = [route("x", "/aaa"), route("x", covers="Default", service="rest")]

    assert served(routes, "x", "/bbb") == "rest"
    assert served(routes[:1], "x", "/bbb") is None


@pytest.mark.parametrize(
    ("asked", "service"),
    [
        ("shop.example.test", "itself"),
        ("other.example.test", "wild"),
        ("a.other.example.test", None),
        ("example.test", None),
        ("elsewhere.test", None),
    ],
)
def test_a_host_that_is_spelt_out_goes_before_a_wildcard_which_is_one_label(
    asked: str, service: str | None
) -> None:
    routes = [route("*.example.test", service="wild"), route("shop.example.test", service="itself")]

    assert served(routes, asked, "/") == service


def test_a_wildcard_serves_no_paths_of_a_host_that_has_its_own() -> None:
    routes = [route("*.example.test"), route("shop.example.test", "/only")]

    assert served(routes, "shop.example.test", "/other") is None


def test_an_ingress_without_a_host_is_found_by_its_name_alone() -> None:
    table = Table([route("", service="mine", ingress="one"), route("", service="other", ingress="two")])

    found = table.of_ingress(("local", "default", "one"))

    assert found is not None
    assert getattr(found.find("/x"), "service", None) == "mine"
    assert table.of_ingress(("staging", "default", "one")) is None
    assert table.of_host("") is None


@pytest.mark.parametrize("path", ["/a/../b", "/..", "/%2e%2e/b", "/a/.", "/a%00", "/a\\b", "/a%5c..", "/%ff"])
def test_paths_that_two_programs_may_read_differently_are_refused(path: str) -> None:
    with pytest.raises(BadRequest):
        served([route("x")], "x", path)


SEGMENTS = st.lists(st.sampled_from(["a", "b", "c"]), max_size=4)
ROUTES = st.lists(st.tuples(SEGMENTS, st.sampled_from(["Exact", "Prefix"])), max_size=8)


@given(ROUTES, SEGMENTS)
def test_precedence_is_the_longest_of_all_that_match_and_exact_before_prefix(
    declared: list[tuple[list[str], Covers]], asked: list[str]
) -> None:
    routes = [route("x", "/" + "/".join(parts), kind) for parts, kind in declared]

    matching = [
        (len(parts), kind == "Exact", f"{kind}/{'/'.join(parts)}")
        for parts, kind in declared
        if (parts == asked if kind == "Exact" else asked[: len(parts)] == parts)
    ]

    best = max(matching)[2] if matching else None
    assert served(routes, "x", "/" + "/".join(asked)) == best
