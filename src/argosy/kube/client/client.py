"""Every verb on any kind of one cluster. Errors are `kube.errors.ApiError`, as the API server said them."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Literal, NamedTuple

import msgspec

from argosy.kube.client import resources
from argosy.kube.client.lines import lines
from argosy.kube.client.resources import Place, kind_of
from argosy.kube.client.transport import Transport
from argosy.kube.errors import ApiError, from_status, not_found
from argosy.kube.objects import Object, name_of, namespace_of
from argosy.kube.types import Kind
from argosy.kube.wire import Query, Request, Response

PatchForm = Literal["merge", "json", "strategic"]
Propagation = Literal["", "Background", "Foreground", "Orphan"]
_MEDIA = {
    "merge": "application/merge-patch+json",
    "json": "application/json-patch+json",
    "strategic": "application/strategic-merge-patch+json",
}
_APPLY = "application/apply-patch+yaml"
_OBJECT = msgspec.json.Decoder(Object)
_PAGE = 500


class Listing(NamedTuple):
    items: list[Object]
    revision: str
    """To watch from."""
    continues: str = ""


class WatchEvent(NamedTuple):
    type: Literal["ADDED", "MODIFIED", "DELETED", "BOOKMARK"]
    object: Object


class Client:
    """`namespace` is where objects of namespaced kinds are taken to be when nothing says so; `manager` owns the fields written."""

    def __init__(self, transport: Transport, *, namespace: str = "default", manager: str = "argosy") -> None:
        self._transport = transport
        self.namespace, self.manager = namespace, manager
        self._discovered: dict[Kind, Place] = {}

    async def get(self, kind: Kind, name: str, namespace: str = "", *, subresource: str = "") -> Object:
        place = await self.place(kind)
        return await self._object("GET", place.path(self._inside(place, namespace), name, subresource))

    async def find(self, kind: Kind, name: str, namespace: str = "") -> Object | None:
        """None when there is none."""
        try:
            return await self.get(kind, name, namespace)
        except ApiError as error:
            if error.code == 404:
                return None
            raise

    async def list(
        self,
        kind: Kind,
        namespace: str = "",
        *,
        labels: str = "",
        fields: str = "",
        limit: int = 0,
        continues: str = "",
        revision: str = "",
    ) -> Listing:
        """One page; without `limit`, everything. An empty namespace means all of them."""
        query = _query(
            labelSelector=labels,
            fieldSelector=fields,
            limit=str(limit) if limit else "",
            resourceVersion=revision if not continues else "",
        )
        if continues:
            query += (("continue", continues),)
        place = await self.place(kind)
        found = await self._object("GET", place.path(namespace), query)
        metadata = found.get("metadata") or {}
        items = found.get("items") or []
        for item in items:
            item.setdefault("apiVersion", kind.api_version)
            item.setdefault("kind", kind.kind)
        return Listing(items, metadata.get("resourceVersion", ""), metadata.get("continue", ""))

    async def pages(
        self, kind: Kind, namespace: str = "", *, labels: str = "", fields: str = "", size: int = _PAGE
    ) -> AsyncGenerator[Listing, None]:
        continues = ""
        while True:
            page = await self.list(
                kind, namespace, labels=labels, fields=fields, limit=size, continues=continues
            )
            yield page
            if not (continues := page.continues):
                return

    async def create(
        self,
        obj: Object,
        *,
        namespace: str = "",
        name: str = "",
        subresource: str = "",
        dry_run: bool = False,
    ) -> Object:
        """`name` is for subresources (`token`, `eviction`, `binding`), where the address says whose."""
        place = await self.place(kind_of(obj)) if not subresource else await self.place(_HOLDERS[subresource])
        path = place.path(self._inside(place, namespace or namespace_of(obj)), name, subresource)
        return await self._object("POST", path, self._writing(dry_run=dry_run), obj)

    async def replace(self, obj: Object, *, subresource: str = "", dry_run: bool = False) -> Object:
        place = await self.place(kind_of(obj))
        path = place.path(self._inside(place, namespace_of(obj)), name_of(obj), subresource)
        return await self._object("PUT", path, self._writing(dry_run=dry_run), obj)

    async def patch(
        self,
        kind: Kind,
        name: str,
        change: object,
        *,
        namespace: str = "",
        form: PatchForm = "merge",
        subresource: str = "",
        dry_run: bool = False,
    ) -> Object:
        place = await self.place(kind)
        path = place.path(self._inside(place, namespace), name, subresource)
        return await self._object("PATCH", path, self._writing(dry_run=dry_run), change, media=_MEDIA[form])

    async def apply(
        self,
        obj: Object,
        *,
        force: bool = False,
        manager: str = "",
        subresource: str = "",
        dry_run: bool = False,
        validation: str = "",
    ) -> Object:
        """Server-side apply. Created when there is none."""
        place = await self.place(kind_of(obj))
        path = place.path(self._inside(place, namespace_of(obj)), name_of(obj), subresource)
        query = self._writing(dry_run=dry_run, manager=manager) + _query(
            force="true" if force else "", fieldValidation=validation
        )
        return await self._object("PATCH", path, query, obj, media=_APPLY)

    async def delete(
        self,
        kind: Kind,
        name: str,
        namespace: str = "",
        *,
        propagation: Propagation = "",
        grace: int | None = None,
        uid: str = "",
        revision: str = "",
        dry_run: bool = False,
    ) -> Object:
        """The object when it is only marked, a Status when it is gone."""
        place = await self.place(kind)
        preconditions = {key: value for key, value in (("uid", uid), ("resourceVersion", revision)) if value}
        body: Object = {"apiVersion": "v1", "kind": "DeleteOptions"}
        if propagation:
            body["propagationPolicy"] = propagation
        if grace is not None:
            body["gracePeriodSeconds"] = grace
        if preconditions:
            body["preconditions"] = preconditions
        if dry_run:
            body["dryRun"] = ["All"]
        return await self._object("DELETE", place.path(self._inside(place, namespace), name), (), body)

    async def delete_collection(
        self,
        kind: Kind,
        namespace: str = "",
        *,
        labels: str = "",
        fields: str = "",
        propagation: Propagation = "",
    ) -> None:
        place = await self.place(kind)
        body: Object = {"apiVersion": "v1", "kind": "DeleteOptions"}
        if propagation:
            body["propagationPolicy"] = propagation
        query = _query(labelSelector=labels, fieldSelector=fields)
        await self._object("DELETE", place.path(self._inside(place, namespace)), query, body)

    async def watch(
        self,
        kind: Kind,
        namespace: str = "",
        *,
        revision: str = "",
        labels: str = "",
        fields: str = "",
        seconds: int = 0,
        initial: bool = False,
    ) -> AsyncGenerator[WatchEvent, None]:
        """Until the server ends it. `initial`: the state first, closed by a bookmark that says so; an ApiError 410 means that
        `revision` is too old. Bookmarks are delivered: their revision is where to go on."""
        place = await self.place(kind)
        query = _query(
            watch="true",
            allowWatchBookmarks="true",
            resourceVersion=revision,
            labelSelector=labels,
            fieldSelector=fields,
            timeoutSeconds=str(seconds) if seconds else "",
        )
        if initial:
            query += (("sendInitialEvents", "true"), ("resourceVersionMatch", "NotOlderThan"))
        answer = await self.request("GET", place.path(namespace), query, stream=True)
        # Closed at once when the caller has seen enough: the connection must not wait for a collector.
        async with aclosing(lines(answer.body)) as found:
            async for line in found:
                event = _OBJECT.decode(line)
                if event["type"] == "ERROR":
                    raise from_status(event["object"])
                yield WatchEvent(event["type"], event["object"])

    async def logs(
        self, pod: str, namespace: str, *, container: str = "", follow: bool = False, tail: int | None = None
    ) -> AsyncGenerator[bytes, None]:
        """As it comes, in pieces of whatever size."""
        query = _query(
            container=container,
            follow="true" if follow else "",
            tailLines="" if tail is None else str(tail),
        )
        path = f"/api/v1/namespaces/{namespace}/pods/{pod}/log"
        answer = await self.request("GET", path, query, stream=True)
        if isinstance(answer.body, bytes):
            yield answer.body
            return
        try:
            async for chunk in answer.body:
                yield chunk
        finally:
            if (close := getattr(answer.body, "aclose", None)) is not None:
                await close()

    async def version(self) -> Object:
        return await self._object("GET", "/version")

    async def place(self, kind: Kind) -> Place:
        """Built-in kinds are known; others are asked for once, and again when they were not there."""
        found = resources.built_in(kind) or self._discovered.get(kind)
        if found is None:
            root = f"/apis/{kind.group}/{kind.version}" if kind.group else f"/api/{kind.version}"
            listed = resources.listed(kind.group, kind.version, await self._object("GET", root))
            self._discovered |= {one.kind: one for one in listed}
            found = self._discovered.get(kind)
        if found is None:
            raise not_found(kind.kind, "", group=kind.group)
        return found

    async def request(
        self,
        method: str,
        path: str,
        query: Query = (),
        body: bytes = b"",
        *,
        media: str = "application/json",
        accept: str = "application/json",
        stream: bool = False,
    ) -> Response:
        """Any path. An answer of 400 and above is raised."""
        headers = {"accept": accept, "user-agent": f"{self.manager}/1"}
        if body:
            headers["content-type"] = media
        answer = await self._transport.send(Request(method, path, query, headers, body), stream=stream)
        if answer.status >= 400:
            raise _error(answer)
        return answer

    async def close(self) -> None:
        await self._transport.close()

    async def _object(
        self,
        method: str,
        path: str,
        query: Query = (),
        body: object = None,
        *,
        media: str = "application/json",
    ) -> Object:
        sent = b"" if body is None else msgspec.json.encode(body)
        answer = await self.request(method, path, query, sent, media=media)
        return _OBJECT.decode(answer.body) if isinstance(answer.body, bytes) and answer.body else {}

    def _inside(self, place: Place, namespace: str) -> str:
        return (namespace or self.namespace) if place.namespaced else ""

    def _writing(self, *, dry_run: bool, manager: str = "") -> Query:
        return _query(fieldManager=manager or self.manager, dryRun="All" if dry_run else "")


_HOLDERS = {
    "token": Kind("", "v1", "ServiceAccount"),
    "eviction": Kind("", "v1", "Pod"),
    "binding": Kind("", "v1", "Pod"),
}


def _query(**values: str) -> Query:
    return tuple((name, value) for name, value in values.items() if value)


def _error(answer: Response) -> ApiError:
    body = answer.body if isinstance(answer.body, bytes) else b""
    try:
        status = _OBJECT.decode(body)
    except msgspec.MsgspecError:
        status = {}
    if status.get("kind") == "Status":
        return from_status(status, code=answer.status)
    return ApiError(answer.status, "", body[:300].decode(errors="replace").strip() or f"HTTP {answer.status}")
