"""Who manages what: a controller claims what its selector finds and nobody manages, and lets go of what it no longer selects."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import NamedTuple

from argosy.kube.client.resources import kind_of
from argosy.kube.controllers.pods.state import is_going
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object, labels_of, name_of, namespace_of, uid_of
from argosy.kube.reconcile import Copy, Workplace
from argosy.kube.reconcile.selecting import selects


class Claims(NamedTuple):
    kept: list[Object]
    adopted: list[Object]
    released: list[Object]


def owner_reference(owner: Object) -> Object:
    return {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": name_of(owner),
        "uid": uid_of(owner),
        "controller": True,
        "blockOwnerDeletion": True,
    }


def plan(
    owner: Object, selector: Object | None, owned: Iterable[Object], orphans: Iterable[Object]
) -> Claims:
    """Pure. An owner that is going adopts nobody and lets nobody go."""
    going = is_going(owner)
    claims = Claims([], [], [])
    for one in owned:
        if going or selects(selector, labels_of(one)):
            claims.kept.append(one)
        elif not is_going(one):
            claims.released.append(one)
    if not going:
        claims.adopted.extend(
            one for one in orphans if not is_going(one) and selects(selector, labels_of(one))
        )
    return claims


async def claim(place: Workplace, owner: Object, selector: Object | None, copy: Copy) -> list[Object]:
    """What the owner manages now."""
    claims = plan(owner, selector, copy.owned_by(uid_of(owner)), copy.orphans(namespace_of(owner)))
    if not claims.adopted and not claims.released:
        return claims.kept
    await asyncio.gather(*(_release(place, owner, one) for one in claims.released))
    if claims.adopted and await _still_there(place, owner):
        found = await asyncio.gather(*(_adopt(place, owner, one) for one in claims.adopted))
        claims.kept.extend(one for one in found if one is not None)
    return claims.kept


async def _still_there(place: Workplace, owner: Object) -> bool:
    """Asked of the server: an adopted child of a deleted owner would be collected."""
    live = await place.client.find(kind_of(owner), name_of(owner), namespace_of(owner))
    return live is not None and uid_of(live) == uid_of(owner) and not is_going(live)


async def _adopt(place: Workplace, owner: Object, child: Object) -> Object | None:
    change = {"metadata": {"ownerReferences": [owner_reference(owner)], "uid": uid_of(child)}}
    return await _patched(place, child, change)


async def _release(place: Workplace, owner: Object, child: Object) -> None:
    change = {
        "metadata": {
            "ownerReferences": [{"$patch": "delete", "uid": uid_of(owner)}],
            "uid": uid_of(child),
        }
    }
    await _patched(place, child, change)


async def _patched(place: Workplace, child: Object, change: Object) -> Object | None:
    """None when it is gone, or another one by now."""
    try:
        return await place.patch(child, change, form="strategic")
    except ApiError as error:
        if error.code in {404, 409, 422}:
            return None
        raise
