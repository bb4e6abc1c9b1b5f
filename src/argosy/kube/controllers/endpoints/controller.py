"""Writes the slices and the Endpoints of each Service that has a selector."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod

from argosy.kit import clock
from argosy.kube.controllers.endpoints import slicing
from argosy.kube.controllers.endpoints.addresses import Endpoint, endpoints
from argosy.kube.controllers.pods.making import is_terminating_namespace
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object, labels_of, name_of, namespace_of
from argosy.kube.reconcile import Copy, Loop, Name, Workplace
from argosy.kube.reconcile.kinds import ENDPOINT_SLICE, ENDPOINTS, POD, SERVICE
from argosy.kube.reconcile.selecting import selects
from argosy.kube.reconcile.times import stamp

_REST = 1.0


class _Services(ABC):
    """What both controllers follow: Services, and the pods that they select."""

    def __init__(self, place: Workplace, name: str, kept: Copy) -> None:
        self.place = place
        self.services, self.pods = place.copies.of(SERVICE), place.copies.of(POD)
        self.loop = Loop(name, self.look, reads=(self.pods, kept), longest_rest=_REST)
        self.loop.follow(self.services)
        self.pods.on_change(self._pod_changed)

    def _pod_changed(self, before: Object | None, after: Object | None) -> None:
        pod = after or before or {}
        if before is not None and after is not None and _seen(before) == _seen(after):
            return
        for service in self.services.in_namespace(namespace_of(pod)):
            if any(selects(_selector(service), labels_of(one)) for one in (before, after) if one is not None):
                self.loop.add_object(service)

    async def look(self, name: Name) -> None:
        service = self.services.get(name[1], name[0])
        if service is None or "deletionTimestamp" in service["metadata"] or _selector(service) is None:
            return
        chosen = [
            pod for pod in self.pods.in_namespace(name[0]) if selects(_selector(service), labels_of(pod))
        ]
        try:
            await self.write(service, endpoints(service, chosen))
        except ApiError as error:
            if not is_terminating_namespace(error):
                raise

    @abstractmethod
    async def write(self, service: Object, wanted: list[Endpoint]) -> None:
        """What says already that these stand behind the Service is left alone."""


class Slices(_Services):
    def __init__(self, place: Workplace) -> None:
        self._slices = place.copies.of(ENDPOINT_SLICE)
        super().__init__(place, "endpointslice", self._slices)
        self._slices.on_change(self._slice_changed)

    def _slice_changed(self, before: Object | None, after: Object | None) -> None:
        """Somebody else's hand in it is corrected."""
        found = after or before or {}
        labels = labels_of(found)
        if labels.get(slicing.MANAGED_BY) == slicing.MANAGER and labels.get(slicing.SERVICE_NAME):
            self.loop.add((namespace_of(found), labels[slicing.SERVICE_NAME]))

    async def write(self, service: Object, wanted: list[Endpoint]) -> None:
        held = [
            one
            for one in self._slices.in_namespace(namespace_of(service))
            if labels_of(one).get(slicing.SERVICE_NAME) == name_of(service)
            and labels_of(one).get(slicing.MANAGED_BY) == slicing.MANAGER
            and "deletionTimestamp" not in one["metadata"]
        ]
        changes = slicing.plan(service, wanted, held, stamp(clock.now()))
        await asyncio.gather(
            *(self.place.create(one) for one in changes.create),
            *(self.place.replace(one) for one in changes.update),
            *(self.place.delete(one) for one in changes.delete),
        )


class Legacy(_Services):
    def __init__(self, place: Workplace) -> None:
        self._endpoints = place.copies.of(ENDPOINTS)
        super().__init__(place, "endpoints", self._endpoints)
        self.services.on_change(self._service_changed)

    def _service_changed(self, before: Object | None, after: Object | None) -> None:
        if after is None and before is not None:
            self.loop.add((namespace_of(before), name_of(before)))

    async def look(self, name: Name) -> None:
        if self.services.get(name[1], name[0]) is None:
            found = self._endpoints.get(name[1], name[0])
            if found is not None:
                await self.place.delete(found)
            return
        await super().look(name)

    async def write(self, service: Object, wanted: list[Endpoint]) -> None:
        existing = self._endpoints.get(name_of(service), namespace_of(service))
        written = slicing.legacy(service, wanted, existing, stamp(clock.now()))
        if written is not None:
            await (self.place.replace(written) if existing is not None else self.place.create(written))


def _selector(service: Object) -> Object | None:
    labels = service["spec"].get("selector")
    return {"matchLabels": labels} if labels and service["spec"].get("type") != "ExternalName" else None


def _seen(pod: Object) -> object:
    """What of a pod an endpoint shows."""
    status = pod.get("status") or {}
    ready = next((one["status"] for one in status.get("conditions") or () if one["type"] == "Ready"), "")
    return (
        labels_of(pod),
        status.get("podIP"),
        status.get("phase"),
        ready,
        pod["spec"].get("nodeName"),
        "deletionTimestamp" in pod["metadata"],
    )


def make_slices(place: Workplace) -> Loop:
    return Slices(place).loop


def make_legacy(place: Workplace) -> Loop:
    return Legacy(place).loop
