"""JSON merge patch (RFC 7386), where null takes away: also, as the API server's library does, within lists that are new."""

from __future__ import annotations

from argosy.kube.objects import Object
from argosy.kube.server.patches.depth import bounded
from argosy.kube.server.patches.refused import malformed

_TYPES = {list: "array", str: "string", bool: "bool", int: "number", float: "number"}


@bounded
def merge_patch(obj: Object, patch: object) -> Object:
    """A new object, which shares with `obj` what the patch does not touch."""
    if patch is None:
        raise malformed("Invalid JSON Patch")
    if not isinstance(patch, dict):
        kind = _TYPES.get(type(patch), "value")
        raise malformed(
            f"error decoding patch: json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}"
        )
    return _merged(obj, patch)


def _merged(old: Object, patch: Object) -> Object:
    out = dict(old)
    for name, wanted in patch.items():
        before = old.get(name)
        if wanted is None:
            out.pop(name, None)
        elif isinstance(before, dict):
            out[name] = _merged(before, wanted) if isinstance(wanted, dict) else wanted
        else:
            out[name] = _without_nulls(wanted)
    return out


def _without_nulls(value: object) -> object:
    if isinstance(value, dict):
        return {name: _without_nulls(below) for name, below in value.items() if below is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value
