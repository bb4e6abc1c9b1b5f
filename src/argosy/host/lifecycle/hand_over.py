"""The verbs whose work lies elsewhere in `host`: backup, restore, rehearsed upgrade, a new password, serve.

Each imports its part late and hands over; only the words on the terminal are decided here.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, cast

import msgspec

from argosy.host.lifecycle.failures import OK
from argosy.host.options import Plan
from argosy.host.paths import DataDir

Say = Callable[[str], None]


class Archives(Protocol):
    """What `argosy.host.backup` offers."""

    def backup(self, data: DataDir, file: Path, report: Say) -> object: ...
    def restore(self, data: DataDir, file: Path, force: bool, report: Say) -> object: ...
    def rehearse_upgrade(self, data: DataDir, migrate: Callable[[DataDir], None], report: Say) -> object: ...


class Admin(Protocol):
    """What `argosy.host.admin` offers."""

    def reset_password(self, data: DataDir, email: str) -> str: ...


class Serve(Protocol):
    """What `argosy.host.serve` offers; `listing` is "", "text", "mermaid" or "json"."""

    def main(self, names: list[str], listing: str) -> int: ...


def backup(data: DataDir, file: Path) -> int:
    _archives().backup(data, file, say)
    return OK


def restore(data: DataDir, file: Path, *, force: bool) -> int:
    _archives().restore(data, file, force, say)
    return OK


def rehearse_upgrade(data: DataDir, load_plan: Callable[[], Plan]) -> int:
    _archives().rehearse_upgrade(data, load_plan().migrate_all, say)
    return OK


def reset_password(data: DataDir, email: str, *, as_json: bool) -> int:
    """The password goes to the terminal and nowhere else; it is changed at the next sign-in."""
    password = cast(Admin, importlib.import_module("argosy.host.admin")).reset_password(data, email)
    if as_json:
        say(msgspec.json.encode({"email": email, "password": password}).decode())
    else:
        say(f"E-mail    {email}\nPassword  {password}   (shown only now)")
    return OK


def serve(names: list[str], *, listing: str) -> int:
    return cast(Serve, importlib.import_module("argosy.host.serve")).main(names, listing)


def _archives() -> Archives:
    return cast(Archives, importlib.import_module("argosy.host.backup"))


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
