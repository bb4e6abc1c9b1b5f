"""The live object with what was applied on top. What nothing changes in stays the very same object."""

from __future__ import annotations

from argosy.kube.server.ownership.compare import same
from argosy.kube.server.ownership.elements import BadElement, of_item
from argosy.kube.server.ownership.shapes import ANY, Shape

_ABSENT = object()


def merge(shape: Shape, live: object, applied: object) -> object:
    """`live` itself when `applied` brings nothing new."""
    if shape.kind == "leaf":
        return live if same(live, applied) else applied
    if shape.kind == "list":
        if isinstance(applied, list) and isinstance(live, list) and (applied or live):
            return _items(shape, live, applied)
        return _kept(shape, live, applied)
    if isinstance(applied, dict) and isinstance(live, dict) and (applied or live):
        return _fields(shape, live, applied)
    return _kept(shape, live, applied)


def _kept(shape: Shape, live: object, applied: object) -> object:
    """One of them has nothing inside. A null does not empty what is there."""
    if applied is None and live and isinstance(live, list if shape.kind == "list" else dict):
        return live
    return live if same(live, applied) else applied


def _fields(shape: Shape, live: dict[str, object], applied: dict[str, object]) -> dict[str, object]:
    named = shape.fields
    out: dict[str, object] | None = None
    for name, theirs in applied.items():
        ours = live.get(name, _ABSENT)
        merged = theirs if ours is _ABSENT else merge(named.get(name) or shape.child(name), ours, theirs)
        if merged is not ours:
            if out is None:
                out = dict(live)
            out[name] = merged
    return live if out is None else out


def _items(shape: Shape, live: list[object], applied: list[object]) -> list[object]:
    """The order is the live one where they agree; where the applier has another, its order counts for its items."""
    ours, theirs = _elements(shape, live), _elements(shape, applied)
    mine: dict[str, object] = {}
    for element, item in zip(ours, live, strict=True):
        mine[element] = None if element in mine else item
    wanted = dict(zip(theirs, applied, strict=True))
    shared = [element for element in theirs if element in mine]
    merging = _Merging(shape.item or ANY, mine, wanted)
    left = right = 0
    next_shared = 0
    while left < len(ours) or right < len(theirs):
        if left < len(ours) and right < len(theirs):
            element = ours[left]
            if element == theirs[right]:
                merging.take(element)
                left, right, next_shared = left + 1, right + 1, next_shared + 1
                continue
            if element in wanted and next_shared < len(shared) and shared[next_shared] != element:
                left += 1
                continue
        if left < len(ours):
            element = ours[left]
            if element not in wanted:
                merging.out.append(live[left])
                left += 1
                continue
            if element in merging.done:
                left += 1
        if right < len(theirs):
            element = theirs[right]
            merging.take(element)
            right += 1
            if next_shared < len(shared) and shared[next_shared] == element:
                next_shared += 1
    unchanged = len(merging.out) == len(live) and all(
        one is other for one, other in zip(merging.out, live, strict=True)
    )
    return live if unchanged else merging.out


class _Merging:
    def __init__(self, shape: Shape, live: dict[str, object], applied: dict[str, object]) -> None:
        self._shape, self._live, self._applied = shape, live, applied
        self.done: set[str] = set()
        self.out: list[object] = []

    def take(self, element: str) -> None:
        """What was applied, on top of the live item if there is one."""
        self.done.add(element)
        theirs = self._applied[element]
        self.out.append(merge(self._shape, self._live[element], theirs) if element in self._live else theirs)


def _elements(shape: Shape, value: list[object]) -> list[str]:
    found = []
    for index, item in enumerate(value):
        try:
            found.append(of_item(item, shape.keys, shape.defaults))
        except BadElement:
            found.append(f"i:{index}")
    return found
