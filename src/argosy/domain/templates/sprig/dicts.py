"""Sprig's functions on maps. `keys` and `values` come in order of the keys: Go's order is a different one each time."""

from __future__ import annotations

from argosy.domain.templates import budget
from argosy.domain.templates.calling import Implementation, Map
from argosy.domain.templates.errors import FunctionError
from argosy.domain.templates.merging import merge_into
from argosy.domain.templates.sprig.strings import strval
from argosy.domain.templates.values import Strings, type_of


def dict_(*values: object) -> object:
    found: Map = {}
    for at in range(0, len(values), 2):
        found[strval(values[at])] = values[at + 1] if at + 1 < len(values) else ""
    return found


def get(held: Map, key: str) -> object:
    return held.get(key, "")


def set_(held: Map, key: str, value: object) -> object:
    budget.items_of(len(held) + 1)
    held[key] = value
    return held


def unset(held: Map, key: str) -> object:
    held.pop(key, None)
    return held


def has_key(held: Map, key: str) -> bool:
    return key in held


def pluck(key: str, *maps: Map) -> object:
    return [one[key] for one in maps if key in one]


def keys(*maps: Map) -> object:
    return Strings([key for one in maps for key in sorted(one)])


def values(held: Map) -> object:
    return [held[key] for key in sorted(held)]


def pick(held: Map, *names: str) -> object:
    return {name: held[name] for name in names if name in held}


def omit(held: Map, *names: str) -> object:
    return {key: value for key, value in held.items() if key not in names}


def merge(into: Map, *others: Map) -> object:
    for one in others:
        merge_into(into, one, overwrite=False)
    return into


def merge_overwrite(into: Map, *others: Map) -> object:
    for one in others:
        merge_into(into, one, overwrite=True)
    return into


def dig(*path: object) -> object:
    if len(path) < 3:
        raise FunctionError("dig needs at least three arguments")
    *names, otherwise, held = path
    for at, name in enumerate(names):
        if not isinstance(name, str):
            raise FunctionError(f"interface conversion: interface {{}} is {type_of(name)}, not string")
        if type(held) is not dict:
            told = "nil" if held is None else type_of(held)
            raise FunctionError(
                f"interface conversion: interface {{}} is {told}, not map[string]interface {{}}"
            )
        if name not in held:
            return otherwise
        held = held[name]
        if at == len(names) - 1:
            return held
    return otherwise


FUNCTIONS: dict[str, Implementation] = {
    "dict": dict_,
    "dig": dig,
    "get": get,
    "hasKey": has_key,
    "keys": keys,
    "merge": merge,
    "mergeOverwrite": merge_overwrite,
    "mustMerge": merge,
    "mustMergeOverwrite": merge_overwrite,
    "omit": omit,
    "pick": pick,
    "pluck": pluck,
    "set": set_,
    "unset": unset,
    "values": values,
}
