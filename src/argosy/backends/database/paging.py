"""Keyset paging for every list: an opaque cursor, and the SQL that continues after it.

A store declares one `Keyset` per list and asks it for a `PagePlan` per request. Column names come from the
declaration only; what the cursor carries goes into parameters. `contracts.paging` is what callers see.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, TypeVar

import msgspec

from argosy.backends.database.transaction import Row
from argosy.kit.errors import Internal, Invalid

T = TypeVar("T")
Kind = Literal["text", "timestamptz", "bigint", "double precision", "boolean"]
Value = str | int | float | bool | None

_COLUMN = re.compile(r"([a-z_][a-z0-9_]*\.)?[a-z_][a-z0-9_]*")
_INTEGER = re.compile(r"-?[0-9]{1,19}")
_BIGGEST = 2**63 - 1
_CHECK_BYTES = 6
_PYTHON: dict[str, type] = {
    "text": str, "timestamptz": str, "bigint": int, "double precision": float, "boolean": bool,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class SortColumn:
    """`key` is the name under which rows carry the value, where it differs from the column."""

    column: str
    kind: Kind = "text"
    nullable: bool = False  # nulls come last, in both directions
    key: str = ""

    def __post_init__(self) -> None:
        if _COLUMN.fullmatch(self.column) is None:
            raise Internal(f"{self.column!r} is not a plain column name", code="database.column")

    @property
    def row_key(self) -> str:
        return self.key or self.column.rpartition(".")[2]


class _Cursor(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    sort: str
    value: Value
    id: str


@dataclass(frozen=True, slots=True)
class PagePlan:
    """`WHERE {condition} ORDER BY {order} LIMIT {limit}`; `limit` is one more than asked, to know if there is more."""

    condition: str
    order: str
    parameters: tuple[object, ...]
    limit: int
    _sort: str
    _column: SortColumn
    _id: SortColumn

    def page(self, rows: Sequence[Row], item: Callable[[Row], T]) -> tuple[list[T], str]:
        """The page's items and the cursor after them, "" on the last page."""
        shown = rows[: self.limit - 1]
        after = self.cursor(shown[-1]) if len(rows) >= self.limit else ""
        return [item(row) for row in shown], after

    def cursor(self, row: Row) -> str:
        value = row[self._column.row_key]
        if isinstance(value, datetime):
            value = value.isoformat()
        return _encode(_Cursor(self._sort, value, str(row[self._id.row_key])))


@dataclass(frozen=True, slots=True)
class Keyset:
    """The sort fields of a list. `default` is a field, with a minus for descending; `id` makes the order total."""

    fields: Mapping[str, SortColumn]
    default: str
    id: SortColumn = SortColumn("id")

    def plan(self, *, sort: str, after: str, limit: int, first_parameter: int = 1) -> PagePlan:
        """`first_parameter` is the number of the first free `$n`; the plan uses at most two."""
        sort = sort or self.default
        name, descending = sort.removeprefix("-"), sort.startswith("-")
        column = self.fields.get(name)
        if column is None:
            raise Invalid(
                f"cannot sort by {name!r}",
                code="paging.sort",
                cure=f"sort by one of {', '.join(sorted(self.fields))}; a minus in front means descending",
                context={"field": "sort"},
            )
        direction = "DESC" if descending else "ASC"
        nulls = " NULLS LAST" if column.nullable and descending else ""
        order = f"{column.column} {direction}{nulls}, {self.id.column} {direction}"
        condition: str = "TRUE"
        parameters: tuple[object, ...] = ()
        if after:
            cursor = _decode(after, sort, column, self.id)
            condition, parameters = self._after(
                cursor, column, ">" if not descending else "<", first_parameter
            )
        return PagePlan(condition, order, parameters, limit + 1, sort, column, self.id)

    def _after(
        self, cursor: _Cursor, column: SortColumn, beyond: str, first: int
    ) -> tuple[str, tuple[object, ...]]:
        name, identity = column.column, self.id.column
        own_id = _own_id(cursor, self.id)
        if cursor.value is None:
            return f"({name} IS NULL AND {identity} {beyond} ${first}::{self.id.kind})", (own_id,)
        value: object = cursor.value
        if column.kind == "timestamptz":
            value = datetime.fromisoformat(str(value))
        keyset = f"({name}, {identity}) {beyond} (${first}::{column.kind}, ${first + 1}::{self.id.kind})"
        if column.nullable:
            keyset = f"({keyset} OR {name} IS NULL)"
        return keyset, (value, own_id)


def _check(payload: bytes) -> bytes:
    """Not a secret: it tells a truncated or edited cursor from a whole one. What it holds is checked besides."""
    return hashlib.blake2b(payload, digest_size=_CHECK_BYTES, person=b"argosy.paging").digest()


def _encode(cursor: _Cursor) -> str:
    payload = msgspec.json.encode(cursor)
    return base64.urlsafe_b64encode(_check(payload) + payload).rstrip(b"=").decode()


def _decode(text: str, sort: str, column: SortColumn, identity: SortColumn) -> _Cursor:
    try:
        raw = base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
        check, payload = raw[:_CHECK_BYTES], raw[_CHECK_BYTES:]
        if not hmac.compare_digest(check, _check(payload)):
            raise ValueError("check")
        cursor = msgspec.json.decode(payload, type=_Cursor)
    except (ValueError, binascii.Error, msgspec.MsgspecError) as error:
        raise _not_a_cursor("is not a cursor that this list gave out") from error
    if cursor.sort != sort:
        raise _not_a_cursor(f"belongs to the order {cursor.sort!r}, not to {sort!r}")
    if not _fits(cursor.value, column) or not _fits(_own_id(cursor, identity), identity):
        raise _not_a_cursor("does not fit this list")
    return cursor


def _fits(value: Value, column: SortColumn) -> bool:
    """The checksum is no secret, so a cursor may hold anything: what PostgreSQL would choke on ends here."""
    if value is None:
        return column.nullable
    if isinstance(value, int) and abs(value) > _BIGGEST:
        return False
    if isinstance(value, str) and "\x00" in value:
        return False
    if column.kind == "timestamptz":
        try:
            moment = datetime.fromisoformat(str(value))
            moment.astimezone(UTC)
            return moment.tzinfo is not None
        except (ValueError, OverflowError):  # the calendar's first hours are before its beginning elsewhere
            return False
    return type(value) is _PYTHON[column.kind]


def _own_id(cursor: _Cursor, identity: SortColumn) -> Value:
    if identity.kind != "bigint":
        return cursor.id
    return int(cursor.id) if _INTEGER.fullmatch(cursor.id) else cursor.id


def _not_a_cursor(what: str) -> Invalid:
    return Invalid(
        f"`after` {what}",
        code="paging.cursor",
        cure="pass `next` of the previous page unchanged, with the same sort; or leave `after` out to start again",
        context={"field": "after"},
    )
