"""Replacements inside texts that are YAML or JSON themselves: a file in a ConfigMap, for example.

A path may go on behind a text: `data.config\\.yaml.server.port`. The text is read, changed and written again as upstream writes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import yaml as pyyaml

from argosy.kube.objects import Object
from argosy.manifests.kustomize import documents
from argosy.manifests.kustomize.field_paths import Nothing, Place, look_up, places
from argosy.manifests.kustomize.hashing import go_json
from argosy.manifests.kustomize.scalars import (
    Block,
    Odd,
    OddKey,
    Quoted,
    Single,
    is_scalar,
    new_text,
    retexted,
    text_of,
)
from argosy.manifests.tree import SourceError


def put(obj: Object, path: Sequence[str], change: Callable[[Place], None], create: Any) -> bool:
    """False: the path leads into no such text, or to nothing in it."""
    at = _text_on_the_way(obj, path)
    if at is None:
        return False
    before, inside = path[:at], path[at:]
    holder, key = _holder(obj, before)
    text = text_of(holder[key])
    root = [documents.structured(text)]
    try:
        found = places(root, 0, inside, create)
        for place in found:
            change(place)
    except (SourceError, ValueError):
        return False
    if not found:
        return False
    holder[key] = retexted(holder[key], _written(root[0], text))
    return True


def _text_on_the_way(obj: Object, path: Sequence[str]) -> int | None:
    """How many parts lead to the first text that can be read."""
    for count in range(1, len(path)):
        try:
            value = look_up(obj, path[:count])
        except SourceError:
            continue
        if value is Nothing or not is_scalar(value):
            continue
        try:
            documents.structured(text_of(value))
        except SourceError:
            continue
        return count
    return None


def _holder(obj: Object, path: Sequence[str]) -> tuple[Any, Any]:
    found = places([obj], 0, path)
    return found[0].holder, found[0].key


def _written(value: Any, before: str) -> str:
    if before.strip()[:1] in {"{", "["}:
        pretty = "\n" in before and "  " in before
        return go_json(documents.plain(value), indent=2 if pretty else None)
    return pyyaml.dump(
        value, Dumper=_Dumper, sort_keys=False, width=2**31, allow_unicode=True, default_flow_style=False
    ).strip()


class _Dumper(pyyaml.SafeDumper):
    """Two spaces, lists as far left as they may stand, texts in the quotes that they had."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _quoted(dumper: _Dumper, value: str) -> pyyaml.Node:
    style = "|" if "\n" in value else "'" if isinstance(value, Single) else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", str(value), style=style)


def _text(dumper: _Dumper, value: str) -> pyyaml.Node:
    style = '"' if type(new_text(value)) is Quoted else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", str(value), style=style)


def _odd(dumper: _Dumper, value: Odd) -> pyyaml.Node:
    held = value.value
    kind = (
        "null"
        if held is None
        else "bool"
        if isinstance(held, bool)
        else "int"
        if isinstance(held, int)
        else "float"
    )
    return pyyaml.ScalarNode(f"tag:yaml.org,2002:{kind}", value.text)


_Dumper.add_representer(str, _text)
_Dumper.add_representer(OddKey, _text)
for kind in (Quoted, Single, Block):
    _Dumper.add_representer(kind, _quoted)
_Dumper.add_representer(Odd, _odd)
