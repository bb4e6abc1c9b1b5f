"""Whether a value is what it was, as far as a schema can tell: what was wrong already may stay, `checking` asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec

from argosy.kube.objects import Object
from argosy.kube.server.crds.list_types import key_of

NOTHING: Final = object()
"""There is no old value, or none that belongs to this one."""
_JSON = msgspec.json.Encoder(order="sorted")


def same(one: Any, other: Any) -> bool:
    """Strictly: a number is no boolean, and 1 is not 1.0."""
    return _JSON.encode(one) == _JSON.encode(other)


def unchanged(value: Any, old: Any, base: Object) -> bool:
    """What no schema knows cannot be compared, so whatever holds it has changed."""
    if value is None or old is None or type(value) is not type(old):
        return value is None and old is None
    if type(value) is dict:
        return len(value) == len(old) and all(
            name in old
            and (child := _child_of(base, name)) is not None
            and unchanged(inner, old[name], child)
            for name, inner in value.items()
        )
    if type(value) is list and base.get("x-kubernetes-list-type") == "map":
        items, keys = inside(base.get("items")), tuple(base.get("x-kubernetes-list-map-keys") or ())
        known = {_JSON.encode(key_of(one, keys)): one for one in old if type(one) is dict}
        return len(value) == len(old) and all(
            type(one) is dict
            and (was := known.get(_JSON.encode(key_of(one, keys)))) is not None
            and unchanged(one, was, items)
            for one in value
        )
    return same(value, old)


def _child_of(base: Object, name: str) -> Object | None:
    found = (base.get("properties") or {}).get(name) or base.get("additionalProperties")
    return found if isinstance(found, dict) else None


def inside(raw: Any) -> Object:
    return raw if isinstance(raw, dict) else {}


def correlated(old: Any, base: Object) -> Callable[[Any], Any]:
    """What an item of a list was before; only lists that are maps can tell."""
    if type(old) is not list or base.get("x-kubernetes-list-type") != "map":
        return lambda _: NOTHING
    keys = tuple(base.get("x-kubernetes-list-map-keys") or ())
    known = {_JSON.encode(key_of(one, keys)): one for one in old if type(one) is dict}
    return lambda one: known.get(_JSON.encode(key_of(one, keys)), NOTHING) if type(one) is dict else NOTHING
