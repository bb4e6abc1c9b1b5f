"""Who has to look when a pod changes: its owner, or whoever might want to adopt it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from argosy.kube.objects import Object, controller_of, labels_of, namespace_of
from argosy.kube.reconcile import Copy, Loop
from argosy.kube.reconcile.selecting import selects

SelectorOf: TypeAlias = Callable[[Object], Object | None]


def label_selector(owner: Object) -> Object | None:
    return (owner.get("spec") or {}).get("selector")


def follow_children(
    children: Copy, owners: Copy, loop: Loop, selector_of: SelectorOf = label_selector
) -> None:
    def changed(before: Object | None, after: Object | None) -> None:
        managers = {_manager(one, owners) for one in (before, after) if one is not None}
        for name in managers - {None}:
            if name is not None:
                loop.add((namespace_of(after or before or {}), name))
        if after is not None and controller_of(after) is None and _may_be_adopted(before, after):
            for owner in owners.in_namespace(namespace_of(after)):
                if selects(selector_of(owner), labels_of(after)):
                    loop.add_object(owner)

    children.on_change(changed)


def _manager(child: Object, owners: Copy) -> str | None:
    owner = controller_of(child)
    if owner is None or owner["kind"] != owners.kind.kind:
        return None
    return str(owner["name"])


def _may_be_adopted(before: Object | None, after: Object) -> bool:
    return (
        before is None or labels_of(before) != labels_of(after) or controller_of(before) is not None
    ) and "deletionTimestamp" not in after["metadata"]
