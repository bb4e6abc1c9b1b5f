"""Strategic merge patch: a merge patch that knows which lists are merged, by which key, and in which order.

Directives in the patch say more: `$patch` (replace, delete), `$deleteFromPrimitiveList/<field>`,
`$setElementOrder/<field>`, `$retainKeys`. `merge_rules` asks the schema, `ordering` puts merged lists in order.
"""

from __future__ import annotations

from collections import deque
from typing import Any, TypeAlias

from argosy.kube.objects import Object
from argosy.kube.schema import Node, Struct
from argosy.kube.server.patches import merge_rules
from argosy.kube.server.patches.depth import bounded
from argosy.kube.server.patches.go_text import shown, type_name
from argosy.kube.server.patches.ordering import in_order, item_type, keyed, token
from argosy.kube.server.patches.refused import malformed

Items: TypeAlias = list[Any]

_PATCH, _RETAIN = "$patch", "$retainKeys"
_DELETE, _ORDER = "$deleteFromPrimitiveList", "$setElementOrder"
_TYPES = {list: "array", str: "string", bool: "bool", int: "number", float: "number"}


@bounded
def strategic_merge(obj: Object, patch: object, schema: Struct) -> Object:
    """A new object; neither `obj` nor the patch is changed. Custom resources have no such patch (415 before this)."""
    if patch is None:
        return obj
    if not isinstance(patch, dict):
        kind = _TYPES.get(type(patch), "value")
        raise malformed(f"json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}")
    return _map(_copy(obj), _copy(patch), schema)


def _map(old: Object, patch: Object, node: Node) -> Object:
    if _PATCH in patch:
        return _directed(patch)
    _retain(old, patch)
    for name in [name for name in patch if name.startswith(_ORDER)]:
        _ordered(old, patch, name, node)
    for name, wanted in patch.items():
        if name.startswith(_DELETE):
            _delete(old, _field(name, _DELETE), wanted, node)
        else:
            _field_merged(old, name, wanted, node)
    return old


def _directed(patch: Object) -> Object:
    directive = patch[_PATCH]
    if directive == "replace":
        return {name: value for name, value in patch.items() if name != _PATCH}
    if directive == "delete":
        return {}
    raise _unknown_directive(directive, patch)


def _retain(old: Object, patch: Object) -> None:
    """Only the keys that are listed stay."""
    if _RETAIN not in patch:
        return
    retained = patch.pop(_RETAIN)
    if not isinstance(retained, list):
        raise malformed("invalid patch format of retainKeys")
    kept = {token(one) for one in retained}
    for name, value in patch.items():
        if value is not None and not name.startswith((_DELETE, _ORDER)) and token(name) not in kept:
            raise malformed("invalid patch format of retainKeys")
    for name in [name for name in old if token(name) not in kept]:
        del old[name]


def _field_merged(old: Object, name: str, wanted: object, node: Node) -> None:
    if wanted is None:
        old.pop(name, None)
        return
    before = old.get(name)
    if isinstance(before, dict) and isinstance(wanted, dict):
        rule = merge_rules.of_field(node, name)
        old[name] = wanted if rule.strategy == "replace" else _map(before, wanted, rule.node)
        return
    if isinstance(before, list) and isinstance(wanted, list):
        rule = merge_rules.of_items(node, name)
        old[name] = _items(before, wanted, rule) if rule.strategy == "merge" else wanted
        return
    if type(before) is not type(wanted):
        wanted = _without_nulls(wanted)
    if isinstance(wanted, dict) and _PATCH in wanted:
        old.pop(name, None)
    else:
        old[name] = _undirected(wanted)


def _delete(old: Object, name: str, gone: object, node: Node) -> None:
    """Items out of a list of scalars."""
    if gone is None:
        old.pop(name, None)
        return
    before = old.get(name)
    if not isinstance(before, list) or not isinstance(gone, list):
        return
    merge_rules.of_items(node, name)
    if not before and not gone:
        return
    if item_type(before, gone) is dict:
        old[name] = _items(before, gone, merge_rules.of_items(node, name))
        return
    tokens = {token(one) for one in gone}
    old[name] = [one for one in before if token(one) not in tokens]


