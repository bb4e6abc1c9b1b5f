"""Paths are matched raw, so that a name with a slash is one segment."""

from __future__ import annotations

import pytest

from argosy.kit.errors import BadRequest
from argosy.kit.web.router import Router


@pytest.fixture
def router() -> Router[str]:
    return Router(
        [
            ("GET", "/api/pipelines", "list"),
            ("POST", "/api/pipelines", "create"),
            ("GET", "/api/pipelines/{name}", "one"),
            ("GET", "/api/pipelines/names", "names"),
            ("GET", "/api/pipelines/{name}/runs/{id}", "run"),
        ]
    )


def test_a_name_with_a_slash_is_one_segment(router: Router[str]) -> None:
    assert router.find("GET", "/api/pipelines/project%2Fbuild") == ("one", {"name": "project/build"})


def test_fixed_words_win_over_named_segments(router: Router[str]) -> None:
    assert router.find("GET", "/api/pipelines/names") == ("names", {})


def test_a_named_segment_still_continues_where_the_fixed_one_ends(router: Router[str]) -> None:
    assert router.find("GET", "/api/pipelines/names/runs/7") == ("run", {"name": "names", "id": "7"})


def test_a_trailing_slash_is_the_same_path(router: Router[str]) -> None:
    assert router.find("GET", "/api/pipelines/")[0] == "list"


def test_a_known_path_tells_its_methods(router: Router[str]) -> None:
    assert router.find("DELETE", "/api/pipelines") == (None, ("GET", "POST"))


@pytest.mark.parametrize("path", ["/api/pipelines/%ff", "/api/pipelines/a%00b"])
def test_what_is_no_text_is_refused(router: Router[str], path: str) -> None:
    with pytest.raises(BadRequest):
        router.find("GET", path)


def test_two_routes_for_the_same_method_and_path_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="two routes"):
        Router([("GET", "/a/{x}", 1), ("GET", "/a/{y}", 2)])
