"""Sets of fields, in the very form in which `managedFields` stores them: dictionaries that mirror the object.

A key is a path element (`elements`). An empty dictionary is a field that belongs to the set; one with keys belongs to it
only if it has the key `.` too. So nothing is parsed or printed on the way between a stored object and the algebra, and
the sets share what they have in common: nobody changes one in place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from argosy.kube.server.ownership.elements import BadElement, canonical, place, told

FieldSet: TypeAlias = dict[str, Any]
"""A set, and every node inside one."""

Path: TypeAlias = tuple[str, ...]


def belongs(node: FieldSet) -> bool:
    """Whether the field of this node is a member, apart from what lies below it."""
    return not node or "." in node


def node(inside: FieldSet, *, member: bool) -> FieldSet | None:
    """Of what lies below a field and whether the field itself is a member; None if there is nothing to say."""
    if not inside:
        return {} if member else None
    return {".": {}, **inside} if member else inside


def union(one: FieldSet, other: FieldSet) -> FieldSet:
    if one is other or not other:
        return one
    if not one:
        return other
    out = dict(one)
    for element, theirs in other.items():
        ours = out.get(element)
        out[element] = theirs if ours is None else _joined(ours, theirs)
    return out


def _joined(one: FieldSet, other: FieldSet) -> FieldSet:
    if not one:
        return other if belongs(other) else {".": {}, **other}
    if not other:
        return one if "." in one else {".": {}, **one}
    return union(one, other)


def intersection(one: FieldSet, other: FieldSet) -> FieldSet:
    out: FieldSet = {}
    for element, ours in one.items():
        theirs = other.get(element)
        if theirs is None or element == ".":
            continue
        inside = intersection(ours, theirs) if ours and theirs else {}
        found = node(inside, member=belongs(ours) and belongs(theirs))
        if found is not None:
            out[element] = found
    return out


def difference(one: FieldSet, other: FieldSet) -> FieldSet:
    """Without the members of the other. What lies below a member of the other stays, if it is not named there."""
    return _differing(one, other) if other else one


def _differing(one: FieldSet, other: FieldSet) -> FieldSet:
    out: FieldSet = {}
    for element, ours in one.items():
        if element == ".":
            continue
        theirs = other.get(element)
        if theirs is not None:
            ours = node(_differing(ours, theirs), member=belongs(ours) and not belongs(theirs))
        if ours is not None:
            out[element] = ours
    return out


def without(one: FieldSet, other: FieldSet) -> FieldSet:
    """Without the members of the other and everything below them."""
    return _without(one, other) if other else one


def _without(one: FieldSet, other: FieldSet) -> FieldSet:
    out: FieldSet = {}
    for element, ours in one.items():
        if element == ".":
            continue
        theirs = other.get(element)
        if theirs is None:
            out[element] = ours
        elif not belongs(theirs):
            left = node(_without(ours, theirs), member=belongs(ours))
            if left is not None:
                out[element] = left
    return out


def covers(whole: FieldSet, part: FieldSet) -> bool:
    """Whether every member of the part is a member of the whole."""
    if whole is part:
        return True
    for element, wanted in part.items():
        found = whole.get(element)
        if found is None or (element != "." and belongs(wanted) and not belongs(found)):
            return False
        if wanted and not covers(found, wanted):
            return False
    return True


def paths(fields: FieldSet) -> Iterator[Path]:
    """The members: those of a level first, then what lies below, both in order."""
    elements = sorted((element for element in fields if element != "."), key=place)
    for element in elements:
        if belongs(fields[element]):
            yield (element,)
    for element in elements:
        for below in paths(fields[element]):
            yield (element, *below)


def has(fields: FieldSet, path: Path) -> bool:
    at: FieldSet | None = fields
    for element in path:
        at = at.get(element) if at else None
        if at is None:
            return False
    return at is not None and belongs(at)


def of_paths(*members: Path) -> FieldSet:
    out: FieldSet = {}
    for path in members:
        below: FieldSet = {}
        for element in reversed(path):
            below = {element: below}
        out = union(out, below)
    return out


def shown(path: Path) -> str:
    return "".join(told(element) for element in path)


def ordered(fields: FieldSet) -> FieldSet:
    """As it is stored: sorted, `.` first."""
    out: FieldSet = {".": {}} if "." in fields and len(fields) > 1 else {}
    for element in sorted((element for element in fields if element != "."), key=place):
        out[element] = ordered(fields[element])
    return out


def parsed(stored: object) -> FieldSet:
    """A set out of `fieldsV1` as a client may have written it. `BadElement` when it is none."""
    if stored is None:
        return {}
    if not isinstance(stored, dict):
        raise BadElement("expect { or n")
    return _level(stored)


def _level(stored: Mapping[str, object]) -> FieldSet:
    out: FieldSet = {}
    same = True
    for element, below in stored.items():
        if element == ".":
            same = False
            continue
        name = canonical(element)
        if not name:
            same = False
            continue
        inside = _node(below)
        same = same and name == element and inside is below
        out[name] = inside if name not in out else _joined(out[name], inside)
    return stored if same and isinstance(stored, dict) else out


def _node(stored: object) -> FieldSet:
    if stored is None:
        return {}
    if not isinstance(stored, dict):
        raise BadElement("expect { or n")
    inside = _level(stored)
    if "." not in stored or not inside:
        return inside
    if len(inside) + 1 == len(stored) and all(
        stored.get(element) is below for element, below in inside.items()
    ):
        return stored
    return {".": {}, **inside}
