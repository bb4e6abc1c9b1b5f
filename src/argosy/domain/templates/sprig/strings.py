"""Sprig's functions on texts. Lengths and cuts count bytes, as in Go."""

from __future__ import annotations

from argosy.domain.templates import budget, formatting
from argosy.domain.templates.calling import Implementation
from argosy.domain.templates.errors import FunctionError
from argosy.domain.templates.quoting import quoted
from argosy.domain.templates.sprig import cases
from argosy.domain.templates.values import StringMap, Strings, kind_of, octets, text_of

_SPACES = " \t\n\v\f\r\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"


def strval(value: object) -> str:
    return value if isinstance(value, str) else formatting.text(value)


def strings_of(value: object) -> list[str]:
    """A list as texts, without what is nil; one value as a list of one."""
    if isinstance(value, list):
        budget.items_of(len(value))
        return [strval(one) for one in value if one is not None]
    return [] if value is None else [strval(value)]


def trim(text: str) -> str:
    return text.strip(_SPACES)


def upper(text: str) -> str:
    return "".join(map(cases.upper, text))


def lower(text: str) -> str:
    return "".join(char.lower() if len(char.lower()) == 1 else char for char in text)


def abbrev(width: int, text: str) -> str:
    return text if width < 4 else _abbreviated(text, 0, width)


def abbrevboth(left: int, right: int, text: str) -> str:
    if right < 4 or (left > 0 and right < 7):
        return text
    return _abbreviated(text, left, right)


def _abbreviated(text: str, offset: int, width: int) -> str:
    data = octets(text)
    if len(data) <= width:
        return text
    offset = min(offset, len(data))
    if len(data) - offset < width - 3:
        offset = len(data) - (width - 3)
    if offset <= 4:
        return text_of(data[: width - 3]) + "..."
    if width < 7:
        return ""
    if offset + width - 3 < len(data):
        rest = text_of(data[offset:])
        return "..." + (_abbreviated(rest, 0, width - 3) if width - 3 >= 4 else "")
    return "..." + text_of(data[len(data) - (width - 3) :])


def trunc(count: int, text: str) -> str:
    data = octets(text)
    if count < 0 and len(data) + count > 0:
        return text_of(data[count:])
    if 0 <= count < len(data):
        return text_of(data[:count])
    return text


def substr(start: int, end: int, text: str) -> str:
    data = octets(text)
    if start < 0:
        return text_of(_cut(data, 0, end))
    if end < 0 or end > len(data):
        return text_of(_cut(data, start, len(data)))
    return text_of(_cut(data, start, end))


def _cut(data: bytes, start: int, end: int) -> bytes:
    if end < 0 or end > len(data):
        raise FunctionError(f"runtime error: slice bounds out of range [:{end}] with length {len(data)}")
    if start > end:
        raise FunctionError(f"runtime error: slice bounds out of range [{start}:{end}]")
    return data[start:end]


def repeat(count: int, text: str) -> str:
    if count < 0:
        raise FunctionError("strings: negative Repeat count")
    budget.text_of(count * len(text))
    return text * count


def trim_all(chars: str, text: str) -> str:
    return text.strip(chars) if chars else text


def trim_suffix(suffix: str, text: str) -> str:
    return text.removesuffix(suffix)


def trim_prefix(prefix: str, text: str) -> str:
    return text.removeprefix(prefix)


def nospace(text: str) -> str:
    return _latin("".join(char for char in _bytes(text) if char not in _SPACES), text)


def initials(text: str) -> str:
    found: list[str] = []
    gap = True
    for char in _bytes(text):
        if char in _SPACES:
            gap = True
        elif gap:
            found.append(char)
            gap = False
    return "".join(found)


def _bytes(text: str) -> str:
    """Upstream takes each byte for a character here."""
    return octets(text).decode("latin-1")


def _latin(found: str, text: str) -> str:
    return text if len(found) == len(octets(text)) else found


def swapcase(text: str) -> str:
    return cases.swapped(text, _SPACES)


def title(text: str) -> str:
    return cases.titled(text, _SPACES)


def untitle(text: str) -> str:
    return cases.untitled(text, _SPACES)


def wrap(width: int, text: str) -> str:
    return _wrapped(text, width, "\n", long_words=False)


def wrap_with(width: int, separator: str, text: str) -> str:
    return _wrapped(text, width, separator or "\n", long_words=True)


