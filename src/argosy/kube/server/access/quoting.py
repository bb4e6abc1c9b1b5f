"""How Kubernetes' messages quote values. Clients print and match these texts, so they follow Go's `%q` exactly."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable

_SHORT = {
    '"': '\\"', "\\": "\\\\", "\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t",
    "\v": "\\v",
}  # fmt: skip


def quoted(text: str) -> str:
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return '"' + "".join(_escaped(character) for character in text) + '"'


def quoted_list(texts: Iterable[str]) -> str:
    return "[" + " ".join(quoted(text) for text in texts) + "]"


def html_safe(text: str) -> str:
    """Refusals repeat what the client sent; none may read as HTML in a browser."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def as_json(value: object) -> str:
    """A bad value inside a validation message."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _escaped(character: str) -> str:
    if character in _SHORT:
        return _SHORT[character]
    if character == " " or unicodedata.category(character)[0] in "LMNPS":
        return character
    code = ord(character)
    if code < 0x80:
        return f"\\x{code:02x}"
    if 0xD800 <= code < 0xE000:  # half of a pair: what Go reads there is the replacement character
        return "\ufffd"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
