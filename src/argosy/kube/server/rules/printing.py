"""Values as the API server prints them in its messages: its internal structs as JSON, and the difference of two.

Those structs have other names and another order than what clients write (`HostPort`, `null` for what is absent). The file
`internal_shapes.jsonl` lists, for each struct that a message may show, its members in order: the name printed, the name in JSON,
the kind (`s` text, `i` and `f` numbers, `b` bool, `q` quantity, `t` time, `o` number or text, `y` bytes, `j` anything; `*`, `[` and
`{` before a kind: pointer, list, map) and whether it is left out when empty; `make oracle-tables` writes it. Only errors come here, so
it is read when first needed.
"""

from __future__ import annotations

import difflib
import json
from functools import cache
from importlib.resources import files
from typing import Any, Final

from argosy.kube.objects import Object
from argosy.kube.server.rules.wording import Printed

_SHAPES: Final = "internal_shapes.jsonl"
_MOST_LINES: Final = 1500
"""What `difflib` needs grows with the square of the lines that differ, and worse."""
_ZERO: Final[dict[str, object]] = {"s": "", "i": 0, "f": 0, "b": False, "q": "0", "o": 0}
_FLATTENED: Final = {"core.PodTemplateSpec", "core.PersistentVolumeClaimTemplate"}
_IN_SECURITY_CONTEXT: Final = ("hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers")


def printed(shape: str, value: object) -> Printed:
    """`shape` as in the file (`core.SecurityContext`), or behind `[`, `{` or `*`."""
    text = json.dumps(_made(shape, value), separators=(",", ":"), ensure_ascii=False)
    return Printed(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def difference(shape: str, old: object, new: object) -> str:
    """A unified diff of both, indented by one space per level; of very long ones, where they begin to differ."""
    before, after = _lines(shape, old), _lines(shape, new)
    if max(len(before), len(after)) > _MOST_LINES:
        at = next((at for at, (one, other) in enumerate(zip(before, after, strict=False)) if one != other), 0)
        here = slice(max(at - 3, 0), at + _MOST_LINES)
        before, after = before[here], after[here]
    return "".join(list(difflib.unified_diff(before, after, n=3))[2:])


def _lines(shape: str, value: object) -> list[str]:
    text = json.dumps(_made(shape, value), indent=1, ensure_ascii=False)
    return [line + "\n" for line in text.split("\n")]


@cache
def _shapes() -> dict[str, list[list[Any]]]:
    lines = (files("argosy.kube.server.rules") / _SHAPES).read_bytes().splitlines()
    return {shape["type"]: shape["fields"] for shape in map(json.loads, lines)}


def _made(shape: str, value: object) -> object:
    if shape in _ZERO:
        return _ZERO[shape] if value is None else value
    if shape[0] == "*":
        return None if value is None else _made(shape[1:], value)
    if shape[0] == "[":
        return [_made(shape[1:], one) for one in value] if isinstance(value, list) else None
    if shape[0] == "{":
        items = sorted(value.items()) if isinstance(value, dict) else None
        return None if items is None else {key: _made(shape[1:], one) for key, one in items}
    if shape in {"t", "y", "j"}:
        return value
    return _struct(shape, value if isinstance(value, dict) else {})


def _struct(shape: str, value: Object) -> Object:
    if shape in _FLATTENED:
        value = {**(value.get("metadata") or {}), **value}
    elif shape == "core.PodSpec":
        value = {**value, "securityContext": _security_context(value)}
    made: Object = {}
    for name, key, kind, *optional in _shapes()[shape]:
        one = _made(kind, value.get(key))
        if optional and (one is None or (kind[0] != "*" and not one)):
            continue
        made[name] = one
    return made


def _security_context(spec: Object) -> Object | None:
    """Upstream keeps the host's namespaces there."""
    moved: Object = {key: spec[key] for key in _IN_SECURITY_CONTEXT if key in spec}
    own = spec.get("securityContext")
    return {**(own or {}), **moved} if own is not None or moved else None
