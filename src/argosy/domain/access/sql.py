"""Filters for PostgreSQL: a Predicate becomes a condition with positional parameters.

Stores describe their table once as a ColumnMap and put the condition into their WHERE. Everything that came from a
user is a parameter; only column names of the ColumnMap, which must be plain identifiers, and vocabulary words become
text. Conditions that hold for every row are written for indexes: `=` and `ANY` on plain columns (btree), `&&` and `@>`
on arrays, `@>` on jsonb (GIN, `jsonb_path_ops` is enough). Give attributes that rules often name a column of their
own: among hundreds of alternatives, looking into jsonb costs ten times as much.

The meaning is that of `predicate.matches`, which the tests compare row by row with a real server.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import msgspec

from argosy.domain.access.globs import like_pattern
from argosy.domain.access.predicate import (
    AccountIs,
    All,
    And,
    Glob,
    LabelGlob,
    LabelIs,
    Leaf,
    Nothing,
    OneOf,
    Or,
    Predicate,
    TagsAll,
    TagsAny,
    Untagged,
)
from argosy.kit.errors import Internal

_IDENTIFIER = re.compile(r"[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?")
_FIELD = re.compile(r"[A-Z][A-Z_]*")


class Column(msgspec.Struct, frozen=True):
    """A real column for one attribute: `text`, or `text[]` when a row may have several values."""

    name: str
    many: bool = False


class ColumnMap(msgspec.Struct, frozen=True):
    """Where a table keeps what rules look at. Columns are `text`, `text[]` for tags and `jsonb` for the rest."""

    account: str = "account"
    attributes: Mapping[str, Column] = {}
    attributes_json: str = ""
    """For attributes without a column of their own: a jsonb object of arrays of strings."""
    labels: str = ""
    tags: str = ""
    related_tags: Mapping[str, str] = {}

    def __post_init__(self) -> None:
        columns = (column.name for column in self.attributes.values())
        optional = (name for name in (self.attributes_json, self.labels, self.tags) if name)
        for name in (self.account, *columns, *optional, *self.related_tags.values()):
            if not _IDENTIFIER.fullmatch(name):
                raise Internal(f"{name!r} is not a plain column name", code="access_column_invalid")


def to_sql(predicate: Predicate, columns: ColumnMap, first_parameter: int = 1) -> tuple[str, list[object]]:
    """The condition, in parentheses where needed, and the values of its parameters $first, $first+1, …"""
    writer = _Writer(columns, first_parameter)
    return writer.whole(predicate), writer.parameters


class _Writer:
    def __init__(self, columns: ColumnMap, first_parameter: int) -> None:
        self.columns = columns
        self.first = first_parameter
        self.parameters: list[object] = []
        self._places: dict[str | tuple[str, ...], str] = {}

    def whole(self, predicate: Predicate) -> str:
        """Only what must hold for every row can use an index; inside alternatives cheap tests serve better."""
        parts = predicate.parts if isinstance(predicate, And) else (predicate,)
        conditions = [self._for_index(part) or self.condition(part) for part in parts]
        return (
            conditions[0]
            if len(conditions) == 1
            else f"({' AND '.join(conditions)})"
            if conditions
            else "TRUE"
        )

    def condition(self, predicate: Predicate) -> str:
        match predicate:
            case All() | And(()):
                return "TRUE"
            case Nothing() | Or(()):
                return "FALSE"
            case And(parts):
                return self._joined(" AND ", parts)
            case Or(parts):
                return self._joined(" OR ", parts)
            case _:
                return self._leaf(predicate)

    def _joined(self, operator: str, parts: Iterable[Predicate]) -> str:
        return f"({operator.join(self.condition(part) for part in parts)})"

    def _for_index(self, part: Predicate) -> str | None:
        match part:
            case OneOf(field, values) if field not in self.columns.attributes:
                return self._contains(self._attributes(field), [{field: [value]} for value in values])
            case LabelIs(key, values):
                return self._contains(self._labels(), [{key: value} for value in values])
            case _:
                return None

    def _leaf(self, leaf: Leaf) -> str:
        match leaf:
            case AccountIs(account):
                return f"{self.columns.account} = {self._text(account)}"
            case OneOf(field, values):
                return self._one_of(field, values)
            case Glob(field, patterns):
                return self._glob(field, patterns)
            case LabelIs(key, values):
                return f"{self._labels()} ->> {self._text(key)} {self._equals(values)}"
            case LabelGlob(key, patterns):
                return f"{self._labels()} ->> {self._text(key)} LIKE {self._like(patterns)}"
            case TagsAny(values, of):
                return f"{self._tags(of)} && {self._texts(values)}"
            case TagsAll(values, of):
                return f"{self._tags(of)} @> {self._texts(values)}"
            case Untagged(of):
                return f"coalesce(cardinality({self._tags(of)}), 0) = 0"

    def _one_of(self, field: str, values: tuple[str, ...]) -> str:
        column = self.columns.attributes.get(field)
        if column is None:
            return f"{self._attributes(field)} -> '{field}' ?| {self._texts(values)}"
        if column.many:
            return f"{column.name} && {self._texts(values)}"
        return f"{column.name} {self._equals(values)}"

    def _glob(self, field: str, patterns: tuple[str, ...]) -> str:
        column = self.columns.attributes.get(field)
        if column is not None and not column.many:
            return f"{column.name} LIKE {self._like(patterns)}"
        if column is not None:
            elements = f"unnest({column.name})"
        else:
            elements = f"jsonb_array_elements_text({self._attributes(field)} -> '{field}')"
        return f"EXISTS (SELECT FROM {elements} AS element (value) WHERE value LIKE {self._like(patterns)})"

    def _contains(self, column: str, documents: list[dict[str, str]] | list[dict[str, list[str]]]) -> str:
        """The cast from text makes it work whatever jsonb codec the connection has; the inner SELECT has it done
        once per query and not once per row."""
        encoded = [msgspec.json.encode(document).decode() for document in documents]
        if len(encoded) == 1:
            return f"{column} @> (SELECT {self._text(encoded[0])}::jsonb)"
        return f"{column} @> ANY((SELECT {self._texts(encoded)}::jsonb[])::jsonb[])"

    def _equals(self, values: tuple[str, ...]) -> str:
        return f"= {self._text(values[0])}" if len(values) == 1 else f"= ANY({self._texts(values)})"

    def _labels(self) -> str:
        return _known(self.columns.labels, "labels")

    def _attributes(self, field: str) -> str:
        if not _FIELD.fullmatch(field):
            raise Internal(f"{field!r} is not an attribute name", code="access_column_invalid")
        return _known(self.columns.attributes_json, field)

    def _tags(self, of: str) -> str:
        return _known(
            self.columns.related_tags.get(of, "") if of else self.columns.tags, f"tags {of}".strip()
        )

    def _like(self, patterns: Iterable[str]) -> str:
        likes = [like_pattern(pattern) for pattern in patterns]
        return self._text(likes[0]) if len(likes) == 1 else f"ANY({self._texts(likes)})"

    def _text(self, value: str) -> str:
        return f"{self._place(value, value)}::text"

    def _texts(self, values: Iterable[str]) -> str:
        listed = list(values)
        return f"{self._place(tuple(listed), listed)}::text[]"

    def _place(self, key: str | tuple[str, ...], value: object) -> str:
        """Equal values share a parameter: hundreds of rules tend to repeat a few words."""
        if key not in self._places:
            self.parameters.append(value)
            self._places[key] = f"${self.first + len(self.parameters) - 1}"
        return self._places[key]


def _known(column: str, what: str) -> str:
    """A filter on something the table does not hold is a mistake in the store, never an empty or a full list."""
    if not column:
        raise Internal(f"the table's column map has nothing for {what}", code="access_column_missing")
    return column
