"""The order of a list that was merged strategically: the patch's order for its items, the live order for the others."""

from __future__ import annotations

import json
from collections.abc import Hashable
from typing import Any, TypeAlias

from argosy.kube.server.patches.go_text import shown, type_name
from argosy.kube.server.patches.refused import inapplicable, malformed

Items: TypeAlias = list[Any]


def token(value: object) -> Hashable:
    """Equal for values that are equal in type and content."""
    if isinstance(value, dict | list):
        return (type(value).__name__, json.dumps(value, sort_keys=True))
    return (type(value).__name__, value)


def keyed(item: object, key: str) -> Hashable:
    """What tells an item from the others: its merge key, or itself in a list of scalars."""
    if not key and not isinstance(item, dict):
        return token(item)
    if not isinstance(item, dict):
        raise malformed(f"expected a map[string]interface {{}}, but received a {type_name(item)}")
    if key not in item:
        raise malformed(f"map: {shown(item)} does not contain declared merge key: {key}")
    return token(item[key])


def item_type(*lists: Items) -> type:
    """The one type of all items."""
    found: type | None = None
    for items in lists:
        for item in items:
            if found is None:
                found = type(item)
                if found is list:
                    raise inapplicable()
            elif type(item) is not found:
                raise malformed(
                    f"list element types are not identical: {shown([list(one) for one in lists])}"
                )
    if found is None:
        raise malformed("no elements in any of the given slices")
    return found


def in_order(merged: Items, wanted: Items, live: Items, key: str) -> Items:
    """`wanted` are the patch's items, or the order that it asks for."""
    theirs = _places(wanted, key)
    ours = _places(live, key)
    patched = [item for item in merged if keyed(item, key) in theirs]
    others = [item for item in merged if keyed(item, key) not in theirs]
    patched.sort(key=lambda item: theirs[keyed(item, key)])
    others.sort(key=lambda item: ours.get(keyed(item, key), -1))
    return _interleaved(others, patched, ours, key)


def _interleaved(others: Items, patched: Items, ours: dict[Hashable, int], key: str) -> Items:
    """Each of the others stands before the first patched item that follows it in the live list."""
    out: Items = []
    at = 0
    for item in patched:
        place = ours.get(keyed(item, key), -1)
        while at < len(others) and place >= 0 and 0 <= ours.get(keyed(others[at], key), -1) < place:
            out.append(others[at])
            at += 1
        out.append(item)
    return out + others[at:]


def _places(items: Items, key: str) -> dict[Hashable, int]:
    return {keyed(item, key): at for at, item in reversed(list(enumerate(items)))}
