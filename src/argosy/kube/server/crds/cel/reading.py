"""What an expression speaks of, found by walking it beside the schema: fields that do not exist, whether it looks at the old value,
and which parts of the value it needs.

The library checks types, but knows no objects with fields; this is the rest of the check, in upstream's words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from argosy.kube.objects import Object
from argosy.kube.server.crds.cel.names import escaped
from argosy.kube.server.crds.cel.patterns import searchable
from argosy.kube.server.crds.cel.tree import Apply, Literal, Loop, Name, Select, Several, Tree
from argosy.kube.server.crds.cel.types import fields_of, is_moment, type_of

SELF: Final = "self"
OLD_SELF: Final = "oldSelf"
_FLAT: Final = frozenset({"string", "bytes", "bool", "int", "double", "dyn"})
Scope: TypeAlias = Mapping[str, Any]
"""The schema of each name; None for what no schema describes."""
Parts: TypeAlias = dict[str, "Parts"]
"""The fields that are needed, and of each the fields; one without any is needed whole."""


@dataclass(slots=True)
class Read:
    result: str = ""
    """The type, as far as the schema tells."""
    unknown: list[tuple[int, str]] = field(default_factory=list)
    """Fields that do not exist, and where they are named."""
    unable: bool = False
    """Whether it needs what cannot be done here: a time inside an object, the place of an item in a list, some patterns."""
    parts: dict[str, Parts | None] = field(default_factory=dict)
    """By `self` and `oldSelf`, if it looks at them at all; None: all of it."""
    flat: set[int] = field(default_factory=set)
    """The places of what is a single text or number."""


def read(tree: Tree, schema: Object, *, optional: bool = False) -> Read:
    """`optional`: `oldSelf` may be nothing, and what it is then is not known to the schema."""
    reader = _Reader(Read())
    result = reader.walk(tree, {SELF: schema, OLD_SELF: None if optional else schema})
    reader.found.result = type_of(result)
    return reader.found


class _Reader:
    def __init__(self, found: Read) -> None:
        self.found = found

    def walk(self, tree: Tree, scope: Scope) -> Any:
        """The schema of what it becomes, or None."""
        schema = self._walked(tree, scope)
        if type_of(schema) in _FLAT:
            self.found.flat.add(tree.place)
        return schema

    def _walked(self, tree: Tree, scope: Scope) -> Any:
        match tree:
            case Name(name=name):
                if name in (SELF, OLD_SELF) and name in scope:
                    self._need(name, [])
                return scope.get(name)
            case Select():
                return self._selected(tree, scope)
            case Apply():
                return self._applied(tree, scope)
            case Several(parts=parts):
                for one in parts:
                    self.walk(one, scope)
            case Loop():
                return self._looped(tree, scope)
        return None

    def _selected(self, tree: Select, scope: Scope) -> Any:
        chain, root = [tree.field], tree.operand
        while isinstance(root, Select):
            chain.append(root.field)
            root = root.operand
        if isinstance(root, Name) and root.name in (SELF, OLD_SELF) and root.name in scope:
            self._need(root.name, chain[::-1])
            holder = self._inside(tree.operand, scope)
        else:
            holder = self.walk(tree.operand, scope)
        return self._child(holder, tree.field, tree.place)

    def _inside(self, tree: Tree, scope: Scope) -> Any:
        """Of a chain whose need is known already."""
        if isinstance(tree, Select):
            return self._child(self._inside(tree.operand, scope), tree.field, tree.place)
        return scope.get(tree.name) if isinstance(tree, Name) else None

    def _child(self, holder: Any, name: str, place: int) -> Any:
        if not isinstance(holder, dict):
            return None
        fields = fields_of(holder)
        if fields is None:
            rest = holder.get("additionalProperties")
            return rest if holder.get("type") == "object" else None
        found = next((schema for one, schema in fields.items() if escaped(one) == name), None)
        if not type_of(found):
            self.found.unknown.append((place, name))
            return None
        self.found.unable |= _holds_moments(found)
        return found

    def _need(self, name: str, chain: list[str]) -> None:
        known = self.found.parts.setdefault(name, {} if chain else None)
        if not chain:
            self.found.parts[name] = None
        if known is None or not chain:
            return
        for at, one in enumerate(chain):
            if one in known and not known[one]:
                return  # it is needed whole
            if at == len(chain) - 1:
                known[one] = {}
            else:
                known = known.setdefault(one, {})

    def _applied(self, tree: Apply, scope: Scope) -> Any:
        function, given = tree.function, tree.arguments
        if function in {"_?._", "_[_]", "_[?_]"} and len(given) == 2:
            holder, key = self.walk(given[0], scope), given[1]
            if function == "_?._" and isinstance(key, Literal) and key.text is not None:
                self._child(holder, key.text, tree.place)
                return None
            self.walk(key, scope)
            return _element(holder) if function == "_[_]" else None
        if function == "_?_:_":
            self.walk(given[0], scope)
            one, other = self.walk(given[1], scope), self.walk(given[2], scope)
            return one if one == other else None
        schemas = [self.walk(one, scope) for one in given]
        if function in {"indexOf", "lastIndexOf"}:
            self.found.unable |= type_of(schemas[0]).startswith("list")
        if function in {"find", "findAll"}:
            pattern = given[1]
            known = pattern.text if isinstance(pattern, Literal) else None
            self.found.unable |= known is None or searchable(known) is None
        return None

    def _looped(self, tree: Loop, scope: Scope) -> Any:
        over, start = self.walk(tree.over, scope), self.walk(tree.start, scope)
        inner: dict[str, Any] = {**scope, tree.so_far: start}
        body = inner | dict.fromkeys(tree.names)
        if isinstance(over, dict):
            body[tree.names[-1]] = (
                _element(over) if len(tree.names) > 1 or over.get("type") == "array" else None
            )
        self.walk(tree.condition, body)
        self.walk(tree.step, body)
        return self.walk(tree.result, inner)


def _element(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return None
    return schema.get("items") if schema.get("type") == "array" else schema.get("additionalProperties")


def _holds_moments(schema: Any) -> bool:
    """Itself, or in what a list or map of it holds: as far as one can get without naming a field."""
    while isinstance(schema, dict) and not is_moment(schema):
        schema = _element(schema)
    return isinstance(schema, dict)


def part_of(value: Any, parts: Parts | None) -> Any:
    """Only what is needed: giving the library a value costs time for all that is in it."""
    if not parts or not isinstance(value, dict):
        return value
    return {name: part_of(value[name], inner) for name, inner in parts.items() if name in value}