def _ordered(old: Object, patch: Object, directive: str, node: Node) -> None:
    """Merges a list together with the order that the patch wants for it."""
    order = patch.pop(directive)
    if not isinstance(order, list):
        raise malformed(f"expected a []interface {{}}, but received a {type_name(order)}")
    name = _field(directive, _ORDER)
    before, wanted = _list(old, name), _list(patch, name)
    rule = merge_rules.of_items(node, name)
    _check_order(wanted, order, rule.key)
    if name not in old and name not in patch:
        return
    live = before
    if name not in patch:
        merged = before
    elif name not in old:
        merged = _undirected(wanted)
    else:
        merged = _items(before, wanted, rule) if rule.strategy == "merge" else wanted
        live = _refilled(before, wanted, rule.key)
    item_type(before, wanted)
    old[name] = in_order(merged, order, live, rule.key)
    patch.pop(name, None)


def _refilled(before: Items, wanted: Items, key: str) -> Items:
    """The live order that counts: new items stand where deleted ones left room at the end. Upstream changes the live list
    in place before it asks for its order, and clients see the outcome."""
    if not key or not any(map(_is_directive, wanted)):
        return before
    kept, plain = _special(before, wanted, key)
    known = {keyed(item, key) for item in kept}
    return [*kept, *(item for item in plain if keyed(item, key) not in known)][: len(before)]


def _list(holder: Object, name: str) -> Items:
    found = holder.get(name, [])
    if not isinstance(found, list):
        raise malformed(f"expected a []interface {{}}, but received a {type_name(found)}")
    return found


def _check_order(wanted: Items, order: Items, key: str) -> None:
    """The items of the patch stand in the order list, in the same order."""
    if not wanted or not order:
        return
    left = deque(one for one in wanted if not (key and _is_directive(one) and one[_PATCH] == "delete"))
    wished = iter(order)
    while left and (wish := next(wished, None)) is not None:
        while left and _is_directive(left[0]):
            left.popleft()
        if left and keyed(left[0], key) == keyed(wish, key):
            left.popleft()
    if left:
        raise malformed(
            f"The order in patch list:\n{shown(wanted)}\n doesn't match {_ORDER} list:\n{shown(order)}\n"
        )


def _items(before: Items, wanted: Items, rule: merge_rules.Rule) -> Items:
    if not before and not wanted:
        return before
    if item_type(before, wanted) is not dict:
        merged = list({token(one): one for one in reversed([*before, *wanted])}.values())
        return in_order(merged, wanted, before, "")
    if not rule.key:
        kind = merge_rules.go_kind(rule.node)
        raise malformed(f"cannot merge lists without merge key for {kind}")
    before, wanted = _special(before, wanted, rule.key)
    return in_order(_merged_items(list(before), wanted, rule), wanted, before, rule.key)


def _special(before: Items, wanted: Items, key: str) -> tuple[Items, Items]:
    """Obeys the items that are directives; what is left of the list and of the patch."""
    plain: Items = []
    gone = set()
    replaced = False
    for item in wanted:
        if _PATCH not in item:
            plain.append(item)
        elif item[_PATCH] == "delete":
            gone.add(keyed(item, key))
        elif item[_PATCH] == "replace":
            replaced = True
        elif item[_PATCH] == "merge":
            raise malformed("merging lists cannot yet be specified in the patch")
        else:
            raise _unknown_directive(item[_PATCH], item)
    if replaced:
        return plain, []
    return [item for item in before if key not in item or token(item[key]) not in gone], plain


def _merged_items(merged: Items, wanted: Items, rule: merge_rules.Rule) -> Items:
    places = {keyed(item, rule.key): at for at, item in reversed(list(enumerate(merged))) if rule.key in item}
    for item in wanted:
        value = keyed(item, rule.key)
        found = places.get(value)
        if found is None:
            places[value] = len(merged)
            merged.append(item)
        else:
            merged[found] = _map(merged[found], item, rule.node)
    return merged


def _field(directive: str, prefix: str) -> str:
    start, slash, name = directive.partition("/")
    if start != prefix or not slash:
        what = "primitive list" if prefix == _DELETE else "setElementOrder list"
        raise malformed(f"invalid patch format of {what}")
    return name


def _unknown_directive(directive: object, patch: Object) -> Exception:
    said = directive if isinstance(directive, str) else f"%!s({type_name(directive)}={shown(directive)})"
    return malformed(f"unknown patch type: {said} in map: {shown(patch)}")


def _undirected(value: Any) -> Any:
    """What is new is taken as it is, but for directives that have nothing to direct."""
    if isinstance(value, dict):
        return {name: _undirected(below) for name, below in value.items() if not _is_directive(below)}
    return (
        [_undirected(item) for item in value if not _is_directive(item)] if isinstance(value, list) else value
    )


def _is_directive(value: object) -> bool:
    return isinstance(value, dict) and _PATCH in value


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nulls(below) for name, below in value.items() if below is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _copy(below) for name, below in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value
