"""A list, and a watch from where it ends, make the same picture as a fresh list: whatever is written meanwhile, and whatever
part of it is asked for."""

from __future__ import annotations

import asyncio
import random
import secrets
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from tests.unit.kube.server.api.serving import Server, server

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
COLOURS = ("red", "blue", "green")
QUERIES = (
    *("", "labelSelector=colour=red", "labelSelector=colour!=red", "labelSelector=colour in (red,blue)"),
    *("labelSelector=colour", "labelSelector=!colour"),
)  # fmt: skip
LAST = "last"


class Writer:
    def __init__(self, api: Server, seed: int) -> None:
        self._api, self._dice = api, random.Random(seed)

    async def run(self, times: int) -> None:
        for _ in range(times):
            name = f"c{self._dice.randrange(8)}"
            match self._dice.randrange(4):
                case 0:
                    await self._api.ask("DELETE", f"{CONFIG_MAPS}/{name}")
                case 1:
                    await self._api.ask("PATCH", f"{CONFIG_MAPS}/{name}", self._labels(), media=MERGE)
                case _:
                    await self._api.ask("POST", CONFIG_MAPS, {**self._labels(name), "data": {"a": "1"}})
            if self._dice.randrange(3) == 0:
                await asyncio.sleep(0)

    def _labels(self, name: str = "") -> Any:
        colour = self._dice.choice([*COLOURS, None])
        labels = {} if colour is None and name else {"colour": colour}
        return {"metadata": {"labels": labels, **({"name": name} if name else {})}}


MERGE = "application/merge-patch+json"


async def listed(api: Server, query: str, *, limit: int = 0) -> tuple[dict[str, Any], str]:
    found: dict[str, Any] = {}
    after, version = "", ""
    while True:
        status, page = await api.ask("GET", f"{CONFIG_MAPS}?{query}&limit={limit}&continue={after}")
        assert status == 200, page
        found |= {one["metadata"]["name"]: one for one in page["items"]}
        assert version in {"", page["metadata"]["resourceVersion"]}, "the pages show several moments"
        version, after = page["metadata"]["resourceVersion"], page["metadata"].get("continue", "")
        if not after:
            return found, version
        await asyncio.sleep(0)


async def followed(api: Server, query: str, *, limit: int, initial: bool) -> dict[str, Any]:
    """The picture when the last object has come. `initial`: the watch itself begins with the state."""
    picture, version = ({}, "0") if initial else await listed(api, query, limit=limit)
    start = (
        "sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
        if initial
        else f"resourceVersion={version}"
    )
    path = f"{CONFIG_MAPS}?watch=1&allowWatchBookmarks=true&{start}&{query}"
    seen = int(version)
    async with aclosing(api.lines(path)) as lines:
        async for event in lines:
            obj, meta = event["object"], event["object"]["metadata"]
            if event["type"] == "BOOKMARK":
                continue
            if not initial:
                assert int(meta["resourceVersion"]) > seen, "out of order, or twice"
                seen = int(meta["resourceVersion"])
            was_known = meta["name"] in picture
            assert (event["type"] == "ADDED") != was_known or event["type"] == "DELETED", event
            if event["type"] == "DELETED":
                assert picture.pop(meta["name"], None), "deleted, and was not there"
            else:
                picture[meta["name"]] = {name: obj[name] for name in obj.keys() - {"kind", "apiVersion"}}
            if meta["name"].startswith(LAST):
                return picture
    raise AssertionError("the watch ended")


async def play(folder: Path, seed: int, *, writes: int) -> None:
    api, dice = await server(folder), random.Random(seed)
    await Writer(api, seed).run(20)
    writing = [asyncio.create_task(Writer(api, seed + at).run(writes)) for at in range(4)]
    following: list[tuple[str, asyncio.Task[dict[str, Any]]]] = []
    for _ in range(12):
        query = dice.choice(QUERIES)
        how = {"limit": dice.choice([0, 1, 3]), "initial": dice.random() < 0.3}
        following.append((query, asyncio.create_task(followed(api, query, **how))))
        for _ in range(dice.randrange(30)):
            await asyncio.sleep(0)
    await asyncio.gather(*writing)
    for at, labels in enumerate([{"colour": "red"}, {"colour": "green"}, {}]):
        await api.ask("POST", CONFIG_MAPS, {"metadata": {"name": f"{LAST}{at}", "labels": labels}})
    for query, task in following:
        picture, (fresh, _) = await task, await listed(api, query)
        last = {name for name in fresh if name.startswith(LAST)} - picture.keys()
        assert picture == {name: one for name, one in fresh.items() if name not in last}, (seed, query)


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_who_lists_and_then_watches_knows_what_a_fresh_list_shows(tmp_path: Path, seed: int) -> None:
    await play(tmp_path, seed, writes=60)


@pytest.mark.long
@pytest.mark.timeout(600)
async def test_the_same_holds_for_long_and_many_writes(tmp_path: Path) -> None:
    for _ in range(30):
        await play(tmp_path, secrets.randbits(32), writes=300)
