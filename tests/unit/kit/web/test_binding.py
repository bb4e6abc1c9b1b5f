"""A request becomes a Struct, or an error that names the field and the cure."""

from __future__ import annotations

import msgspec
import pytest

from argosy.kit.errors import ArgosyError, BadRequest, Invalid, UnsupportedMedia
from argosy.kit.web.binding import bind_body, bind_query


class Asked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str = ""
    limit: int = 50
    names: list[str] = []
    deep: bool = False


def test_query_text_becomes_numbers_flags_and_lists() -> None:
    asked = bind_query(Asked, {"id": "7"}, [("limit", "3"), ("deep", "true"), ("names", "a"), ("names", "b")])
    assert asked == Asked("7", 3, ["a", "b"], True)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ([("limit", "many")], "limit"),
        ([("limit", "1"), ("limit", "2")], "limit"),
        ([("colour", "red")], "colour"),
        ([("id", "8")], "id"),
    ],
)
def test_a_bad_query_names_its_parameter(query: list[tuple[str, str]], field: str) -> None:
    with pytest.raises(Invalid) as refused:
        bind_query(Asked, {"id": "7"}, query)
    assert refused.value.context["field"] == field


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(Invalid) as refused:
        bind_query(Asked, {}, [("colour", "red")])
    assert "known names: id, limit, names, deep" in refused.value.cure


@pytest.mark.parametrize(
    ("content_type", "body", "kind"),
    [
        ("text/plain", b"{}", UnsupportedMedia),
        ("", b"{}", UnsupportedMedia),
        ("application/json", b"[]", BadRequest),
        ("application/json", b'{"limit": "3"}', Invalid),
        ("application/json", b'{"names": ["a\\u0000"]}', Invalid),
        ("application/json", b'{"id": "8"}', Invalid),
    ],
)
def test_a_bad_body_is_refused(content_type: str, body: bytes, kind: type[ArgosyError]) -> None:
    with pytest.raises(kind):
        bind_body(Asked, {"id": "7"}, content_type, body)


def test_the_path_fills_its_field_and_an_empty_body_is_an_empty_object() -> None:
    assert bind_body(Asked, {"id": "7"}, "", b"") == Asked("7")


class Outer(msgspec.Struct, frozen=True):
    inner: list[Asked]


def test_an_error_deep_inside_names_its_path() -> None:
    with pytest.raises(Invalid) as refused:
        bind_body(Outer, {}, "application/json", b'{"inner": [{"limit": "x"}]}')
    assert refused.value.context["field"] == "inner[0].limit"
