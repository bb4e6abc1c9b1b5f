"""Lists are pages: at most `limit` items in a stable order, and an opaque `next` that continues after the last.

Keyset, not offset: page 1,000 costs what page 1 costs, and a row inserted meanwhile is neither skipped nor doubled.
"""

from __future__ import annotations

from typing import Annotated, Generic, TypeVar

import msgspec

T = TypeVar("T")
Limit = Annotated[int, msgspec.Meta(ge=1, le=200)]
Text = Annotated[str, msgspec.Meta(max_length=200)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=120)]
Id = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{24}$", description="an id (24 hexadecimal digits)")]
Ids = Annotated[list[Id], msgspec.Meta(max_length=1000)]


class PageRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`search` matches names; `sort` is a field name, with a minus for descending."""

    limit: Limit = 50
    after: Annotated[str, msgspec.Meta(max_length=1000)] = ""  # a cursor may carry a whole name
    search: Text = ""
    sort: Text = ""


class Page(msgspec.Struct, Generic[T], frozen=True):
    items: list[T]
    next: str = ""  # empty on the last page
    total: int | None = None  # given where counting is cheap


class ById(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: Id
