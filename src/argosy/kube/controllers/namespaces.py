"""Ends namespaces: everything in one goes, its pods first, then the namespace itself.

While something stays, the conditions say what and why, in upstream's words.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from argosy.kube.client import Client
from argosy.kube.client.resources import Place
from argosy.kube.controllers import conditions, discovery
from argosy.kube.errors import ApiError, conflict
from argosy.kube.objects import Object
from argosy.kube.reconcile import Loop, Name, Workplace
from argosy.kube.reconcile.kinds import NAMESPACE

_FINALIZER = "kubernetes"
_NEEDED = {"delete", "list"}
_PARTIAL = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
_OBJECT = msgspec.json.Decoder(Object)


@dataclass(slots=True)
class Remains:
    """What is still in a namespace."""

    counts: Counter[str] = field(default_factory=Counter)
    finalizers: Counter[str] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)

    def note(self, place: Place, items: list[Object]) -> None:
        if items:
            self.counts[f"{place.plural}.{place.kind.group}"] += len(items)
        for item in items:
            self.finalizers.update(item["metadata"].get("finalizers") or ())


class _Said(NamedTuple):
    kind: str
    wrong: bool
    reason: str
    message: str
    fine_reason: str
    fine_message: str


def with_conditions(old: list[Object], remains: Remains) -> list[Object]:
    """Pure."""
    found = list(old)
    for said in _said(remains):
        state = (
            ("True", said.reason, said.message)
            if said.wrong
            else ("False", said.fine_reason, said.fine_message)
        )
        found = conditions.with_condition(found, conditions.made(said.kind, *state), words_count=True)
    return found


def _said(remains: Remains) -> list[_Said]:
    counts = ", ".join(
        f"{name} has {count} resource instances" for name, count in sorted(remains.counts.items())
    )
    held = ", ".join(
        f"{name} in {count} resource instances" for name, count in sorted(remains.finalizers.items())
    )
    errors = ", ".join(sorted(remains.errors))
    return [
        _Said(
            "NamespaceDeletionDiscoveryFailure", False, "", "",
            "ResourcesDiscovered", "All resources successfully discovered",
        ),
        _Said(
            "NamespaceDeletionGroupVersionParsingFailure", False, "", "",
            "ParsedGroupVersions", "All legacy kube types successfully parsed",
        ),
        _Said(
            "NamespaceDeletionContentFailure", bool(errors), "ContentDeletionFailed",
            f"Failed to delete all resource types, {len(remains.errors)} remaining: {errors}",
            "ContentDeleted", "All content successfully deleted, may be waiting on finalization",
        ),
        _Said(
            "NamespaceContentRemaining", bool(counts), "SomeResourcesRemain",
            f"Some resources are remaining: {counts}",
            "ContentRemoved", "All content successfully removed",
        ),
        _Said(
            "NamespaceFinalizersRemaining", bool(held), "SomeFinalizersRemain",
            f"Some content in the namespace has finalizers remaining: {held}",
            "ContentHasNoFinalizers", "All content-preserving finalizers finished",
        ),
    ]  # fmt: skip


class Namespaces:
    def __init__(self, place: Workplace) -> None:
        self._place = place
        self._namespaces = place.copies.of(NAMESPACE)
        self.loop = Loop("namespace", self._look, reads=(self._namespaces,))
        self.loop.follow(self._namespaces)

    async def _look(self, name: Name) -> None:
        namespace = self._namespaces.get(name[1])
        if namespace is None or "deletionTimestamp" not in namespace["metadata"]:
            return
        finalizers = (namespace.get("spec") or {}).get("finalizers") or []
        if _FINALIZER not in finalizers:
            return
        remains = await _emptied(self._place.client, name[1])
        status = namespace.get("status") or {}
        wanted = with_conditions(status.get("conditions") or [], remains)
        if remains.counts or remains.errors or status.get("conditions"):
            written = await self._place.write_status(
                namespace, {**status, "phase": "Terminating", "conditions": wanted}
            )
        else:
            written = namespace
        if remains.counts or remains.errors:
            # Not news: looked at again soon, and later and later while something holds it.
            raise conflict("namespaces", name[1], "its content is not gone yet")
        rest = [one for one in finalizers if one != _FINALIZER]
        await self._place.client.replace({**written, "spec": {"finalizers": rest}}, subresource="finalize")


async def _emptied(client: Client, namespace: str) -> Remains:
    """Asks everything in it to go. Nothing but pods is touched while there are pods: they may need it to end well."""
    remains = Remains()
    places = [
        one.place for one in await discovery.served(client) if one.place.namespaced and one.verbs >= _NEEDED
    ]
    pods = [place for place in places if place.plural == "pods" and not place.kind.group]
    for place in pods:
        await _empty(client, place, namespace, remains)
    if not remains.counts and not remains.errors:
        for place in places:
            if place not in pods:
                await _empty(client, place, namespace, remains)
    return remains


async def _empty(client: Client, place: Place, namespace: str, remains: Remains) -> None:
    try:
        items = await _list(client, place, namespace)
        if items:
            if any("deletionTimestamp" not in item["metadata"] for item in items):
                await client.delete_collection(place.kind, namespace, propagation="Background")
            remains.note(place, await _list(client, place, namespace))
    except ApiError as error:
        if error.code != 404:
            remains.errors.append(error.message)


async def _list(client: Client, place: Place, namespace: str) -> list[Object]:
    answer = await client.request("GET", place.path(namespace), accept=f"{_PARTIAL},application/json")
    found = _OBJECT.decode(answer.body) if isinstance(answer.body, bytes) else {}
    return found.get("items") or []


def make(place: Workplace) -> Loop:
    return Namespaces(place).loop
