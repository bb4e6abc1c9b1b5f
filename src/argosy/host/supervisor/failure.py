"""An error for a person at a terminal: what, where, do this. At most three lines, always.

The supervisor uses it for a child's fatal error, the lifecycle verbs for their own.
"""

from __future__ import annotations

from argosy.kit.errors import ArgosyError


def three_lines(error: ArgosyError) -> str:
    """`context["where"]` is the second line; other context values stand in for it."""
    where = error.context.get("where")
    if where is None:
        where = ", ".join(f"{key} {value}" for key, value in error.context.items())
    lines = [
        f"error: {_one_line(error.told)}",
        f"where: {_one_line(str(where))}" if where else "",
        f"do: {_one_line(error.cure)}" if error.cure else "",
    ]
    return "\n".join(line for line in lines if line)


def _one_line(text: str) -> str:
    return " ".join(text.split())
