"""The contract `Audit`: entries, exports, verification and settings of the account that asks."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import msgspec

from argosy.backends.database import Database
from argosy.backends.hosting import Change, Recorder
from argosy.contracts.audit import (
    AuditQuery,
    AuditSettings,
    Entry,
    ExportChunk,
    ExportQuery,
    Records,
    Verification,
    WhichLog,
)
from argosy.contracts.paging import ById, Page
from argosy.kit.calls import Call
from argosy.kit.clock import Clock
from argosy.kit.errors import DeadlineExceeded, Forbidden, NotFound
from argosy.kit.operations import Nothing
from argosy.platform.audit.export import CHUNK_BYTES, TYPES, csv_header, csv_lines, json_lines
from argosy.platform.audit.following import Following
from argosy.platform.audit.store import Store, scope
from argosy.platform.audit.verification import Verifying

_EXPORT_STEP = 500
_BEGINNING = (datetime(1, 1, 1, tzinfo=UTC), "")


class Api:
    def __init__(
        self,
        store: Store,
        database: Database,
        recorder: Recorder,
        verifying: Verifying,
        following: Following,
        defaults: AuditSettings,
        clock: Clock,
    ) -> None:
        self._store, self._database, self._recorder = store, database, recorder
        self._verifying, self._following = verifying, following
        self._defaults, self._clock = defaults, clock

    async def record(self, *, call: Call, request: Records) -> Nothing:
        await self._recorder.take(request.records)
        return Nothing()

    async def entries(self, *, call: Call, request: AuditQuery) -> Page[Entry]:
        found, after = await self._store.page(_log(call, request.installation), request)
        return Page(found, after)

    async def entry(self, *, call: Call, request: ById) -> Entry:
        found = await self._store.entry(call.account, request.id)
        if found is None and call.principal.platform_admin:
            found = await self._store.entry("", request.id)
        if found is None:
            raise NotFound(
                f"there is no audit entry {request.id}",
                code="audit.absent",
                cure="it may have been removed by retention: look at the settings",
            )
        return found

    async def follow(self, *, call: Call, request: Nothing) -> AsyncIterator[Entry]:
        async for entry in self._following.follow(call):
            yield entry

    async def export(self, *, call: Call, request: ExportQuery) -> AsyncIterator[ExportChunk]:
        """By keyset, each step a short transaction: a slow reader holds nothing back in the database."""
        account, now = _log(call, request.installation), self._clock()
        query = request if request.until else msgspec.structs.replace(request, until=now)
        name = f"audit-{account or 'installation'}-{now:%Y-%m-%d}.{request.format}"
        write = csv_lines if request.format == "csv" else json_lines
        buffer = bytearray(csv_header() if request.format == "csv" else b"")
        after = _BEGINNING
        while step := await self._store.matching(account, query, after, _EXPORT_STEP):
            if call.seconds_left <= 0:
                raise DeadlineExceeded(
                    "the export took longer than its deadline",
                    cure="export a shorter time: set since and until",
                )
            after = (step[-1].time, step[-1].id)
            for line in write(step):
                buffer += line
                if len(buffer) >= CHUNK_BYTES:
                    yield ExportChunk(bytes(buffer), name, TYPES[request.format])
                    buffer.clear()
        yield ExportChunk(bytes(buffer), name, TYPES[request.format])

    async def verify(self, *, call: Call, request: WhichLog) -> Verification:
        return await self._verifying.verify(_log(call, request.installation))

    async def settings(self, *, call: Call, request: Nothing) -> AuditSettings:
        async with self._database.transaction(scope(call.account), read_only=True) as tx:
            return await self._store.settings(tx, call.account) or self._defaults

    async def change_settings(self, *, call: Call, request: AuditSettings) -> AuditSettings:
        async with self._database.transaction(scope(call.account)) as tx:
            before = await self._store.settings(tx, call.account) or self._defaults
            if before != request:
                await self._store.change_settings(tx, call.account, request)
                change = Change("audit-settings", call.account, "retention", before, request)
                await self._recorder.record(tx, call, change)
        return request


def _log(call: Call, installation: bool) -> str:
    if not installation:
        return call.account
    if not call.principal.platform_admin:
        raise Forbidden(
            "only an administrator of the installation may see entries of no account",
            code="auth.platform_admin",
        )
    return ""
