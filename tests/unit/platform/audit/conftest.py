"""The audit log on a real PostgreSQL; records go in as events do, and an attacker has the database to himself."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from argosy.backends.database import EVERY_ACCOUNT, Database
from argosy.backends.database.migrations import migrate
from argosy.backends.events import Outbox
from argosy.backends.hosting import Recorder
from argosy.backends.hosting.recording import recorded_event
from argosy.contracts.audit import Actor, AuditQuery, AuditSettings, Entry, Recorded, Verification, WhichLog
from argosy.kit.calls import Call, Principal
from argosy.kit.ids import new_id
from argosy.platform.audit.anchoring import Anchoring
from argosy.platform.audit.anchors import Anchors
from argosy.platform.audit.api import Api
from argosy.platform.audit.following import Following
from argosy.platform.audit.retention import Retention
from argosy.platform.audit.sealer import sealing
from argosy.platform.audit.signing import Signer
from argosy.platform.audit.store import Store
from argosy.platform.audit.verification import Verifying
from tests.postgres import TestPostgres

ACCOUNT = "a" * 24
OTHER = "b" * 24
START = datetime(2026, 5, 1, 12, tzinfo=UTC)


@dataclass
class FakeClock:
    moment: datetime = START

    def __call__(self) -> datetime:
        return self.moment

    def move(self, **amount: float) -> None:
        self.moment += timedelta(**amount)


@dataclass
class World:
    database: Database
    folder: Path
    clock: FakeClock = field(default_factory=FakeClock)

    def __post_init__(self) -> None:
        for name in ("secrets", "anchors"):
            (self.folder / name).mkdir(exist_ok=True)
        self.store, self.outbox = Store(self.database), Outbox(self.database)
        self.anchors, self.signer = Anchors(self.folder / "anchors"), Signer(self.folder / "secrets")
        self.anchoring = Anchoring(self.store, self.anchors, self.signer, self.clock)
        self.following = Following(self.store, self.database)
        recorder = Recorder("audit", self.database, self.outbox, self.clock)
        verifying = Verifying(self.store, self.anchors, self.signer, self.clock)
        defaults = AuditSettings()
        self.api = Api(self.store, self.database, recorder, verifying, self.following, defaults, self.clock)
        self.retention = Retention(
            self.store, self.signer, verifying, recorder, self.database, defaults, self.clock
        )
        self.sealer = sealing(self.store, self.clock, self.following.announce)

    async def seal(self, *records: Recorded) -> None:
        async with self.database.transaction(self.sealer.accounts) as tx:
            await self.sealer.handle(tx, [recorded_event(each) for each in records])

    async def changes(self, count: int, account: str = ACCOUNT) -> list[Recorded]:
        """Sealed and anchored."""
        records = [record(self.clock, account=account, resource_name=f"team {n}") for n in range(count)]
        for each in records:
            await self.seal(each)
        await self.anchoring.anchor()
        return records

    async def attack(self, sql: str, *values: object) -> None:
        async with self.database.transaction(EVERY_ACCOUNT) as tx:
            await tx.execute(sql, *values)

    async def verify(self, account: str = ACCOUNT) -> Verification:
        return await self.api.verify(call=admin(account), request=WhichLog())

    async def list(self, account: str = ACCOUNT, **filters: object) -> list[Entry]:
        request = msgspec.convert(filters, AuditQuery)
        return (await self.api.entries(call=admin(account), request=request)).items


def record(clock: FakeClock, **fields: object) -> Recorded:
    clock.move(milliseconds=1)
    plain = Recorded(
        id=new_id(), time=clock(), account=ACCOUNT, kind="change",
        actor=Actor("user", "u1", "Olive Operator", "session:s1"), remote="192.0.2.7", user_agent="curl",
        service="identity", operation="create_team", resource="team", resource_id="c" * 24, resource_name="Deck crew",
        result="ok", request_id="r1", before=msgspec.Raw(b"null"), after=msgspec.Raw(b'{"name": "Deck crew"}'),
    )  # fmt: skip
    return msgspec.structs.replace(plain, **fields)


def admin(account: str = ACCOUNT, *, platform_admin: bool = False, seconds: float = 30.0) -> Call:
    who = Principal("user", "u", "somebody", account, admin=True, platform_admin=platform_admin)
    return Call(who, "r", datetime.now(UTC).timestamp() + seconds)


@pytest.fixture(scope="module")
def server() -> Iterator[TestPostgres]:
    with TestPostgres() as postgres:
        yield postgres


@pytest.fixture
async def world(server: TestPostgres, tmp_path: Path) -> AsyncIterator[World]:
    dsns = server.new_database(services=["audit"])
    database = Database(dsns["audit"], service="audit")
    await database.open()
    await migrate(database, "argosy.platform.audit.migrations")
    try:
        yield World(database, tmp_path)
    finally:
        await database.close()
        server.drop_database(dsns["admin"])
