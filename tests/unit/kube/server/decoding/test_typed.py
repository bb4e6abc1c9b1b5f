"""What is stored of a body is what Go would have held: unknown fields gone, empty values gone or filled in, scalars canonical."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.kube.errors import ApiError
from argosy.kube.schema import struct
from argosy.kube.server.decoding import decode

DEPLOYMENT = struct("apps.v1.Deployment")
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)


def deployment(**spec):
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {"selector": {}, "template": {"spec": {"containers": []}}, **spec},
    }


def refused(act):
    try:
        act()
    except ApiError as error:
        return error.code
    return None


def test_unknown_fields_are_dropped_and_named_by_their_path():
    value = deployment(foo=1)
    value["spec"]["template"]["spec"]["containers"] = [{"name": "c", "imagee": "nginx"}]
    found = decode(value, DEPLOYMENT)
    assert found.unknown == ["spec.template.spec.containers[0].imagee", "spec.foo"]
    assert "foo" not in found.obj["spec"]


def test_empty_values_are_dropped_where_go_omits_them():
    value = deployment(paused=False, minReadySeconds=0, replicas=0)
    value["metadata"] |= {"labels": {}, "finalizers": [], "generateName": ""}
    found = decode(value, DEPLOYMENT).obj
    assert found["metadata"] == {"name": "web"}
    assert "paused" not in found["spec"]
    assert found["spec"]["replicas"] == 0, "a pointer: zero is something else than nothing"


def test_structs_that_go_always_writes_are_filled_in():
    found = decode(deployment(), DEPLOYMENT).obj
    assert found["status"] == {}
    assert found["spec"]["strategy"] == {}


def test_nothing_is_filled_into_an_applied_configuration():
    found = decode(deployment(), DEPLOYMENT, fill=False).obj
    assert "status" not in found
    assert "strategy" not in found["spec"]


def test_null_is_nothing():
    assert "replicas" not in decode(deployment(replicas=None), DEPLOYMENT).obj["spec"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"replicas": "3"},
            "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
        ),
        (
            {"paused": 1},
            "json: cannot unmarshal number into Go struct field DeploymentSpec.spec.paused of type bool",
        ),
        (
            {"replicas": 2**40},
            "json: cannot unmarshal number 1099511627776 into Go struct field DeploymentSpec.spec.replicas of type int32",
        ),
        (
            {"template": []},
            "json: cannot unmarshal array into Go struct field DeploymentSpec.spec.template of type v1.PodTemplateSpec",
        ),
    ],
)
def test_a_wrong_type_is_told_with_its_place(change, words):
    with pytest.raises(ApiError) as raised:
        decode(deployment(**change), DEPLOYMENT)
    assert (raised.value.code, raised.value.message) == (400, words)


def test_scalars_become_canonical():
    pod = {
        "metadata": {"name": "p", "creationTimestamp": "2026-01-02T03:04:05.6+02:00"},
        "spec": {"containers": [{"name": "c", "resources": {"limits": {"cpu": "1000m", "memory": 1024}}}]},
    }
    found = decode(pod, struct("core.v1.Pod")).obj
    assert found["metadata"]["creationTimestamp"] == "2026-01-02T01:04:05Z"
    assert found["spec"]["containers"][0]["resources"]["limits"] == {"cpu": "1", "memory": "1024"}


@pytest.mark.parametrize("text", ["yesterday", "2026-13-01T00:00:00Z", "9999-12-31T23:59:59-23:59", ""])
def test_a_time_that_is_none_is_refused(text):
    with pytest.raises(ApiError, match="parsing time"):
        decode({"metadata": {"creationTimestamp": text}}, struct("core.v1.ConfigMap"))


@given(json_values)
def test_any_json_is_decoded_or_refused_with_400(value):
    assert refused(lambda: decode(value, DEPLOYMENT)) in {None, 400}


@given(st.dictionaries(st.sampled_from(["spec", "metadata", "status", "kind"]), json_values, max_size=4))
def test_what_was_decoded_decodes_to_itself(value):
    try:
        first = decode(value, DEPLOYMENT).obj
    except ApiError:
        return
    again = decode(first, DEPLOYMENT)
    assert again.obj == first
    assert again.unknown == []
