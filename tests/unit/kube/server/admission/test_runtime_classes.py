"""RuntimeClasses: what a pod of one gets."""

from __future__ import annotations

import pytest

from argosy.kube.errors import ApiError
from argosy.kube.server.admission import runtime_classes
from tests.unit.kube.server.admission.reading import Reader, creating, pod

CLASS = {
    "metadata": {"name": "sandbox"},
    "handler": "s",
    "overhead": {"podFixed": {"cpu": "100m"}},
    "scheduling": {"nodeSelector": {"runtime": "s"}, "tolerations": [{"key": "s", "operator": "Exists"}]},
}
READER = Reader(runtimeclasses__node__k8s__io=[CLASS])


def test_its_overhead_and_its_nodes_become_the_pods():
    obj = pod(runtimeClassName="sandbox", nodeSelector={"disk": "fast"})
    write = creating(READER, "pods", obj)
    runtime_classes.admit(write)
    runtime_classes.check(write)
    assert obj["spec"]["overhead"] == {"cpu": "100m"}
    assert obj["spec"]["nodeSelector"] == {"disk": "fast", "runtime": "s"}
    assert obj["spec"]["tolerations"] == [{"key": "s", "operator": "Exists"}]


def admitted(write):
    runtime_classes.admit(write)
    runtime_classes.check(write)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"runtimeClassName": "nobody"}, 'pod rejected: RuntimeClass "nobody" not found'),
        (
            {"runtimeClassName": "sandbox", "overhead": {"cpu": "1"}},
            "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
        ),
        (
            {"runtimeClassName": "sandbox", "nodeSelector": {"runtime": "x"}},
            "conflict: runtimeClass.scheduling.nodeSelector[runtime] = s; pod.spec.nodeSelector[runtime] = x",
        ),
        (
            {"overhead": {"cpu": "1"}},
            "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
        ),
    ],
)
def test_what_does_not_fit_is_refused(spec, words):
    write = creating(READER, "pods", pod(**spec))
    with pytest.raises(ApiError) as raised:
        admitted(write)
    assert raised.value.message == f'pods "one" is forbidden: {words}'
