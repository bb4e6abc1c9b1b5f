"""Single characters and classes of them, as Go's regular expressions write them: `\\x41`, `\\d`, `\\p{Greek}`, `[[:alpha:]-z]`.

A part of `regex_syntax`, which reads everything around them.
"""

from __future__ import annotations

from argosy.kube.server.crds.regex_tree import SCRIPTS, Chars, Property, Range

LAST = 0x10FFFF
_DIGITS: list[Range] = [(48, 57)]
_WORD: list[Range] = [(48, 57), (65, 90), (95, 95), (97, 122)]
_SPACE: list[Range] = [(9, 10), (12, 13), (32, 32)]
_PERL = {"d": _DIGITS, "w": _WORD, "s": _SPACE}
_POSIX: dict[str, list[Range]] = {
    "alnum": [(48, 57), (65, 90), (97, 122)],
    "alpha": [(65, 90), (97, 122)],
    "ascii": [(0, 127)],
    "blank": [(9, 9), (32, 32)],
    "cntrl": [(0, 31), (127, 127)],
    "digit": _DIGITS,
    "graph": [(33, 126)],
    "lower": [(97, 122)],
    "print": [(32, 126)],
    "punct": [(33, 47), (58, 64), (91, 96), (123, 126)],
    "space": [(9, 13), (32, 32)],
    "upper": [(65, 90)],
    "word": _WORD,
    "xdigit": [(48, 57), (65, 70), (97, 102)],
}
_CATEGORIES = frozenset(
    {
        "C",
        "Cc",
        "Cf",
        "Co",
        "Cs",
        "L",
        "Ll",
        "Lm",
        "Lo",
        "Lt",
        "Lu",
        "M",
        "Mc",
        "Me",
        "Mn",
        "N",
        "Nd",
        "Nl",
        "No",
    }
) | {"P", "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "S", "Sc", "Sk", "Sm", "So", "Z", "Zl", "Zp", "Zs"}
_ESCAPES = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}


class RegexError(ValueError):
    def __init__(self, what: str, expression: str) -> None:
        super().__init__(f"error parsing regexp: {what}: `{expression}`")


class Reader:
    """A pattern, and how far it is read."""

    __slots__ = ("at", "text")

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    @property
    def done(self) -> bool:
        return self.at >= len(self.text)

    def take(self, text: str) -> bool:
        if not self.text.startswith(text, self.at):
            return False
        self.at += len(text)
        return True


def escaped_class(reader: Reader, start: int) -> tuple[list[Range], list[Property]]:
    """`\\d`, `\\pL`, `\\P{Greek}`, behind the backslash; nothing when it is a single character."""
    char = reader.text[reader.at]
    if char.lower() in _PERL:
        reader.at += 1
        ranges = _PERL[char.lower()]
        return (_complement(ranges) if char.isupper() else ranges), []
    if char not in "pP":
        return [], []
    reader.at += 1
    name = reader.text[reader.at : reader.at + 1]
    if name == "{":
        end = reader.text.find("}", reader.at)
        if end < 0:
            raise RegexError("invalid character class range", reader.text[start:])
        name, reader.at = reader.text[reader.at + 1 : end], end + 1
    else:
        reader.at += 1
    negated = char == "P"
    if name.startswith("^"):
        name, negated = name[1:], not negated
    if name == "Any":
        return ([] if negated else [(0, LAST)]), []
    if name not in _CATEGORIES and name not in SCRIPTS:
        raise RegexError("invalid character class range", reader.text[start : reader.at])
    return [], [Property(name, negated)]


def code(reader: Reader) -> int:
    """One character, escaped or not."""
    start, char = reader.at, reader.text[reader.at]
    reader.at += 1
    if char != "\\":
        return ord(char)
    if reader.done:
        raise RegexError("trailing backslash at end of expression", "")
    char = reader.text[reader.at]
    reader.at += 1
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char == "x":
        return _hexadecimal(reader, start)
    if char == "0" or (char in "1234567" and reader.text[reader.at : reader.at + 1] in set("01234567")):
        digits = char
        while len(digits) < 3 and reader.text[reader.at : reader.at + 1] in set("01234567"):
            digits += reader.text[reader.at]
            reader.at += 1
        return int(digits, 8)
    if char.isascii() and not char.isalnum():
        return ord(char)
    raise RegexError("invalid escape sequence", reader.text[start : reader.at])


def _hexadecimal(reader: Reader, start: int) -> int:
    if reader.take("{"):
        end = reader.text.find("}", reader.at)
        digits = reader.text[reader.at : end] if end >= 0 else ""
        after = end + 1 if end >= 0 else len(reader.text)
    else:
        digits = reader.text[reader.at : reader.at + 2]
        digits, after = digits if len(digits) == 2 else "", reader.at + 2
    if not digits or not set(digits) <= set("0123456789abcdefABCDEF"):
        raise RegexError("invalid escape sequence", reader.text[start:after])
    if int(digits, 16) > LAST:
        raise RegexError("invalid escape sequence", reader.text[start : reader.at + len(digits)])
    reader.at = after
    return int(digits, 16)


def char_class(reader: Reader, *, folded: bool) -> Chars:
    start = reader.at
    reader.at += 1
    negated = reader.take("^")
    ranges: list[Range] = []
    properties: list[Property] = []
    first = True
    while first or not reader.text.startswith("]", reader.at):
        if reader.done:
            raise RegexError("missing closing ]", reader.text[start:])
        first = False
        if reader.text.startswith("[:", reader.at) and (end := reader.text.find(":]", reader.at)) > 0:
            ranges += _posix(reader, end)
            continue
        if reader.text.startswith("\\", reader.at) and reader.at + 1 < len(reader.text):
            here = reader.at
            reader.at += 1
            more, found = escaped_class(reader, here)
            if more or found:
                ranges += more
                properties += found
                continue
            reader.at = here
        ranges.append(_range(reader))
    reader.at += 1
    return Chars(tuple(ranges), tuple(properties), negated, folded)


def _posix(reader: Reader, end: int) -> list[Range]:
    name, shown = reader.text[reader.at + 2 : end], reader.text[reader.at : end + 2]
    inverted = name.startswith("^")
    ranges = _POSIX.get(name.removeprefix("^"))
    if ranges is None:
        raise RegexError("invalid character class range", shown)
    reader.at = end + 2
    return _complement(ranges) if inverted else ranges


def _range(reader: Reader) -> Range:
    start = reader.at
    low = code(reader)
    if reader.text.startswith("-", reader.at) and reader.text[reader.at + 1 : reader.at + 2] not in {"]", ""}:
        reader.at += 1
        high = code(reader)
        if high < low:
            raise RegexError("invalid character class range", reader.text[start : reader.at])
        return low, high
    return low, low


def _complement(ranges: list[Range]) -> list[Range]:
    found: list[Range] = []
    start = 0
    for low, high in sorted(ranges):
        if low > start:
            found.append((start, low - 1))
        start = max(start, high + 1)
    return [*found, (start, LAST)] if start <= LAST else found
