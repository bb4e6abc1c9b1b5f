"""What goes away because its applier no longer applies it.

Everything that it applied last time is taken out, then what anybody owns is put back, then what it never owned (defaults,
or what a controller added without being tracked). The three steps are upstream's, because their edges show: an item
that loses its last owner goes with all its unowned fields, a field of somebody else keeps its item.
"""

from __future__ import annotations

from argosy.kube.server.ownership.fieldset import FieldSet, covers, difference, intersection, union
from argosy.kube.server.ownership.leaves import fields_of
from argosy.kube.server.ownership.managers import Manager, Managers, Owned, everything
from argosy.kube.server.ownership.reconcile import with_named
from argosy.kube.server.ownership.remove import remove
from argosy.kube.server.ownership.settle import Views
from argosy.kube.server.ownership.shapes import Root


def prune(merged: object, managers: Managers, who: Manager, last: Owned | None, views: Views) -> object:
    """`managers` have already what is applied now; `last` is what was applied before."""
    if last is None or not last.fields:
        return merged
    if last.version == views.version and covers(managers[who].fields, last.fields):
        return merged
    view = views.of(merged, last.version)
    if view is None:
        return merged
    shape, before = view
    mine = with_named(shape, last.fields)
    pruned = _owned_back(before, remove(shape, before, mine), managers, last.version, views)
    again = views.of(views.back(pruned, last.version), last.version)
    left = _all_fields(shape, again[1]) if again else {}
    gone = intersection(difference(_all_fields(shape, before), left), mine)
    return views.back(remove(shape, before, gone), last.version) if gone else merged


def _owned_back(merged: object, pruned: object, managers: Managers, version: str, views: Views) -> object:
    """First in the version of the pruned object: what others need for a conversion must not be missing in it."""
    by_version: dict[str, list[Owned]] = {version: []}
    for owned in managers.values():
        by_version.setdefault(owned.version, []).append(owned)
    for at, owners in by_version.items():
        whole, part = views.of(views.back(merged, version), at), views.of(views.back(pruned, version), at)
        if whole is None or part is None or not owners:
            continue
        shape = whole[0]
        kept = union(_all_fields(shape, part[1]), with_named(shape, everything(owners)))
        back = remove(shape, whole[1], difference(_all_fields(shape, whole[1]), kept))
        found = views.of(views.back(back, at), version)
        pruned = found[1] if found else pruned
    return pruned


def _all_fields(shape: Root, value: object) -> FieldSet:
    return with_named(shape, fields_of(shape, value))
