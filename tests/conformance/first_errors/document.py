"""Reads docs/reference/first-errors.md: each error's number, what is shown, and the status it ends with."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "first-errors.md"
_ENTRY = re.compile(
    r"^### (?P<number>\d+)\. (?P<title>.+)\n\n(?:.+\n)+\n(?:`.+`\n\n)?"
    r"```(?P<kind>console|json)\n(?:\$ .+\n)?(?P<shown>(?:.*\n)+?)```\n\n"
    r"(?P<end>Exit|HTTP) status (?P<status>\d+)\.",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Entry:
    number: int
    title: str
    shown: str
    end: str
    status: int

    def matches(self, told: str) -> bool:
        """`<…>` stands for what differs from machine to machine."""
        parts = re.split(r"<[a-z ]+>", self.shown.strip())
        return re.fullmatch("[^\n]+?".join(re.escape(part) for part in parts), told.strip()) is not None


def entries() -> dict[int, Entry]:
    found = [
        Entry(int(one["number"]), one["title"], one["shown"], one["end"], int(one["status"]))
        for one in _ENTRY.finditer(PAGE.read_text(encoding="utf-8"))
    ]
    return {entry.number: entry for entry in found}
