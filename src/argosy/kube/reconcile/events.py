"""Events: what happened to an object, for people. Told at once, written behind.

As upstream's recorder: what repeats is counted in one event, many that differ only in their words become one, and one object
cannot flood the cluster. Written with patience, so that the work that they tell of goes first.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from typing import Protocol

from argosy.kit.log import get_logger
from argosy.kube.client import Client
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object, name_of, namespace_of, revision_of, uid_of
from argosy.kube.reconcile.kinds import EVENT
from argosy.kube.reconcile.times import stamp

log = get_logger(__name__)
_REMEMBERED = 4096
_SIMILAR, _SIMILAR_SECONDS = 10, 600.0
_BURST, _REFILL_SECONDS = 25, 300.0
_WAITING = 5000
_AT_ONCE, _EACH_SECONDS = 200, 1 / 100
_LONGEST = 1024


class _Trimmed(Protocol):
    def __len__(self) -> int: ...
    def popitem(self, last: bool = True) -> object: ...


@dataclass(slots=True)
class _Known:
    """An event that was told before."""

    obj: Object
    written: bool = False
    queued: bool = False


@dataclass(slots=True)
class _Group:
    """Events of one object and reason."""

    messages: set[str] = field(default_factory=set)
    last: float = 0.0
    combined: str = ""


@dataclass(slots=True)
class _Bucket:
    left: float = _BURST
    at: float = 0.0


class Events:
    """`component` says who tells; `host` on which node."""

    def __init__(self, client: Client, component: str, host: str = "") -> None:
        self._client, self._component, self._host = client, component, host
        self._known: OrderedDict[tuple[str, ...], _Known] = OrderedDict()
        self._groups: OrderedDict[tuple[str, ...], _Group] = OrderedDict()
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()
        self._queue: deque[_Known] = deque()
        self._some = asyncio.Event()

    def normal(self, obj: Object, reason: str, message: str, *, host: str = "", path: str = "") -> None:
        self._tell(obj, "Normal", reason, message, host, path)

    def warning(self, obj: Object, reason: str, message: str, *, host: str = "", path: str = "") -> None:
        self._tell(obj, "Warning", reason, message, host, path)

    def _tell(self, obj: Object, kind: str, reason: str, message: str, host: str, path: str) -> None:
        now = time.monotonic()
        subject = uid_of(obj) or f"{namespace_of(obj)}/{name_of(obj)}"
        if not self._allowed(subject, now):
            return
        message = self._grouped((subject, kind, reason), message[:_LONGEST], now)
        key = (subject, kind, reason, message, path)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = _Known(self._made(obj, kind, reason, message, host, path))
            _trim(self._known)
        else:
            self._known.move_to_end(key)
            known.obj["count"] += 1
            known.obj["lastTimestamp"] = stamp()
        if not known.queued and len(self._queue) < _WAITING:
            known.queued = True
            self._queue.append(known)
            self._some.set()

    async def run(self) -> None:
        """Two hundred at once, then a hundred each second."""
        left, at = float(_AT_ONCE), time.monotonic()
        while True:
            while not self._queue:
                self._some.clear()
                await self._some.wait()
            now = time.monotonic()
            left, at = min(left + (now - at) / _EACH_SECONDS, _AT_ONCE), now
            if left < 1:
                await asyncio.sleep(_EACH_SECONDS * 5)
                continue
            left -= 1
            known = self._queue.popleft()
            known.queued = False
            await self._write(known)

    async def _write(self, known: _Known) -> None:
        try:
            if known.written and await self._count(known):
                return
            await self._client.create(known.obj)
            known.written = True
        except ApiError as error:
            if error.code not in {403, 404}:  # its namespace is going or gone: nobody will read it
                log.debug("event.refused", reason=known.obj["reason"], error=error.message)

    async def _count(self, known: _Known) -> bool:
        """False when the event has expired meanwhile."""
        obj = known.obj
        change = {"count": obj["count"], "lastTimestamp": obj["lastTimestamp"]}
        try:
            await self._client.patch(
                EVENT, name_of(obj), change, namespace=namespace_of(obj), form="strategic"
            )
        except ApiError as error:
            if error.code != 404:
                raise
            known.obj = {**obj, "metadata": {"name": _name(obj), "namespace": namespace_of(obj)}}
            return False
        return True

    def _allowed(self, subject: str, now: float) -> bool:
        bucket = self._buckets.setdefault(subject, _Bucket(at=now))
        self._buckets.move_to_end(subject)
        _trim(self._buckets)
        bucket.left = min(bucket.left + (now - bucket.at) / _REFILL_SECONDS, _BURST)
        bucket.at = now
        if bucket.left < 1:
            return False
        bucket.left -= 1
        return True

    def _grouped(self, key: tuple[str, ...], message: str, now: float) -> str:
        group = self._groups.setdefault(key, _Group())
        self._groups.move_to_end(key)
        _trim(self._groups)
        if now - group.last > _SIMILAR_SECONDS:
            group.messages.clear()
            group.combined = ""
        group.last = now
        if message in group.messages or len(group.messages) < _SIMILAR:
            group.messages.add(message)
            return message
        group.combined = group.combined or f"(combined from similar events): {message}"
        return group.combined

    def _made(self, obj: Object, kind: str, reason: str, message: str, host: str, path: str) -> Object:
        namespace = namespace_of(obj) or "default"
        involved = {
            "kind": obj["kind"],
            "namespace": namespace_of(obj),
            "name": name_of(obj),
            "uid": uid_of(obj),
            "apiVersion": obj["apiVersion"],
            "resourceVersion": revision_of(obj),
            "fieldPath": path,
        }
        source = {"component": self._component, "host": host or self._host}
        now = stamp()
        made: Object = {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"namespace": namespace},
            "involvedObject": {key: value for key, value in involved.items() if value},
            "reason": reason,
            "message": message,
            "source": {key: value for key, value in source.items() if value},
            "firstTimestamp": now,
            "lastTimestamp": now,
            "count": 1,
            "type": kind,
            "reportingComponent": self._component,
            "reportingInstance": host or self._host,
        }
        made["metadata"]["name"] = _name(made)
        return made


def _name(event: Object) -> str:
    return f"{event['involvedObject']['name']}.{time.time_ns():x}"


def _trim(kept: _Trimmed) -> None:
    while len(kept) > _REMEMBERED:
        kept.popitem(last=False)
