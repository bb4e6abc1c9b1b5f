"""From what is stored to who asks: the Principal that a token carries."""

from __future__ import annotations

from argosy.contracts.identity import PASSWORD_SCOPE
from argosy.kit.calls import Principal
from argosy.platform.identity.store.keys import LiveKey
from argosy.platform.identity.store.sessions import LiveSession


def of_session(session: LiveSession) -> Principal:
    """Until a one-time password is changed, a session can do nothing but change it."""
    restricted = session.must_change_password
    return Principal(
        kind="user",
        id=session.user,
        name=session.name,
        account=session.account,
        admin=session.role == "admin" and not restricted,
        platform_admin=session.platform_admin and not restricted,
        teams=tuple(session.teams),
        scopes=(PASSWORD_SCOPE,) if restricted else None,
        credential=f"session:{session.id}",
    )


def of_key(key: LiveKey) -> Principal:
    return Principal(
        kind=key.owner_kind,
        id=key.owner,
        name=key.name,
        account=key.account,
        admin=key.role == "admin",
        platform_admin=key.platform_admin,
        teams=tuple(key.teams),
        scopes=None if key.scopes is None else tuple(key.scopes),
        credential=f"key:{key.id}",
    )
