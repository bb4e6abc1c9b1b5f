"""Which backups were taken: one JSON line each in the data directory. The host writes it, the system page shows it.

Only a note: a file may have been moved or deleted since, so a reader looks whether it is still there.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import msgspec

_FILE = "backups.jsonl"
_SHOWN = 20


class Backup(msgspec.Struct, frozen=True):
    file: str
    taken: datetime
    bytes: int
    clusters: list[str] = []
    left_out: list[str] = []


def note(data_dir: Path, backup: Backup) -> None:
    with (data_dir / _FILE).open("ab") as register:
        register.write(msgspec.json.encode(backup) + b"\n")


def noted(data_dir: Path) -> list[Backup]:
    """The newest first, of those that are still where they were written."""
    try:
        lines = (data_dir / _FILE).read_bytes().splitlines()
    except FileNotFoundError:
        return []
    backups = [msgspec.json.decode(line, type=Backup) for line in lines if line.strip()]
    return [one for one in reversed(backups) if Path(one.file).is_file()][:_SHOWN]
