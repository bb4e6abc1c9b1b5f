"""The templates that a StatefulSet or DaemonSet had: ControllerRevisions, numbered, so that one can go back. Plans are pure."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from argosy.kube.controllers.hashing import hashed, pruned
from argosy.kube.controllers.pods.owning import owner_reference
from argosy.kube.errors import ApiError
from argosy.kube.objects import (
    Object,
    annotations_of,
    controller_of,
    labels_of,
    name_of,
    namespace_of,
    uid_of,
)
from argosy.kube.reconcile import Workplace
from argosy.kube.reconcile.kinds import CONTROLLER_REVISION

HASH = "controller-revision-hash"
GENERATION = "deprecated.daemonset.template.generation"
_LABEL = "controller.kubernetes.io/hash"
_LONGEST_NAME = 223


class Collision(Exception):
    """Something else has the new revision's name."""


class Plan(NamedTuple):
    update: Object
    """The revision that says what the owner says now."""
    write: str
    """`create`, `number` (it is the newest again) or nothing."""


def content(owner: Object) -> Object:
    return {"spec": {"template": {**owner["spec"]["template"], "$patch": "replace"}}}


def template_of(revision: Object) -> Object:
    template = ((revision.get("data") or {}).get("spec") or {}).get("template") or {}
    return {key: value for key, value in template.items() if key != "$patch"}


def revision_number(revision: Object) -> int:
    return int(revision.get("revision") or 0)


def plan(owner: Object, revisions: list[Object]) -> Plan:
    wanted = content(owner)
    newest = max((revision_number(one) for one in revisions), default=0)
    equal = [one for one in revisions if pruned(one.get("data")) == pruned(wanted)]
    if not equal:
        return Plan(_new(owner, wanted, newest + 1), "create")
    found = max(equal, key=revision_number)
    if revision_number(found) == newest:
        return Plan(found, "")
    return Plan({**found, "revision": newest + 1}, "number")


def _new(owner: Object, data: Object, number: int) -> Object:
    mark = hashed(data, int((owner.get("status") or {}).get("collisionCount") or 0))
    own = HASH if owner["kind"] == "DaemonSet" else _LABEL
    labels = {**(owner["spec"]["template"].get("metadata") or {}).get("labels", {}), own: mark}
    generation = annotations_of(owner).get(GENERATION)
    return {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {
            "name": f"{name_of(owner)[:_LONGEST_NAME]}-{mark}",
            "namespace": namespace_of(owner),
            "labels": labels,
            "annotations": {GENERATION: generation} if generation else {},
            "ownerReferences": [owner_reference(owner)],
        },
        "data": data,
        "revision": number,
    }


def superfluous(owner: Object, revisions: list[Object], live: Collection[str]) -> list[Object]:
    """Beyond the history limit, oldest first; those that pods or the status name (`live`) do not count."""
    limit = int(owner["spec"].get("revisionHistoryLimit", 10))
    unused = sorted((one for one in revisions if name_of(one) not in live), key=revision_number)
    return unused[: max(len(unused) - limit, 0)]


async def settle(place: Workplace, owner: Object, revisions: list[Object]) -> Object:
    """The revision of what the owner says now, written if it was not there. Raises Collision."""
    planned = plan(owner, revisions)
    if planned.write == "number":
        return await place.patch(planned.update, {"revision": planned.update["revision"]})
    if not planned.write:
        return planned.update
    try:
        return await place.create(planned.update)
    except ApiError as error:
        if error.reason != "AlreadyExists":
            raise
        taken = await place.client.get(
            CONTROLLER_REVISION, name_of(planned.update), namespace_of(planned.update)
        )
        holder = controller_of(taken)
        ours = holder is not None and holder["uid"] == uid_of(owner)
        if ours and pruned(taken.get("data")) == pruned(planned.update["data"]):
            return taken
        raise Collision(name_of(planned.update)) from error


def hash_of(pod: Object) -> str:
    return labels_of(pod).get(HASH, "")


def mark_of(owner: Object, revision: Object) -> str:
    """The part of a revision's name that pods carry, for owners that use the part."""
    return name_of(revision).removeprefix(f"{name_of(owner)[:_LONGEST_NAME]}-")
