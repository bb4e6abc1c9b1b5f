"""Sprig's functions on lists. None changes the list that it is given."""

from __future__ import annotations

from argosy.domain.templates import budget
from argosy.domain.templates.calling import Implementation
from argosy.domain.templates.errors import FunctionError
from argosy.domain.templates.sprig.defaults import is_empty
from argosy.domain.templates.sprig.numbers import int_
from argosy.domain.templates.values import Lists, kind_of, same


def list_(*values: object) -> object:
    return list(values)


def _items(value: object, complaint: str) -> list[object]:
    if isinstance(value, list):
        budget.items_of(len(value))
        return value
    if value is None:
        raise FunctionError("runtime error: invalid memory address or nil pointer dereference")
    raise FunctionError(f"{complaint} {kind_of(value)}")


def append(items: object, value: object) -> object:
    return [*_items(items, "Cannot push on type"), value]


def prepend(items: object, value: object) -> object:
    return [value, *_items(items, "Cannot prepend on type")]


def concat(*lists: object) -> object:
    found: list[object] = []
    for one in lists:
        if not isinstance(one, list):
            raise FunctionError(f"Cannot concat type {kind_of(one)} as list")
        found += one
        budget.items_of(len(found))
    return found


def first(items: object) -> object:
    return next(iter(_items(items, "Cannot find first on type")), None)


def last(items: object) -> object:
    found = _items(items, "Cannot find last on type")
    return found[-1] if found else None


def rest(items: object) -> object:
    return list(_items(items, "Cannot find rest on type")[1:])


def initial(items: object) -> object:
    return list(_items(items, "Cannot find initial on type")[:-1])


def reverse(items: object) -> object:
    return list(reversed(_items(items, "Cannot find reverse on type")))


def compact(items: object) -> object:
    return [one for one in _items(items, "Cannot compact on type") if not is_empty(one)]


def uniq(items: object) -> object:
    found: list[object] = []
    for one in _items(items, "Cannot find uniq on type"):
        if not _holds(found, one):
            found.append(one)
    return found


def without(items: object, *omitted: object) -> object:
    return [one for one in _items(items, "Cannot find without on type") if not _holds(omitted, one)]


def has(needle: object, items: object) -> bool:
    if items is None:
        return False
    return _holds(_items(items, "Cannot find has on type"), needle)


def _holds(items: list[object] | tuple[object, ...], needle: object) -> bool:
    return any(same(needle, one) for one in items)


def slice_(items: object, *edges: object) -> object:
    found = _items(items, "list should be type of slice or array but")
    if not found:
        return None
    start = int_(edges[0]) if edges else 0
    end = int_(edges[1]) if len(edges) > 1 else len(found)
    if not 0 <= start <= end <= len(found):
        raise FunctionError("reflect.Value.Slice: slice index out of bounds")
    return type(found)(found[start:end])


def chunk(size: int, items: object) -> object:
    found = _items(items, "Cannot chunk type")
    if size <= 0:
        raise FunctionError("runtime error: makeslice: len out of range")
    return Lists([found[at : at + size] for at in range(0, len(found), size)])


FUNCTIONS: dict[str, Implementation] = {
    "append": append,
    "chunk": chunk,
    "compact": compact,
    "concat": concat,
    "first": first,
    "has": has,
    "initial": initial,
    "last": last,
    "list": list_,
    "mustAppend": append,
    "mustChunk": chunk,
    "mustCompact": compact,
    "mustFirst": first,
    "mustHas": has,
    "mustInitial": initial,
    "mustLast": last,
    "mustPrepend": prepend,
    "mustPush": append,
    "mustRest": rest,
    "mustReverse": reverse,
    "mustSlice": slice_,
    "mustUniq": uniq,
    "mustWithout": without,
    "prepend": prepend,
    "push": append,
    "rest": rest,
    "reverse": reverse,
    "slice": slice_,
    "tuple": list_,
    "uniq": uniq,
    "without": without,
}
