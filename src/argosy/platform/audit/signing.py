"""The key that signs heads and checkpoints (ES256), kept apart from the data it vouches for.

`audit-signing.json` holds one key or more: the first signs, all verify, so that a new key can be put in front.
It is made on the first start, readable by the owner only.
"""

from __future__ import annotations

import base64
import os
import secrets
from datetime import datetime
from pathlib import Path
from typing import Literal

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from argosy.contracts.audit import Kind
from argosy.domain.chain import Head
from argosy.kit.clock import iso
from argosy.kit.errors import Internal
from argosy.kit.ids import new_id

FILE = "audit-signing.json"
_ES256 = ec.ECDSA(hashes.SHA256())


class Statement(msgspec.Struct, frozen=True):
    """ "head": the chain has this entry with this hash. "checkpoint": all up to it was removed by retention."""

    what: Literal["head", "checkpoint"]
    account: str
    chain: Kind
    number: int
    hash: str
    time: str
    key: str
    signature: str = ""

    @property
    def head(self) -> Head:
        return Head(self.number, bytes.fromhex(self.hash))

    def signed_bytes(self) -> bytes:
        return msgspec.json.encode(
            (self.what, self.account, self.chain, self.number, self.hash, self.time, self.key)
        )


class _Key(msgspec.Struct, frozen=True):
    id: str
    private: str


class _KeyFile(msgspec.Struct, frozen=True):
    keys: list[_Key]


class Signer:
    def __init__(self, folder: Path) -> None:
        path = folder / FILE
        if not path.exists():
            _create(path)
        try:
            file = msgspec.json.decode(path.read_bytes(), type=_KeyFile)
            self._keys = {key.id: _load(key.private) for key in file.keys}
            self._first = file.keys[0].id
        except (msgspec.MsgspecError, ValueError, TypeError, IndexError) as error:
            raise Internal(
                f"the audit log's signing key in {FILE} cannot be read: {error}",
                code="audit.key",
                cure="restore the file from a backup; without it old signatures cannot be verified",
            ) from error

    def sign(
        self, what: Literal["head", "checkpoint"], account: str, chain: Kind, head: Head, time: datetime
    ) -> Statement:
        statement = Statement(what, account, chain, head.number, head.hash.hex(), iso(time), self._first)
        first, second = utils.decode_dss_signature(
            self._keys[self._first].sign(statement.signed_bytes(), _ES256)
        )
        raw = first.to_bytes(32) + second.to_bytes(32)
        return msgspec.structs.replace(
            statement, signature=base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
        )

    def genuine(self, statement: Statement) -> bool:
        key = self._keys.get(statement.key)
        if key is None:
            return False
        try:
            raw = base64.urlsafe_b64decode(statement.signature + "==")
            signature = utils.encode_dss_signature(int.from_bytes(raw[:32]), int.from_bytes(raw[32:]))
            key.public_key().verify(signature, statement.signed_bytes(), _ES256)
        except (InvalidSignature, ValueError):
            return False
        return True


def _load(pem: str) -> ec.EllipticCurvePrivateKey:
    key = load_pem_private_key(pem.encode(), None)
    if not isinstance(key, ec.EllipticCurvePrivateKey) or key.curve.name != "secp256r1":
        raise TypeError("not a P-256 key")
    return key


def _create(path: Path) -> None:
    """Complete or not there at all; if another instance was faster, its key is the one."""
    pem = ec.generate_private_key(ec.SECP256R1()).private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
    )
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(msgspec.json.encode(_KeyFile([_Key(new_id(), pem.decode())])))
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(fresh, path)
    except FileExistsError:
        pass
    finally:
        fresh.unlink()
