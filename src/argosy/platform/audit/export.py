"""Entries as a file: CSV for spreadsheets, JSON lines for programs. In chunks, however many entries there are.

`api` streams the chunks. A cell that a spreadsheet would run as a formula gets an apostrophe in front.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator

import msgspec

from argosy.contracts.audit import Entry
from argosy.kit.clock import iso

CHUNK_BYTES = 64 * 1024
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_HEADER = (
    "time", "result", "kind", "actor", "actor_kind", "actor_id", "credential", "remote", "user_agent", "service",
    "operation", "resource", "resource_id", "resource_name", "error", "request_id", "before", "after", "id",
    "number", "hash",
)  # fmt: skip
TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/jsonl"}


def csv_lines(entries: Iterable[Entry]) -> Iterator[bytes]:
    for entry in entries:
        who = entry.actor
        yield _csv_line(
            (
                iso(entry.time), entry.result, entry.kind, who.name, who.kind, who.id, who.credential, entry.remote,
                entry.user_agent, entry.service, entry.operation, entry.resource, entry.resource_id,
                entry.resource_name, entry.error, entry.request_id, _json(entry.before), _json(entry.after),
                entry.id, str(entry.number), entry.hash,
            )
        )  # fmt: skip


def csv_header() -> bytes:
    return _csv_line(_HEADER)


def json_lines(entries: Iterable[Entry]) -> Iterator[bytes]:
    for entry in entries:
        yield msgspec.json.encode(entry) + b"\n"


def _json(value: msgspec.Raw) -> str:
    text = bytes(value).decode()
    return "" if text == "null" else text


def _csv_line(cells: Iterable[str]) -> bytes:
    line = io.StringIO()
    csv.writer(line).writerow([f"'{cell}" if cell.startswith(_FORMULA) else cell for cell in cells])
    return line.getvalue().encode()
