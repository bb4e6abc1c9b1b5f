"""A copy of one kind that follows the cluster: listed once, then kept by a watch.

Controllers and the reporter ask it instead of the API server and are told each change once. When the watch falls out of the
server's history it lists again and tells the difference, so that nobody has to care.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator
from typing import TypeAlias

from argosy.kit.log import get_logger
from argosy.kube.client.client import Client
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object, name_of, namespace_of, revision_of, uid_of
from argosy.kube.types import Kind

log = get_logger(__name__)
OnChange: TypeAlias = Callable[[Object | None, Object | None], None]
"""Before and after; None before: it is new, None after: it is gone."""
_FIRST_DELAY, _LONGEST_DELAY = 0.2, 30.0
_WATCH_SECONDS = 300


class Informer:
    def __init__(
        self,
        client: Client,
        kind: Kind,
        *,
        namespace: str = "",
        labels: str = "",
        fields: str = "",
        on_change: OnChange | None = None,
    ) -> None:
        self.kind = kind
        self._client, self._namespace, self._labels, self._fields = client, namespace, labels, fields
        self._handlers: list[OnChange] = [on_change] if on_change else []
        self._objects: dict[tuple[str, str], Object] = {}
        self._synced = asyncio.Event()
        self._revision = ""
        self._delay = _FIRST_DELAY
        self.trouble = ""
        """Why the copy may be old; empty while the watch is alive."""

    def __iter__(self) -> Iterator[Object]:
        """Not to be changed: these are the cache's own."""
        return iter(list(self._objects.values()))

    def __len__(self) -> int:
        return len(self._objects)

    def get(self, name: str, namespace: str = "") -> Object | None:
        return self._objects.get((namespace, name))

    def on_change(self, handler: OnChange) -> None:
        """Also told of everything that is there already."""
        self._handlers.append(handler)
        for obj in self:
            handler(None, obj)

    @property
    def synced(self) -> bool:
        return self._synced.is_set()

    async def wait_synced(self) -> None:
        await self._synced.wait()

    async def run(self) -> None:
        """For ever, until cancelled."""
        while True:
            try:
                if not self._revision:
                    await self._list()
                await self._follow()
            except ApiError as error:
                await self._pause(error)

    async def _pause(self, error: ApiError) -> None:
        if error.code == 410:
            self._revision = ""
        else:
            self.trouble = error.message
        pause = self._delay * random.uniform(0.5, 1.0)
        log.warning("informer.interrupted", kind=self.kind.kind, error=error.message, again_in=pause)
        await asyncio.sleep(pause)
        self._delay = min(self._delay * 2, _LONGEST_DELAY)

    async def _list(self) -> None:
        found: dict[tuple[str, str], Object] = {}
        revision = ""
        async for page in self._client.pages(
            self.kind, self._namespace, labels=self._labels, fields=self._fields
        ):
            revision = page.revision
            found |= {_key(obj): obj for obj in page.items}
        for key in self._objects.keys() - found.keys():
            self._take(key, None)
        for key, obj in found.items():
            self._take(key, obj)
        self._revision = revision
        self._synced.set()
        self.trouble = ""

    async def _follow(self) -> None:
        async for event in self._client.watch(
            self.kind,
            self._namespace,
            revision=self._revision,
            labels=self._labels,
            fields=self._fields,
            seconds=round(_WATCH_SECONDS * random.uniform(1, 2)),
        ):
            self.trouble, self._delay = "", _FIRST_DELAY
            self._revision = revision_of(event.object)
            if event.type != "BOOKMARK":
                self._take(_key(event.object), None if event.type == "DELETED" else event.object)

    def _take(self, key: tuple[str, str], after: Object | None) -> None:
        before = self._objects.get(key)
        if before is not None and after is not None:
            if revision_of(before) == revision_of(after):
                return
            if uid_of(before) != uid_of(after):
                self._take(key, None)  # gone and made anew while nobody looked: two changes
                before = None
        if after is None:
            self._objects.pop(key, None)
        else:
            self._objects[key] = after
        if before is not None or after is not None:
            for handler in self._handlers:
                self._tell(handler, before, after)

    def _tell(self, handler: OnChange, before: Object | None, after: Object | None) -> None:
        try:
            handler(before, after)
        except Exception:  # the top of a loop: one handler's mistake must not end everybody's copy
            log.exception("informer.handler_failed", kind=self.kind.kind)


def _key(obj: Object) -> tuple[str, str]:
    return namespace_of(obj), name_of(obj)
