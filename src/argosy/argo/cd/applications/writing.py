"""Writes what the engine found into the Application: the smallest patch that says it, and nothing when there is nothing to say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import msgspec

from argosy.argo.cd.applications.reading import APPLICATION, REFRESH, REFRESHED_AT
from argosy.argo.cd.applications.subject import Subject
from argosy.contracts.argo.operation import Operation, OperationState
from argosy.contracts.argo.status import Condition, HistoryEntry, Status
from argosy.kube.client import Client
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object, annotations_of, revision_of

_TOO_LARGE = frozenset({413, 422})
_ATTEMPTS = 5


class OperationInProgress(Exception):
    """Somebody else's sync came first."""


class Writer:
    """`wrote` is told of every answer, so that nothing older is believed."""

    def __init__(self, client: Client, wrote: Callable[[Object], None]) -> None:
        self._client, self._wrote = client, wrote

    async def status(self, subject: Subject, status: Status) -> None:
        """All of the status but its operation, which only `operation` writes."""
        after = builtins(status)
        before = subject.object.get("status") or {}
        for name in ("operationState", "history"):
            after.pop(name, None)
            before = {key: value for key, value in before.items() if key != name}
        change = merge_patch(before, after)
        annotations = await self._refreshed(subject)
        patch: Object = {"status": change} if change else {}
        if annotations:
            patch["metadata"] = {"annotations": annotations}
        if patch:
            await self._patch(subject, patch)

    async def operation(
        self,
        subject: Subject,
        state: OperationState,
        *,
        goes_on: bool = False,
        history: Sequence[HistoryEntry] | None = None,
    ) -> None:
        """The whole of it, because results that are gone must be gone. An ended operation is taken off the application.

        `goes_on`: refused when somebody terminated it meanwhile, whose word would be overwritten; the next look obeys."""
        changes: list[Object] = []
        if goes_on:
            changes.append({"op": "test", "path": "/status/operationState/phase", "value": "Running"})
        if not subject.object.get("status"):
            changes.append({"op": "add", "path": "/status", "value": {}})
        changes.append({"op": "add", "path": "/status/operationState", "value": builtins(state)})
        if history is not None:
            entries = [builtins(one) for one in history]
            changes.append({"op": "add", "path": "/status/history", "value": entries})
        if state.phase in {"Failed", "Error", "Succeeded"} and "operation" in subject.object:
            changes.append({"op": "add", "path": "/operation", "value": None})
        self._wrote(
            await self._client.patch(
                APPLICATION, subject.name, changes, namespace=subject.namespace, form="json"
            )
        )

    async def request(self, subject: Subject, operation: Operation) -> None:
        """Asks for a sync, unless there is one already."""
        for _ in range(_ATTEMPTS):
            fresh = await self._client.get(APPLICATION, subject.name, subject.namespace)
            if fresh.get("operation"):
                raise OperationInProgress
            change = {
                "metadata": {"resourceVersion": revision_of(fresh)},
                "operation": builtins(operation),
                "status": {"operationState": None},
            }
            try:
                await self._patch(subject, change)
            except ApiError as error:
                if error.code != 409:
                    raise
            else:
                return
        raise OperationInProgress

    async def spec(self, subject: Subject, change: Object) -> None:
        await self._patch(subject, {"spec": change})

    async def finalizers(self, subject: Subject, finalizers: list[str]) -> None:
        change: Object = {
            "finalizers": finalizers or None,
            "resourceVersion": revision_of(subject.object),
        }
        await self._patch(subject, {"metadata": change})

    async def _refreshed(self, subject: Subject) -> Object:
        """Takes the request off, if it is still the one that was answered: a newer one stays."""
        annotations = annotations_of(subject.object)
        if REFRESH not in annotations:
            return {}
        asked_at = annotations.get(REFRESHED_AT)
        fresh = await self._client.get(APPLICATION, subject.name, subject.namespace)
        now = annotations_of(fresh)
        same = (now.get(REFRESH), now.get(REFRESHED_AT)) == (annotations[REFRESH], asked_at)
        return {REFRESH: None} if same else {}

    async def _patch(self, subject: Subject, change: Object) -> None:
        try:
            answer = await self._client.patch(
                APPLICATION, subject.name, change, namespace=subject.namespace, form="merge"
            )
        except ApiError as error:
            if (
                error.code not in _TOO_LARGE
                or "status" not in change
                or "too large" not in error.message.lower()
            ):
                raise
            answer = await self._shortened(subject, error)
        self._wrote(answer)

    async def _shortened(self, subject: Subject, error: ApiError) -> Object:
        """A status that does not fit says only that."""
        condition = Condition(
            type="UnknownError", message=f"the status is too large to be stored: {error.message}"
        )
        small = {"status": {"conditions": [builtins(condition)], "resources": None, "summary": None}}
        return await self._client.patch(
            APPLICATION, subject.name, small, namespace=subject.namespace, form="merge"
        )


def builtins(value: msgspec.Struct) -> Object:
    found: Object = msgspec.to_builtins(value)
    return found


def merge_patch(before: Object, after: Object) -> Object:
    """What makes the one of the other. Empty when they are the same."""
    change: Object = {name: None for name in before if name not in after}
    for name, value in after.items():
        old = before.get(name)
        if isinstance(old, dict) and isinstance(value, dict):
            inner = merge_patch(old, value)
            if inner:
                change[name] = inner
        elif old != value:
            change[name] = value
    return change


def stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
