"""Signed heads in files outside the database: one per account, only ever appended to, one JSON line per head.

`anchoring` appends, `verification` reads. Whoever alters the database cannot make it agree with what stands here.
A file that has grown large is set aside once, as `<account>.1.jsonl`, so that the space is bounded.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from argosy.kit.errors import Internal
from argosy.kit.ids import is_id
from argosy.platform.audit.signing import Signer, Statement

_LARGEST = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Anchored:
    """`forged`: the first line that is not a genuine statement of ours, with its place; empty if all are."""

    statements: list[Statement]
    forged: str


class Anchors:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def append(self, account: str, statements: Iterable[Statement]) -> None:
        """On the disk when it returns."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self._path(account)
        if path.exists() and path.stat().st_size > _LARGEST:
            path.replace(self._older(account))
        fresh = not path.exists()
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            _drop_torn_line(descriptor)
            rest = b"".join(msgspec.json.encode(each) + b"\n" for each in statements)
            while rest:  # a disk that fills up takes a part first, and says no to the next one
                rest = rest[os.write(descriptor, rest) :]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if fresh:
            _sync_folder(self._folder)

    def read(self, account: str, signer: Signer) -> Anchored:
        """A last line without its end was cut by a crash and counts for nothing: what it said is appended again."""
        found: list[Statement] = []
        forged = ""
        for path in (self._older(account), self._path(account)):
            content = path.read_bytes() if path.exists() else b""
            for number, line in enumerate(content.split(b"\n")[:-1], start=1):
                statement = _genuine(line, account, signer)
                if statement is not None:
                    found.append(statement)
                else:
                    forged = forged or f"line {number} of {path.name}"
        return Anchored(found, forged)

    def _path(self, account: str) -> Path:
        if account and not is_id(account):
            raise Internal(f"{account!r} is not an account id", code="audit.account")
        return self._folder / f"{account or 'installation'}.jsonl"

    def _older(self, account: str) -> Path:
        return self._path(account).with_suffix(".1.jsonl")


def _genuine(line: bytes, account: str, signer: Signer) -> Statement | None:
    try:
        statement = msgspec.json.decode(line, type=Statement)
        ours = statement.account == account and len(statement.head.hash) == 32
    except (msgspec.MsgspecError, ValueError):
        return None
    return statement if ours and signer.genuine(statement) else None


def _drop_torn_line(descriptor: int) -> None:
    size = os.fstat(descriptor).st_size
    tail = os.pread(descriptor, 4096, max(0, size - 4096))
    if tail and not tail.endswith(b"\n"):
        os.ftruncate(descriptor, size - len(tail) + tail.rfind(b"\n") + 1)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
