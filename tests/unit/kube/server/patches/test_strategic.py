"""Strategic merge patch against the built-in schemas."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.kube.errors import ApiError
from argosy.kube.schema import Struct, struct
from argosy.kube.server.patches import strategic_merge

POD = struct("core.v1.Pod")
DEPLOYMENT = struct("apps.v1.Deployment")
REVISION = struct("apps.v1.ControllerRevision")


def pod(**spec: object) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}, "spec": spec}


def containers(*names: str) -> list[dict[str, Any]]:
    return [{"name": name, "image": name} for name in names]


def merged(before: dict[str, Any], patch: object, schema: Struct = POD) -> dict[str, Any]:
    untouched = copy.deepcopy([before, patch])
    after = strategic_merge(before, patch, schema)
    assert [before, patch] == untouched
    return after


@pytest.mark.parametrize(
    ("before", "patch", "after"),
    [
        ({"restartPolicy": "Always"}, {"restartPolicy": "Never"}, {"restartPolicy": "Never"}),
        ({"restartPolicy": "Always"}, {"restartPolicy": None}, {}),
        ({"nodeSelector": {"a": "1", "b": "1"}}, {"nodeSelector": {"a": None, "c": "1"}},
         {"nodeSelector": {"b": "1", "c": "1"}}),
        ({"containers": containers("a", "b")}, {"containers": [{"name": "b", "image": "new"}]},
         {"containers": [{"name": "a", "image": "a"}, {"name": "b", "image": "new"}]}),
        ({"containers": containers("a")}, {"containers": containers("b")}, {"containers": containers("b", "a")}),
        ({"containers": containers("a", "b", "c")}, {"containers": [{"name": "b", "$patch": "delete"}]},
         {"containers": containers("a", "c")}),
        ({"containers": containers("a", "b")}, {"containers": [{"$patch": "replace"}, {"name": "c"}]},
         {"containers": [{"name": "c"}]}),
        ({"containers": containers("a", "b")},
         {"containers": [{"name": "c"}], "$setElementOrder/containers": [{"name": "b"}, {"name": "c"}, {"name": "a"}]},
         {"containers": [{"name": "b", "image": "b"}, {"name": "c"}, {"name": "a", "image": "a"}]}),
        ({"containers": containers("a", "b")}, {"$setElementOrder/containers": [{"name": "b"}, {"name": "a"}]},
         {"containers": containers("b", "a")}),
        ({"containers": containers("a")},
         {"$setElementOrder/containers": [{"name": "a"}], "containers": [{"name": "z", "$patch": "delete"}]},
         {"containers": containers("a")}),
        ({"containers": containers("sidecar", "old")},
         {"containers": [{"name": "new"}, {"name": "old", "$patch": "delete"}],
          "$setElementOrder/containers": [{"name": "new"}]},
         {"containers": [{"name": "sidecar", "image": "sidecar"}, {"name": "new"}]}),
        ({"tolerations": [{"key": "a"}]}, {"tolerations": [{"key": "b"}]}, {"tolerations": [{"key": "b"}]}),
        ({}, {"containers": [{"name": "a", "image": None}, {"name": "b", "$patch": "delete"}]},
         {"containers": [{"name": "a"}]}),
        ({"affinity": {"nodeAffinity": {}}}, {"affinity": {"$patch": "delete"}}, {"affinity": {}}),
        ({"affinity": {"nodeAffinity": {}}}, {"affinity": {"$patch": "replace", "podAffinity": {}}},
         {"affinity": {"podAffinity": {}}}),
        ({}, {"affinity": {"$patch": "delete"}}, {}),
        ({"volumes": [{"name": "v", "emptyDir": {}}]},
         {"volumes": [{"name": "v", "$retainKeys": ["name", "hostPath"], "hostPath": {"path": "/"}}]},
         {"volumes": [{"name": "v", "hostPath": {"path": "/"}}]}),
        ({"hostNetwork": True}, {"hostNetwork": "text"}, {"hostNetwork": "text"}),
        ({"containers": containers("a")}, {"containers": []}, {"containers": containers("a")}),
        ({"hostname": "x"}, None, {"hostname": "x"}),
    ],
)  # fmt: skip
def test_each_field_is_merged_by_its_strategy(before: Any, patch: Any, after: Any) -> None:
    assert merged(pod(**before), None if patch is None else {"spec": patch}) == pod(**after)


@pytest.mark.parametrize(
    ("before", "patch", "after"),
    [
        (["a"], {"finalizers": ["b", "a"]}, ["b", "a"]),
        (["a", "b"], {"finalizers": ["c"]}, ["c", "a", "b"]),
        (["a", "b", "c"], {"$deleteFromPrimitiveList/finalizers": ["a", "z"]}, ["b", "c"]),
        (["a", "b"], {"$setElementOrder/finalizers": ["b", "a"]}, ["b", "a"]),
        (["a", "b"], {"$setElementOrder/finalizers": ["b", "c"], "finalizers": ["c"]}, ["a", "b", "c"]),
    ],
)
def test_lists_of_scalars_are_merged_too(before: Any, patch: Any, after: Any) -> None:
    obj = pod()
    obj["metadata"]["finalizers"] = before

    assert merged(obj, {"metadata": patch})["metadata"]["finalizers"] == after


def test_a_strategy_that_replaces_keys_keeps_only_those() -> None:
    before = {"spec": {"strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1}}}}
    patch = {"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}}

    assert merged(before, patch, DEPLOYMENT) == {"spec": {"strategy": {"type": "Recreate"}}}


@pytest.mark.parametrize(
    ("patch", "code", "message"),
    [
        ([], 400, "json: cannot unmarshal array into Go value of type map[string]interface {}"),
        ({"$patch": "merge"}, 400, "unknown patch type: merge in map: map[$patch:merge]"),
        ({"$patch": 5}, 400, "unknown patch type: %!s(int64=5) in map: map[$patch:5]"),
        ({"spec": {"containers": [{"image": "x"}]}}, 400,
         "map: map[image:x] does not contain declared merge key: name"),
        ({"spec": {"containers": [{"$patch": "merge"}]}}, 400, "merging lists cannot yet be specified in the patch"),
        ({"spec": {"containers": [{"$patch": "delete"}]}}, 400,
         "map: map[$patch:delete] does not contain declared merge key: name"),
        ({"spec": {"containers": ["x"]}}, 400,
         "list element types are not identical: [[map[image:a name:a]] [x]]"),
        ({"spec": {"containers": [{"name": "a", "env": [["x"]]}]}}, 422,
         "the server rejected our request due to an error in our request"),
        ({"spec": {"$retainKeys": "x"}}, 400, "invalid patch format of retainKeys"),
        ({"spec": {"$retainKeys": ["a"], "b": 1}}, 400, "invalid patch format of retainKeys"),
        ({"spec": {"$deleteFromPrimitiveList": []}}, 400, "invalid patch format of primitive list"),
        ({"spec": {"$setElementOrder": []}}, 400, "invalid patch format of setElementOrder list"),
        ({"spec": {"$setElementOrder/containers": "x"}}, 400, "expected a []interface {}, but received a string"),
        ({"spec": {"$setElementOrder/nope": []}}, 400,
         'unable to find api field in struct PodSpec for the json field "nope"'),
        ({"spec": {"$setElementOrder/hostname": []}}, 400, "expected slice or array type, but got: struct"),
        ({"spec": {"$setElementOrder/containers": [{"name": "b"}], "containers": [{"name": "a"}]}}, 400,
         "The order in patch list:\n[map[name:a]]\n doesn't match $setElementOrder list:\n[map[name:b]]\n"),
    ],
)  # fmt: skip
def test_what_is_no_strategic_patch_is_refused_in_upstreams_words(
    patch: object, code: int, message: str
) -> None:
    obj = pod(containers=[{"name": "a", "image": "a", "env": [{"name": "e"}]}])
    if "x" in str(patch) and "identical" in message:
        obj = pod(containers=containers("a"))
    if code == 422:
        obj["spec"]["containers"][0]["env"] = [["y"]]

    with pytest.raises(ApiError) as caught:
        merged(obj, patch)

    assert (caught.value.code, caught.value.message) == (code, message)


def test_nothing_is_known_of_what_is_inside_an_untyped_value() -> None:
    before = {"data": {"a": {"b": 1}}}

    with pytest.raises(
        ApiError, match='unable to find api field in struct RawExtension for the json field "a"'
    ):
        merged(before, {"data": {"a": {"b": 2}}}, REVISION)


NAMES = st.sampled_from("abc")
CONTAINER = st.fixed_dictionaries(
    {"name": NAMES},
    optional={
        "image": NAMES,
        "args": st.lists(NAMES, max_size=2),
        "env": st.lists(
            st.fixed_dictionaries({"name": NAMES, "value": NAMES}), unique_by=lambda env: env["name"]
        ),
        "resources": st.dictionaries(st.just("limits"), st.dictionaries(NAMES, NAMES)),
    },
)
PODS = st.fixed_dictionaries(
    {"containers": st.lists(CONTAINER, min_size=1, max_size=3, unique_by=lambda one: one["name"])},
    optional={"nodeSelector": st.dictionaries(NAMES, NAMES), "hostname": NAMES},
).map(lambda spec: pod(**spec))


@given(PODS)
def test_an_empty_patch_changes_nothing(obj: dict[str, Any]) -> None:
    assert merged(obj, {}) == obj


@given(PODS, PODS)
def test_patching_twice_is_patching_once(obj: dict[str, Any], patch: dict[str, Any]) -> None:
    once = merged(obj, patch)

    assert merged(once, patch) == once


@given(PODS, PODS)
def test_items_stay_one_per_key(obj: dict[str, Any], patch: dict[str, Any]) -> None:
    names = [one["name"] for one in merged(obj, patch)["spec"]["containers"]]

    assert len(names) == len(set(names))
    assert set(names) == {one["name"] for both in (obj, patch) for one in both["spec"]["containers"]}


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=3)),
    lambda inside: st.one_of(
        st.lists(inside, max_size=3),
        st.dictionaries(
            st.sampled_from(
                [
                    "name",
                    "env",
                    "containers",
                    "$patch",
                    "$retainKeys",
                    "$setElementOrder/containers",
                    "hostname",
                ]
            ),
            inside,
            max_size=3,
        ),
    ),
    max_leaves=12,
)


@given(PODS, JSON)
def test_nonsense_is_refused_and_nothing_worse(obj: dict[str, Any], patch: object) -> None:
    for said in (patch, {"spec": patch}, {"spec": {"containers": patch}}, {"spec": {"containers": [patch]}}):
        assert answered(obj, said) in {200, 400, 422}


def answered(obj: dict[str, Any], patch: object) -> int:
    try:
        merged(obj, patch)
    except ApiError as error:
        return error.code
    return 200
