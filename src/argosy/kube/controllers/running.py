"""Starts the controllers of one cluster, with the copies of kinds that they share. `host` calls it for each embedded cluster."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping

from argosy.kit.errors import BadRequest
from argosy.kube.client import Client
from argosy.kube.controllers import (
    autoscaling,
    cluster_roles,
    cronjob,
    daemonset,
    deployment,
    disruption,
    event_expiry,
    job,
    legacy_tokens,
    load_balancers,
    namespaces,
    nodes,
    replicasets,
    resource_quota,
    root_ca,
    service_accounts,
    statefulset,
    ttl_after_finished,
)
from argosy.kube.controllers.endpoints import controller as endpoints
from argosy.kube.controllers.endpoints import mirroring
from argosy.kube.controllers.garbage import Collector
from argosy.kube.controllers.ingress import Door
from argosy.kube.controllers.ingress import controller as ingress
from argosy.kube.controllers.volumes import binding, ephemeral, protection
from argosy.kube.reconcile import Copies, Events, Loop, Workplace

_MAKERS: Mapping[str, Callable[[Workplace], Loop]] = {
    "clusterrole-aggregation": cluster_roles.make,
    "cronjob": cronjob.make,
    "daemonset": daemonset.make,
    "deployment": deployment.make,
    "disruption": disruption.make,
    "endpoints": endpoints.make_legacy,
    "endpointslice": endpoints.make_slices,
    "endpointslicemirroring": mirroring.make,
    "ephemeral-volume": ephemeral.make,
    "event-expiry": event_expiry.make,
    "horizontal-pod-autoscaler": autoscaling.make,
    "job": job.make,
    "namespace": namespaces.make,
    "node": nodes.make,
    "persistentvolume": binding.make,
    "replicaset": replicasets.make_replica_sets,
    "replicationcontroller": replicasets.make_replication_controllers,
    "resourcequota": resource_quota.make,
    "service": load_balancers.make,
    "serviceaccount": service_accounts.make,
    "statefulset": statefulset.make,
    "ttl-after-finished": ttl_after_finished.make,
    "volume-protection": protection.make,
}
_WITH_CA: Mapping[str, Callable[[Workplace, str], Loop]] = {
    "legacy-token": legacy_tokens.make,
    "root-ca": root_ca.make,
}
_GARBAGE = "garbage-collector"
_INGRESS = "ingress"
_COMPONENTS = {
    "disruption": "controllermanager",
    "horizontal-pod-autoscaler": "horizontal-pod-autoscaler",
    "replicationcontroller": "replication-controller",
}
"""As which those tell their events that upstream does not call by their names."""
NAMES = frozenset({*_MAKERS, *_WITH_CA, _GARBAGE, _INGRESS})


async def run(
    client: Client, *, root_ca: str, only: Collection[str] | None = None, door: Door | None = None
) -> None:
    """Until cancelled. `root_ca`: the certificate that each namespace gets, as PEM. `door`: to the gateway; without one, Ingresses
    are left to others."""
    wanted = NAMES if only is None else frozenset(only)
    if unknown := wanted - NAMES:
        raise BadRequest(
            f"no controllers are named {', '.join(sorted(unknown))}",
            code="kube.controllers",
            cure=f"there are: {', '.join(sorted(NAMES))}",
        )
    copies = Copies(client)
    recorders: list[Events] = []
    loops = [
        _made(name, client, copies, recorders, root_ca) for name in sorted(wanted - {_GARBAGE, _INGRESS})
    ]
    if door is not None and _INGRESS in wanted:
        loops.append(ingress.make(_place(_INGRESS, client, copies, recorders), door))
    collector = Collector(_place(_GARBAGE, client, copies, recorders)) if _GARBAGE in wanted else None
    async with asyncio.TaskGroup() as group:
        group.create_task(copies.run(), name="copies")
        for events in recorders:
            group.create_task(events.run(), name="events")
        if collector is not None:
            group.create_task(collector.run(), name=_GARBAGE)
        await copies.synced()
        if door is not None:
            door.opened.set()
        for loop in loops:
            group.create_task(loop.run(), name=loop.name)


def _made(name: str, client: Client, copies: Copies, recorders: list[Events], certificate: str) -> Loop:
    place = _place(name, client, copies, recorders)
    return _WITH_CA[name](place, certificate) if name in _WITH_CA else _MAKERS[name](place)


def _place(name: str, client: Client, copies: Copies, recorders: list[Events]) -> Workplace:
    """Each controller tells its events in its own name."""
    events = Events(client, _COMPONENTS.get(name, f"{name}-controller"))
    recorders.append(events)
    return Workplace(client, copies, events)
