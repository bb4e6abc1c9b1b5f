"""The index of a chart repository: which versions of a chart there are, and where each is.

Large ones have tens of megabytes and thousands of charts, of which an application wants one; so that part is cut out of the text as helm writes it, and
only a file that is written in another way is read as a whole. Runs in a worker.
"""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import Any

import msgspec

from argosy.kit import yaml_documents
from argosy.kit.errors import BadRequest
from argosy.manifests.tree import SourceError

_LARGEST = 16 * 1024 * 1024
_LARGEST_JSON = 128 * 1024 * 1024


class Release(msgspec.Struct, frozen=True):
    """`url` may be relative to the index. `digest`: SHA-256 of the archive, if it is told."""

    version: str
    url: str
    digest: str = ""


def releases(file: Path, chart: str) -> list[Release]:
    """Empty: the chart is not in the index. Raises `SourceError`."""
    text = file.read_bytes()
    entries = _part(text, chart)
    if entries is None:
        said = _whole(text)
        found = said.get("entries") if isinstance(said, dict) else None
        if not isinstance(found, dict):
            raise SourceError("its index.yaml has no entries")
        entries = found.get(chart) or []
    return [one for entry in entries if (one := _release(entry)) is not None]


def _part(text: bytes, chart: str) -> list[Any] | None:
    """None: it is not written as helm does, with a line for each chart between `entries:` and the next key."""
    start = re.search(rb"^entries:[ \t]*\r?\n", text, re.MULTILINE)
    if start is None:
        return None
    end = re.compile(rb"^[^\s#-]", re.MULTILINE).search(text, start.end())
    last = end.start() if end is not None else len(text)
    first = re.compile(rb"^( +)[^\s#-]", re.MULTILINE).search(text, start.end(), last)
    if first is None:
        return None
    indent, name = first[1], re.escape(chart.encode())
    names = rb"(?:" + name + rb"|\"" + name + rb"\"|'" + name + rb"')"
    head = re.compile(rb"^" + indent + names + rb":[ \t]*(\S?)", re.MULTILINE)
    found = head.search(text, start.end(), last)
    if found is None:
        return []
    if found[1]:
        return None
    after = re.compile(rb"^" + indent + rb"[^\s#-]", re.MULTILINE).search(text, found.end(), last)
    said = _read(text[found.end() : after.start() if after is not None else last])
    return said if isinstance(said, list) else None


def _whole(text: bytes) -> Any:
    if text.lstrip().startswith(b"{") and len(text) <= _LARGEST_JSON:
        with contextlib.suppress(msgspec.DecodeError, RecursionError):  # then it is YAML in flow style
            return msgspec.json.decode(text)
    return _read(text)


class _Texts:
    """Only texts are wanted, so `1.10` stays one."""

    last_key_wins = True

    @staticmethod
    def scalar(text: str, _style: str, _tag: str, _flow: bool) -> str:
        return text

    @staticmethod
    def key(text: str, _style: str, _tag: str) -> str:
        return text


def _read(text: bytes) -> Any:
    try:
        found = yaml_documents.documents(text, _Texts(), what="index", largest=_LARGEST)
    except BadRequest as error:
        raise SourceError(f"its index.yaml cannot be read: {error.message}") from error
    return found[0] if found else None


def _release(entry: Any) -> Release | None:
    urls = entry.get("urls") if isinstance(entry, dict) else None
    if not isinstance(urls, list) or not urls:
        return None
    return Release(str(entry.get("version", "")), str(urls[0]), str(entry.get("digest") or ""))
