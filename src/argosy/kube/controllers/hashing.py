"""Short names for what a template says: equal templates, equal names. The letters spell no words and are hard to confuse."""

from __future__ import annotations

import hashlib

import msgspec

_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
_LENGTH = 10


def hashed(value: object, collisions: int = 0) -> str:
    """`collisions`: how often the name was found taken by something else."""
    content = msgspec.json.encode([pruned(value), collisions], order="deterministic")
    number = int.from_bytes(hashlib.blake2b(content, digest_size=16).digest(), "big")
    letters = []
    for _ in range(_LENGTH):
        number, at = divmod(number, len(_LETTERS))
        letters.append(_LETTERS[at])
    return "".join(letters)


def pruned(value: object) -> object:
    """Without what is empty: whether a field is missing or holds nothing makes no difference."""
    if isinstance(value, dict):
        found = {key: pruned(one) for key, one in value.items()}
        return {key: one for key, one in found.items() if one is not None and one not in ({}, [])}
    if isinstance(value, list):
        return [pruned(one) for one in value]
    return value
