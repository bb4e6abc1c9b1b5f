"""YAML from outside, read with libyaml and guarded: bounded in size, depth and what aliases make of it, no tags beyond
the plain types, no duplicate keys.

A first pass looks at the events alone, so that a bomb is seen before anything is built from it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import yaml as pyyaml

from argosy.kit.errors import BadRequest

MAX_BYTES = 4 * 1024 * 1024
MAX_DEPTH = 100
MAX_ALIASES = 100
MAX_NODES = 1_000_000  # with every alias written out: whoever walks the value meets each of them
MAX_NUMBER = (
    400  # characters; PyYAML reads 1:30:00 digit by digit into one integer, which takes hours for a long one
)

_CORE = "tag:yaml.org,2002:"
_TAGS = frozenset(_CORE + name for name in ("str", "int", "float", "bool", "null", "map", "seq"))


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

    def number(self, node: pyyaml.ScalarNode) -> int | float:
        if len(node.value) > MAX_NUMBER:
            raise BadRequest(
                f"line {node.start_mark.line + 1}: a number has more than {MAX_NUMBER} characters",
                code="yaml.number",
            )
        read = self.construct_yaml_int if node.tag == f"{_CORE}int" else self.construct_yaml_float
        value: int | float = read(node)
        return value


_Loader.add_constructor(f"{_CORE}int", _Loader.number)
_Loader.add_constructor(f"{_CORE}float", _Loader.number)


def load(data: bytes, *, what: str = "document") -> Any:  # YAML values have no narrower type
    if len(data) > MAX_BYTES:
        raise BadRequest(f"the {what} is larger than {MAX_BYTES} bytes", code="yaml.size")
    try:
        check_shape(data)
        return pyyaml.load(data, Loader=_Loader)  # noqa: S506 - a safe loader, with guards on top
    except pyyaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise BadRequest(f"the {what} is not YAML: {error.problem}{where}", code="yaml.syntax") from error
    except (pyyaml.YAMLError, RecursionError, ValueError) as error:
        raise BadRequest(f"the {what} is not YAML: {error}", code="yaml.syntax") from error


def check_shape(data: bytes) -> None:
    """For whoever builds values of their own from the nodes. Raises as `pyyaml` does, and `BadRequest` for a bomb."""
    shape = Shape()
    for event in pyyaml.parse(data, Loader=pyyaml.CSafeLoader):
        shape.see(event)


@dataclass(slots=True)
class Shape:
    """How large the value becomes, counted while its events pass by. Also for `yaml_documents`, which builds in the same pass."""

    open: list[tuple[str | None, int]] = field(default_factory=lambda: [(None, 0)])  # anchor, nodes so far
    anchored: dict[str, int] = field(default_factory=dict)
    aliases: int = 0

    def see(self, event: pyyaml.Event) -> None:
        line = event.start_mark.line + 1 if event.start_mark else 0
        match event:
            case pyyaml.AliasEvent():
                self._alias(event.anchor or "", line)
            case pyyaml.ScalarEvent():
                _check_tag(event.tag, line)
                self._node(event.anchor, 1, line)
            case pyyaml.CollectionStartEvent():
                _check_tag(event.tag, line)
                self.open.append((event.anchor, 1))
                if len(self.open) > MAX_DEPTH + 1:
                    raise BadRequest(f"line {line}: nested deeper than {MAX_DEPTH} levels", code="yaml.depth")
            case pyyaml.CollectionEndEvent():
                anchor, nodes = self.open.pop()
                self._node(anchor, nodes, line)

    def _alias(self, name: str, line: int) -> None:
        self.aliases += 1
        if self.aliases > MAX_ALIASES:
            raise BadRequest(f"line {line}: more than {MAX_ALIASES} aliases", code="yaml.aliases")
        if any(anchor == name for anchor, _ in self.open):
            raise BadRequest(f"line {line}: {name[:60]!r} holds itself", code="yaml.aliases")
        self._node(None, self.anchored.get(name, 1), line)

    def _node(self, anchor: str | None, nodes: int, line: int) -> None:
        if anchor is not None:
            self.anchored[anchor] = nodes
        around, before = self.open[-1]
        if before + nodes > MAX_NODES:
            raise BadRequest(
                f"line {line}: its aliases make it larger than {MAX_NODES} values", code="yaml.aliases"
            )
        self.open[-1] = (around, before + nodes)


def _check_tag(tag: str | None, line: int) -> None:
    if tag is not None and tag != "!" and tag not in _TAGS:
        raise BadRequest(
            f"line {line}: the tag {tag[:60]!r} is not read here", code="yaml.tag", cure="leave it out"
        )
