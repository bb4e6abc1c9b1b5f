"""Answers in the form that existing clients of compatible systems read."""

from __future__ import annotations

from starlette.responses import Response

from argosy.contracts.gateway import CompatibleAccount, CompatibleUser
from argosy.contracts.identity import Identity, Me
from argosy.kit.calls import Call
from argosy.kit.operations import Nothing
from argosy.platform.gateway.forward import json_response


def user_of(me: Me) -> CompatibleUser:
    return CompatibleUser(
        id=me.id,
        userName=me.name or me.email,
        email=me.email,
        roles=["Admin", "User"] if me.account.role == "admin" else ["User"],
        activeAccountName=me.account.name,
        account=[
            CompatibleAccount(
                id=account.id,
                id_=account.id,
                name=account.name,
                admins=[me.id] if account.role == "admin" else [],
            )
            for account in me.accounts
        ],
        user_data={"image": ""},
    )


async def user(identity: Identity, call: Call) -> Response:
    return json_response(user_of(await identity.me(call=call, request=Nothing())))


def authenticated() -> Response:
    """GET /api/auth/authenticate: the sub-request of a proxy in front; the status is the answer."""
    return json_response(Nothing())
