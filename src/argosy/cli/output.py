"""Tables for people, JSON and YAML for programs. Nothing else is ever written to stdout."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any, Literal

Form = Literal["table", "json", "yaml"]
Column = tuple[str, str]  # title, and the dotted way to the value


def show(value: Any, form: Form, columns: Sequence[Column]) -> None:
    """`value` is one thing or a list of them."""
    if form == "json":
        sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")
    elif form == "yaml":
        import yaml  # only this form needs it

        sys.stdout.write(yaml.safe_dump(value, sort_keys=False, allow_unicode=True))
    else:
        rows = value if isinstance(value, list) else [value]
        sys.stdout.write(
            table([title for title, _ in columns], [[cell(row, way) for _, way in columns] for row in rows])
        )


def table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[at]) for row in [titles, *rows]) for at in range(len(titles))]
    lines = [
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in [titles, *rows]
    ]
    return "\n".join(lines) + "\n"


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
            return json.dumps(value, ensure_ascii=False)
        case _:
            return "".join(letter if letter.isprintable() else "�" for letter in str(value))


def say(text: str) -> None:
    """For people beside the result: never on stdout, which belongs to the result."""
    sys.stderr.write(text + "\n")
