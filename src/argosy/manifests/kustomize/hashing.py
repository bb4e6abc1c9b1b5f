"""The hash behind the name of a generated ConfigMap or Secret: equal content, equal name, and a new name rolls out.

Upstream hashes the content as Go writes it into JSON; the name is not part of it.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from argosy.kube.objects import Object
from argosy.manifests.kustomize.documents import plain
from argosy.manifests.kustomize.scalars import text_of

_LETTERS = str.maketrans({"0": "g", "1": "h", "3": "k", "a": "m", "e": "t"})
_ESCAPED = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


def content_hash(obj: Object) -> str:
    kind = text_of(obj.get("kind", ""))
    hashed: dict[str, Any] = {"kind": kind, "name": "", "data": _part(obj, "data")}
    if kind == "Secret":
        hashed["type"] = _part(obj, "type")
    extra = "stringData" if kind == "Secret" else "binaryData"
    if isinstance(obj.get(extra), dict):
        hashed[extra] = plain(obj[extra])
    digest = hashlib.sha256(go_json(hashed).encode()).hexdigest()
    return digest[:10].translate(_LETTERS)


def _part(obj: Object, key: str) -> Any:
    value = obj.get(key, "")
    return plain(value) if isinstance(value, dict | list) else text_of(value)


def go_json(value: Any, *, indent: int | None = None) -> str:
    """As `encoding/json` writes it: sorted, HTML-safe."""
    separators = (",", ":") if indent is None else (",", ": ")
    text = json.dumps(value, sort_keys=True, separators=separators, ensure_ascii=False, indent=indent)
    return text.translate(_ESCAPED)
