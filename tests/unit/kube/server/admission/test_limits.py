"""LimitRanges: what is filled in, and what is too little or too much."""

from __future__ import annotations

import pytest

from argosy.kube.errors import ApiError
from argosy.kube.server.admission import limits
from tests.unit.kube.server.admission.reading import Reader, creating, pod


def reader(*found):
    return Reader(
        limitranges=[{"metadata": {"name": "l", "namespace": "shop"}, "spec": {"limits": list(found)}}]
    )


def container(name="a", requests=None, most=None):
    return {"name": name, "resources": {"requests": requests or {}, "limits": most or {}}}


def test_a_container_that_says_nothing_gets_the_defaults_and_the_pod_says_so():
    limit = {
        "type": "Container",
        "default": {"memory": "1Gi"},
        "defaultRequest": {"cpu": "1", "memory": "1Gi"},
    }
    obj = pod(
        containers=[{"name": "a"}], initContainers=[{"name": "b", "resources": {"requests": {"cpu": "2"}}}]
    )
    limits.admit(creating(reader(limit), "pods", obj))
    assert obj["spec"]["containers"][0]["resources"] == {
        "requests": {"cpu": "1", "memory": "1Gi"},
        "limits": {"memory": "1Gi"},
    }
    assert obj["metadata"]["annotations"]["kubernetes.io/limit-ranger"] == (
        "LimitRanger plugin set: cpu, memory request for container a; memory limit for container a; "
        "memory request for init container b; memory limit for init container b"
    )


@pytest.mark.parametrize(
    ("limit", "containers", "words"),
    [
        (
            {"type": "Pod", "max": {"cpu": "3"}},
            [container(most={"cpu": "2"}), container("b", most={"cpu": "2"})],
            "maximum cpu usage per Pod is 3, but limit is 4",
        ),
        (
            {"type": "Container", "min": {"cpu": "1"}},
            [container(requests={"cpu": "500m"})],
            "minimum cpu usage per Container is 1, but request is 500m",
        ),
        (
            {"type": "Container", "max": {"cpu": "1"}},
            [container()],
            "maximum cpu usage per Container is 1.  No limit is specified",
        ),
        (
            {"type": "Container", "maxLimitRequestRatio": {"cpu": "2"}},
            [container(requests={"cpu": "1"}, most={"cpu": "3"})],
            "cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000",
        ),
        (
            {"type": "Container", "min": {"cpu": "1", "memory": "1"}},
            [container()],
            (
                "[minimum cpu usage per Container is 1.  No request is specified, "
                "minimum memory usage per Container is 1.  No request is specified]"
            ),
        ),
    ],
)
def test_too_little_and_too_much_are_refused(limit, containers, words):
    with pytest.raises(ApiError) as raised:
        limits.check(creating(reader(limit), "pods", pod(containers=containers)))
    assert raised.value.message == f'pods "one" is forbidden: {words}'


def test_containers_that_run_first_need_not_fit_beside_the_others_but_sidecars_do():
    limit = {"type": "Pod", "max": {"cpu": "3"}}
    first = container("first", most={"cpu": "3"})
    fits = pod(containers=[container(most={"cpu": "2"})], initContainers=[first])
    limits.check(creating(reader(limit), "pods", fits))
    beside = pod(
        containers=[container(most={"cpu": "2"})], initContainers=[{**first, "restartPolicy": "Always"}]
    )
    with pytest.raises(ApiError, match="but limit is 5"):
        limits.check(creating(reader(limit), "pods", beside))


def test_a_claim_may_not_ask_for_more_than_there_is():
    claim = {
        "metadata": {"name": "c", "namespace": "shop"},
        "spec": {"resources": {"requests": {"storage": "2Gi"}}},
    }
    limit = {"type": "PersistentVolumeClaim", "max": {"storage": "1Gi"}}
    with pytest.raises(
        ApiError, match="maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi"
    ):
        limits.check(creating(reader(limit), "persistentvolumeclaims", claim))
