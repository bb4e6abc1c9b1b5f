"""From a request to its answer: who asks, what for, whether they may, and then the station that does it.

The listener calls `handle`; inside one process `client.InProcess` does. Every error leaves as a Status.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from argosy.kit.log import get_logger
from argosy.kube.errors import ApiError, internal, method_not_allowed, no_such_resource, timeout, too_large
from argosy.kube.server import documents
from argosy.kube.server.access import Attributes
from argosy.kube.server.api import (
    answers,
    bodies,
    deleting,
    options,
    patching,
    reading,
    subresources,
    watching,
    writing,
)
from argosy.kube.server.api.addresses import Address, address
from argosy.kube.server.api.call import Call, check_segments
from argosy.kube.server.api.pacing import Turns
from argosy.kube.server.cluster import Cluster
from argosy.kube.server.decoding.text import MOST_BYTES
from argosy.kube.types import Resource
from argosy.kube.wire import Request, Response

log = get_logger(__name__)
Station = Callable[[Call], Awaitable[Response]]
_STATIONS: Mapping[str, Station] = {
    "get": reading.get,
    "list": reading.list_,
    "create": writing.post,
    "update": writing.put,
    "patch": patching.patch,
    "delete": deleting.delete,
    "deletecollection": deleting.delete_collection,
}
_DEPRECATED = {
    "componentstatuses": "v1 ComponentStatus is deprecated in v1.19+",
    "endpoints": "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
}
_REVIEWS = {"authentication.k8s.io", "authorization.k8s.io"}
_LARGE_BODY = 32 << 10
_SECONDS = 60.0
"""Nothing but a stream lasts longer."""


class Pipeline:
    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._large = Turns()

    async def handle(self, request: Request) -> Response:
        try:
            async with asyncio.timeout(_SECONDS):
                return await self._answer(request)
        except ApiError as error:
            return answers.failure(error, request)
        except TimeoutError:
            return answers.failure(timeout("the request did not complete within the allotted timeout"))
        except (
            Exception
        ) as error:  # the top of every request: whatever it is, the client is told and the log has it
            log.exception("kube.request_failed", method=request.method, path=request.path)
            return answers.failure(internal(type(error).__name__))

    async def _answer(self, request: Request) -> Response:
        access = self._cluster.access
        where = address(request)
        if where is None:
            access.authenticate(request)
            return _missing(self._cluster, request)
        asked = _attributes(where, request)
        user = access.impersonated(access.authenticate(request), request, asked)
        access.require(user, asked)
        if where.verb != "watch":
            options.check_timeout(request)
        if not where.plural:
            return documents.answer(self._cluster, request) or _missing(self._cluster, request)
        served = self._cluster.registry.find(where.group, where.version, where.plural)
        if served is None or (
            where.namespace and not served.resource.namespaced and where.plural != "namespaces"
        ):
            return _missing(self._cluster, request)
        if request.rest is not None:
            request = replace(request, body=await request.rest(), rest=None)
        if len(request.body) > MOST_BYTES:
            raise too_large(f"Request entity too large: limit is {MOST_BYTES}")
        call = Call(self._cluster, request, user, where, served)
        try:
            if len(request.body) > _LARGE_BODY:
                return await self._large.take(lambda: self._large_station(call))
            return await self._station(call)
        except ApiError as error:
            if request.method != "GET":  # a conflict may be with what nobody can read yet
                await self._cluster.store.settled()
            return answers.failure(error, request, call.warnings)

    async def _large_station(self, call: Call) -> Response:
        await bodies.read_ahead(call)
        return await self._station(call)

    async def _station(self, call: Call) -> Response:
        where, resource = call.address, call.served.resource
        if call.request.method == "HEAD":
            raise method_not_allowed()
        if resource.namespaced and where.name and not where.namespace:
            raise no_such_resource()
        if resource.namespaced:
            check_segments(where.namespace)
        deprecated = call.served.deprecated or _DEPRECATED.get(call.served.collection)
        if deprecated and where.verb in resource.verbs:
            call.warnings.append(deprecated)
        if where.subresource:
            return await subresources.answer(call)
        if where.verb not in resource.verbs or _misplaced(where, resource):
            raise method_not_allowed()
        if call.served.collection == "bindings":
            return await subresources.bind(call)
        if where.group in _REVIEWS:
            return await subresources.review(call)
        if where.verb == "watch":
            return await watching.watch(call, self._still_allowed(call))
        return await _STATIONS[where.verb](call)

    def _still_allowed(self, call: Call) -> Callable[[], bool]:
        """Asked for each batch of a watch; the decision is made anew when rights have changed."""
        access, view = self._cluster.access, self._cluster.view
        user, asked, seen = call.user, _attributes(call.address, call.request), 0

        def allowed() -> bool:
            nonlocal seen
            version = view.version(*_RIGHTS)
            if version == seen:
                return True
            seen = version
            return access.decide(user, asked)[0]

        return allowed


_RIGHTS = tuple(
    f"{kind}.rbac.authorization.k8s.io"
    for kind in ("roles", "rolebindings", "clusterroles", "clusterrolebindings")
)
_NOT_FOUND = Response(404, {"content-type": "text/plain; charset=utf-8"}, b"404 page not found\n")


def _missing(cluster: Cluster, request: Request) -> Response:
    """Of a group that is served, a Status; of others nothing that a program could read. Upstream has a router for each group."""
    match request.path.split("/"):
        case ["", "api", _, *_]:
            return answers.failure(no_such_resource())
        case ["", "apis", group, _, *_] if any(
            one.resource.kind.group == group for one in cluster.registry if not one.custom
        ):
            return answers.failure(no_such_resource())
    return _NOT_FOUND


def _misplaced(where: Address, resource: Resource) -> bool:
    """Reads go over all namespaces; a write is somewhere, and what is created has its name inside."""
    if where.name == "" and where.verb in {"update", "patch"}:
        return True
    if where.verb == "create" and where.name:
        return True
    return resource.namespaced and not where.namespace and where.verb not in {"list", "watch"}


def _attributes(where: Address, request: Request) -> Attributes:
    if not where.plural:
        return Attributes(verb=where.verb, path=where.path)
    return Attributes(
        verb=where.verb,
        group=where.group,
        version=where.version,
        resource=where.plural,
        subresource=where.subresource,
        namespace=where.namespace,
        name=where.name or options.one_name(request, where.verb),
    )
