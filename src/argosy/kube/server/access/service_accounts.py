"""Who holds a service-account token: the signature once, what it hangs on at every use.

A token is as good as its service account and the pod, Secret or node that it is bound to: they must still be there, with
the same UID. What was found is kept until one of these collections changes, a time of the token or of a deletion is
reached, or too many other tokens were seen. Called by `authentication`; the words are those of a TokenReview.
"""

from __future__ import annotations

import hashlib
import math
from collections import OrderedDict
from collections.abc import Callable, Sequence
from datetime import datetime

import msgspec

from argosy.kube.objects import Object, metadata, uid_of
from argosy.kube.server.access.authority import Authority
from argosy.kube.server.access.claims import (
    LEGACY_ISSUER,
    Claims,
    LegacyClaims,
    Reference,
    groups_of,
    user_name,
)
from argosy.kube.server.access.legacy_tokens import legacy_holder
from argosy.kube.server.access.quoting import quoted_list
from argosy.kube.server.access.signing import BadToken, part
from argosy.kube.server.access.vocabulary import (
    CREDENTIAL_ID,
    NODE_NAME,
    NODE_UID,
    POD_NAME,
    POD_UID,
    Reader,
    User,
    with_authenticated,
)

LEEWAY = 60.0
"""Seconds by which clocks may differ, and for which a token outlives the deletion mark of what it is bound to."""
_REMEMBERED = 4096
_INVALIDATED = "service account token has been invalidated"


class _Issuer(msgspec.Struct, frozen=True):
    iss: str = ""


class _Verified:
    """A token whose signature holds, and what was last found about its holder."""

    __slots__ = ("claims", "collections", "until", "user", "version")

    def __init__(self, claims: Claims | LegacyClaims) -> None:
        self.claims = claims
        self.collections = _collections(claims)
        self.version = -1
        self.until = -math.inf
        self.user: User | None = None


class ServiceAccounts:
    def __init__(self, authority: Authority, reader: Reader, now: Callable[[], float]) -> None:
        self._authority, self._reader, self._now = authority, reader, now
        self._verified: OrderedDict[bytes, _Verified] = OrderedDict()

    def holder(self, token: str, audiences: Sequence[str]) -> tuple[User, tuple[str, ...]] | None:
        """The user, and for which of the audiences. None: another issuer's token. Raises BadToken."""
        known = self._known(token)
        if known is None:
            return None
        meant = _audiences(known.claims) or self._authority.audiences
        common = tuple(one for one in meant if one in audiences)
        if not common:
            raise BadToken(
                f"token audiences {quoted_list(meant)} is invalid for the target audiences {quoted_list(audiences)}"
            )
        now = self._now()
        _check_times(known.claims, now)
        version = self._reader.version(*known.collections)
        if known.user is None or known.version != version or now > known.until:
            known.user = None
            known.until = math.inf
            known.user = self._found(known, token, now)
            known.version = version
        return known.user, common

    def _known(self, token: str) -> _Verified | None:
        digest = hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
        if (known := self._verified.get(digest)) is not None:
            return known
        known = self._verify(token)
        if known is not None:
            self._verified[digest] = known
            if len(self._verified) > _REMEMBERED:
                self._verified.popitem(last=False)
        return known

    def _verify(self, token: str) -> _Verified | None:
        kind = self._kind(token)
        if kind is None:
            return None
        payload = self._authority.signing.verified(token)
        try:
            return _Verified(msgspec.json.decode(payload, type=kind))
        except msgspec.MsgspecError as error:
            raise BadToken(f"invalid claims: {error}") from error

    def _kind(self, token: str) -> type[Claims | LegacyClaims] | None:
        """By its issuer, which nobody has verified yet."""
        try:
            issuer = msgspec.json.decode(part(token, 1), type=_Issuer).iss
        except (msgspec.MsgspecError, ValueError):
            return None
        if issuer == LEGACY_ISSUER:
            return LegacyClaims
        return Claims if issuer == self._authority.issuer else None

    def _found(self, known: _Verified, token: str, now: float) -> User:
        claims = known.claims
        if isinstance(claims, LegacyClaims):
            return legacy_holder(self._reader, claims, token)
        namespace, account = claims.kubernetes.namespace, claims.kubernetes.serviceaccount
        self._check_account(known, namespace, account, now)
        if claims.kubernetes.secret is not None:
            said = "secret UID ({}) does not match service account secret ref claim ({})"
            self._check_bound(known, "secrets", namespace, claims.kubernetes.secret, said, now)
        if claims.kubernetes.pod is not None:
            said = "pod UID ({}) does not match service account pod ref claim ({})"
            self._check_bound(known, "pods", namespace, claims.kubernetes.pod, said, now)
        elif claims.kubernetes.node is not None:
            said = "node UID ({}) does not match service account node ref claim ({})"
            self._check_bound(known, "nodes", "", claims.kubernetes.node, said, now)
        return _user(claims)

    def _check_account(self, known: _Verified, namespace: str, account: Reference, now: float) -> None:
        found = self._reader.get("serviceaccounts", namespace, account.name)
        if found is None:
            raise BadToken(f'serviceaccounts "{account.name}" not found')
        if uid_of(found) != account.uid:
            raise BadToken(f"service account UID ({uid_of(found)}) does not match claim ({account.uid})")
        if _outlived(known, found, now):
            raise BadToken(f"service account {namespace}/{account.name} has been deleted")

    def _check_bound(
        self, known: _Verified, collection: str, namespace: str, bound: Reference, said: str, now: float
    ) -> None:
        found = self._reader.get(collection, namespace, bound.name)
        if found is None:
            raise BadToken(_INVALIDATED)
        if uid_of(found) != bound.uid:
            raise BadToken(said.format(uid_of(found), bound.uid))
        if _outlived(known, found, now):
            raise BadToken(_INVALIDATED)


