"""Sealing: each link's hash covers the hash before it, its own number and its content."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Head:
    """Where a chain stands: its last number, and the hash that binds everything up to it."""

    number: int
    hash: bytes


@dataclass(frozen=True, slots=True)
class Link:
    """`previous` is the hash it was sealed on: it tells a replaced entry from an altered one."""

    number: int
    previous: bytes
    hash: bytes
    content: bytes

    @property
    def head(self) -> Head:
        return Head(self.number, self.hash)


GENESIS = Head(0, bytes(32))


def link_hash(previous: bytes, number: int, content: bytes) -> bytes:
    return hashlib.sha256(previous + number.to_bytes(8) + content).digest()


def seal(head: Head, contents: Iterable[bytes]) -> list[Link]:
    links: list[Link] = []
    for content in contents:
        number = head.number + 1
        link = Link(number, head.hash, link_hash(head.hash, number, content), content)
        links.append(link)
        head = link.head
    return links
