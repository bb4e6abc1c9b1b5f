"""Service accounts of the active account: owners of keys for machines, independent of any person."""

from __future__ import annotations

from argosy.backends.database import Transaction
from argosy.backends.hosting import Change
from argosy.contracts.identity import NewServiceAccount, Revoked, ServiceAccount, ServiceAccountChange
from argosy.contracts.paging import ById, Page, PageRequest
from argosy.kit.calls import Call
from argosy.kit.errors import Conflict
from argosy.kit.ids import new_id
from argosy.kit.operations import Nothing
from argosy.platform.identity import checks
from argosy.platform.identity.parts import Part, absent
from argosy.platform.identity.store import accounts, keys, service_accounts, teams


class ServiceAccounts(Part):
    async def service_accounts(self, *, call: Call, request: PageRequest) -> Page[ServiceAccount]:
        async with self._parts.database.transaction(call.account, read_only=True) as tx:
            return await service_accounts.service_accounts(tx, call.account, request)

    async def service_account(self, *, call: Call, request: ById) -> ServiceAccount:
        async with self._parts.database.transaction(call.account, read_only=True) as tx:
            return await self._service_account(tx, call.account, request.id)

    async def create_service_account(self, *, call: Call, request: NewServiceAccount) -> ServiceAccount:
        account, id, name = call.account, new_id(), checks.name(request.name)
        async with self._parts.database.transaction(account) as tx:
            listed = await checks.listed_teams(tx, account, request.teams)
            now = self._parts.clock()
            if not await service_accounts.add_service_account(tx, account, id, name, request.role, now):
                raise _name_taken(name)
            await teams.set_teams(tx, account, id, listed)
            made = await self._service_account(tx, account, id)
            await self._parts.record(tx, call, Change("service-account", id, name, after=made))
        return made

    async def change_service_account(self, *, call: Call, request: ServiceAccountChange) -> ServiceAccount:
        account, id = call.account, request.id
        name = None if request.name is None else checks.name(request.name)
        async with self._parts.database.transaction(account) as tx:
            await accounts.lock_account(tx, account)
            before = await self._service_account(tx, account, id)
            if name is not None and await service_accounts.another_is_named(tx, account, id, name):
                raise _name_taken(name)
            await service_accounts.change_service_account(tx, account, id, name, request.role)
            if request.teams is not None:
                listed = await checks.listed_teams(tx, account, request.teams)
                await teams.set_teams(tx, account, id, listed)
            after = await self._service_account(tx, account, id)
            if (before.role, before.teams) != (after.role, after.teams):
                await self._parts.revoke(tx, account, Revoked(principal=id, account=account))
            await self._parts.record(
                tx, call, Change("service-account", id, after.name, before=before, after=after)
            )
        return after

    async def remove_service_account(self, *, call: Call, request: ById) -> Nothing:
        account, id = call.account, request.id
        async with self._parts.database.transaction(account) as tx:
            await accounts.lock_account(tx, account)
            before = await self._service_account(tx, account, id)
            await keys.remove_keys_of(tx, account, id)
            await service_accounts.remove_service_account(tx, account, id)
            await self._parts.revoke(tx, account, Revoked(principal=id, account=account))
            await self._parts.record(tx, call, Change("service-account", id, before.name, before=before))
        return Nothing()

    async def _service_account(self, tx: Transaction, account: str, id: str) -> ServiceAccount:
        found = await service_accounts.service_account_of_id(tx, account, id)
        if found is None:
            raise absent("service account", id)
        return found


def _name_taken(name: str) -> Conflict:
    return Conflict(
        f"there is a service account named {name} already",
        code="service_account.exists",
        cure="choose another name",
        context={"field": "name"},
    )
