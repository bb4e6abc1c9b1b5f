"""What a token says: for whom (`p`, the Principal), towards which part (`aud`), by which part (`act`), until when.

Issued by `platform/identity` only, for at most a minute. `sub` and `acc` repeat the principal's id and account for
readers that know only the standard names; a token in which they disagree is refused.
"""

from __future__ import annotations

import time

import msgspec

from argosy.kit.calls import Principal
from argosy.kit.ids import new_id
from argosy.kit.tokens.compact import Signer, check_times, refused, sign

ISSUER = "argosy"
KIND = "argosy+jwt"
MOST_SECONDS = 60.0


class Claims(msgspec.Struct, frozen=True):
    iss: str
    sub: str
    aud: str
    acc: str
    act: str
    iat: float
    exp: float
    jti: str
    p: Principal
    nbf: float = 0.0


def claims_for(
    principal: Principal,
    *,
    audience: str,
    acting: str,
    seconds: float = MOST_SECONDS,
    now: float | None = None,
) -> Claims:
    issued = time.time() if now is None else now
    return Claims(
        iss=ISSUER,
        sub=principal.id,
        aud=audience,
        acc=principal.account,
        act=acting,
        iat=issued,
        exp=issued + min(seconds, MOST_SECONDS),
        jti=new_id(),
        p=principal,
    )


def sign_token(signer: Signer, claims: Claims) -> str:
    return sign(signer, KIND, claims)


def checked(body: bytes, audience: str, now: float) -> Claims:
    """The claims of a token whose signature holds, if they are whole, ours, for this audience, and now."""
    try:
        claims = msgspec.json.decode(body, type=Claims)
    except msgspec.MsgspecError as error:
        raise refused("its claims are missing or malformed") from error
    if claims.iss != ISSUER:
        raise refused("it is from another issuer")
    if claims.aud != audience:
        raise refused("it is for another part of the platform")
    if not (claims.sub and claims.act and claims.jti):
        raise refused("it does not say who asks")
    if claims.p.kind == "anonymous" or (claims.p.id, claims.p.account) != (claims.sub, claims.acc):
        raise refused("its subject and its principal disagree")
    check_times(issued=claims.iat, expires=claims.exp, not_before=claims.nbf, now=now, longest=MOST_SECONDS)
    return claims
