"""Checksums, and what is random. Whatever is random makes an ApplicationSet change its applications at each look: use it nowhere but in tests."""

from __future__ import annotations

import base64
import hashlib
import secrets
import string
import uuid
import zlib

from argosy.domain.templates import budget
from argosy.domain.templates.calling import Implementation
from argosy.domain.templates.errors import FunctionError
from argosy.domain.templates.values import octets

_PRINTABLE = "".join(map(chr, range(32, 127)))


def sha1sum(text: str) -> str:
    return hashlib.sha1(octets(text), usedforsecurity=False).hexdigest()


def sha256sum(text: str) -> str:
    return hashlib.sha256(octets(text)).hexdigest()


def sha512sum(text: str) -> str:
    return hashlib.sha512(octets(text)).hexdigest()


def adler32sum(text: str) -> str:
    return str(zlib.adler32(octets(text)))


def _chosen(count: int, chars: str) -> str:
    if count < 0:
        return ""
    budget.items_of(count)
    return "".join(secrets.choice(chars) for _ in range(count))


def rand_alpha_num(count: int) -> str:
    return _chosen(count, string.ascii_letters + string.digits)


def rand_alpha(count: int) -> str:
    return _chosen(count, string.ascii_letters)


def rand_ascii(count: int) -> str:
    return _chosen(count, _PRINTABLE)


def rand_numeric(count: int) -> str:
    return _chosen(count, string.digits)


def rand_bytes(count: int) -> str:
    if count < 0:
        raise FunctionError("runtime error: makeslice: len out of range")
    budget.items_of(count)
    return base64.b64encode(secrets.token_bytes(count)).decode()


def shuffle(text: str) -> str:
    budget.items_of(len(text))
    chars = list(text)
    secrets.SystemRandom().shuffle(chars)
    return "".join(chars)


def uuidv4() -> str:
    return str(uuid.uuid4())


FUNCTIONS: dict[str, Implementation] = {
    "adler32sum": adler32sum,
    "randAlpha": rand_alpha,
    "randAlphaNum": rand_alpha_num,
    "randAscii": rand_ascii,
    "randBytes": rand_bytes,
    "randNumeric": rand_numeric,
    "sha1sum": sha1sum,
    "sha256sum": sha256sum,
    "sha512sum": sha512sum,
    "shuffle": shuffle,
    "uuidv4": uuidv4,
}
