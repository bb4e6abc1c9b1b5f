"""The list of a set's applications in its status. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from argosy.contracts.argo.application import GROUP, VERSION
from argosy.kube.objects import Object, name_of, namespace_of


def listed(apps: Iterable[Object], *, most: int) -> Object:
    """At most so many of them; the count is of all."""
    found = [_entry(app) for app in sorted(apps, key=name_of)]
    told: Object = {"resources": found[:most] if most > 0 else found, "resourcesCount": len(found)}
    return {key: value for key, value in told.items() if value}


def _entry(app: Object) -> Object:
    status = app.get("status") or {}
    health = (status.get("health") or {}).get("status")
    entry = {
        "group": GROUP,
        "version": VERSION,
        "kind": "Application",
        "name": name_of(app),
        "namespace": namespace_of(app),
        "status": (status.get("sync") or {}).get("status"),
        "health": {"status": health} if health else {},
    }
    return {key: value for key, value in entry.items() if value is not None}