def _wrapped(text: str, width: int, separator: str, *, long_words: bool) -> str:
    data, width, at = octets(text), max(width, 1), 0
    line = octets(separator)
    budget.text_of(len(data) + len(data) // width * len(line))
    lines: list[bytes] = []
    while len(data) - at > width:
        if data[at : at + 1] == b" ":
            at += 1
            continue
        space = data.rfind(b" ", at, at + width + 1)
        if space < 0 and not long_words:
            space = data.find(b" ", at + width)
            if space < 0:
                break
        if space >= 0:
            lines.append(data[at:space])
            at = space + 1
        else:
            lines.append(data[at : at + width])
            at += width
    return text_of(line.join([*lines, data[at:]]))


def contains(part: str, text: str) -> bool:
    return part in text


def has_prefix(prefix: str, text: str) -> bool:
    return text.startswith(prefix)


def has_suffix(suffix: str, text: str) -> bool:
    return text.endswith(suffix)


def quote(*values: object) -> str:
    return " ".join(quoted(strval(one)) for one in values if one is not None)


def squote(*values: object) -> str:
    return " ".join(f"'{formatting.text(one)}'" for one in values if one is not None)


def cat(*values: object) -> str:
    return " ".join(formatting.text(one) for one in values if one is not None)


def indent(spaces: int, text: str) -> str:
    if spaces < 0:
        raise FunctionError("strings: negative Repeat count")
    budget.text_of(len(text) + spaces * (text.count("\n") + 1))
    pad = " " * spaces
    return pad + text.replace("\n", "\n" + pad)


def nindent(spaces: int, text: str) -> str:
    return "\n" + indent(spaces, text)


def replace(old: str, new: str, text: str) -> str:
    budget.text_of(len(text) + (text.count(old) if old else len(text) + 1) * len(new))
    return text.replace(old, new)


def plural(one: str, many: str, count: int) -> str:
    return one if count == 1 else many


def split(separator: str, text: str) -> object:
    return StringMap({f"_{at}": part for at, part in enumerate(_parts(separator, text, -1))})


def splitn(separator: str, count: int, text: str) -> object:
    return StringMap({f"_{at}": part for at, part in enumerate(_parts(separator, text, count))})


def split_list(separator: str, text: str) -> object:
    return Strings(_parts(separator, text, -1))


def _parts(separator: str, text: str, count: int) -> list[str]:
    if count == 0:
        return []
    budget.items_of(text.count(separator) if separator else len(text))
    if separator:
        return text.split(separator, count - 1 if count > 0 else -1)
    if count < 0 or count >= len(text):
        return list(text)
    return [*text[: count - 1], text[count - 1 :]]


def to_strings(value: object) -> object:
    return Strings(strings_of(value))


def join(separator: str, value: object) -> str:
    parts = strings_of(value)
    budget.text_of(sum(map(len, parts)) + len(separator) * len(parts))
    return separator.join(parts)


def sort_alpha(value: object) -> object:
    if kind_of(value) == "slice":
        return Strings(sorted(strings_of(value), key=octets))
    return Strings([strval(value)])


def to_string(value: object) -> str:
    return strval(value)


FUNCTIONS: dict[str, Implementation] = {
    "abbrev": abbrev,
    "abbrevboth": abbrevboth,
    "camelcase": cases.pascal,
    "cat": cat,
    "contains": contains,
    "hasPrefix": has_prefix,
    "hasSuffix": has_suffix,
    "indent": indent,
    "initials": initials,
    "join": join,
    "kebabcase": cases.kebab,
    "lower": lower,
    "nindent": nindent,
    "nospace": nospace,
    "plural": plural,
    "quote": quote,
    "repeat": repeat,
    "replace": replace,
    "snakecase": cases.snake,
    "sortAlpha": sort_alpha,
    "split": split,
    "splitList": split_list,
    "splitn": splitn,
    "squote": squote,
    "substr": substr,
    "swapcase": swapcase,
    "title": title,
    "toString": to_string,
    "toStrings": to_strings,
    "trim": trim,
    "trimAll": trim_all,
    "trimPrefix": trim_prefix,
    "trimSuffix": trim_suffix,
    "trimall": trim_all,
    "trunc": trunc,
    "untitle": untitle,
    "upper": upper,
    "wrap": wrap,
    "wrapWith": wrap_with,
}
