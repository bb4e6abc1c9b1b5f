"""One simulated node: keeps the states of its pods, and writes what `life` and `status` make of them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

from argosy.kube.errors import ApiError
from argosy.kube.kubelet import LogOptions
from argosy.kube.nodes.simulation import description, life, logs, status
from argosy.kube.nodes.simulation.addresses import Addresses
from argosy.kube.nodes.simulation.wishes import Behaviour, behaviour
from argosy.kube.objects import Object, uid_of
from argosy.kube.reconcile import Workplace
from argosy.kube.reconcile.workplace import bare


@dataclass(slots=True)
class _Known:
    """What the node remembers of a pod."""

    containers: dict[str, life.Container]
    address: str
    written: Object | None = None
    stopping: float = 0.0
    """Since when."""
    unready: set[str] = field(default_factory=set)
    """Containers whose failing probe was told."""


class SimulatedNode:
    def __init__(
        self,
        number: int,
        place: Workplace,
        addresses: Addresses,
        *,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.name = f"node-{number}"
        self._number, self._place, self._addresses, self._now = number, place, addresses, now
        self._address = f"172.18.0.{number + 1}"
        self._images: set[str] = set()
        self._pods: dict[str, _Known] = {}
        self._ends: dict[str, asyncio.Event] = {}

    def description(self) -> Object:
        return description.node(self.name, self._address)

    async def look(self, pod: Object) -> float | None:
        known = self._pods.get(uid_of(pod)) or self._met(pod)
        if "deletionTimestamp" in pod["metadata"]:
            return await self._stop(pod, known)
        if (pod.get("status") or {}).get("phase") in {"Succeeded", "Failed"}:
            self._ended(pod)
            return None
        now = self._now()
        step = life.advance(pod, known.containers, self._behaviour_of(pod), self._images, now)
        known.containers = step.containers
        wanted = self._shown(pod, known, now)
        await self._write(pod, known, wanted)
        self._tell(pod, known, step.happened, wanted)
        if wanted["phase"] in {"Succeeded", "Failed"}:
            self._ended(pod)
        return None if step.due is None else max(step.due - now, 0.0)

    def forget(self, pod: Object) -> None:
        self._ended(pod)
        known = self._pods.pop(uid_of(pod), None)
        if known is not None:
            self._addresses.give_back(known.address)

    def logs(self, pod: Object, asked: LogOptions) -> AsyncIterator[bytes]:
        return logs.lines(pod, asked, self._end_of(pod))

    def address(self, pod: Object, port: int) -> tuple[str, int] | None:
        return None

    def _met(self, pod: Object) -> _Known:
        host = bool(pod["spec"].get("hostNetwork"))
        given = str((pod.get("status") or {}).get("podIP") or "")
        address = self._address if host else self._addresses.take(given)
        known = self._pods[uid_of(pod)] = _Known(status.recovered(pod, self._now()), address)
        for container in pod["spec"]["containers"]:
            if known.containers.get(container["name"], life.Container()).phase == "running":
                self._images.add(container["image"])
        return known

    def _behaviour_of(self, pod: Object) -> life.BehaviourOf:
        def of(container: Object, first: bool) -> Behaviour:
            return behaviour(pod, container.get("image") or "", first=first)

        return of

    def _shown(self, pod: Object, known: _Known, now: float) -> Object:
        return status.shown(
            pod,
            known.containers,
            self._behaviour_of(pod),
            addresses=(self._address, known.address),
            now=now,
        )

    async def _write(self, pod: Object, known: _Known, wanted: Object) -> None:
        if wanted == known.written or bare(wanted) == bare(pod.get("status") or {}):
            return
        known.written = wanted
        old = pod.get("status") or {}
        change = {**wanted, **{key: None for key in ("message", "reason", "nominatedNodeName") if key in old}}
        try:
            await self._place.patch(
                pod, {"metadata": {"uid": uid_of(pod)}, "status": change}, subresource="status"
            )
        except ApiError as error:
            known.written = None
            if error.code not in {404, 409}:
                raise

    def _tell(self, pod: Object, known: _Known, happened: list[life.Happened], wanted: Object) -> None:
        for one in happened:
            path = f"spec.containers{{{one.container}}}" if one.container else ""
            message = one.message
            if one.reason == "BackOff" and message.endswith("in pod "):
                metadata = pod["metadata"]
                message += f"{metadata['name']}_{metadata['namespace']}({metadata['uid']})"
            tell = self._place.events.warning if one.warning else self._place.events.normal
            tell(pod, one.reason, message, host=self.name, path=path)
        for one in wanted["containerStatuses"]:
            name = one["name"]
            if "running" not in one["state"] or one["ready"] or name in known.unready:
                continue
            if self._behaviour_of(pod)(_named(pod, name), False).never_ready:
                known.unready.add(name)
                words = "Readiness probe failed: this container is simulated, and its pod says that it never gets ready"
                self._place.events.warning(
                    pod, "Unhealthy", words, host=self.name, path=f"spec.containers{{{name}}}"
                )

    async def _stop(self, pod: Object, known: _Known) -> float | None:
        """After its own time to stop, or its grace period, it is gone for good."""
        now = self._now()
        over = (pod.get("status") or {}).get("phase") in {"Succeeded", "Failed"}
        if not known.stopping:
            known.stopping = now
            for container in pod["spec"]["containers"] if not over else ():
                state = known.containers.get(container["name"])
                if state is not None and state.phase == "running":
                    words = f"Stopping container {container['name']}"
                    path = f"spec.containers{{{container['name']}}}"
                    self._place.events.normal(pod, "Killing", words, host=self.name, path=path)
        grace = float(pod["metadata"].get("deletionGracePeriodSeconds") or 0)
        own = self._behaviour_of(pod)(pod["spec"]["containers"][0], False).stop_after
        left = known.stopping + min(own, grace) - now
        if left > 0 and not over:
            return left
        self._ended(pod)
        if not over and pod["metadata"].get("finalizers"):
            known.written = None
            await self._write(pod, known, status.killed(pod, self._shown(pod, known, now), now))
        if grace or not pod["metadata"].get("finalizers"):
            await self._place.delete(pod, grace=0)
        return None

    def _end_of(self, pod: Object) -> asyncio.Event:
        """Set when nothing of the pod will run any more."""
        if uid_of(pod) not in self._pods or (pod.get("status") or {}).get("phase") in {"Succeeded", "Failed"}:
            ended = asyncio.Event()
            ended.set()
            return ended
        return self._ends.setdefault(uid_of(pod), asyncio.Event())

    def _ended(self, pod: Object) -> None:
        event = self._ends.pop(uid_of(pod), None)
        if event is not None:
            event.set()


def _named(pod: Object, name: str) -> Object:
    return next(one for one in pod["spec"]["containers"] if one["name"] == name)
