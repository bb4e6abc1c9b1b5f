"""How a field of an object is called in an expression: what is no identifier there is written in another way."""

from __future__ import annotations

import re
from functools import lru_cache

_RESERVED = frozenset(
    [
        "true",
        "false",
        "null",
        "in",
        "as",
        "break",
        "const",
        "continue",
        "else",
        "for",
        "function",
        "if",
        "import",
        "let",
        "loop",
        "package",
        "namespace",
        "return",
        "var",
        "void",
        "while",
    ]
)
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TO_WRITE = re.compile(r"__|[-./]")
_WORDS = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}


@lru_cache(maxsize=4096)
def escaped(name: str) -> str | None:
    """None when no expression can name it."""
    if name in _RESERVED:
        return f"__{name}__"
    made = _TO_WRITE.sub(lambda found: _WORDS[found[0]], name)
    return made if _IDENTIFIER.fullmatch(made) else None
