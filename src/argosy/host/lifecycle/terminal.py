"""How a start looks to the person who waits for it: steps with times, then the URL and how to sign in.

On a terminal the step under way is one line that changes; elsewhere each change is a line of its own. Steps go
to stderr when stdout is to carry one JSON object. Implements `supervisor.report.Report`; used by `up`.
"""

from __future__ import annotations

import os
import select
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TextIO

import msgspec

_PATIENCE_SECONDS = 1.0
_SECRET = ("sign_in_link", "password")
_ABOUT_SECRETS = ("notice",)
_LABELS = {
    "url": "Open",
    "listens": "Listens",
    "degraded": "Degraded",
    "sign_in_link": "Sign in",
    "email": "E-mail",
    "password": "Password",
    "notice": "Note",
}
_REMARKS = {
    "listens": "where the proxy must pass requests on to",
    "sign_in_link": "works once",
    "password": "shown only now; change it after signing in",
}


class Terminal:
    def __init__(self, data_dir: Path, *, as_json: bool, foreground: bool) -> None:
        self._data_dir = data_dir
        self._as_json = as_json
        self._foreground = foreground
        self._out: TextIO = sys.stdout
        self._steps: TextIO = sys.stderr if as_json else sys.stdout
        self._live = self._steps.isatty()

    def note(self, text: str) -> None:
        self._line(f"  {text}")

    def status(self, name: str, text: str) -> None:
        if self._live:
            width = max(20, shutil.get_terminal_size().columns - 1)
            _write(self._steps, f"\r\x1b[K{f'  {name:<10} {text} …'[:width]}")
        else:
            self._line(f"  {name}: {text}")

    def ready(self, name: str, seconds: float) -> None:
        self._line(f"  {name:<10} ready  {seconds:6.2f} s")

    def all_ready(self, facts: Mapping[str, str], seconds: float) -> None:
        self._line(f"Ready after {seconds:.2f} s")
        shown = {**facts, "data_dir": str(self._data_dir)}
        if hidden := [key for key in _SECRET if key in shown and goes_to_journal(self._out)]:
            shown = {key: value for key, value in shown.items() if key not in (*hidden, *_ABOUT_SECRETS)}
            self._line("  The sign-in is not written to a journal; get one with: argosy admin reset-password")
        if self._as_json:
            _write(self._out, msgspec.json.encode(shown).decode() + "\n")
        else:
            _write(self._out, _card(shown, foreground=self._foreground))
        tell_systemd("READY=1")

    def failed(self, text: str) -> None:
        self._line("", only_live=True)
        _write(sys.stderr, text.rstrip("\n") + "\n")

    def _line(self, text: str, *, only_live: bool = False) -> None:
        if self._live:
            _write(self._steps, "\r\x1b[K" + (text and text + "\n"))
        elif not only_live:
            _write(self._steps, text + "\n")


def _card(facts: Mapping[str, str], *, foreground: bool) -> str:
    rows = [""]
    for key, label in _LABELS.items():
        if key in facts:
            remark = f"   ({_REMARKS[key]})" if key in _REMARKS else ""
            rows.append(f"  {label:<10} {facts[key]}{remark}")
    rows.append(f"  {'Data':<10} {facts['data_dir']}")
    rows += ["", "Ctrl-C stops everything." if foreground else "Stop it with: argosy down", ""]
    return "\n".join(rows)


def goes_to_journal(stream: TextIO) -> bool:
    """systemd names the device and inode of the stream that it writes to its journal."""
    try:
        facts = os.fstat(stream.fileno())
    except OSError:
        return False
    return os.environ.get("JOURNAL_STREAM") == f"{facts.st_dev}:{facts.st_ino}"


def tell_systemd(message: str) -> None:
    """A service of type notify counts as started when it says so."""
    import socket

    if address := os.environ.pop("NOTIFY_SOCKET", ""):
        if address.startswith("@"):
            address = "\0" + address[1:]
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as connection:
            connection.settimeout(2)
            connection.sendto(message.encode(), address)


def _write(stream: TextIO, text: str) -> None:
    """A terminal or pipe that is closed, or stopped by Ctrl-S, ends the showing and never the platform."""
    try:
        if not select.select([], [stream], [], _PATIENCE_SECONDS)[1]:
            return
        stream.write(text)
        stream.flush()
    except OSError:
        return
