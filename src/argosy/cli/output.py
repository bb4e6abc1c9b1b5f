"""Tables for people, JSON and YAML for programs. Nothing else is ever written to stdout.

A table is cut to the width of a terminal; into a pipe or a file it goes whole.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any, Literal

from argosy.cli.terminal import cut, escaped, plain, width

Form = Literal["table", "json", "yaml"]
FORMS: tuple[Form, ...] = ("table", "json", "yaml")
Column = tuple[str, str]  # title, and the dotted way to the value
_GAP = "  "
_NARROWEST = 8  # below this a cell tells nothing any more


def show(value: Any, form: Form, columns: Sequence[Column]) -> None:
    """`value` is one thing or a list of them."""
    if form == "json":
        sys.stdout.write(escaped(json.dumps(value, indent=2, ensure_ascii=False)) + "\n")
    elif form == "yaml":
        sys.stdout.write(as_yaml(value))
    else:
        rows = value if isinstance(value, list) else [value]
        cells = [[cell(row, way) for _, way in columns] for row in rows]
        sys.stdout.write(table([title for title, _ in columns], cells, most=screen()))


def as_yaml(value: Any) -> str:
    import yaml  # only this form needs it

    text: str = yaml.safe_dump(value, sort_keys=False, allow_unicode=True)
    if escaped(text) == text:
        return text
    bare: str = yaml.safe_dump(value, sort_keys=False, allow_unicode=False)
    return bare


def screen() -> int:
    """Columns of the terminal; 0 when there is none to fit into."""
    if not sys.stdout.isatty():
        return 0
    from shutil import get_terminal_size

    return get_terminal_size().columns


def table(titles: Sequence[str], rows: Sequence[Sequence[str]], *, most: int = 0) -> str:
    shown = [titles, *rows]
    widths = fitted([max(width(row[at]) for row in shown) for at in range(len(titles))], most)
    lines = (_GAP.join(_padded(text, wide) for text, wide in zip(row, widths, strict=True)) for row in shown)
    return "".join(line.rstrip() + "\n" for line in lines)


def fitted(widths: Sequence[int], most: int) -> list[int]:
    """The widest columns give way first, so that short ones stay whole."""
    fit = list(widths)
    while most and sum(fit) + len(_GAP) * (len(fit) - 1) > most and max(fit) > _NARROWEST:
        fit[fit.index(max(fit))] -= 1
    return fit


def _padded(text: str, wide: int) -> str:
    shown = cut(text, wide)
    return shown + " " * (wide - width(shown))


def cell(row: Any, way: str) -> str:
    value = row
    for step in way.split("."):
        if isinstance(value, list):
            value = [inner.get(step) for inner in value]
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return _text(value)


def _text(value: Any) -> str:
    match value:
        case None | "" | []:
            return "-"
        case bool():
            return "yes" if value else "no"
        case list():
            return ", ".join(_text(inner) for inner in value)
        case dict():
            return plain(json.dumps(value, ensure_ascii=False))
        case _:
            return plain(str(value))


def say(text: str) -> None:
    """For people beside the result: never on stdout, which belongs to the result."""
    sys.stderr.write(plain(text) + "\n")
