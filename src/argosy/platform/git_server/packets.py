"""Git's own framing (pkt-line), as far as the server reads and writes it: the head of a push, and a refusal in its place.

Pure. `pushing` feeds what comes in; everything else of the protocol is git's business.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from argosy.kit.errors import BadRequest

FLUSH = b"0000"
_LONGEST = 65_520
_MOST_COMMANDS = 10_000
_LENGTH = re.compile(rb"[0-9a-fA-F]{4}")


def packet(data: bytes) -> bytes:
    return f"{len(data) + 4:04x}".encode() + data


def banded(band: int, data: bytes) -> bytes:
    """On one of the bands that share the answer: 1 the report, 2 what people read."""
    step = _LONGEST - 5
    return b"".join(packet(bytes([band]) + data[at : at + step]) for at in range(0, len(data), step))


@dataclass(slots=True)
class Head:
    """The commands of a push, read from its first bytes as they pass by."""

    refs: list[str] = field(default_factory=list)
    capabilities: frozenset[str] = frozenset()
    whole: bool = False
    _rest: bytearray = field(default_factory=bytearray)

    def take(self, piece: bytes) -> None:
        if self.whole:
            return
        self._rest += piece
        while not self.whole and len(self._rest) >= 4:
            if not _LENGTH.fullmatch(self._rest[:4]):
                raise _malformed()
            length = int(self._rest[:4], 16)
            if length == 0:
                self.whole = True
                self._rest.clear()
            elif length < 4 or length > _LONGEST or len(self.refs) > _MOST_COMMANDS:
                raise _malformed()
            elif len(self._rest) >= length:
                self._line(bytes(self._rest[4:length]))
                del self._rest[:length]
            else:
                return

    def _line(self, line: bytes) -> None:
        command, zero, capabilities = line.partition(b"\0")
        if zero:
            self.capabilities = frozenset(capabilities.decode("utf-8", "replace").split())
        words = command.decode("utf-8", "surrogateescape").rstrip("\n").split(" ", 2)
        if len(words) == 3:
            self.refs.append(words[2])


def refusal(head: Head, reason: str, cure: str) -> bytes:
    """What git shows as `! [remote rejected] main -> main (reason)`, and `remote: …` above it."""
    lines = packet(f"unpack {reason}\n".encode())
    lines += (
        b"".join(packet(f"ng {ref} {reason}\n".encode("utf-8", "surrogateescape")) for ref in head.refs)
        + FLUSH
    )
    if "side-band-64k" not in head.capabilities:
        return lines
    return banded(2, f"{reason}: {cure}\n".encode()) + banded(1, lines) + FLUSH


def _malformed() -> BadRequest:
    return BadRequest(
        "this is not what git sends for a push", code="git.protocol", cure="push with git itself"
    )
