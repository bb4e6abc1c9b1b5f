"""Text on its way to a person: what a server or a file said may not move the cursor, rename the window or write
backwards. `output` and `failures` pass everything through here.
"""

from __future__ import annotations

STAND_IN = "\N{REPLACEMENT CHARACTER}"


def plain(text: str) -> str:
    """One line, with every control and bidirectional character made visible."""
    if text.isprintable():
        return text
    joined = " ".join(text.split())
    return "".join(letter if letter.isprintable() else STAND_IN for letter in joined)


def escaped(text: str) -> str:
    """The same for JSON, where such a character can stand as an escape and keep its meaning."""
    if all(line.isprintable() for line in text.split("\n")):
        return text
    return "".join(letter if letter.isprintable() or letter == "\n" else _escape(letter) for letter in text)


def visible(text: str) -> str:
    """Whole lines of somebody else's format, as `audit export` shows them."""
    return "".join(letter if letter.isprintable() or letter in "\r\n\t" else STAND_IN for letter in text)


def _escape(letter: str) -> str:
    number = ord(letter)
    if number < 0x10000:
        return f"\\u{number:04x}"
    number -= 0x10000
    return f"\\u{0xD800 + (number >> 10):04x}\\u{0xDC00 + (number & 0x3FF):04x}"


def width(text: str) -> int:
    """Columns on the screen."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(letter) else 2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def cut(text: str, most: int) -> str:
    if width(text) <= most:
        return text
    kept = text[: max(0, most - 1)]
    while width(kept) > most - 1:
        kept = kept[:-1]
    return kept + "…"
