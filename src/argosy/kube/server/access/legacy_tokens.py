"""The older service-account tokens, which lie in Secrets of type `kubernetes.io/service-account-token` and never expire.

A controller fills such a Secret; the token is good for as long as it lies there and its account exists.
Called by `service_accounts`, which has verified the signature.
"""

from __future__ import annotations

import base64
import binascii
import hmac

from argosy.kube.objects import Object, labels_of, metadata, uid_of
from argosy.kube.server.access.claims import LegacyClaims, account_of, groups_of, user_name
from argosy.kube.server.access.signing import BadToken
from argosy.kube.server.access.vocabulary import Reader, User, with_authenticated

_INVALID_SINCE = "kubernetes.io/legacy-token-invalid-since"


def legacy_holder(reader: Reader, claims: LegacyClaims, token: str) -> User:
    """Raises BadToken."""
    _check_whole(claims)
    secret = reader.get("secrets", claims.namespace, claims.secret)
    if secret is None or metadata(secret).get("deletionTimestamp"):
        raise BadToken("Token has been invalidated")
    if not hmac.compare_digest(_held(secret), token.encode()):
        raise BadToken("Token does not match server's copy")
    _check_account(reader, claims)
    if labels_of(secret).get(_INVALID_SINCE):
        raise BadToken(
            f"the token in secret {claims.namespace}/{claims.secret} for service account "
            f"{claims.namespace}/{claims.account} has been marked invalid. Use tokens from the TokenRequest API or "
            f"manually created secret-based tokens, or remove the '{_INVALID_SINCE}' label from the secret to "
            "temporarily allow use of this token"
        )
    name = user_name(claims.namespace, claims.account)
    return with_authenticated(User(name, claims.uid, groups_of(claims.namespace)))


def _check_whole(claims: LegacyClaims) -> None:
    for value, missing in (
        (claims.sub, "sub"),
        (claims.namespace, "namespace"),
        (claims.secret, "secretName"),
        (claims.account, "serviceAccountName"),
        (claims.uid, "serviceAccountUID"),
    ):
        if not value:
            raise BadToken(f"{missing} claim is missing")
    if account_of(claims.sub) != (claims.namespace, claims.account):
        raise BadToken("sub claim is invalid")


def _check_account(reader: Reader, claims: LegacyClaims) -> None:
    account = reader.get("serviceaccounts", claims.namespace, claims.account)
    if account is None:
        raise BadToken(f'serviceaccounts "{claims.account}" not found')
    if metadata(account).get("deletionTimestamp"):
        raise BadToken(f"ServiceAccount {claims.namespace}/{claims.account} has been deleted")
    if uid_of(account) != claims.uid:
        raise BadToken(f"ServiceAccount UID ({uid_of(account)}) does not match claim ({claims.uid})")


def _held(secret: Object) -> bytes:
    data = secret.get("data")
    try:
        return base64.b64decode(str(data.get("token", "")), validate=True) if isinstance(data, dict) else b""
    except (binascii.Error, ValueError):
        return b""
