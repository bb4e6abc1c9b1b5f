"""What a watch tells, and what its bookmarks promise."""

from __future__ import annotations

import asyncio

from tests.unit.kube.server.api.serving import server

MAPS = "/api/v1/namespaces/default/configmaps"


def config_map(name):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}


async def next_name(watch):
    """Of the next object; bookmarks have none."""
    while (line := await anext(watch))["type"] == "BOOKMARK":
        pass
    return line["object"]["metadata"]["name"]


async def test_a_bookmark_promises_nothing_that_a_slow_reader_was_not_sent(tmp_path):
    cluster = await server(tmp_path)
    watch = cluster.lines(f"{MAPS}?watch=true&allowWatchBookmarks=true&timeoutSeconds=1")
    await cluster.ask("POST", MAPS, config_map("there"))
    assert await next_name(watch) == "there"
    _, first = await cluster.ask("POST", MAPS, config_map("first"))
    assert await next_name(watch) == "first"

    # The reader is still busy with that line when the second object is made and the watch's time runs out.
    _, second = await cluster.ask("POST", MAPS, config_map("second"))
    await asyncio.sleep(1.1)
    rest = [line async for line in watch]

    names = {line["object"]["metadata"].get("name") for line in rest if line["type"] != "BOOKMARK"}
    marks = [
        int(line["object"]["metadata"]["resourceVersion"]) for line in rest if line["type"] == "BOOKMARK"
    ]
    assert "second" in names or all(mark < int(second["metadata"]["resourceVersion"]) for mark in marks)
    assert all(mark >= int(first["metadata"]["resourceVersion"]) for mark in marks)


async def test_a_watch_begins_with_what_is_there_and_goes_on_with_what_comes(tmp_path):
    cluster = await server(tmp_path)
    await cluster.ask("POST", MAPS, config_map("before"))
    watch = cluster.lines(f"{MAPS}?watch=true")
    assert (await anext(watch))["object"]["metadata"]["name"] == "before"

    await cluster.ask("POST", MAPS, config_map("after"))
    await cluster.ask("DELETE", f"{MAPS}/after")

    told = [await anext(watch), await anext(watch)]
    assert [(line["type"], line["object"]["metadata"]["name"]) for line in told] == [
        ("ADDED", "after"),
        ("DELETED", "after"),
    ]
    await watch.aclose()
