"""What the dispatcher knows of the call in progress, for the recorder that runs deep inside it."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(slots=True)
class InProgress:
    operation: str
    request: bytes = b""  # digest of the request, where it came with an idempotency key
    changes: int = 0  # entries recorded in transactions
    claimed_in: object | None = (
        None  # the transaction that wrote the idempotency key; a retried one writes it again
    )


current: ContextVar[InProgress | None] = ContextVar("call_in_progress", default=None)


def operation_name() -> str:
    running = current.get()
    return running.operation if running else ""
