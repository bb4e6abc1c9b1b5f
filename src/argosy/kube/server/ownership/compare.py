"""What changed between two states of an object: the fields that went, changed and came."""

from __future__ import annotations

from typing import NamedTuple

from argosy.kube.server.ownership.elements import BadElement, of_item
from argosy.kube.server.ownership.fieldset import FieldSet
from argosy.kube.server.ownership.leaves import whole
from argosy.kube.server.ownership.shapes import ANY, Shape


class Change(NamedTuple):
    """Of a field: None where there is nothing of the sort in it or below it. Of an object: sets."""

    removed: FieldSet | None = None
    modified: FieldSet | None = None
    added: FieldSet | None = None


_SAME = Change()
_MODIFIED = Change(modified={})


def compare(shape: Shape, old: object, new: object) -> tuple[FieldSet, FieldSet, FieldSet]:
    """Removed, modified, added."""
    change = _compare(shape, old, new)
    return change.removed or {}, change.modified or {}, change.added or {}


def _compare(shape: Shape, old: object, new: object) -> Change:
    if old is new:
        return _SAME
    match shape.kind:
        case "leaf":
            return _SAME if same(old, new) else _MODIFIED
        case "list":
            ours, theirs = old if isinstance(old, list) else [], new if isinstance(new, list) else []
            if ours or theirs:
                return _items(shape, ours, theirs)
            return _SAME if same(old, new) else _MODIFIED
        case "map":
            return _maps(shape, old, new)
    return _anything(old, new)


def _maps(shape: Shape, old: object, new: object) -> Change:
    ours, theirs = old if isinstance(old, dict) else {}, new if isinstance(new, dict) else {}
    if ours or theirs:
        return _fields(shape, ours, theirs)
    return _SAME if same(old, new) else _MODIFIED


def _fields(shape: Shape, old: dict[str, object], new: dict[str, object]) -> Change:
    removed: FieldSet = {}
    modified: FieldSet = {}
    added: FieldSet = {}
    named = shape.fields
    for name, before in old.items():
        inside = named.get(name) or shape.child(name)
        if name not in new:
            removed["f:" + name] = whole(inside, before)
            continue
        after = new[name]
        if after is before:
            continue
        change = _compare(inside, before, after)
        if change is not _SAME:
            _note(change, "f:" + name, removed, modified, added)
    for name, after in new.items():
        if name not in old:
            added["f:" + name] = whole(named.get(name) or shape.child(name), after)
    return _change(removed, modified, added)


def _items(shape: Shape, old: list[object], new: list[object]) -> Change:
    removed: FieldSet = {}
    modified: FieldSet = {}
    added: FieldSet = {}
    inside = shape.item or ANY
    before, after = _by_element(shape, old), _by_element(shape, new)
    for element, ours in before.items():
        theirs = after.get(element, [])
        if len(ours) == 1 and len(theirs) == 1:
            change = _compare(inside, ours[0], theirs[0])
            if change is not _SAME:
                _note(change, element, removed, modified, added)
        elif len(ours) == 1:
            removed[element] = whole(inside, ours[0])
            if theirs:
                added[element] = {}
        elif len(theirs) > 1:
            if not same(ours, theirs):
                modified[element] = {}
        else:
            removed[element] = {}
            if theirs:
                added[element] = whole(inside, theirs[0])
    for element, theirs in after.items():
        if element not in before:
            added[element] = whole(inside, theirs[0]) if len(theirs) == 1 else {}
    return _change(removed, modified, added)


def _by_element(shape: Shape, value: list[object]) -> dict[str, list[object]]:
    """More than one item under an element: it stands in the list twice, which only an applier may not do."""
    found: dict[str, list[object]] = {}
    for item in value:
        try:
            found.setdefault(of_item(item, shape.keys, shape.defaults), []).append(item)
        except BadElement:
            continue
    return found


def _anything(old: object, new: object) -> Change:
    """Values of any type: a map that comes or goes brings or takes its fields, whatever else stands there."""
    if type(old) is type(new) and not isinstance(old, dict):
        return _SAME if same(old, new) else _MODIFIED
    ours, theirs = old if isinstance(old, dict) else {}, new if isinstance(new, dict) else {}
    if isinstance(old, dict) and isinstance(new, dict):
        return _maps(ANY, old, new)
    change = _fields(ANY, ours, theirs)
    covered = (ours and new is None) or (theirs and old is None)
    if covered or same(old, new):
        return change
    return Change(change.removed, {}, change.added)


def _note(change: Change, element: str, removed: FieldSet, modified: FieldSet, added: FieldSet) -> None:
    if change.removed is not None:
        removed[element] = change.removed
    if change.modified is not None:
        modified[element] = change.modified
    if change.added is not None:
        added[element] = change.added


def _change(removed: FieldSet, modified: FieldSet, added: FieldSet) -> Change:
    if not (removed or modified or added):
        return _SAME
    return Change(removed or None, modified or None, added or None)


def same(one: object, other: object) -> bool:
    """Equal as JSON: 1 is 1.0, true is not 1."""
    if one is other:
        return True
    if type(one) is not type(other):
        return {type(one), type(other)} == {int, float} and one == other
    if isinstance(one, dict) and isinstance(other, dict):
        return len(one) == len(other) and all(
            name in other and same(value, other[name]) for name, value in one.items()
        )
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(same(*pair) for pair in zip(one, other, strict=True))
    return one == other
