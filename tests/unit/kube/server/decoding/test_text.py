"""Bytes of a request: strict JSON, guarded YAML, fields that stand twice found with their path."""

from __future__ import annotations

import pytest

from argosy.kube.errors import ApiError
from argosy.kube.server.decoding import text


def test_fields_that_stand_twice_are_named_and_the_last_counts():
    body = b'{"spec": {"replicas": 1, "replicas": 2, "list": [{"a": 1, "a": 2}]}}'
    value, repeated = text.json_value(body, find_duplicates=True)
    assert repeated == ["spec.replicas", "spec.list[0].a"]
    assert value == {"spec": {"replicas": 2, "list": [{"a": 2}]}}


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize(
    "body",
    [b"", b"{", b'{"a": NaN}', b"\xff", b"[" * 100_000, b'{"a":' * 10_000 + b"1" + b"}" * 10_000],
)
def test_what_is_no_json_is_refused_with_400(body, strict):
    with pytest.raises(ApiError) as raised:
        text.json_value(body, find_duplicates=strict)
    assert raised.value.code == 400


def test_a_body_over_the_limit_is_refused_with_413():
    with pytest.raises(ApiError) as raised:
        text.json_value(b'"' + b"x" * text.MOST_BYTES + b'"')
    assert raised.value.code == 413


def test_an_alias_bomb_in_yaml_is_refused():
    bomb = b"a: &a [x,x,x,x,x,x,x,x,x]\n" + b"".join(
        b"%c: &%c [%s]\n" % (97 + n, 97 + n, b",".join([b"*%c" % (96 + n)] * 9)) for n in range(1, 9)
    )
    with pytest.raises(ApiError, match="larger than 1000000 values"):
        text.yaml_value(bomb)


def test_depth_is_bounded():
    deep: object = 1
    for _ in range(600):
        deep = [deep]
    with pytest.raises(ApiError, match="exceeded max depth"):
        text.check_depth(deep)


def test_bytes_that_are_no_text_are_read_as_go_reads_them():
    assert text.json_value(b'{"a": "x\xffy"}')[0] == {"a": "x\ufffdy"}


def test_json_that_is_applied_is_read_as_json_and_everything_else_as_yaml():
    assert text.yaml_value(b'{"a": "yes", "b": 3}') == ({"a": "yes", "b": 3}, [])
    assert text.yaml_value(b"{a: yes, b: 3}") == ({"a": True, "b": 3}, [])


def test_a_key_of_applied_json_that_stands_twice_is_told_with_its_line():
    value, repeated = text.yaml_value(b'{"a": 1,\n "a": 2}')
    assert value == {"a": 2}
    assert repeated == ['line 2: key "a" already set in map']
