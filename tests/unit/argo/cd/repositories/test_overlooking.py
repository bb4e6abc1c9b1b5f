"""The jq expressions of ignoreDifferences: what they find is gone, what they cannot do changes nothing, and none of them runs for ever."""

from __future__ import annotations

import copy
import time
from typing import Any

import pytest

from argosy.argo.cd.repositories.overlooking import Overlooking
from tests.unit.argo.cd.repositories.world import World

OBJECT: dict[str, Any] = {
    "kind": "Deployment",
    "metadata": {"name": "web"},
    "spec": {
        "replicas": 3,
        "containers": [{"name": "a", "image": "x"}, {"name": "b", "image": "y"}],
        "data": {"x.y": "z"},
    },
}


@pytest.fixture
def jq(world: World) -> Overlooking:
    return Overlooking(world.pool, seconds=0.5)


@pytest.mark.parametrize(
    ("expression", "left"),
    [
        (".spec.replicas", lambda spec: spec.pop("replicas")),
        ('.spec.containers[] | select(.name == "a")', lambda spec: spec["containers"].pop(0)),
        (".spec.containers[]?.image", lambda spec: [one.pop("image") for one in spec["containers"]]),
        ('.spec.data["x.y"]', lambda spec: spec["data"].pop("x.y")),
        (".spec.nowhere.deep", lambda spec: None),
        ("..|.image?", lambda spec: [one.pop("image") for one in spec["containers"]]),
        (".spec.replicas[0]", lambda spec: None),
        (".spec[", lambda spec: None),
        ('error("no")', lambda spec: None),
        ("halt", lambda spec: None),
        (".spec) | (.x", lambda spec: None),
    ],
)  # fmt: skip
async def test_what_an_expression_finds_is_gone_and_what_does_not_fit_changes_nothing(
    jq: Overlooking, expression: str, left: Any
) -> None:
    wanted = copy.deepcopy(OBJECT)
    left(wanted["spec"])
    assert await jq(OBJECT, (expression,)) == wanted


async def test_several_expressions_are_done_one_after_the_other(jq: Overlooking) -> None:
    found = await jq(OBJECT, (".spec.replicas", "nonsense(", ".spec.data"))
    assert found["spec"] == {"containers": OBJECT["spec"]["containers"]}


@pytest.mark.parametrize("endless", ["last(repeat(.spec))", "[range(1e12)]", "def f: f; f"])
async def test_an_endless_expression_is_stopped_and_left_alone_for_a_while_and_the_others_count(
    jq: Overlooking, world: World, endless: str
) -> None:
    found = await jq(OBJECT, (".spec.replicas", endless, ".spec.data"))
    assert found["spec"] == {"containers": OBJECT["spec"]["containers"]}
    jobs, began = world.pool.jobs, time.monotonic()
    other = {**OBJECT, "metadata": {"name": "other"}}
    assert "replicas" not in (await jq(other, (".spec.replicas", endless)))["spec"]
    assert world.pool.jobs == jobs + 1
    assert time.monotonic() - began < 5


async def test_the_same_question_is_asked_once(jq: Overlooking, world: World) -> None:
    for _ in range(5):
        await jq(OBJECT, (".spec.replicas",))
    assert world.pool.jobs == 1


async def test_an_expression_sees_nothing_of_the_engine(
    jq: Overlooking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARGOSY_SECRET", "hunter2")
    found = await jq(
        {"kind": "A", "metadata": {"name": "x"}, "hunter2": 1, "other": 2}, ('.[env.ARGOSY_SECRET // "other"]',)
    )  # fmt: skip
    assert "hunter2" in found
    assert "other" not in found
