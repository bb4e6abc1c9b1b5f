"""WATCH: what happens to a collection from some moment on, as lines of JSON for as long as the client listens.

All watches read the one history of the store. A client that reads too slowly falls out of it and is told so (410), and so
never holds up anybody else.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Iterable

import msgspec

from argosy.kube.errors import ApiError, not_acceptable
from argosy.kube.objects import Object
from argosy.kube.server import tables
from argosy.kube.server.api import answers, options
from argosy.kube.server.api.call import Call
from argosy.kube.server.api.matching import Matcher
from argosy.kube.server.api.negotiation import Form
from argosy.kube.server.api.pacing import paced
from argosy.kube.server.api.versions import body_in_version
from argosy.kube.server.store import Change, Stored, Watch
from argosy.kube.wire import Response

_STREAMED = ("application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch")
_LEAST_SECONDS = 1800
_BOOKMARK_SECONDS = 60.0
_PIECE_BYTES = 64 << 10
_JSON = msgspec.json.Encoder()
_OBJECT = msgspec.json.Decoder(Object)
_INITIAL_END = {"k8s.io/initial-events-end": "true"}


async def watch(call: Call, allowed: Callable[[], bool]) -> Response:
    """`allowed`: whether the rights still hold; asked again while the watch lasts."""
    wanted = call.form()
    if wanted.yaml:
        raise not_acceptable(_STREAMED)
    matcher = Matcher(call)
    asked = options.listing(call.request, watches=True)
    options.check_watch(asked)
    matcher.take(asked)
    headers = answers.headers(call)
    return Response(200, headers, _Lines(call, asked, matcher, wanted, allowed).stream())


class _Lines:
    def __init__(
        self, call: Call, asked: options.Listing, matcher: Matcher, wanted: Form, allowed: Callable[[], bool]
    ) -> None:
        self._call, self._asked, self._matcher, self._form = call, asked, matcher, wanted
        self._allowed = allowed
        self._first_table = True
        self._marked = 0
        """The revision of the last bookmark."""

    async def stream(self) -> AsyncIterator[bytes]:
        store, collection = self._call.cluster.store, self._call.served.collection
        start = store.revision
        since = start
        try:
            if self._asked.revision and self._asked.initial_events is not True:
                since = self._asked.revision
            # Subscribed before anything is sent: what happens while a slow client takes in the state is not missed.
            changes = store.changes(collection, since)
            if self._wants_state():
                async for lines in self._state(start):
                    yield lines
            async for line in self._changes(changes):
                yield line
        except ApiError as error:
            yield self._line("ERROR", _JSON.encode(error.status()))

    def _wants_state(self) -> bool:
        if self._asked.initial_events is None:
            return not self._asked.revision
        return self._asked.initial_events

    async def _state(self, revision: int) -> AsyncIterator[bytes]:
        """Of one moment, though a slow client takes it in later: only then are its lines made."""
        found = self._call.cluster.store.list(self._call.served.collection, self._call.address.namespace)
        async for lines in _together(self._added(one) for one in found if self._matcher.matches(one.body)):
            yield lines
        if self._asked.bookmarks:
            yield self._bookmark(revision, _INITIAL_END)

    def _added(self, one: Stored) -> bytes:
        return self._event("ADDED", self._versioned(one.body, one.revision))

    async def _changes(self, changes: Watch) -> AsyncIterator[bytes]:
        loop = asyncio.get_running_loop()
        end = loop.time() + (self._asked.seconds or random.uniform(_LEAST_SECONDS, 2 * _LEAST_SECONDS))
        told, reached = loop.time(), changes.since
        while (left := end - loop.time()) > 0 and not changes.ended:
            batch = await changes.next(min(left, _BOOKMARK_SECONDS))
            # Bookmarks go no further than this: what happens while a slow client takes in the lines is not sent yet.
            reached = changes.since if changes.behind else self._call.cluster.store.revision
            if not self._allowed():
                return
            quiet = True
            async for lines in _together(line for change in batch if (line := self._told(change))):
                quiet = False
                yield lines
            if quiet and self._asked.bookmarks and loop.time() - told >= _BOOKMARK_SECONDS:
                told = loop.time()
                yield self._bookmark(reached, {})
        if self._asked.bookmarks and reached != self._marked:
            yield self._bookmark(reached, {})

    def _told(self, change: Change) -> bytes | None:
        namespace = self._call.address.namespace
        if namespace and change.key.namespace != namespace:
            return None
        now = change.body is not None and self._matcher.matches(change.body)
        before = change.previous is not None and self._matcher.matches(change.previous)
        if now and change.body is not None:
            return self._event(
                "MODIFIED" if before else "ADDED", self._versioned(change.body, change.revision)
            )
        if not before or change.previous is None:
            return None
        gone = change.last or _at_revision(change.previous, change.revision)
        return self._event("DELETED", self._versioned(gone, change.revision))

    def _versioned(self, body: bytes, revision: int) -> bytes:
        return body_in_version(self._call, body, revision)

    def _event(self, kind: str, body: bytes) -> bytes:
        match self._form.shape:
            case "object":
                return self._line(kind, body)
            case "metadata":
                partial = {
                    "kind": "PartialObjectMetadata",
                    "apiVersion": f"meta.k8s.io/{self._form.version}",
                    "metadata": _OBJECT.decode(body)["metadata"],
                }
                return self._line(kind, _JSON.encode(partial))
            case "table":
                return self._line(kind, _JSON.encode(self._table(_OBJECT.decode(body))))

    def _table(self, obj: Object) -> Object:
        made = tables.table(
            self._call.served,
            [obj],
            self._form.version,
            metadata={"resourceVersion": obj["metadata"]["resourceVersion"]},
            headers=self._first_table,
            include=self._form.include,
        )
        self._first_table = False
        return made

    def _bookmark(self, revision: int, annotations: dict[str, str]) -> bytes:
        self._marked = revision
        metadata: Object = {"resourceVersion": str(revision)}
        if annotations:
            metadata["annotations"] = annotations
        kind = self._call.served.resource.kind
        mark: Object = {"kind": kind.kind, "apiVersion": kind.api_version, "metadata": metadata}
        if self._form.shape == "metadata":
            mark |= {"kind": "PartialObjectMetadata", "apiVersion": f"meta.k8s.io/{self._form.version}"}
        elif self._form.shape == "table":
            mark = self._table(mark)
        return self._line("BOOKMARK", _JSON.encode(mark))

    def _line(self, kind: str, body: bytes) -> bytes:
        return b'{"type":"%s","object":%s}\n' % (kind.encode(), body)


async def _together(lines: Iterable[bytes]) -> AsyncIterator[bytes]:
    """Several in one piece, but never so many that a slow client makes us keep them."""
    piece: list[bytes] = []
    size = 0
    async for line in paced(lines):
        piece.append(line)
        size += len(line)
        if size > _PIECE_BYTES:
            yield b"".join(piece)
            piece, size = [], 0
    if piece:
        yield b"".join(piece)


def _at_revision(body: bytes, revision: int) -> bytes:
    """The state that left a selector, as of the change by which it left."""
    obj = _OBJECT.decode(body)
    obj["metadata"]["resourceVersion"] = str(revision)
    return _JSON.encode(obj)
