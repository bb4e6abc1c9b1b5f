"""A first look without the server: whether the live object has everything that Git says, as Git says it.

Lists are compared as the schema of built-in kinds has them; what this look is not sure of it denies, and the server is asked.
"""

from __future__ import annotations

from functools import cache

from argosy.kube import quantities
from argosy.kube.objects import Object, group_version
from argosy.kube.schema import List, Map, Node, Scalar, Struct, struct
from argosy.kube.types import Kind, pinned


def contains(live: Object, target: Object) -> bool:
    return _contains(live, target, schema_of(target))


def schema_of(obj: Object) -> Node | None:
    """None for custom resources."""
    group, version = group_version(obj)
    return _schemas().get(Kind(group, version, str(obj.get("kind", ""))))


@cache
def _schemas() -> dict[Kind, Struct]:
    return {one.kind: struct(one.type) for one in pinned().resources}


def _contains(live: object, target: object, node: Node | None) -> bool:
    if target is None or target in ({}, []):
        return live is None or live in ({}, [])
    if isinstance(target, dict):
        return isinstance(live, dict) and all(
            _contains(live.get(name), value, _member(node, name)) for name, value in target.items()
        )
    if isinstance(target, list):
        return isinstance(live, list) and _list(live, target, node if isinstance(node, List) else None)
    if isinstance(node, Scalar) and node.type == "Quantity":
        return _same_quantity(live, target)
    return type(live) is type(target) and live == target


def _list(live: list[object], target: list[object], node: List | None) -> bool:
    item = node.item if node is not None else None
    if node is None or node.type == "atomic":
        return len(live) == len(target) and all(
            _contains(one, other, item) for one, other in zip(live, target, strict=True)
        )
    wanted = [_key(one, node) for one in target]
    by_key = {_key(one, node): one for one in live}
    if len(by_key) != len(live) or [key for key in by_key if key in set(wanted)] != wanted:
        return False  # the order counts, too: of what starts a pod, say
    return all(_contains(by_key[key], one, item) for key, one in zip(wanted, target, strict=True))


def _key(item: object, node: List) -> tuple[object, ...]:
    if not isinstance(item, dict) or node.type == "set":
        return (repr(item),)
    return tuple(repr(item.get(name, node.key_defaults.get(name))) for name in node.keys)


def _member(node: Node | None, name: str) -> Node | None:
    if isinstance(node, Struct):
        member = node.fields.get(name)
        return member.node if member is not None else None
    return node.value if isinstance(node, Map) else None


def _same_quantity(live: object, target: object) -> bool:
    try:
        return quantities.canonical(str(live)) == quantities.canonical(str(target))
    except ValueError:
        return False
