"""Endpoints spread over slices of at most a hundred, with as few slices changed as possible; and the same as one Endpoints. Pure."""

from __future__ import annotations

from itertools import groupby
from typing import NamedTuple

from argosy.kube.controllers.endpoints.addresses import HEADLESS, Endpoint, is_headless
from argosy.kube.controllers.hashing import pruned
from argosy.kube.controllers.pods.owning import owner_reference
from argosy.kube.objects import Object, annotations_of, labels_of, name_of, namespace_of

MANAGER = "endpointslice-controller.k8s.io"
MANAGED_BY, SERVICE_NAME = "endpointslice.kubernetes.io/managed-by", "kubernetes.io/service-name"
TRIGGER = "endpoints.kubernetes.io/last-change-trigger-time"
_MOST, _MOST_OF_ALL = 100, 1000
_OVER = "endpoints.kubernetes.io/over-capacity"
_NOT_CARRIED = {
    TRIGGER,
    "control-plane.alpha.kubernetes.io/leader",
    "kubectl.kubernetes.io/last-applied-configuration",
}


class Changes(NamedTuple):
    create: list[Object]
    update: list[Object]
    delete: list[Object]


def plan(service: Object, wanted: list[Endpoint], existing: list[Object], trigger: str) -> Changes:
    """`trigger`: the time of the change that is passed on, for those who measure how long that takes."""
    changes = Changes([], [], [])
    labels = slice_labels(service, MANAGER)
    left = list(existing)
    groups = [(ports, list(found)) for ports, found in groupby(wanted, key=lambda one: one.ports)]
    for ports, found in groups or [((), [])]:
        _fill(service, ports, found, left, labels, trigger, changes)
    changes.delete.extend(left)
    return changes


def _fill(
    service: Object,
    ports: tuple[tuple[str, int, str, str], ...],
    found: list[Endpoint],
    left: list[Object],
    labels: dict[str, str],
    trigger: str,
    changes: Changes,
) -> None:
    """Slices with the right ports keep whom they have; newcomers fill their gaps, and then new slices."""
    shown_ports = _shown_ports(ports) if found else []
    by_uid = {one.pod["uid"]: one for one in found}
    mine = [one for one in left if pruned(one.get("ports") or []) == pruned(shown_ports)]
    kept = [
        [by_uid.pop(uid) for one in held.get("endpoints") or () if (uid := _uid(one)) in by_uid]
        for held in mine
    ]
    fresh = list(by_uid.values())
    for members in kept:
        room = _MOST - len(members)
        members.extend(fresh[:room])
        fresh = fresh[room:]
    for held, members in zip(mine, kept, strict=True):
        if members or (not found and held is mine[0]):
            left.remove(held)
            _update(held, _shown(members), shown_ports, labels, trigger, changes)
    for start in range(0, len(fresh), _MOST):
        changes.create.append(_new(service, fresh[start : start + _MOST], shown_ports, labels, trigger))
    if not found and not mine:
        changes.create.append(_new(service, [], shown_ports, labels, trigger))


def _update(
    held: Object,
    endpoints: list[Object],
    ports: list[Object],
    labels: dict[str, str],
    trigger: str,
    changes: Changes,
) -> None:
    same = pruned(held.get("endpoints") or []) == pruned(endpoints) and labels_of(held) == labels
    if same and pruned(held.get("ports") or []) == pruned(ports):
        return
    annotations = {**annotations_of(held), TRIGGER: trigger}
    metadata = {**held["metadata"], "labels": labels, "annotations": annotations}
    changes.update.append({**held, "metadata": metadata, "endpoints": endpoints, "ports": ports})


def _new(
    service: Object, members: list[Endpoint], ports: list[Object], labels: dict[str, str], trigger: str
) -> Object:
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {
            "generateName": f"{name_of(service)[:57]}-",
            "namespace": namespace_of(service),
            "labels": labels,
            "annotations": {TRIGGER: trigger},
            "ownerReferences": [owner_reference(service)],
        },
        "addressType": (service["spec"].get("ipFamilies") or ["IPv4"])[0],
        "endpoints": _shown(members),
        "ports": ports,
    }


def slice_labels(service: Object, manager: str) -> dict[str, str]:
    own = {MANAGED_BY, SERVICE_NAME, HEADLESS}
    labels = {key: value for key, value in labels_of(service).items() if key not in own}
    if is_headless(service):
        labels[HEADLESS] = ""
    return {**labels, SERVICE_NAME: name_of(service), MANAGED_BY: manager}


def _shown(members: list[Endpoint]) -> list[Object]:
    found = []
    for one in members:
        shown: Object = {
            "addresses": [one.address],
            "conditions": {"ready": one.ready, "serving": one.serving, "terminating": one.terminating},
            "targetRef": one.pod,
        }
        if one.node:
            shown["nodeName"] = one.node
        if one.hostname:
            shown["hostname"] = one.hostname
        found.append(shown)
    return found


def _shown_ports(ports: tuple[tuple[str, int, str, str], ...]) -> list[Object]:
    return [
        {"name": name, "port": number, "protocol": protocol}
        | ({"appProtocol": application} if application else {})
        for name, number, protocol, application in ports
    ]


def _uid(endpoint: Object) -> str:
    return str((endpoint.get("targetRef") or {}).get("uid", ""))


def subsets(wanted: list[Endpoint], service: Object) -> list[Object]:
    """For Endpoints: terminating pods are left out, and so is what exceeds a thousand."""
    there = [one for one in wanted if not one.terminating or service["spec"].get("publishNotReadyAddresses")]
    there = sorted(there, key=lambda one: not one.ready)[:_MOST_OF_ALL]
    there.sort(key=lambda one: (one.ports, one.address))
    found = []
    for ports, members in groupby(there, key=lambda one: one.ports):
        held = list(members)
        subset: Object = {}
        for name, ready in (("addresses", True), ("notReadyAddresses", False)):
            if addresses := [_address(one) for one in held if one.ready is ready]:
                subset[name] = addresses
        if ports:
            subset["ports"] = _shown_ports(ports)
            for port in subset["ports"]:
                if not port["name"]:
                    del port["name"]
        found.append(subset)
    return found


def _address(endpoint: Endpoint) -> Object:
    shown: Object = {"ip": endpoint.address, "targetRef": endpoint.pod}
    if endpoint.node:
        shown["nodeName"] = endpoint.node
    if endpoint.hostname:
        shown["hostname"] = endpoint.hostname
    return shown


def legacy(service: Object, wanted: list[Endpoint], existing: Object | None, trigger: str) -> Object | None:
    """The Endpoints to write; None when they say so already."""
    labels = {key: value for key, value in labels_of(service).items() if key != HEADLESS}
    labels["endpoints.kubernetes.io/managed-by"] = "endpoint-controller"
    if is_headless(service):
        labels[HEADLESS] = ""
    content = subsets(wanted, service)
    annotations = {key: value for key, value in annotations_of(service).items() if key not in _NOT_CARRIED}
    if len(wanted) > _MOST_OF_ALL:
        annotations[_OVER] = "truncated"
    old = existing or {"metadata": {}}
    before = {key: value for key, value in annotations_of(old).items() if key != TRIGGER}
    have = (labels_of(old), before, pruned(old.get("subsets") or []))
    if existing is not None and have == (labels, annotations, pruned(content)):
        return None
    metadata = {
        "name": name_of(service),
        "namespace": namespace_of(service),
        **old["metadata"],
        "labels": labels,
        "annotations": {**annotations, TRIGGER: trigger},
    }
    return {"apiVersion": "v1", "kind": "Endpoints", "metadata": metadata, "subsets": content}
