"""What an object is before anything is in it: what its creator is compared with, to see what they own.

Go writes some fields of its types whatever is in them, an empty `spec` for instance. They are there before the first
write, so nobody owns them. `v1_36_empty.jsonl` has them for each built-in kind where there is more than the metadata
(`make oracle-tables` writes it); custom objects start with nothing.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import msgspec

from argosy.kube.objects import Object
from argosy.kube.schema import Struct

_PINNED = "v1_36_empty.jsonl"


class _Line(msgspec.Struct):
    type: str
    empty: Object


def empty(obj: Object, schema: Struct) -> Object:
    """Of the kind of this object."""
    known: Object = {} if not schema.name else _known().get(schema.name, {"metadata": {}})
    return {"apiVersion": obj.get("apiVersion", ""), "kind": obj.get("kind", ""), **known}


@cache
def _known() -> dict[str, Object]:
    lines = (files("argosy.kube.server.ownership") / _PINNED).read_bytes().splitlines()
    found = (msgspec.json.decode(line, type=_Line) for line in lines)
    return {line.type: line.empty for line in found}
