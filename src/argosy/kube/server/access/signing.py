"""The key that signs a cluster's service-account tokens, and what the world may know of it.

One algorithm and one key with one name: a header that says anything else is refused before any claim is believed.
`service_accounts` says what stands in the tokens.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from typing import Self

import msgspec
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import ECKey

from argosy.kube.objects import Object

ALGORITHM = "ES256"
LONGEST = 64 * 1024


class _Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    alg: str
    kid: str = ""


class BadToken(Exception):
    """Why a token is not believed, in the words that a TokenReview repeats."""


class SigningKey:
    def __init__(self, key: ec.EllipticCurvePrivateKey) -> None:
        self._key = ECKey.import_key(key)
        public = key.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        self.kid = base64.urlsafe_b64encode(hashlib.sha256(public).digest()).rstrip(b"=").decode()

    @classmethod
    def parse(cls, pem: bytes) -> Self:
        key = serialization.load_pem_private_key(pem, password=None)
        if not isinstance(key, ec.EllipticCurvePrivateKey) or key.curve.name != "secp256r1":
            raise ValueError("it is not a P-256 key")
        return cls(key)

    def sign(self, claims: Object) -> str:
        payload = msgspec.json.encode(claims, order="sorted")
        header = {"alg": ALGORITHM, "kid": self.kid}
        return jws.serialize_compact(header, payload, self._key, algorithms=[ALGORITHM])

    def verified(self, token: str) -> bytes:
        """What was signed, if this key signed it. Raises BadToken."""
        try:
            header = msgspec.json.decode(part(token, 0), type=_Header)
        except (msgspec.MsgspecError, ValueError) as error:
            raise BadToken("invalid bearer token") from error
        if header.kid and header.kid != self.kid:
            raise BadToken("invalid signature, no keys found")
        if header.alg != ALGORITHM:
            raise BadToken("go-jose/go-jose: error in cryptographic primitive")
        try:
            return jws.deserialize_compact(token, self._key, algorithms=[ALGORITHM]).payload
        except (JoseError, ValueError) as error:
            raise BadToken("go-jose/go-jose: error in cryptographic primitive") from error

    def key_set(self) -> Object:
        """`/openid/v1/jwks`, served as `application/jwk-set+json`."""
        public = self._key.as_dict(private=False)
        return {
            "keys": [
                {
                    "use": "sig",
                    "kty": public["kty"],
                    "kid": self.kid,
                    "crv": public["crv"],
                    "alg": ALGORITHM,
                    "x": public["x"],
                    "y": public["y"],
                }
            ]
        }

    def discovery(self, *, issuer: str, url: str) -> Object:
        """`/.well-known/openid-configuration`; `url` is where the server is reached."""
        return {
            "issuer": issuer,
            "jwks_uri": f"{url.rstrip('/')}/openid/v1/jwks",
            "response_types_supported": ["id_token"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": [ALGORITHM],
        }


def part(token: str, number: int) -> bytes:
    """Of three: header, claims, signature. ValueError when it is not a signed token."""
    parts = token.split(".")
    if len(parts) != 3 or len(token) > LONGEST or not token.isascii():
        raise ValueError("not a signed token")
    try:
        text = parts[number]
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except binascii.Error as error:
        raise ValueError(str(error)) from error
