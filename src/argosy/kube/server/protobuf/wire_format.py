"""The wire format of protobuf: numbered values, one after the other."""

from __future__ import annotations

from collections.abc import Iterator


class Garbled(Exception):
    """These bytes are no such message."""


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Number and value: an integer for varints, bytes for everything else (fixed-width numbers stay packed)."""
    at, end = 0, len(data)
    while at < end:
        key, at = varint(data, at)
        match key & 7:
            case 0:
                value, at = varint(data, at)
                yield key >> 3, value
                continue
            case 1:
                size = 8
            case 2:
                size, at = varint(data, at)
            case 5:
                size = 4
            case other:
                raise Garbled(f"wire type {other}")
        if at + size > end:
            raise Garbled("it ends in the middle of a value")
        yield key >> 3, data[at : at + size]
        at += size


def varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise Garbled("a number has no end")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFF_FFFF_FFFF_FFFF, at
        shift += 7


def signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value
