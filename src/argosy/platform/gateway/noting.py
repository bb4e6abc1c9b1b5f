"""What the edge decided by itself, for the audit log: a refusal before any service was asked, or the system page shown.

All else is recorded where it happens, by the service that answered. A request without any credential is not noted
(every visit of the sign-in page makes one), nor one beyond a rate limit. Notes are gathered and sent to `audit` in
groups; while it is away they wait, up to a limit.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import msgspec
from starlette.requests import Request

from argosy.contracts.audit import Actor, Audit, Recorded, Records, Result
from argosy.kit.calls import ANONYMOUS, Principal, service_call
from argosy.kit.clock import now
from argosy.kit.errors import ArgosyError
from argosy.kit.ids import new_id
from argosy.kit.log import get_logger

log = get_logger(__name__)
_GATHER_SECONDS = 0.1
_AGAIN_SECONDS = 1.0
_GROUP = 200
_WAITING_LIMIT = 10_000
_NOTHING = msgspec.Raw(b"null")


@dataclass(slots=True)
class Note:
    """What is known of a request while the edge deals with it, and whether the edge must note it itself."""

    operation: str
    resource: str
    remote: str
    user_agent: str
    request_id: str
    who: Principal = ANONYMOUS
    needed: bool = True


class Notes:
    def __init__(self, audit: Audit) -> None:
        self._audit = audit
        self._waiting: list[Recorded] = []
        self._wake = asyncio.Event()

    @contextmanager
    def about(
        self, operation: str, resource: str, request: Request, remote: str, request_id: str
    ) -> Iterator[Note]:
        """Noted at the end, with how it ended, unless a service took it over meanwhile (`needed`)."""
        user_agent = request.headers.get("user-agent", "")[:300]
        note = Note(operation, resource, remote, user_agent, request_id)
        result: Result = "ok"
        code = ""
        try:
            yield note
        except ArgosyError as error:
            result, code = ("denied" if error.status in (401, 403) else "failed"), error.code
            raise
        finally:
            if note.needed:
                self._add(note, result, code)

    def _add(self, note: Note, result: Result, error: str) -> None:
        if len(self._waiting) >= _WAITING_LIMIT:
            log.error("audit.notes_dropped", waiting=len(self._waiting), request_id=note.request_id)
            return
        who = note.who
        self._waiting.append(
            Recorded(
                id=new_id(),
                time=now(),
                account=who.account,
                kind="read",
                actor=Actor(who.kind, who.id, who.name, who.credential),
                remote=note.remote,
                user_agent=note.user_agent,
                service="gateway",
                operation=note.operation,
                resource=note.resource,
                resource_id="",
                resource_name="",
                result=result,
                before=_NOTHING,
                after=_NOTHING,
                error=error,
                request_id=note.request_id,
            )
        )
        self._wake.set()

    async def send(self) -> None:
        """Until cancelled; what cannot be sent now is sent later."""
        while True:
            await self._wake.wait()
            await asyncio.sleep(_GATHER_SECONDS)  # one call for many
            self._wake.clear()
            while group := self._waiting[:_GROUP]:
                try:
                    await self._audit.record(call=service_call("gateway"), request=Records(group))
                except ArgosyError as error:
                    log.info("audit.notes_wait", waiting=len(self._waiting), reason=error.told)
                    await asyncio.sleep(_AGAIN_SECONDS)
                else:
                    del self._waiting[: len(group)]
