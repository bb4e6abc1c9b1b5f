"""The pieces that identity's tests talk in: an installation with people in it, and what was recorded and published.

`World.api` is asked as the other services ask it: rights are checked first, and all that crosses is encoded and decoded.
"""

from __future__ import annotations

import contextlib
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import asyncpg
import msgspec

from argosy.backends.database import Database
from argosy.backends.database.migrations import migrate
from argosy.backends.events import Outbox
from argosy.backends.hosting import Recorder, Resources
from argosy.backends.hosting.dispatch import Dispatcher
from argosy.contracts import identity as c
from argosy.contracts.audit import RECORDED, Recorded
from argosy.kit.calls import ANONYMOUS, Call, Principal, service_call
from argosy.kit.errors import Unauthenticated
from argosy.kit.ids import new_id
from argosy.kit.operations import Nothing, operations
from argosy.kit.rpc.client import LocalService, proxy
from argosy.platform.identity.api import Api
from argosy.platform.identity.service import SERVICE, parts_of
from argosy.platform.identity.settings import IdentitySettings

CHEAP = IdentitySettings(hash_memory_kib=64, hash_rounds=1)
PASSWORD = "four random words here"


async def prepare(dsns) -> None:
    database = Database(dsns["identity"], service="identity")
    await database.open()
    await migrate(database, SERVICE.migrations)
    await database.close()


class World:
    """`host` is the boss: platform admin and admin of the first account, password changed, signed in."""

    def __init__(self, dsns, folder: Path, settings: IdentitySettings) -> None:
        self.dsns, self.folder, self.settings = dsns, folder, settings
        self.moment = datetime.now(UTC)

    @classmethod
    async def start(cls, dsns, folder: Path, settings: IdentitySettings = CHEAP):
        world = cls(dsns, folder, settings)
        await world.boot()
        return world

    async def boot(self) -> None:
        """A fresh process over the same database: what was only in memory is gone."""
        self.database = Database(self.dsns["identity"], service="identity")
        await self.database.open()
        outbox = Outbox(self.database)
        self.recorder = Recorder("identity", self.database, outbox)
        self.resources = Resources(
            settings=self.settings,
            database=self.database,
            outbox=outbox,
            recorder=self.recorder,
            clients=lambda contract: None,
            secrets=self.folder,
            anchors=self.folder,
            data_dir=self.folder,
            metrics_guard="",
            clock=lambda: self.moment,
        )
        self.parts = parts_of(self.resources)
        dispatcher = Dispatcher("identity", operations(c.Identity), self.recorder)
        dispatcher.ready(Api(self.parts))
        self.api = proxy(c.Identity, LocalService(dispatcher, encode=True))

    async def stop(self) -> None:
        self.parts.passwords.close()
        await self.database.close()

    async def empty(self) -> None:
        async with self.superuser() as link:
            rows = await link.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'identity'")
            kept = {"schema_migrations", "outbox_state"}
            names = [f"identity.{row['tablename']}" for row in rows if row["tablename"] not in kept]
            await link.execute(f"TRUNCATE {', '.join(names)}")

    def pass_time(self, **by: float) -> None:
        self.moment += timedelta(**by)

    # calls

    def gateway(self) -> Call:
        return service_call("gateway")

    def as_host(self) -> Call:
        return service_call("host")

    def call(self, principal: Principal) -> Call:
        return Call(principal, new_id(), time.time() + 10, "gateway", "203.0.113.9", "test")

    # shorthands

    async def sign_in(
        self, email: str, password: str = PASSWORD, remote: str = "198.51.100.1", device: str = ""
    ) -> c.SessionCreated:
        return await self.api.sign_in(
            call=self.gateway(), request=c.SignIn(email, password, remote, "browser", device)
        )

    async def exchange(self, secret: str, kind: str = "session") -> c.Exchanged:
        request = c.Credential(kind, secret, "audit")
        return await self.api.exchange(call=self.gateway(), request=request)

    async def signed_in(self, email: str, password: str = PASSWORD) -> Call:
        """A call by this person, with a session of their own."""
        created = await self.sign_in(email, password)
        return self.call((await self.exchange(created.token)).principal)

    async def is_good(self, secret: str, kind: str = "session") -> bool:
        try:
            await self.exchange(secret, kind)
        except Unauthenticated:
            return False
        return True

    async def boss(self) -> Call:
        """The first admin, after the one-time password was changed."""
        first = await self.api.first_run(call=self.as_host(), request=Nothing())
        if first.password:
            call = await self.signed_in(first.email, first.password)
            change = c.PasswordChange(new=PASSWORD)
            await self.api.change_password(call=call, request=change)
        return await self.signed_in(first.email)

    async def add(self, admin: Call, email: str, role: str = "user", teams: tuple[str, ...] = ()) -> Call:
        """A new user of the admin's account, who has chosen a password and is signed in."""
        made = await self.api.create_user(
            call=admin, request=c.NewUser(email=email, role=role, teams=list(teams))
        )
        if made.one_time_password:
            call = await self.signed_in(email, made.one_time_password)
            await self.api.change_password(call=call, request=c.PasswordChange(new=PASSWORD))
        return await self.signed_in(email)

    async def bring(self, admin: Call, email: str, role: str = "user") -> c.SessionCreated:
        """Somebody with a login here comes into the admin's account too."""
        made = await self.api.create_user(call=admin, request=c.NewUser(email=email, role=role))
        request = c.AcceptInvitation(made.one_time_password, "", PASSWORD, "198.51.100.1", "browser")
        return await self.api.accept_invitation(call=self.gateway(), request=request)

    async def account(self, boss: Call, name: str, admin: str) -> Call:
        """Another account; its admin, signed in there."""
        made = await self.api.create_account(call=boss, request=c.NewAccount(name, admin_email=admin))
        call = await self.signed_in(admin, made.one_time_password)
        await self.api.change_password(call=call, request=c.PasswordChange(new=PASSWORD))
        return await self.signed_in(admin)

    # what can be seen from outside

    @contextlib.asynccontextmanager
    async def superuser(self):
        link = await asyncpg.connect(self.dsns["admin"])
        try:
            yield link
        finally:
            await link.close()

    async def events(self, type: str) -> list[str]:
        await self.recorder.flush()
        async with self.superuser() as link:
            rows = await link.fetch("SELECT body FROM identity.outbox WHERE type = $1 ORDER BY ctid", type)
        return [row["body"] for row in rows]

    async def recorded(self) -> list[Recorded]:
        return [msgspec.json.decode(body, type=Recorded) for body in await self.events(RECORDED)]

    async def revoked(self) -> list[c.Revoked]:
        return [msgspec.json.decode(body, type=c.Revoked) for body in await self.events(c.REVOKED)]


__all__ = ["ANONYMOUS", "PASSWORD", "World"]
