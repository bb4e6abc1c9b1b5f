"""What PostgreSQL and the network say, as errors with a code and a cure. Every statement passes through here.

What stays an asyncpg error is a fault in our SQL: the boundary above answers it as internal and logs it.
"""

from __future__ import annotations

import re

import asyncpg

from argosy.kit.errors import ArgosyError, Conflict, DeadlineExceeded, Unavailable
from argosy.kit.log import mask_text

CONFLICT = "database.conflict"
UNAVAILABLE = "database.unavailable"

_GONE = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.IdleInTransactionSessionTimeoutError,
    asyncpg.InternalClientError,
)
# asyncpg says `InterfaceError` to a lost connection and to a wrong argument alike; only its words tell them apart.
# A pool takes a connection back the moment it is lost; that we gave it back ourselves, `Statements` finds out before.
_CLOSED = re.compile(
    r"(connection|pool) is clos(ed|ing)|released back to the pool|another operation is cancelling"
)
DRIVER_ERRORS = (
    OSError,
    TimeoutError,
    asyncpg.PostgresError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # what a connection says that died in the middle of a statement
)
"""All that asyncpg raises. What of it is our own programming, such as a wrong argument, `translated` leaves as it is."""

_REFUSED = (asyncpg.InvalidAuthorizationSpecificationError, asyncpg.InvalidCatalogNameError)


def is_gone(error: BaseException) -> bool:
    """The connection, not the statement, is what failed."""
    if isinstance(error, asyncpg.InterfaceError):
        return _CLOSED.search(str(error)) is not None
    return isinstance(error, _GONE)


def unavailable(service: str, reason: str) -> Unavailable:
    return Unavailable(
        f"the database of {service} cannot be reached",
        detail=mask_text(reason),
        code=UNAVAILABLE,
        cure="try again in a moment; if it lasts, `argosy status` tells what PostgreSQL is doing",
        context={"service": service},
    )


def exhausted(service: str, size: int) -> Unavailable:
    return Unavailable(
        f"all {size} database connections of {service} are busy",
        code="database.busy",
        cure="try again in a moment; if it lasts, give the service a larger pool",
        context={"service": service},
    )


def translated(error: BaseException, service: str) -> ArgosyError | None:
    """The domain's error for `error`, or None where there is nothing better to say than the error itself."""
    match error:
        case ArgosyError():
            return None
        case asyncpg.SerializationError() | asyncpg.DeadlockDetectedError():
            return Conflict(
                "somebody else changed the same rows at the same time", code=CONFLICT, cure="try again"
            )
        case asyncpg.UniqueViolationError():
            return _violated(error, "database.duplicate", "there is one already")
        case asyncpg.ForeignKeyViolationError():
            return _violated(error, "database.reference", "something that belongs to it is missing or in use")
        case asyncpg.DiskFullError():
            return Unavailable(
                f"the disk under the database of {service} is full: nothing was written",
                code="database.disk_full",
                cure="free some space; the service goes on by itself",
                context={"service": service},
            )
        case asyncpg.TooManyConnectionsError():
            return Unavailable(
                "PostgreSQL takes no more connections",
                code="database.too_many_connections",
                cure="raise max_connections, or make the services' pools smaller",
                context={"service": service},
            )
        case asyncpg.QueryCanceledError() | TimeoutError():
            return DeadlineExceeded(
                f"the database of {service} did not answer in time",
                code="database.deadline",
                cure="try again; if it lasts, look for a long-running statement in pg_stat_activity",
            )
        case _ if isinstance(error, _REFUSED):
            return Unavailable(
                f"PostgreSQL refuses the service {service}",
                detail=mask_text(str(error)),
                code="database.refused",
                cure="check user, password and name in the service's database URL",
                context={"service": service},
            )
        case _ if is_gone(error):
            return unavailable(service, str(error) or type(error).__name__)
        case _:
            return None


def _violated(error: asyncpg.IntegrityConstraintViolationError, code: str, what: str) -> Conflict:
    """Stores turn this into their own words; the constraint's name tells which rule it was."""
    name = str(error.constraint_name or "")
    return Conflict(f"{what} ({name})", code=code, context={"constraint": name})
