"""Signed compact text: one algorithm, one key per name, nothing to negotiate.

What an attacker can put into a header is refused before any key is looked up: another algorithm (none, HS256 with the
public key as its secret), keys or addresses of keys in the header, critical extensions, another kind of token.
`claims` and `service_keys` say what is inside.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Annotated

import msgspec
from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import ECKey

from argosy.kit.errors import Unauthenticated

ALGORITHM = "ES256"
LONGEST = 8192
LEEWAY_SECONDS = 5.0
KeyName = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{1,64}$")]


class _Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    alg: str
    kid: KeyName
    typ: str


@dataclass(frozen=True, slots=True)
class Signer:
    """A private key and the name under which verifiers know its public half."""

    kid: str
    key: ECKey


def refused(reason: str) -> Unauthenticated:
    return Unauthenticated(f"the token is not acceptable: {reason}", code="auth.token")


def sign(signer: Signer, kind: str, claims: msgspec.Struct) -> str:
    header = {"alg": ALGORITHM, "kid": signer.kid, "typ": kind}
    return jws.serialize_compact(header, msgspec.json.encode(claims), signer.key, algorithms=[ALGORITHM])


def key_name(token: str, kind: str) -> str:
    """The name of the key that signed it, once the header is found harmless."""
    if len(token) > LONGEST:
        raise refused(f"it is longer than {LONGEST} characters")
    if token.count(".") != 2 or not token.isascii():
        raise refused("it is not a signed token")
    try:
        text = token.partition(".")[0]
        header = msgspec.json.decode(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), type=_Header)
    except (msgspec.MsgspecError, binascii.Error, ValueError) as error:
        raise refused("its header is malformed or asks for what is not supported") from error
    if header.alg != ALGORITHM or header.typ != kind:
        raise refused("its algorithm or type is another one")
    return header.kid


def payload(token: str, key: ECKey) -> bytes:
    """What was signed, if `key` signed it."""
    try:
        return jws.deserialize_compact(token, key, algorithms=[ALGORITHM]).payload
    except (JoseError, ValueError) as error:
        raise refused("its signature is wrong") from error


def check_times(*, issued: float, expires: float, not_before: float, now: float, longest: float) -> None:
    if not issued < expires <= issued + longest:
        raise refused(f"it must live between 0 and {longest:.0f} seconds")
    if now >= expires + LEEWAY_SECONDS:
        raise refused("it has expired")
    if max(issued, not_before) > now + LEEWAY_SECONDS:
        raise refused("it is not valid yet; check the clocks")


def import_public(document: dict[str, object]) -> ECKey:
    """A public key from its JWK; anything but a P-256 point is refused, so no other algorithm can fit it."""
    if document.get("kty") != "EC" or document.get("crv") != "P-256":
        raise refused("its key is not a P-256 key")
    members: dict[str, str | list[str]] = {
        name: str(document.get(name, "")) for name in ("kty", "crv", "x", "y")
    }
    try:
        return ECKey.import_key(members)
    except (JoseError, ValueError) as error:
        raise refused("its key is malformed") from error
