"""A write that is asked twice with one `Idempotency-Key` is done once, whatever was killed in between.

The key is claimed in the transaction of the change itself (`Recorder.record`), so it stands exactly if the change does.
The answer is kept afterwards, unless it held a secret: then the repetition is told what was made, not the secret.
"""

from __future__ import annotations

import hashlib
from datetime import timedelta
from typing import TYPE_CHECKING

import msgspec

from argosy.backends.database import EVERY_ACCOUNT
from argosy.kit.clock import now
from argosy.kit.errors import Conflict
from argosy.kit.masking import masked

if TYPE_CHECKING:
    from argosy.backends.database import Database, Transaction
    from argosy.kit.calls import Call
    from argosy.kit.operations import Operation

KEPT = timedelta(hours=24)
_BATCH = 1000


def applies(operation: Operation, call: Call) -> bool:
    return operation.writes and bool(call.idempotency_key) and bool(call.account)


def digest(request: msgspec.Struct) -> bytes:
    return hashlib.sha256(msgspec.json.encode(request)).digest()


async def earlier(
    database: Database, operation: Operation, call: Call, request: bytes
) -> msgspec.Struct | None:
    """The answer of the first time. Raises Conflict where there is none to give."""
    async with database.transaction(call.account, read_only=True) as tx:
        row = await tx.fetchrow(
            "SELECT request, response, resource_id FROM idempotency"
            " WHERE account = $1 AND principal = $2 AND operation = $3 AND key = $4",
            *_name(operation.name, call),
        )
    if row is None:
        return None
    if row["request"] != request:
        raise Conflict(
            "this idempotency key was used for another request",
            code="idempotency.mismatch",
            cure="use a fresh key",
        )
    if row["response"] is None:
        raise _done(row["resource_id"])
    answer: msgspec.Struct = msgspec.json.decode(row["response"], type=operation.response)
    return answer


async def claim(tx: Transaction, operation: str, call: Call, request: bytes, resource_id: str) -> None:
    """With the change: two at once cannot both have it."""
    claimed = await tx.execute(
        "INSERT INTO idempotency (account, principal, operation, key, request, resource_id)"
        " VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
        *_name(operation, call), request, resource_id,
    )  # fmt: skip
    if not claimed:
        raise _done("")


async def keep(database: Database, operation: Operation, call: Call, answer: msgspec.Struct) -> None:
    plain = msgspec.to_builtins(answer)
    if masked(plain) != plain:
        return
    async with database.transaction(call.account) as tx:
        await tx.execute(
            "UPDATE idempotency SET response = $5"
            " WHERE account = $1 AND principal = $2 AND operation = $3 AND key = $4",
            *_name(operation.name, call), msgspec.json.encode(answer).decode(),
        )  # fmt: skip


async def forget(database: Database) -> None:
    """Keys older than a day, in small steps; the host calls it beside the pruning of events."""
    while True:
        async with database.transaction(EVERY_ACCOUNT) as tx:
            gone = await tx.execute(
                "DELETE FROM idempotency WHERE ctid = ANY(ARRAY("
                "SELECT ctid FROM idempotency WHERE made < $1 LIMIT $2))",
                now() - KEPT, _BATCH,
            )  # fmt: skip
        if gone < _BATCH:
            return


def _name(operation: str, call: Call) -> tuple[str, str, str, str]:
    return (call.account, call.principal.id, operation, call.idempotency_key)


def _done(resource_id: str) -> Conflict:
    return Conflict(
        "this was done already, with this idempotency key",
        code="idempotency.done",
        cure="look at what is there; an answer with a secret is not given twice",
        context={"resource_id": resource_id} if resource_id else None,
    )
