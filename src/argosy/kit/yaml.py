"""YAML from outside, read with libyaml and guarded: bounded in size, depth and aliases, no tags, no duplicate keys."""

from __future__ import annotations

from typing import Any

import yaml as pyyaml

from argosy.kit.errors import BadRequest

MAX_BYTES = 4 * 1024 * 1024
MAX_DEPTH = 100
MAX_ALIASES = 100


class _Loader(pyyaml.CSafeLoader):
    """The safe loader, minus silently keeping the last of two equal keys."""

    def construct_mapping(self, node: pyyaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, pyyaml.ScalarNode):
                if key.value in seen:
                    raise BadRequest(
                        f"line {key.start_mark.line + 1}: the key {key.value[:60]!r} stands twice",
                        code="yaml.duplicate_key",
                    )
                seen.add(key.value)
        mapping: dict[Any, Any] = super().construct_mapping(node, deep)
        return mapping


def load(data: bytes, *, what: str = "document") -> Any:  # YAML values have no narrower type
    if len(data) > MAX_BYTES:
        raise BadRequest(f"the {what} is larger than {MAX_BYTES} bytes", code="yaml.size")
    try:
        _check_shape(data)
        return pyyaml.load(data, Loader=_Loader)  # noqa: S506 - a safe loader, with guards on top
    except pyyaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise BadRequest(f"the {what} is not YAML: {error.problem}{where}", code="yaml.syntax") from error
    except (pyyaml.YAMLError, RecursionError, ValueError) as error:
        raise BadRequest(f"the {what} is not YAML: {error}", code="yaml.syntax") from error


def _check_shape(data: bytes) -> None:
    """A first pass over the events alone: a bomb is seen before anything is built from it."""
    depth = aliases = 0
    for event in pyyaml.parse(data, Loader=pyyaml.CSafeLoader):
        if isinstance(event, pyyaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, pyyaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, pyyaml.AliasEvent):
            aliases += 1
        if depth > MAX_DEPTH:
            raise BadRequest(f"nested deeper than {MAX_DEPTH} levels", code="yaml.depth")
        if aliases > MAX_ALIASES:
            raise BadRequest(f"more than {MAX_ALIASES} aliases", code="yaml.aliases")
