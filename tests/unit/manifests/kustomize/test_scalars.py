"""Scalars as Go's YAML libraries read them."""

from __future__ import annotations

import pytest

from argosy.manifests.kustomize.documents import plain
from argosy.manifests.kustomize.scalars import (
    EMPTY,
    Fresh,
    Quoted,
    is_null,
    new_text,
    resolve,
    resolve_old,
    retexted,
    text_of,
    untagged,
    written,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("web", "web"),
        ("yes", "yes"),
        ("5", 5),
        ("-5", -5),
        ("0644", 420),
        ("0o17", 15),
        ("0x1F", 31),
        ("-0b11", -3),
        ("1_000", 1000),
        ("08", 8),
        ("1.10", 1.1),
        ("1e3", 1000),
        ("+", "+"),
        ("1:30", "1:30"),
        ("1e999", "1e999"),
        ("TRUE", True),
        ("~", None),
        ("", None),
        ("18446744073709551615", 18446744073709551615),
        ("2024-01-02", "2024-01-02T00:00:00Z"),
        ("2024-1-2 3:04:05.50", "2024-01-02T03:04:05.5Z"),
        ("2024-13-02", "2024-13-02"),
        ("9" * 500, "9" * 500),
    ],
)
def test_a_plain_scalar_means_what_kyaml_reads(text: str, value: object) -> None:
    read = resolve(text)

    assert plain(read) == value
    assert type(plain(read)) is type(value)
    assert text_of(read) == text


@pytest.mark.parametrize(
    ("text", "value"), [("yes", True), ("n", False), ("2024-01-02", "2024-01-02"), ("010", 8)]
)
def test_a_kustomization_file_is_yaml_1_1(text: str, value: object) -> None:
    assert resolve_old(text) == value


def test_quotes_stay_where_a_value_is_put_in_their_place() -> None:
    assert written(Quoted("http"), 8080) == "8080"
    assert written("http", 8080) == 8080
    assert written(5, Quoted("6")) == "6"
    assert not isinstance(written(5, Quoted("6")), Quoted)


def test_a_text_without_a_tag_becomes_what_it_looks_like() -> None:
    assert untagged("web", "12") == 12
    assert untagged(Quoted("web"), "12") == "12"
    assert new_text("12") == "12"


def test_another_text_must_fit_the_tag_that_stays() -> None:
    assert retexted(5, "6") == 6
    assert retexted("x", "6") == "6"
    assert retexted(Fresh(), "6") == 6
    with pytest.raises(ValueError, match="cannot decode !!str as a !!int"):
        retexted(5, "secret")


def test_an_empty_null_is_a_null() -> None:
    assert is_null(EMPTY)
    assert is_null(None)
    assert not is_null("")
