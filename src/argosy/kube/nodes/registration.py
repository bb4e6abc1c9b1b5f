"""Nodes make themselves known, and renew their leases so that nobody takes them for dead."""

from __future__ import annotations

import asyncio

from argosy.kit.log import get_logger
from argosy.kube.errors import ApiError
from argosy.kube.nodes.node import Node
from argosy.kube.objects import Object, uid_of
from argosy.kube.reconcile import Workplace
from argosy.kube.reconcile.kinds import LEASE, NODE
from argosy.kube.reconcile.times import micro_stamp

log = get_logger(__name__)
_NAMESPACE = "kube-node-lease"
_RENEWED_EACH, _LEASE_SECONDS = 20.0, 40
_FIRST_DELAY = 1.0


async def keep_known(place: Workplace, node: Node) -> None:
    """Until cancelled. A node that somebody deleted stays away until the process starts anew, as a real one would come back
    only with its kubelet."""
    registered: Object | None = None
    trouble, delay = "", _FIRST_DELAY
    while True:
        try:
            registered = registered or await _register(place, node)
            await _renew(place, node, registered)
        except ApiError as error:
            if error.message != trouble:  # once; a cluster may refuse for days
                log.warning("node.not_registered", node=node.name, error=error.message)
            trouble = error.message
            await asyncio.sleep(delay)
            delay = min(delay * 2, _RENEWED_EACH)
        else:
            trouble, delay = "", _FIRST_DELAY
            await asyncio.sleep(_RENEWED_EACH)


async def _register(place: Workplace, node: Node) -> Object:
    wanted = node.description()
    try:
        made = await place.create(wanted)
    except ApiError as error:
        if error.reason != "AlreadyExists":
            raise
        made = await place.client.get(NODE, node.name)
    status = wanted["status"]
    old = (made.get("status") or {}).get("conditions") or []
    if any(one["type"] == "Ready" and one["status"] == "True" for one in old):
        return made
    return await place.patch(made, {"status": status}, subresource="status")


async def _renew(place: Workplace, node: Node, registered: Object) -> None:
    renewed = {"spec": {"renewTime": micro_stamp()}}
    try:
        await place.client.patch(LEASE, node.name, renewed, namespace=_NAMESPACE)
    except ApiError as error:
        if error.code != 404:
            raise
        await place.client.create(_lease(node, registered))


def _lease(node: Node, registered: Object) -> Object:
    owner = {"apiVersion": "v1", "kind": "Node", "name": node.name, "uid": uid_of(registered)}
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": node.name, "namespace": _NAMESPACE, "ownerReferences": [owner]},
        "spec": {
            "holderIdentity": node.name,
            "leaseDurationSeconds": _LEASE_SECONDS,
            "renewTime": micro_stamp(),
        },
    }
