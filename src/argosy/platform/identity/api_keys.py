"""API keys of the active account: personal ones, and those of service accounts. A key is told once, then only known."""

from __future__ import annotations

from datetime import timedelta

from argosy.backends.database import Transaction
from argosy.backends.hosting import Change
from argosy.contracts.identity import (
    ApiKey,
    ApiKeyCreated,
    ApiKeyQuery,
    NewApiKey,
    Revoked,
    Scopes,
    Subject,
)
from argosy.contracts.paging import ById, Page
from argosy.kit.calls import Call
from argosy.kit.errors import Forbidden, Invalid
from argosy.kit.ids import new_id
from argosy.kit.operations import Nothing
from argosy.platform.identity import checks, opaque
from argosy.platform.identity.parts import Part, absent
from argosy.platform.identity.scopes import covers, every_scope
from argosy.platform.identity.store import accounts, keys, service_accounts


class ApiKeys(Part):
    async def api_keys(self, *, call: Call, request: ApiKeyQuery) -> Page[ApiKey]:
        own = call.principal.id
        owner = "" if request.all else request.owner or own
        if owner != own and not call.principal.admin:
            raise Forbidden(
                "only an admin sees keys of others", code="auth.admin", cure="leave out `owner` and `all`"
            )
        async with self._parts.database.transaction(call.account, read_only=True) as tx:
            return await keys.api_keys(tx, call.account, owner, request)

    async def create_api_key(self, *, call: Call, request: NewApiKey) -> ApiKeyCreated:
        name, scopes = checks.name(request.name), _known_scopes(request.scopes)
        _check_scopes_held(call, scopes)
        secret, now = opaque.new_key(), self._parts.clock()
        expires = None if request.expires_days is None else now + timedelta(days=request.expires_days)
        async with self._parts.database.transaction(call.account) as tx:
            await accounts.lock_account(tx, call.account)  # whoever is removed meanwhile gets no key
            owner, kind = await self._owner(tx, call, request.service_account)
            row = keys.NewKey(
                new_id(), call.account, owner, kind, name, secret[: opaque.SHOWN], opaque.digest(secret), scopes,
                now, expires,
            )  # fmt: skip
            await keys.add_key(tx, row)
            made = await self._key(tx, call.account, row.id)
            await self._parts.record(tx, call, Change("api-key", made.id, made.name, after=made))
        return ApiKeyCreated(secret, made)

    async def revoke_api_key(self, *, call: Call, request: ById) -> Nothing:
        async with self._parts.database.transaction(call.account) as tx:
            before = await self._key(tx, call.account, request.id)
            if before.owner.id != call.principal.id and not call.principal.admin:
                raise absent("api key", request.id)
            if not await keys.remove_key(tx, call.account, request.id):
                raise absent("api key", request.id)
            await self._parts.revoke(tx, call.account, Revoked(credential=f"key:{before.id}"))
            await self._parts.record(tx, call, Change("api-key", before.id, before.name, before=before))
        return Nothing()

    async def scopes(self, *, call: Call, request: Nothing) -> Scopes:
        return Scopes(list(every_scope()))

    async def _owner(self, tx: Transaction, call: Call, service_account: str | None) -> tuple[str, Subject]:
        if service_account is None:
            who = call.principal
            kind: Subject = "service_account" if who.kind == "service_account" else "user"
            if not await keys.owner_is_here(tx, call.account, who.id):
                raise absent(kind.replace("_", " "), who.id)
            return who.id, kind
        if not call.principal.admin:
            raise Forbidden(
                "only an admin makes keys of service accounts", code="auth.admin", cure="ask an admin"
            )
        if await service_accounts.service_account_of_id(tx, call.account, service_account) is None:
            raise absent("service account", service_account)
        return service_account, "service_account"

    async def _key(self, tx: Transaction, account: str, id: str) -> ApiKey:
        found = await keys.key_of_id(tx, account, id)
        if found is None:
            raise absent("api key", id)
        return found


def _known_scopes(wanted: list[str] | None) -> list[str] | None:
    if wanted is None:
        return None
    known = {scope.name for scope in every_scope()}
    for number, scope in enumerate(wanted):
        if scope not in known:
            raise Invalid(
                f"there is no scope {scope}",
                code="scope.unknown",
                cure="GET /api/api-keys/scopes lists them",
                context={"field": f"scopes[{number}]"},
            )
    return sorted(set(wanted))


def _check_scopes_held(call: Call, wanted: list[str] | None) -> None:
    if not covers(call.principal.scopes, wanted):
        held = ", ".join(call.principal.scopes or ())
        raise Forbidden(
            "a key cannot make one that may do more than itself",
            code="auth.scope",
            cure=f"ask for scopes among: {held}",
        )
