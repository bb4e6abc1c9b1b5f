"""Follows the metadata of one kind, keeping nothing of its own: everything goes to the graph as it comes."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any

import msgspec

from argosy.kit.log import get_logger
from argosy.kube.client import Client
from argosy.kube.client.lines import lines
from argosy.kube.controllers.garbage.graph import Item, item_of
from argosy.kube.errors import ApiError, from_status
from argosy.kube.types import Kind

log = get_logger(__name__)
_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
_ONE = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"
_PAGE = "500"
_FIRST_DELAY, _LONGEST_DELAY, _WATCH_SECONDS = 0.2, 30.0, 480


class _Metadata(msgspec.Struct):
    """Only what the graph needs is decoded."""

    name: str = ""
    uid: str = ""
    namespace: str = ""
    resourceVersion: str = ""
    ownerReferences: list[dict[str, Any]] | None = None
    finalizers: list[str] | None = None
    deletionTimestamp: str | None = None


class _Object(msgspec.Struct):
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)


class _Listing(msgspec.Struct):
    items: list[_Object] | None = None
    metadata: dict[str, Any] = {}


class _Event(msgspec.Struct):
    type: str
    object: msgspec.Raw


_LISTING = msgspec.json.Decoder(_Listing)
_EVENT = msgspec.json.Decoder(_Event)
_OBJECT = msgspec.json.Decoder(_Object)
_STATUS = msgspec.json.Decoder(dict[str, Any])


class Follower:
    """`put` is told of each object, `drop` of each that is gone. `synced` is set when the first list is through."""

    def __init__(
        self, client: Client, kind: Kind, put: Callable[[Item], None], drop: Callable[[str], None]
    ) -> None:
        self._client, self._kind, self._put, self._drop = client, kind, put, drop
        self._uids: set[str] = set()
        self._revision = ""
        self.synced = asyncio.Event()

    async def run(self) -> None:
        delay = _FIRST_DELAY
        while True:
            try:
                if not self._revision:
                    await self._list()
                await self._watch()
                delay = _FIRST_DELAY
            except ApiError as error:
                if error.code == 410:
                    self._revision = ""
                    continue
                log.debug("garbage.interrupted", kind=self._kind.kind, error=error.message, again_in=delay)
                self.synced.set()  # a kind that cannot be followed must not keep the others waiting
                await asyncio.sleep(delay * random.uniform(0.5, 1.0))
                delay = min(delay * 2, _LONGEST_DELAY)

    def forget(self) -> None:
        """The kind is served no more: so are its objects."""
        for uid in self._uids:
            self._drop(uid)
        self._uids.clear()

    async def _list(self) -> None:
        found: set[str] = set()
        path = (await self._client.place(self._kind)).path()
        continues = ""
        while True:
            query = (("limit", _PAGE), ("continue", continues)) if continues else (("limit", _PAGE),)
            answer = await self._client.request("GET", path, query, accept=_LIST)
            page = _LISTING.decode(answer.body if isinstance(answer.body, bytes) else b"{}")
            for one in page.items or ():
                found.add(one.metadata.uid)
                self._take(one)
            continues = page.metadata.get("continue") or ""
            if not continues:
                break
        for uid in self._uids - found:
            self._drop(uid)
        self._uids = found
        self._revision = str(page.metadata.get("resourceVersion") or "")
        self.synced.set()

    async def _watch(self) -> None:
        path = (await self._client.place(self._kind)).path()
        query = (
            ("watch", "true"),
            ("allowWatchBookmarks", "true"),
            ("resourceVersion", self._revision),
            ("timeoutSeconds", str(round(_WATCH_SECONDS * random.uniform(1, 2)))),
        )
        answer = await self._client.request("GET", path, query, accept=_ONE, stream=True)
        async for line in lines(answer.body):
            event = _EVENT.decode(line)
            if event.type == "ERROR":
                raise from_status(_STATUS.decode(event.object))
            one = _OBJECT.decode(event.object)
            self._revision = one.metadata.resourceVersion
            if event.type == "DELETED":
                self._uids.discard(one.metadata.uid)
                self._drop(one.metadata.uid)
            elif event.type != "BOOKMARK":
                self._uids.add(one.metadata.uid)
                self._take(one)

    def _take(self, obj: _Object) -> None:
        found = {key: value for key, value in msgspec.structs.asdict(obj.metadata).items() if value}
        self._put(item_of(self._kind, found))
