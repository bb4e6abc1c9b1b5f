"""Two who write one object at the same time."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.unit.kube.server.api.serving import server

PATH = "/api/v1/namespaces/default/configmaps"
MERGE = "application/merge-patch+json"


@pytest.mark.parametrize("change", [{"data": {"k": "2"}}, {}])
async def test_whoever_comes_second_finds_the_first_when_he_reads_again(
    tmp_path: Path, change: object
) -> None:
    # given an object on a disk, which takes its time
    made = await server(tmp_path, durable=True)
    one = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
    _, seen = await made.ask("POST", PATH, one)
    at = {"metadata": {"resourceVersion": seen["metadata"]["resourceVersion"]}}
    # when two write at once, the second perhaps nothing new at all
    first = asyncio.ensure_future(made.ask("PATCH", f"{PATH}/a", {"data": {"k": "1"}}, media=MERGE))
    await asyncio.sleep(0)
    status, _ = await made.ask("PATCH", f"{PATH}/a", {**at, **change} if change else change, media=MERGE)
    # then the second, refused or not, can read what the first wrote
    assert status == (409 if change else 200)
    assert (await made.ask("GET", f"{PATH}/a"))[1]["data"] == {"k": "1"}
    assert (await first)[0] == 200
