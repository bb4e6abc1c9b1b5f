"""What a child says on its `Notify` pipe, read back. Pure; `children` feeds it, `supervisor` acts on it."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from argosy.host.processes import LINE_BREAK


@dataclass(frozen=True, slots=True)
class Ready:
    pass


@dataclass(frozen=True, slots=True)
class Status:
    text: str


@dataclass(frozen=True, slots=True)
class Fatal:
    text: str


@dataclass(frozen=True, slots=True)
class Announcement:
    facts: dict[str, str]


@dataclass(frozen=True, slots=True)
class Garbled:
    line: str


Message = Ready | Status | Fatal | Announcement | Garbled


def parse(line: bytes) -> Message:
    word, _, rest = line.decode("utf-8", "replace").partition(" ")
    text = rest.replace(LINE_BREAK, "\n")
    match word:
        case "READY":
            return Ready()
        case "STATUS":
            return Status(text)
        case "FATAL":
            return Fatal(text)
        case "ANNOUNCE":
            try:
                return Announcement(msgspec.json.decode(rest, type=dict[str, str]))
            except msgspec.DecodeError:
                return Garbled("ANNOUNCE (not a JSON object of texts)")
        case _:
            return Garbled(line[:80].decode("utf-8", "replace"))


class Lines:
    """Bytes in as they come, whole lines out."""

    def __init__(self) -> None:
        self._partial = b""

    def feed(self, data: bytes) -> list[bytes]:
        *lines, self._partial = (self._partial + data).split(b"\n")
        return lines

    def rest(self) -> bytes:
        partial, self._partial = self._partial, b""
        return partial
