"""Answers in the form that existing clients of compatible systems read."""

from __future__ import annotations

from argosy.contracts.gateway import CompatibleAccount, CompatibleUser
from argosy.contracts.identity import Me


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
