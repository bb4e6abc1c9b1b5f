"""What is wrong with a template, in Go's words, with the place and a cure.

The first line is what upstream says (`template: base:1:2: executing "base" at <.x>: …`), because people search for it.
"""

from __future__ import annotations


class TemplateError(Exception):
    """`line` counts from 1 and `column` in bytes from 0, as Go does; the column of what cannot be parsed is unknown (-1)."""

    def __init__(
        self, told: str, *, name: str, line: int, column: int = -1, cause: str = "", cure: str = ""
    ) -> None:
        super().__init__(f"{told}; {cure}" if cure else told)
        self.told, self.name, self.line, self.column = told, name, line, column
        self.cause, self.cure = cause or told, cure


class FunctionError(Exception):
    """Raised by a function of templates: why it cannot answer. The evaluator adds where."""


class OverBudget(Exception):
    """It would run too long, or become too long."""


_CURES = (
    ("map has no entry for key", "correct the name, or take the key with `index` or `get`, which need none"),
    ("nil data; no entry for key", "correct the name, or guard it with `if` or `with`"),
    ("can't evaluate field", "look what the value is with {{ . | toJson }}"),
    ("nil pointer evaluating", "guard the value with `if` or `with`: it is null"),
    ("not defined", "correct the name; docs/guides/application-sets.md lists the functions"),
    ("wrong type for value", "convert it: `int`, `toString`, `float64`"),
    ("incompatible types for comparison", "numbers of parameters are floats: compare with 1.0, or convert with `int`"),
    ("unexpected EOF", "close each if, range, with, define and block by {{ end }}"),
    ("unclosed action", "close it with }}"),
)  # fmt: skip


def cure_for(cause: str) -> str:
    return next((cure for sign, cure in _CURES if sign in cause), "")
