"""Makes and deletes pods for their owners: many at once, but first one, then two, so that what fails fails cheaply."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence

from argosy.kube.controllers.pods.owning import owner_reference
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object, name_of, namespace_of
from argosy.kube.reconcile import Workplace

BURST = 500
"""The most that one look at an owner makes or deletes."""
_AT_A_TIME = 50
_LONGEST_PREFIX = 57


def from_template(template: Object, owner: Object) -> Object:
    given = template.get("metadata") or {}
    metadata: Object = {
        "generateName": f"{name_of(owner)[:_LONGEST_PREFIX]}-",
        "namespace": namespace_of(owner),
        "labels": dict(given.get("labels") or {}),
        "annotations": dict(given.get("annotations") or {}),
        "ownerReferences": [owner_reference(owner)],
    }
    if given.get("finalizers"):
        metadata["finalizers"] = list(given["finalizers"])
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": dict(template["spec"])}


def is_terminating_namespace(error: ApiError) -> bool:
    return any(cause.reason == "NamespaceTerminating" for cause in error.causes)


async def create_pod(place: Workplace, owner: Object, pod: Object) -> None:
    """In a namespace that is going, nothing is made and nothing is wrong."""
    try:
        made = await place.create(pod)
    except ApiError as error:
        if is_terminating_namespace(error):
            return
        place.events.warning(owner, "FailedCreate", f"Error creating: {error.message}")
        raise
    place.events.normal(owner, "SuccessfulCreate", f"Created pod: {name_of(made)}")


async def delete_pod(place: Workplace, owner: Object, pod: Object) -> None:
    try:
        there = await place.delete(pod)
    except ApiError as error:
        place.events.warning(owner, "FailedDelete", f"Error deleting: {error.message}")
        raise
    if there:
        place.events.normal(owner, "SuccessfulDelete", f"Deleted pod: {name_of(pod)}")


async def create_pods(place: Workplace, owner: Object, pods: Sequence[Object]) -> None:
    """Raises the first error; then the rest was not tried."""
    await slow_start(pods, lambda pod: create_pod(place, owner, pod))


async def delete_pods(place: Workplace, owner: Object, pods: Iterable[Object]) -> None:
    await all_of([delete_pod(place, owner, pod) for pod in pods])


async def slow_start(pods: Sequence[Object], make: Callable[[Object], Awaitable[None]]) -> None:
    start, size = 0, 1
    while start < len(pods):
        batch = pods[start : start + size]
        await all_of([make(pod) for pod in batch])
        start, size = start + len(batch), min(size * 2, _AT_A_TIME)


async def all_of(work: Sequence[Awaitable[None]]) -> None:
    """All of them, then the first error."""
    results = await asyncio.gather(*work, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
