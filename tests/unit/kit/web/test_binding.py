"""A request becomes a Struct, or an error that names the field and the cure."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

import msgspec
import pytest

from argosy.kit.errors import ArgosyError, BadRequest, Invalid, NotFound, UnsupportedMedia
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


class Since(msgspec.Struct, frozen=True):
    since: Annotated[datetime, msgspec.Meta(tz=True)] | None = None


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-00:01"])
def test_a_time_that_is_none_in_utc_is_refused(text: str) -> None:
    with pytest.raises(Invalid) as refused:
        bind_query(Since, {}, [("since", text)])
    assert refused.value.context["field"] == "since"


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


Address = Annotated[str, msgspec.Meta(pattern="^[^@]+@[^@]+$", description="an e-mail address")]


class Inner(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    colour: Literal["red", "green"] = "red"


class Wordy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    email: Address | None = None
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=3)] = "x"
    limit: Annotated[int, msgspec.Meta(ge=1)] = 1
    when: datetime | None = None
    inner: list[Inner] = []


@pytest.mark.parametrize(
    ("body", "message", "cure"),
    [
        (b'{"email": "nobody"}', "email is not an e-mail address", "give an e-mail address"),
        (b'{"name": ""}', "name is empty", ""),
        (b'{"name": "long"}', "name is longer than 3 characters", ""),
        (b'{"name": 3}', "name must be text, not a whole number", ""),
        (b'{"limit": 0}', "limit must be at least 1", ""),
        (b'{"when": "soon"}', "when is not a time", "write it as 2026-01-31T12:00:00Z"),
        (
            b'{"inner": [{"colour": "blue"}]}',
            "inner[0].colour is not one of the values that are possible here",
            "one of: green, red",
        ),
        (b'{"inner": [{"shape": 1}]}', "'shape' is not a known name in inner[0]", "known names: colour"),
    ],
)
def test_a_refusal_is_in_words_and_never_in_patterns(body: bytes, message: str, cure: str) -> None:
    with pytest.raises(Invalid) as refused:
        bind_body(Wordy, {}, "application/json", body)
    assert (refused.value.message, refused.value.cure) == (message, cure)


class Named(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{24}$")]


def test_a_path_that_cannot_name_anything_names_nothing() -> None:
    with pytest.raises(NotFound):
        bind_query(Named, {"id": "abc"}, [])
