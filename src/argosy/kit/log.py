"""Structured logs: JSON lines in files, readable lines on a terminal, secrets masked in both.

`configure` is called once per process by the host; everyone else does `log = get_logger(__name__)`.
Values bound with `bound(...)` (the request id, the account) ride along on every line of that task.
"""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any, TextIO

import structlog

_SECRET_KEY = re.compile(r"(password|secret|token|authorization|cookie|api_?key|credential)", re.IGNORECASE)
_SECRET_TEXT = re.compile(
    r"(argk_[A-Za-z0-9_-]{8})[A-Za-z0-9_-]+"  # our API keys: the prefix may stay, it is what lists show
    r"|(eyJ[A-Za-z0-9_-]{6})[A-Za-z0-9_.-]+"  # JWTs
    r"|(://[^:/@\s]+:)[^@/\s]+(?=@)"  # passwords in URLs
)
MASK = "*****"


def mask_text(text: str) -> str:
    """Secrets of a known shape, wherever they stand in a message."""
    return _SECRET_TEXT.sub(lambda found: (found[1] or found[2] or found[3]) + MASK, text)


def _mask(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for key, value in event.items():
        if isinstance(value, str):
            event[key] = MASK if _SECRET_KEY.search(key) and key != "event" else mask_text(value)
    return event


def configure(
    *, service: str, stream: TextIO | None = None, level: str = "info", human: bool = False
) -> None:
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            _mask,
            structlog.dev.ConsoleRenderer(colors=True) if human else structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=structlog.WriteLoggerFactory(stream or sys.stderr),
        cache_logger_on_first_use=False,
    )
    structlog.contextvars.bind_contextvars(process=service)


def get_logger(name: str) -> structlog.typing.FilteringBoundLogger:
    logger: structlog.typing.FilteringBoundLogger = structlog.get_logger(module=name)
    return logger


@contextmanager
def bound(**values: str) -> Iterator[None]:
    with structlog.contextvars.bound_contextvars(**values):
        yield
