"""Warnings of a write as the lines of a `Warning` header: each once, and cut where all of them would be too long for a head.

`answers` calls it. Where the cut comes is upstream's doing: clients print the lines as they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate

_MOST_TOGETHER = 4096
_MOST_EACH = 256


def header(warnings: Iterable[str]) -> str:
    """Lines of one header's value; see `wire.Response`."""
    return "\n".join(f'299 - "{_quoted(text)}"' for text in _cut([*dict.fromkeys(filter(None, warnings))]))


def _cut(texts: list[str]) -> list[str]:
    """All whole; or, from the one on that is too much, each cut, and no more once the room is full."""
    over = next((at for at, size in enumerate(accumulate(map(len, texts))) if size > _MOST_TOGETHER), None)
    if over is None:
        return texts
    short = [text[:_MOST_EACH] for text in texts]
    before = accumulate(map(len, short), initial=0)
    return [
        text
        for at, (text, size) in enumerate(zip(short, before, strict=False))
        if at <= over or size < _MOST_TOGETHER
    ]


def _quoted(text: str) -> str:
    clean = "".join(one if one.isprintable() else " " for one in text)
    return clean.replace("\\", "\\\\").replace('"', '\\"')
