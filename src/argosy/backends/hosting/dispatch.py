"""Between the wire and a service's methods: rights, deadline, audit, metrics. The same in process and across.

Default deny: an operation says what it needs, and a caller that is less gets nowhere near the method.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing
from typing import Any, cast

import msgspec
from prometheus_client import Histogram

from argosy.backends.hosting import idempotency
from argosy.backends.hosting.progress import InProgress, current
from argosy.backends.hosting.recording import Recorder
from argosy.contracts.audit import Kind, Result
from argosy.kit.calls import Call
from argosy.kit.errors import (
    ArgosyError,
    Conflict,
    DeadlineExceeded,
    Forbidden,
    Internal,
    NotFound,
    Unauthenticated,
    Unavailable,
)
from argosy.kit.log import get_logger
from argosy.kit.operations import Needs, Operation

log = get_logger(__name__)
Method = Callable[..., Any]  # a contract's method, bound
SECONDS = Histogram(
    "argosy_call_seconds",
    "Time of a call, by service, operation and outcome",
    ("service", "operation", "outcome"),
    buckets=(0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10),
)


def check_rights(operation: Operation, call: Call) -> None:
    """Raises unless the caller may use the operation at all. Pure: the authorization matrix is this function."""
    who = call.principal
    if operation.needs is Needs.SERVICE:
        if who.kind != "service":
            raise NotFound(f"there is no operation {operation.name}")
        if "*" not in operation.callers and who.id not in operation.callers:
            raise Forbidden(f"{who.id} may not call {operation.name}", code="auth.caller")
        return
    if who.kind not in ("user", "service_account"):
        raise Unauthenticated("sign in or send an API key", code="auth.required")
    if not scope_covers(who.scopes, operation.scope):
        raise Forbidden(
            f"this key does not have the scope {operation.scope}",
            code="auth.scope",
            cure=f"use a key with the scope {operation.scope}",
            context={"scope": operation.scope},
        )
    if operation.needs is Needs.ADMIN and not who.admin:
        raise Forbidden(
            "only an admin of this account may do that",
            code="auth.admin",
            cure="ask an admin to do it, or to make you one",
        )
    if operation.needs is Needs.PLATFORM_ADMIN and not who.platform_admin:
        raise Forbidden(
            "only an administrator of the installation may do that",
            code="auth.platform_admin",
            cure="ask whoever runs this installation",
        )


def scope_covers(held: tuple[str, ...] | None, wanted: str) -> bool:
    """A key without a scope list may all its owner may; `users` covers `users:read` and `users:write`."""
    return held is None or not wanted or wanted in held or wanted.partition(":")[0] in held


def _result(error: ArgosyError) -> Result:
    """Denied is what somebody may not; an outage is nobody's guilt."""
    return "denied" if error.status in (401, 403) else "failed"


class Dispatcher:
    def __init__(self, service: str, known: dict[str, Operation], recorder: Recorder | None) -> None:
        self._service, self._known, self._recorder = service, known, recorder
        self._api: object | None = None
        self._always: dict[str, object] = {}
        self._reason, self._detail = f"{service} is starting", ""

    def always(self, api: object, known: Iterable[str]) -> None:
        """Operations that answer even while the service itself cannot: how it is, above all."""
        self._always.update(dict.fromkeys(known, api))

    def ready(self, api: object) -> None:
        self._api = api

    def not_ready(self, reason: str, detail: str = "") -> None:
        self._api, self._reason, self._detail = None, reason, detail

    def operation(self, name: str) -> Operation:
        if (found := self._known.get(name)) is None:
            raise NotFound(f"{self._service} has no operation {name}")
        return found

    async def call(self, operation: Operation, call: Call, request: msgspec.Struct) -> msgspec.Struct:
        running = InProgress(operation.name)
        token = current.set(running)
        started, outcome = time.perf_counter(), "internal"
        try:
            method = self._enter(operation, call, request)
            if call.seconds_left <= 0:
                raise TimeoutError
            async with asyncio.timeout(min(operation.deadline, call.seconds_left)):
                answer = await self._once(running, operation, call, request, method)
            outcome = "ok"
            if not running.changes:
                self._note(operation, call, request, "ok", "")
            return answer
        except TimeoutError as error:
            outcome = "deadline_exceeded"
            self._note(operation, call, request, "failed", outcome)
            raise DeadlineExceeded(
                f"{self._service}.{operation.name} took longer than its deadline"
            ) from error
        except ArgosyError as error:
            outcome = error.code
            self._note(operation, call, request, _result(error), outcome)
            raise
        except Exception as error:  # the loop's top: logged whole here, told as ours to the caller
            log.exception("call.failed", service=self._service, operation=operation.name)
            self._note(operation, call, request, "failed", "internal")
            raise Internal("something went wrong on our side") from error
        finally:
            current.reset(token)
            SECONDS.labels(self._service, operation.name, outcome).observe(time.perf_counter() - started)

    async def _once(
        self, running: InProgress, operation: Operation, call: Call, request: msgspec.Struct, method: Method
    ) -> msgspec.Struct:
        """With an idempotency key: the first answer again, if there was one."""
        if self._recorder is None or not idempotency.applies(operation, call):
            return cast(msgspec.Struct, await method(call=call, request=request))
        running.request = idempotency.digest(request)
        if (answer := await self._earlier(running, operation, call)) is not None:
            return answer
        try:
            answer = cast(msgspec.Struct, await method(call=call, request=request))
        except Conflict:  # perhaps with the first time, which was still under way
            if (earlier := await self._earlier(running, operation, call)) is not None:
                return earlier
            raise
        if running.claimed_in is not None:
            await idempotency.keep(self._recorder.database, operation, call, answer)
        return answer

    async def _earlier(self, running: InProgress, operation: Operation, call: Call) -> msgspec.Struct | None:
        assert self._recorder is not None
        answer = await idempotency.earlier(self._recorder.database, operation, call, running.request)
        if answer is not None:
            running.changes += 1  # the entry is there from the first time
        return answer

    async def stream(
        self, operation: Operation, call: Call, request: msgspec.Struct
    ) -> AsyncGenerator[msgspec.Struct, None]:
        token = current.set(InProgress(operation.name))
        try:
            method = self._enter(operation, call, request)
            self._note(operation, call, request, "ok", "")
        except ArgosyError as error:
            self._note(operation, call, request, _result(error), error.code)
            raise
        finally:
            current.reset(token)
        async with aclosing(method(call=call, request=request)) as items:
            async for item in items:
                yield item

    def _enter(self, operation: Operation, call: Call, request: msgspec.Struct) -> Method:
        check_rights(operation, call)
        api = self._always.get(operation.name, self._api)
        if api is None:
            raise Unavailable(
                self._reason,
                detail=self._detail,
                code="service.unavailable",
                context={"service": self._service},
                cure="it recovers by itself; `argosy status` shows what it waits for",
            )
        method: Method = getattr(api, operation.name)
        return method

    def _note(
        self, operation: Operation, call: Call, request: msgspec.Struct, result: Result, error: str
    ) -> None:
        """What people did and did not get; parts asking parts is not an event for the audit log."""
        if self._recorder is None or call.principal.kind == "service" or not operation.resource:
            return
        kind: Kind = "change" if operation.writes else "read"
        self._recorder.note(call, kind, result, operation.resource, getattr(request, "id", ""), error)
