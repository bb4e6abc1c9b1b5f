"""The built-in types and resources of one pinned Kubernetes version, out of the file that `tools.kube_types` wrote.

The server validates, defaults, merges and describes with it, the client finds a kind's address in it. A type is decoded
when it is first asked for: most processes need a handful of the four hundred.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import msgspec

_PINNED = "v1_36.jsonl"
_WRITTEN = msgspec.json.Decoder(dict[str, Any])


class Field(NamedTuple):
    """One JSON field. `type` is a scalar (`string`, `bool`, `int32`, `int64`, `float64`, `bytes`, `Time`, `MicroTime`,
    `Quantity`, `IntOrString`, `FieldsV1`), something untyped (`JSON`, `RawExtension`, the `JSONSchemaPropsOr…`), the name of
    another type, or one of these behind `[]` (list) or `{}` (map with text keys)."""

    name: str
    type: str
    numbers: tuple[int, ...] = ()
    """Where protobuf has it: one number, or two where Go flattens a message into its holder."""
    presence: str = ""
    """What Go writes when nobody set it: nothing (``), nothing when it is empty (`e`), null (`n`), its zero value (`a`)."""
    required: bool = False
    default: Any = None
    list_type: str = ""
    """`atomic`, `set` or `map`; empty for a list that says nothing, which is atomic."""
    keys: tuple[str, ...] = ()
    strategy: str = ""
    """For strategic merge patches: `merge`, `replace`, `retainKeys`, `merge,retainKeys`."""
    merge_key: str = ""
    map_type: str = ""

    @property
    def item(self) -> str:
        """The type inside a list or map."""
        return self.type[2:] if self.type[:2] in {"[]", "{}"} else ""


class Type(NamedTuple):
    name: str
    fields: dict[str, Field]
    map_type: str = ""
    unions: list[dict[str, Any]] = []  # noqa: RUF012


class Kind(NamedTuple):
    group: str
    version: str
    kind: str

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version


class Subresource(NamedTuple):
    name: str
    kind: Kind
    verbs: tuple[str, ...]


class Resource(NamedTuple):
    plural: str
    kind: Kind
    singular: str
    namespaced: bool
    verbs: tuple[str, ...]
    short_names: tuple[str, ...]
    categories: tuple[str, ...]
    subresources: dict[str, Subresource]
    type: str
    """The name of its objects' type in the table."""

    @property
    def group_resource(self) -> str:
        """`deployments.apps`, `pods`: how messages and rules name it."""
        return f"{self.plural}.{self.kind.group}" if self.kind.group else self.plural


class Table:
    def __init__(self, lines: list[bytes]) -> None:
        self.version = str(_WRITTEN.decode(lines[0])["version"])
        self._lines = {
            line[9 : line.index(b'"', 9)].decode(): line for line in lines if line.startswith(b'{"type":"')
        }
        self._types: dict[str, Type] = {}
        self.resources = [
            _resource(_WRITTEN.decode(line)) for line in lines if line.startswith(b'{"resource":"')
        ]

    def type(self, name: str) -> Type | None:
        """None for scalars, untyped values and names nobody knows."""
        if name not in self._types and name in self._lines:
            self._types[name] = _type(name, _WRITTEN.decode(self._lines.pop(name)))
        return self._types.get(name)

    def names(self) -> list[str]:
        return sorted([*self._lines, *self._types])


@cache
def pinned() -> Table:
    return Table((files("argosy.kube.types") / _PINNED).read_bytes().splitlines())


def _type(name: str, line: dict[str, Any]) -> Type:
    fields = {column[0]: _field(*column) for column in line["fields"]}
    return Type(name, fields, line.get("map", ""), line.get("unions", []))


def _field(name: str, kind: str, number: str, presence: str, extra: dict[str, Any] | None = None) -> Field:
    more = extra or {}
    return Field(
        name=name,
        type=kind,
        numbers=tuple(int(part) for part in number.split(".")) if number else (),
        presence=presence,
        required=more.get("required", False),
        default=more.get("default"),
        list_type=more.get("list", ""),
        keys=tuple(more.get("keys", ())),
        strategy=more.get("strategy", ""),
        merge_key=more.get("merge", ""),
        map_type=more.get("map", ""),
    )


def _resource(line: dict[str, Any]) -> Resource:
    return Resource(
        plural=line["resource"],
        kind=Kind(line["group"], line["version"], line["kind"]),
        singular=line["singular"],
        namespaced=line["namespaced"],
        verbs=tuple(line["verbs"]),
        short_names=tuple(line["short"]),
        categories=tuple(line["categories"]),
        subresources={
            name: Subresource(name, Kind(*kind), tuple(verbs)) for name, kind, verbs in line["subresources"]
        },
        type=line["kinds"][0],
    )
