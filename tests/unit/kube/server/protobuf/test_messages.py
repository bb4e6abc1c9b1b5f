"""Protobuf bodies of typed Go clients, read into the JSON that the same client would have sent."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.kube.errors import ApiError
from argosy.kube.server.protobuf import PREFIX, from_protobuf


def text(number, value):
    packed = value if isinstance(value, bytes) else value.encode()
    return bytes([number << 3 | 2]) + varint(len(packed)) + packed


def number(field, value):
    return bytes([field << 3]) + varint(value)


def varint(value):
    made = bytearray()
    while value > 0x7F:
        made.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*made, value])


def body(api_version, kind, raw):
    return PREFIX + text(1, text(1, api_version) + text(2, kind)) + text(2, raw)


def entry(field, key, value):
    return text(field, text(1, key) + text(2, value))


def refusal(sent):
    try:
        from_protobuf(sent)
    except ApiError as error:
        return error.code
    return None


def test_a_config_map():
    raw = (
        text(1, text(1, "settings") + entry(11, "app", "web"))
        + entry(2, "a", "1")
        + entry(3, "b", b"\x00\xff")
    )
    assert from_protobuf(body("v1", "ConfigMap", raw)) == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "settings", "labels": {"app": "web"}},
        "data": {"a": "1"},
        "binaryData": {"b": "AP8="},
    }


def test_a_source_of_a_volume_is_flattened_as_in_json():
    volume = text(1, "data") + text(2, text(2, text(1, "Memory")))
    raw = text(2, text(1, volume) + text(2, text(1, "c")))
    spec = from_protobuf(body("v1", "Pod", raw))["spec"]
    assert spec["volumes"] == [{"name": "data", "emptyDir": {"medium": "Memory"}}]
    assert spec["containers"] == [{"name": "c"}]


def test_numbers_below_zero_quantities_times_and_ports():
    port = text(1, "http") + number(3, 80) + text(4, number(1, 1) + text(3, "web"))
    raw = text(1, text(8, number(1, 1_767_323_045))) + text(2, text(1, port))
    found = from_protobuf(body("v1", "Service", raw))
    assert found["metadata"]["creationTimestamp"] == "2026-01-02T03:04:05Z"
    assert found["spec"]["ports"] == [{"name": "http", "port": 80, "targetPort": "web"}]


def test_what_a_newer_client_knows_and_we_do_not_is_left_out():
    raw = text(1, text(1, "x")) + bytes([0xFA, 0x3F]) + varint(3) + b"new"
    assert from_protobuf(body("v1", "ConfigMap", raw))["metadata"] == {"name": "x"}


def test_a_kind_that_nobody_knows_is_named():
    with pytest.raises(ApiError, match='no kind "Ghost" is registered for version "v9"'):
        from_protobuf(body("v9", "Ghost", b""))


@given(st.binary(max_size=200))
def test_garbage_is_refused_with_400(garbage):
    for sent in (
        PREFIX + garbage,
        body("v1", "Pod", garbage),
        body("apiextensions.k8s.io/v1", "CustomResourceDefinition", garbage),
    ):
        assert refusal(sent) in {None, 400}
