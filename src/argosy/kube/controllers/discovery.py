"""Which resources a cluster serves, asked of the cluster: for those controllers that care for all of them."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from argosy.kube.client import Client
from argosy.kube.client.resources import Place
from argosy.kube.objects import Object
from argosy.kube.types import Kind

_OBJECT = msgspec.json.Decoder(Object)


class Served(NamedTuple):
    place: Place
    verbs: frozenset[str]


async def served(client: Client) -> list[Served]:
    """Each resource once, in its group's preferred version."""
    roots = ["/api/v1"]
    for group in (await _get(client, "/apis")).get("groups") or ():
        preferred = group["preferredVersion"]["groupVersion"]
        roots.append(f"/apis/{preferred}")
        roots.extend(
            f"/apis/{one['groupVersion']}" for one in group["versions"] if one["groupVersion"] != preferred
        )
    found: dict[tuple[str, str], Served] = {}
    for root in roots:
        for one in _listed(await _get(client, root)):
            found.setdefault((one.place.kind.group, one.place.plural), one)
    return list(found.values())


def _listed(document: Object) -> list[Served]:
    group, _, version = str(document.get("groupVersion", "")).rpartition("/")
    return [
        Served(
            Place(Kind(group, version, one["kind"]), one["name"], bool(one["namespaced"])),
            frozenset(one["verbs"]),
        )
        for one in document.get("resources") or ()
        if "/" not in one["name"]
    ]


async def _get(client: Client, path: str) -> Object:
    answer = await client.request("GET", path)
    return _OBJECT.decode(answer.body) if isinstance(answer.body, bytes) else {}
