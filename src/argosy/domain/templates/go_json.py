"""JSON as Go's `encoding/json` writes it: keys sorted, and what HTML could misread escaped."""

from __future__ import annotations

import math

from argosy.domain.templates import budget, floats, layouts
from argosy.domain.templates.errors import FunctionError
from argosy.domain.templates.values import Moment, valid

_ESCAPES = {
    '"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f",
    "\u2028": "\\u2028", "\u2029": "\\u2029",
}  # fmt: skip
_HTML = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}
_CONTROLS = {chr(code): f"\\u{code:04x}" for code in range(0x20)}
_SAFE = str.maketrans({**_CONTROLS, **_ESCAPES})
_SAFE_IN_HTML = str.maketrans({**_CONTROLS, **_ESCAPES, **_HTML})


def written(value: object, *, html: bool = True, indent: str = "") -> str:
    return _Writer(_SAFE_IN_HTML if html else _SAFE, indent).value(value, 0)


class _Writer:
    def __init__(self, escapes: dict[int, str], indent: str) -> None:
        self._escapes, self._indent = escapes, indent

    def value(self, value: object, depth: int) -> str:
        budget.spend()
        if value is None:
            return "null"
        if isinstance(value, str):
            return f'"{valid(value).translate(self._escapes)}"'
        if isinstance(value, bool):
            return str(value).lower()
        if isinstance(value, int):
            return str(int(value))
        if isinstance(value, float):
            return _number(value)
        if isinstance(value, dict):
            colon = ": " if self._indent else ":"
            depth = budget.deeper(depth)
            parts = [
                f"{self.value(key, depth)}{colon}{self.value(value[key], depth)}" for key in sorted(value)
            ]
            return self._group("{", parts, "}", depth)
        if isinstance(value, list):
            depth = budget.deeper(depth)
            return self._group("[", [self.value(one, depth) for one in value], "]", depth)
        if isinstance(value, Moment):
            return f'"{layouts.written(value.at, layouts.RFC3339)}"'
        said = getattr(type(value), "shown", None)
        if said is None:
            raise FunctionError("json: unsupported type")
        return self.value(said(value), depth)

    def _group(self, before: str, parts: list[str], after: str, depth: int) -> str:
        budget.text_of(sum(map(len, parts)) + len(parts))
        if not self._indent or not parts:
            return before + ",".join(parts) + after
        line = "\n" + self._indent * depth
        return before + line + f",{line}".join(parts) + "\n" + self._indent * (depth - 1) + after


def _number(value: float) -> str:
    if not math.isfinite(value):
        raise FunctionError(f"json: unsupported value: {floats.infinite(value)}")
    return floats.json_number(value)
