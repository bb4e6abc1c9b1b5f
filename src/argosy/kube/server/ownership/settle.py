"""Who owns what after a change: everybody loses what another changed or what is gone.

`update` and `apply` both end here. A manager that wrote in another version of the kind sees the change in that version
(`Views`); without somebody who converts, all versions are taken to have the same fields.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from argosy.kube.objects import Object
from argosy.kube.schema import Struct
from argosy.kube.server.ownership.compare import compare
from argosy.kube.server.ownership.conflicts import conflicts_of
from argosy.kube.server.ownership.fieldset import FieldSet, difference, intersection, union
from argosy.kube.server.ownership.managers import Manager, Managers
from argosy.kube.server.ownership.reconcile import reconcile
from argosy.kube.server.ownership.shapes import Root, root

Convert: TypeAlias = Callable[[Object, str], "tuple[Object, Struct] | None"]
"""An object in another apiVersion, and that version's schema; None when it is not served any more."""
Reset: TypeAlias = Callable[[FieldSet], FieldSet]
"""Leaves out what a write of this (sub)resource cannot change."""
Difference: TypeAlias = tuple[FieldSet, FieldSet, FieldSet]


class Views:
    """The versions in which managers see the object."""

    def __init__(self, version: str, schema: Struct, convert: Convert | None) -> None:
        self.version, self.shape, self._convert = version, root(schema), convert

    def of(self, obj: object, version: str) -> tuple[Root, object] | None:
        """None when the version is not served."""
        if version == self.version or self._convert is None or not isinstance(obj, dict):
            return self.shape, obj
        found = self._convert(obj, version)
        return None if found is None else (root(found[1]), found[0])

    def back(self, obj: object, version: str) -> object:
        """From the version to the request's own."""
        if version == self.version or self._convert is None or not isinstance(obj, dict):
            return obj
        found = self._convert(obj, self.version)
        return obj if found is None else found[0]


def reconciled(managers: Managers, live: Object, views: Views) -> Managers:
    """By the schema of today. Who wrote in a version that is gone owns nothing any more."""
    out: Managers = {}
    for manager, owned in managers.items():
        view = views.of(live, owned.version)
        if view is not None:
            out[manager] = owned.with_fields(reconcile(view[0], owned.fields))
    return out


def settle(
    live: Object,
    new: Object,
    managers: Managers,
    *,
    writer: Manager | None,
    force: bool,
    views: Views,
    reset: Reset,
) -> tuple[Managers, Difference]:
    """What is left to everybody but the writer, and what changed. Raises `Conflicts` unless forced."""
    changed = {views.version: _difference(live, new, views.version, views, reset)}
    out: Managers = {}
    wanted: dict[Manager, FieldSet] = {}
    for manager, owned in managers.items():
        if manager == writer:
            out[manager] = owned
            continue
        if owned.version not in changed:
            changed[owned.version] = _difference(live, new, owned.version, views, reset)
        found = changed[owned.version]
        if found is None:
            continue
        removed, modified, added = found
        taken = intersection(owned.fields, union(modified, added)) if modified or added else {}
        if taken:
            wanted[manager] = taken
        left = difference(difference(owned.fields, taken), removed)
        if left:
            out[manager] = owned if left is owned.fields else owned.with_fields(left)
    if wanted and not force:
        raise conflicts_of(wanted)
    return out, changed[views.version] or ({}, {}, {})


def _difference(live: Object, new: Object, version: str, views: Views, reset: Reset) -> Difference | None:
    before, after = views.of(live, version), views.of(new, version)
    if before is None or after is None:
        return None
    removed, modified, added = compare(after[0], before[1], after[1])
    return reset(removed), reset(modified), reset(added)
