"""Which route a path means. Matched on the raw path, so that a name with a slash may travel as `%2F` in one segment."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar
from urllib.parse import unquote

from argosy.kit.errors import BadRequest

T = TypeVar("T")


class _Node(Generic[T]):
    def __init__(self) -> None:
        self.fixed: dict[str, _Node[T]] = {}
        self.named: _Node[T] | None = None
        self.methods: dict[str, tuple[T, tuple[str, ...]]] = {}


class Router(Generic[T]):
    """Fixed segments win over named ones; a trailing slash is the same path (some clients add one)."""

    def __init__(self, entries: Iterable[tuple[str, str, T]]) -> None:
        self._root: _Node[T] = _Node()
        for method, path, target in entries:
            node, names = self._root, []
            for segment in _segments(path):
                if segment.startswith("{"):
                    names.append(segment[1:-1])
                    node.named = node.named or _Node()
                    node = node.named
                else:
                    node = node.fixed.setdefault(segment, _Node())
            if method in node.methods:
                raise ValueError(f"two routes for {method} {path}")
            node.methods[method] = (target, tuple(names))

    def find(self, method: str, raw_path: str) -> tuple[T, dict[str, str]] | tuple[None, tuple[str, ...]]:
        """The target and the named segments; or None and the methods that this path knows."""
        parts = [_decoded(part) for part in _segments(raw_path)]
        matches = list(self._walk(self._root, parts, ()))
        for node, values in matches:
            if method in node.methods:
                target, names = node.methods[method]
                return target, dict(zip(names, values, strict=True))
        return None, tuple(sorted({known for node, _ in matches for known in node.methods}))

    def _walk(
        self, node: _Node[T], parts: list[str], values: tuple[str, ...]
    ) -> Iterable[tuple[_Node[T], tuple[str, ...]]]:
        if not parts:
            yield node, values
            return
        head, *rest = parts
        if (fixed := node.fixed.get(head)) is not None:
            yield from self._walk(fixed, rest, values)
        if node.named is not None:
            yield from self._walk(node.named, rest, (*values, head))


def _segments(path: str) -> list[str]:
    return path.strip("/").split("/")


def _decoded(part: str) -> str:
    try:
        text = unquote(part, errors="strict")
    except UnicodeDecodeError as error:
        raise BadRequest("the path is not UTF-8", code="path.encoding") from error
    if "\x00" in text:
        raise BadRequest("the path holds a NUL character", code="path.encoding")
    return text
