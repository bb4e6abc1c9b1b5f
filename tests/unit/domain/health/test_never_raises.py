"""Whatever stands in an object, there is an answer."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argosy.domain.health import ORDER, Health, Part, builtin, health_of, worst
from argosy.kube.objects import Object

leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["True", "False", "Ready", "x", ""])
)
names = st.sampled_from([
    "status", "conditions", "type", "reason", "message", "phase", "replicas", "generation", "observedGeneration", "spec", "name", "annotations",
    "finalizers", "containerStatuses", "state", "waiting", "terminated", "lastState", "parents", "listeners", "ancestors", "strategy", "canary",
    "updateStrategy", "rollingUpdate", "partition", "loadBalancer", "ingress", "restartPolicy", "paused", "suspend", "health", "exitCode",
])  # fmt: skip
values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4),
    max_leaves=12,
)
KINDS = [key.replace("\\", "").replace("[^/]*", "any") for key in builtin.kinds()]


def objects(kind: str) -> st.SearchStrategy[Object]:
    group, _, name = kind.rpartition("/")
    versions = st.sampled_from([f"{group}/v1" if group else "v1", f"{group}/v2beta2"])
    return st.fixed_dictionaries(
        {"apiVersion": versions, "kind": st.just(name)},
        optional={"metadata": values, "spec": values, "status": values},
    )


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(KINDS).flatmap(objects))
def test_any_object_of_any_kind_has_an_answer(obj: Object) -> None:
    health = health_of(obj)
    assert health is None or (health.status in ORDER and isinstance(health.message, str))


@settings(max_examples=300, deadline=None)
@given(values)
def test_any_value_as_kind_and_version_has_an_answer(value: object) -> None:
    assert health_of({"apiVersion": value, "kind": value, "metadata": value}) is None or isinstance(
        health_of({"metadata": value}), Health
    )


@given(st.lists(st.sampled_from(ORDER), max_size=8))
def test_the_order_of_the_parts_changes_only_the_names(statuses: list[str]) -> None:
    parts = [
        Part(None, {"kind": "A", "metadata": {"name": str(n)}}, Health(status))
        for n, status in enumerate(statuses)
    ]
    found = worst(parts)
    assert found.status == worst(reversed(parts)).status
    assert found.status == max(["Healthy", *statuses], key=ORDER.index)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_rule(kind: str) -> None:
    group, _, name = kind.rpartition("/")
    assert (
        health_of(
            {
                "apiVersion": f"{group}/v1" if group else "v1",
                "kind": name,
                "metadata": {},
                "spec": {},
                "status": {},
            }
        )
        is not None
    )
