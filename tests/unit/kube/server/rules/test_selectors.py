"""The selectors of a query: read, matched, refused in upstream's words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.kube.errors import ApiError
from argosy.kube.server.rules.selectors import (
    SelectorError,
    check_fields,
    field_selector,
    label_selector,
)

_NOT_A_NUMBER = "for 'Gt', 'Lt' operators, the value must be an integer"


@pytest.mark.parametrize(
    ("text", "matching", "others"),
    [
        ("app=web", {"app": "web"}, {"app": "api"}),
        ("app==web", {"app": "web"}, {}),
        ("app!=web", {}, {"app": "web"}),
        ("app in (web, api)", {"app": "api"}, {"app": "db"}),
        ("app notin (web)", {}, {"app": "web"}),
        ("app", {"app": ""}, {}),
        ("!app", {}, {"app": "x"}),
        ("size>3", {"size": "4"}, {"size": "3"}),
        ("size<3", {"size": "2"}, {"size": "many"}),
        ("a=1,b", {"a": "1", "b": "2"}, {"a": "1"}),
        ("in in (in)", {"in": "in"}, {"in": "x"}),
        ("", {"a": "b"}, None),
    ],
)
def test_labels_are_matched(text, matching, others):
    selector = label_selector(text)

    assert selector.matches(matching)
    assert others is None or not selector.matches(others)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a=b=c", "found '=', expected: ',' or 'end of string'"),
        ("=", "found '=', expected: !, identifier, or 'end of string'"),
        ("a,", "found '', expected: identifier after ','"),
        ("a in b", "unable to parse requirement: found 'b' expected: '('"),
        ("a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
        (
            "size>x",
            'unable to parse requirement: values[0]: Invalid value: "x": ' + _NOT_A_NUMBER,
        ),
    ],
)
def test_what_cannot_be_read_is_told_in_upstreams_words(text, says):
    with pytest.raises(SelectorError) as error:
        label_selector(text)

    assert str(error.value) == says


def test_a_bad_label_names_itself():
    with pytest.raises(
        SelectorError, match=r'unable to parse requirement: <nil>: Invalid value: "-a": name part must'
    ):
        label_selector("-a=b")


@pytest.mark.parametrize(
    ("text", "fields", "matches"),
    [
        ("status.phase=Running", {"status.phase": "Running"}, True),
        ("status.phase!=Running", {"status.phase": "Running"}, False),
        (r"metadata.name=a\,b", {"metadata.name": "a,b"}, True),
        ("metadata.name==a,status.phase=", {"metadata.name": "a"}, True),
    ],
)
def test_fields_are_matched(text, fields, matches):
    assert field_selector(text).matches(fields) is matches


def test_a_field_selector_without_an_operator_is_refused():
    with pytest.raises(SelectorError) as error:
        field_selector("a=b,c")

    assert str(error.value) == "invalid selector: 'a=b,c'; can't understand 'c'"


@pytest.mark.parametrize(
    ("known", "says"),
    [
        ((), '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"'),
        (("spec.nodeName",), "field label not supported: spec.x"),
    ],
)
def test_an_unknown_field_is_a_bad_request(known, says):
    with pytest.raises(ApiError) as error:
        check_fields(field_selector("spec.x=1"), known)

    assert (error.value.code, error.value.message) == (400, says)


def test_a_known_field_is_none():
    check_fields(field_selector("metadata.name=a,spec.nodeName=b"), ("spec.nodeName",))


@given(st.text("ab=!(),<> in\\é\x00", max_size=40))
def test_nonsense_is_refused_and_never_breaks(text):
    for parse in (label_selector, field_selector):
        try:
            found = parse(text)
        except SelectorError:
            continue
        assert found.matches({}) in {True, False}