def _collections(claims: Claims | LegacyClaims) -> tuple[str, ...]:
    """Where a change may end the token."""
    if isinstance(claims, LegacyClaims):
        return ("serviceaccounts", "secrets")
    bound = claims.kubernetes
    named = (
        ("serviceaccounts", True),
        ("secrets", bound.secret is not None),
        ("pods", bound.pod is not None),
        ("nodes", bound.node is not None and bound.pod is None),
    )
    return tuple(collection for collection, used in named if used)


def _audiences(claims: Claims | LegacyClaims) -> tuple[str, ...]:
    return (claims.aud,) if isinstance(claims.aud, str) else tuple(claims.aud)


def _check_times(claims: Claims | LegacyClaims, now: float) -> None:
    if now + LEEWAY < claims.nbf:
        raise BadToken("service account token is not valid yet")
    if claims.exp is not None and now - LEEWAY > claims.exp:
        raise BadToken("service account token has expired")
    if isinstance(claims, Claims) and now + LEEWAY < claims.iat:
        raise BadToken("service account token is issued in the future")


def _outlived(known: _Verified, obj: Object, now: float) -> bool:
    """Marked for deletion longer ago than the leeway; if not as long ago yet, what is known holds until then."""
    marked = metadata(obj).get("deletionTimestamp")
    if not marked:
        return False
    try:
        end = datetime.fromisoformat(str(marked)).timestamp() + LEEWAY
    except ValueError:
        return True
    known.until = min(known.until, end)
    return now > end


def _user(claims: Claims) -> User:
    bound = claims.kubernetes
    extra: dict[str, tuple[str, ...]] = {}
    if bound.pod is not None and bound.pod.name and bound.pod.uid:
        extra |= {POD_NAME: (bound.pod.name,), POD_UID: (bound.pod.uid,)}
    if claims.jti:
        extra[CREDENTIAL_ID] = (f"JTI={claims.jti}",)
    if bound.node is not None and bound.node.name:
        extra[NODE_NAME] = (bound.node.name,)
        if bound.node.uid:
            extra[NODE_UID] = (bound.node.uid,)
    name = user_name(bound.namespace, bound.serviceaccount.name)
    return with_authenticated(User(name, bound.serviceaccount.uid, groups_of(bound.namespace), extra))
