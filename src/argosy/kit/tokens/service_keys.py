"""Each part's own key pair, and the assertion with which it asks identity for a token.

`service-<name>.json` (0600) is made on demand by the part itself; `service-<name>.public.json` beside it is what
identity reads. So identity never holds a part's private key, and nothing is configured by hand.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

import msgspec
from joserfc.jwk import ECKey

from argosy.kit.errors import Internal, Unauthenticated
from argosy.kit.ids import new_id
from argosy.kit.tokens.compact import Signer, check_times, import_public, key_name, payload, refused, sign
from argosy.kit.tokens.files import create_once

KIND = "argosy-assertion+jwt"
AUDIENCE = "identity"
_SECONDS = 60.0
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,40}")


class _Assertion(msgspec.Struct, frozen=True):
    iss: str
    sub: str
    aud: str
    iat: float
    exp: float
    jti: str
    nbf: float = 0.0


class ServiceKey:
    def __init__(self, name: str, key: ECKey) -> None:
        self.name = name
        self._signer = Signer(name, key)

    @classmethod
    def load(cls, secrets: Path, name: str) -> Self:
        """The part's key pair, made now if there is none yet."""
        if _NAME.fullmatch(name) is None:
            raise Internal(f"{name!r} cannot name a part of the platform")
        private = secrets / f"service-{name}.json"
        if not private.exists():
            fresh = ECKey.generate_key("P-256", private=True)
            create_once(private, msgspec.json.encode(fresh.as_dict(private=True)), 0o600)
        key = ECKey.import_key(msgspec.json.decode(private.read_bytes(), type=dict[str, str | list[str]]))
        public = secrets / f"service-{name}.public.json"
        if not public.exists():
            create_once(public, msgspec.json.encode(key.as_dict(private=False)), 0o644)
        return cls(name, key)

    def assertion(self, now: float | None = None) -> str:
        issued = time.time() if now is None else now
        claims = _Assertion(self.name, self.name, AUDIENCE, issued, issued + _SECONDS, new_id())
        return sign(self._signer, KIND, claims)


class AssertionVerifier:
    """Identity's side: which part signed this."""

    def __init__(self, secrets: Path, clock: Callable[[], float] = time.time) -> None:
        self._secrets, self._clock = secrets, clock
        self._keys: dict[str, tuple[int, ECKey]] = {}

    def verify(self, token: str) -> str:
        """The name of the part. Raises Unauthenticated with the reason."""
        name = key_name(token, KIND)
        try:
            claims = msgspec.json.decode(payload(token, self._key(name)), type=_Assertion)
        except msgspec.MsgspecError as error:
            raise refused("its claims are missing or malformed") from error
        if not name == claims.iss == claims.sub or claims.aud != AUDIENCE or not claims.jti:
            raise refused("it is not the part's own assertion towards identity")
        check_times(
            issued=claims.iat, expires=claims.exp, not_before=claims.nbf, now=self._clock(), longest=_SECONDS
        )
        return name

    def _key(self, name: str) -> ECKey:
        if _NAME.fullmatch(name) is None:
            raise refused("nobody knows the part that signed it")
        file = self._secrets / f"service-{name}.public.json"
        try:
            changed = file.stat().st_mtime_ns
            known = self._keys.get(name)
            if known is None or known[0] != changed:
                known = (
                    changed,
                    import_public(msgspec.json.decode(file.read_bytes(), type=dict[str, object])),
                )
                self._keys[name] = known
        except (OSError, msgspec.MsgspecError) as error:
            raise refused("nobody knows the part that signed it") from error
        return known[1]


def is_assertion(token: str) -> bool:
    """Whether it claims to be a part's own assertion; nothing is checked yet."""
    try:
        key_name(token, KIND)
    except Unauthenticated:
        return False
    return True
