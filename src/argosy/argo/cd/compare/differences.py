"""Where two objects differ, and who made it so: what a person reads to understand why something is out of sync."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from argosy.argo.cd.compare import managed
from argosy.argo.cd.compare.containment import schema_of
from argosy.argo.cd.compare.managed import Path
from argosy.kube.objects import Object
from argosy.kube.schema import List, Map, Node, Struct

_MOST = 100
_ABSENT = object()
_SECRET = (("f:data",), ("f:stringData",))
_WANTED, _IS_NOW = "++++++++", "+++++++++"
"""In place of values that nobody may see; that they are not equal may be seen."""


@dataclass(frozen=True, slots=True)
class Difference:
    """`desired` and `live` are None where the field is not there."""

    path: str
    desired: object
    live: object
    why: str


def differences(predicted: Object, live: Object, *, owners: Object) -> list[Difference]:
    """Of what would be after a sync (`predicted`) from what is; `owners` has the managed fields."""
    found: list[Difference] = []
    for path, steps, wanted, is_now in _walk(predicted, live, schema_of(live), "", ()):
        if len(found) == _MOST:
            break
        why = _why(owners, steps, wanted, is_now)
        if live.get("kind") == "Secret" and steps[:1] in _SECRET:
            wanted, is_now = _hidden(wanted, _WANTED), _hidden(is_now, _IS_NOW)
        found.append(Difference(path, _shown(wanted), _shown(is_now), why))
    return found


_Found = tuple[str, Path, object, object]


def _walk(wanted: object, is_now: object, node: Node | None, path: str, steps: Path) -> Iterator[_Found]:
    if isinstance(wanted, dict) and isinstance(is_now, dict):
        for name in dict.fromkeys([*wanted, *is_now]):
            below = _member(node, name)
            yield from _walk(
                wanted.get(name, _ABSENT),
                is_now.get(name, _ABSENT),
                below,
                f"{path}.{name}",
                (*steps, f"f:{name}"),
            )
    elif isinstance(wanted, list) and isinstance(is_now, list):
        yield from _walk_list(wanted, is_now, node if isinstance(node, List) else None, path, steps)
    elif wanted != is_now:
        yield path, steps, wanted, is_now


def _walk_list(
    wanted: list[object], is_now: list[object], node: List | None, path: str, steps: Path
) -> Iterator[_Found]:
    if node is not None and node.type == "map":
        left, right = _keyed(wanted, node), _keyed(is_now, node)
        for key in dict.fromkeys([*left, *right]):
            yield from _walk(
                left.get(key, _ABSENT),
                right.get(key, _ABSENT),
                node.item,
                f"{path}[{_label(key)}]",
                (*steps, f"k:{key}"),
            )
    elif len(wanted) == len(is_now):
        item = node.item if node is not None else None
        for place, (one, other) in enumerate(zip(wanted, is_now, strict=True)):
            yield from _walk(one, other, item, f"{path}[{place}]", steps)
    elif wanted != is_now:
        yield path, steps, wanted, is_now


def _keyed(items: list[object], node: List) -> dict[str, object]:
    return {
        json.dumps(
            {name: item.get(name, node.key_defaults.get(name)) for name in node.keys},
            separators=(",", ":"),
            sort_keys=True,
        ): item
        for item in items
        if isinstance(item, dict)
    }


def _label(key: str) -> str:
    return ",".join(f"{name}={value}" for name, value in json.loads(key).items())


def _member(node: Node | None, name: str) -> Node | None:
    if isinstance(node, Struct):
        member = node.fields.get(name)
        return member.node if member is not None else None
    return node.value if isinstance(node, Map) else None


def _why(owners: Object, steps: Path, wanted: object, is_now: object) -> str:
    manager, time = managed.blamed(owners, steps)
    at = f" at {time}" if time else ""
    if is_now is _ABSENT:
        return "the cluster does not have it yet, or somebody removed it"
    if wanted is _ABSENT:
        return f"it is no longer in Git; {manager or 'nobody known'} wrote it{at}"
    return f"{manager or 'somebody unknown'} changed it{at}"


def _hidden(value: object, mask: str) -> object:
    if isinstance(value, dict):
        return dict.fromkeys(value, mask)
    return value if value is _ABSENT else mask


def _shown(value: object) -> object:
    return None if value is _ABSENT else value
