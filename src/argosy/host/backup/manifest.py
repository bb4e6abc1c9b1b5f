"""What a backup says about itself: who wrote it, when, and the digest of every member."""

from __future__ import annotations

import hashlib
from datetime import datetime

import msgspec

from argosy.kit.errors import BadRequest

FORMAT = 2
_WITHOUT_CLUSTERS = 1
"""The form before it knew of embedded clusters."""


class Member(msgspec.Struct, frozen=True):
    size: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True):
    format: int
    argosy: str
    postgres: str
    taken: datetime
    services: list[str]
    """Those whose schemas are in the dump."""
    elsewhere: list[str]
    """Services on a database server of their own, whose data is not in this file."""
    members: dict[str, Member]
    clusters: list[str] = []
    """The embedded Kubernetes clusters in it."""
    left_out: dict[str, str] = {}
    """Those that could not be read, and why."""

    @property
    def knows_clusters(self) -> bool:
        return self.format != _WITHOUT_CLUSTERS


def encode(manifest: Manifest) -> bytes:
    return msgspec.json.format(msgspec.json.encode(manifest), indent=2)


def decode(raw: bytes, digest: str) -> Manifest:
    if hashlib.sha256(raw).hexdigest() != digest:
        raise damaged("its manifest does not match its digest")
    try:
        version = msgspec.json.decode(raw, type=_Versioned).format
        if version not in (_WITHOUT_CLUSTERS, FORMAT):
            raise BadRequest(
                f"the backup has format {version}, this Argosy reads up to format {FORMAT}",
                code="backup.format",
                cure="restore it with the version of Argosy that wrote it, or a later one",
            )
        return msgspec.json.decode(raw, type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise damaged(f"its manifest cannot be read: {error}") from error


class _Versioned(msgspec.Struct):
    format: int


def damaged(what: str) -> BadRequest:
    return BadRequest(
        f"the backup is damaged or was changed: {what}",
        code="backup.damaged",
        cure="nothing was touched; use another backup file, or copy this one again from where it came",
    )
