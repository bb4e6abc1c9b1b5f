"""The signing keys of the installation: made at the first start, rotated with overlap, published as JWKS.

A new key is published some seconds before it signs, and an old one until the last token it signed has expired, so no
verifier ever meets a token whose key it cannot find. Keys are 0600 files beside the data, not in it; several identity
instances share the folder. `service` rotates on a schedule; `credentials` asks for tokens.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
from joserfc.errors import JoseError
from joserfc.jwk import ECKey

from argosy.contracts.identity import Exchanged
from argosy.kit.calls import Principal
from argosy.kit.errors import Internal
from argosy.kit.ids import new_id
from argosy.kit.tokens import MOST_SECONDS, Signer, claims_for, sign_token
from argosy.kit.tokens.files import create_once

PUBLISHED_AHEAD = 30.0
KEPT_AFTER = PUBLISHED_AHEAD + MOST_SECONDS + 60.0  # after its successor was made
_REREAD_SECONDS = 5.0


class _Stored(msgspec.Struct, frozen=True):
    kid: str
    created: float
    jwk: dict[str, str | list[str]]


class _Key(msgspec.Struct, frozen=True):
    kid: str
    created: float
    key: ECKey
    file: Path


class Issuer:
    def __init__(
        self, secrets: Path, *, seconds: float = MOST_SECONDS, clock: Callable[[], float] = time.time
    ) -> None:
        self._secrets, self._seconds, self._clock = secrets, seconds, clock
        self._keys: list[_Key] = []
        self._read_at = float("-inf")
        if not self._read():
            # At the very first start two instances may race here: the name makes one of them win.
            self._create("identity-signing-first.json")

    def rotate(self) -> str:
        """A new key; answers its name. The old ones go when nothing they signed can still be valid."""
        kid = self._create(f"identity-signing-{new_id()}.json")
        self._prune()
        return kid

    def rotate_when_older(self, seconds: float) -> bool:
        keys = self._current()
        due = self._clock() - keys[-1].created >= seconds
        if due:
            self.rotate()
        else:
            self._prune()
        return due

    def issue(self, principal: Principal, *, audience: str, acting: str) -> Exchanged:
        claims = claims_for(
            principal, audience=audience, acting=acting, seconds=self._seconds, now=self._clock()
        )
        key = self._signing()
        return Exchanged(sign_token(Signer(key.kid, key.key), claims), claims.exp, principal)

    def key_set(self) -> str:
        self._read_at = float("-inf")
        documents = [
            {**key.key.as_dict(private=False), "kid": key.kid, "use": "sig", "alg": "ES256"}
            for key in self._current()
        ]
        return msgspec.json.encode({"keys": documents}).decode()

    def _signing(self) -> _Key:
        """The newest that has been published long enough; at the very first start the only one there is."""
        keys = self._current()
        known = [key for key in keys if key.created + PUBLISHED_AHEAD <= self._clock()]
        return known[-1] if known else keys[0]

    def _current(self) -> list[_Key]:
        if self._clock() - self._read_at > _REREAD_SECONDS:
            self._read()
        return self._keys

    def _read(self) -> list[_Key]:
        known = {key.file: key for key in self._keys}
        found = (known.get(file) or _load(file) for file in self._secrets.glob("identity-signing-*.json"))
        self._keys = sorted((key for key in found if key), key=lambda key: (key.created, key.kid))
        self._read_at = self._clock()
        return self._keys

    def _create(self, name: str) -> str:
        kid = new_id()
        key = ECKey.generate_key("P-256", private=True)
        stored = _Stored(kid, self._clock(), key.as_dict(private=True))
        create_once(self._secrets / name, msgspec.json.encode(stored), 0o600)
        self._read()
        return kid

    def _prune(self) -> None:
        keys = self._current()
        for old, successor in itertools.pairwise(keys):
            if successor.created + KEPT_AFTER < self._clock():
                old.file.unlink(missing_ok=True)
        self._read()


def _load(file: Path) -> _Key | None:
    """None if another instance removed it just now."""
    try:
        if file.stat().st_mode & 0o077:
            file.chmod(0o600)  # a restored backup may have forgotten
        stored = msgspec.json.decode(file.read_bytes(), type=_Stored)
        return _Key(stored.kid, stored.created, ECKey.import_key(stored.jwk), file)
    except FileNotFoundError:
        return None
    except (msgspec.MsgspecError, JoseError, ValueError) as error:
        raise Internal(
            f"the signing key {file.name} cannot be read: {error}",
            code="identity.signing_key",
            cure="restore the file from a backup; or remove it, which ends the tokens of the last minute",
        ) from error
