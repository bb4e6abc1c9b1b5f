"""Bodies of megabytes that are made to take long: their cost must not grow with the square of their size.

With the square each of them takes a minute and more, and the limit on each test's time ends it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.unit.kube.server.api.serving import PODS, Server, server

MANY = 25_000
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
pytestmark = pytest.mark.timeout(60)


@pytest.fixture
async def api(tmp_path: Path) -> Server:
    return await server(tmp_path)


def config_map(**metadata: Any) -> Any:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "long", **metadata}}


def pod(**spec: Any) -> Any:
    containers = [{"name": "web", "image": "i"}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "long"},
        "spec": {"containers": containers, **spec},
    }


def each(make: Callable[[int], Any], number: int = MANY) -> list[Any]:
    return [make(at) for at in range(number)]


QUOTA = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "long"}}
CLASS = {
    "apiVersion": "storage.k8s.io/v1",
    "kind": "StorageClass",
    "metadata": {"name": "long"},
    "provisioner": "a/b",
}
BODIES: dict[str, tuple[str, Callable[[], Any], int]] = {
    "owners": (
        CONFIG_MAPS,
        lambda: config_map(
            ownerReferences=each(
                lambda at: {"apiVersion": "v1", "kind": "Pod", "name": f"a{at}", "uid": f"u{at}"}
            )
        ),
        201,
    ),
    "owners that all control": (
        CONFIG_MAPS,
        lambda: config_map(
            ownerReferences=each(
                lambda at: {"apiVersion": "v1", "kind": "Pod", "name": f"a{at}", "uid": f"u{at}", "controller": True}
            )
        ),
        422,
    ),
    "labels that are none": (CONFIG_MAPS, lambda: config_map(labels={f"k {at}": "x y" for at in range(MANY)}), 422),
    "spread over as many topologies": (
        PODS,
        lambda: pod(
            topologySpreadConstraints=each(
                lambda at: {"maxSkew": 1, "topologyKey": f"k{at}", "whenUnsatisfiable": "DoNotSchedule"}
            )
        ),
        413,
    ),
    "ports that all meet": (
        PODS,
        lambda: pod(
            containers=each(lambda at: {"name": f"a{at}", "image": "b", "ports": [{"containerPort": 1}]}, 5000)
        ),
        201,
    ),
    "scopes of a quota": (
        "/api/v1/namespaces/default/resourcequotas",
        lambda: QUOTA | {"spec": {"hard": {"secrets": "1"}, "scopes": each(lambda at: f"s{at}")}},
        422,
    ),
    "selected scopes of a quota": (
        "/api/v1/namespaces/default/resourcequotas",
        lambda: QUOTA
        | {
            "spec": {
                "hard": {"secrets": "1"},
                "scopeSelector": {"matchExpressions": each(lambda at: {"scopeName": f"s{at}", "operator": "Exists"})},
            }
        },
        422,
    ),
    "topologies of a class that are one": (
        "/apis/storage.k8s.io/v1/storageclasses",
        lambda: CLASS
        | {"allowedTopologies": each(lambda at: {"matchLabelExpressions": [{"key": "a", "values": ["b"]}]})},
        422,
    ),
}  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("what", BODIES)
async def test_a_long_list_is_checked_in_time_that_grows_with_its_length(api: Server, what: str) -> None:
    path, body, expected = BODIES[what]

    status, told = await api.ask("POST", path, body())

    assert status == expected, str(told)[:300]
    assert len(json.dumps(told)) < 6_000_000


@pytest.mark.long
async def test_what_changed_in_a_long_pod_is_told_in_time(api: Server) -> None:
    variables = each(lambda at: {"name": f"E{at}", "value": str(at * 7919 % 500)}, 8000)
    containers = [{"name": "web", "image": "i", "env": variables}]
    assert (await api.ask("POST", PODS, pod(containers=containers)))[0] == 201
    for one in variables[::2]:
        one["value"] += "x"

    status, told = await api.ask("PUT", f"{PODS}/long", pod(containers=containers))

    assert status == 422
    assert len(told["message"]) < 200_000


async def test_warnings_fit_into_the_head_of_an_answer(api: Server) -> None:
    body = json.dumps(config_map() | {f"{'k' * 300}{at}": 1 for at in range(1000)}).encode()

    answer = await api.answer("POST", f"{CONFIG_MAPS}?fieldValidation=Warn", body)

    lines = answer.headers["warning"].splitlines()
    assert 4096 / 256 <= len(lines) < 20
    assert all(len(line) < 300 for line in lines)
