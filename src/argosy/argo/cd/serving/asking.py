"""What a person may ask of an application: to sync it, to end that, to go back. Each becomes a change of the Application itself.

The same is done by whoever writes it with kubectl; here it is checked first, and said in Argo CD's words why not.
"""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import msgspec

from argosy.argo.cd.applications.reading import APPLICATION, REFRESH, REFRESHED_AT
from argosy.argo.cd.applications.subject import Subject
from argosy.argo.cd.applications.writing import OperationInProgress, Writer
from argosy.contracts.argo.operation import (
    ApplyStrategy,
    Initiator,
    Operation,
    Retry,
    Selected,
    Strategy,
    Sync,
)
from argosy.contracts.argo.source import Described, NamedValue, Source
from argosy.contracts.argo.status import HistoryEntry
from argosy.kit.clock import now
from argosy.kit.errors import BadRequest, Conflict, NotFound
from argosy.kube.client import Client
from argosy.kube.objects import Object, annotations_of, metadata, revision_of

_REFRESHED_WITHIN = 60.0


class Options(Described):
    items: list[str] = []


class SyncAsked(Described):
    """The body of a sync, as Argo CD's clients send it."""

    revision: str = ""
    revisions: list[str] = []
    dry_run: bool = False
    prune: bool = False
    strategy: Strategy | None = None
    resources: list[Selected] = []
    manifests: list[str] = []
    infos: list[NamedValue] = []
    retry_strategy: Retry | None = None
    sync_options: Options | None = None
    source_positions: list[int] = []
    project: str = ""
    app_namespace: str = ""
    name: str = ""


class RollbackAsked(Described):
    id: int = 0
    dry_run: bool = False
    prune: bool = False
    project: str = ""
    app_namespace: str = ""
    name: str = ""


def operation_of(subject: Subject, asked: SyncAsked, who: str) -> Operation:
    """Raises `ArgosyError` where it cannot be."""
    _check(subject)
    spec = subject.app.spec
    policy = spec.sync_policy
    automated = policy.automated if policy is not None else None
    if automated is not None and automated.enabled and not asked.dry_run:
        wanted = asked.revision or ",".join(asked.revisions)
        target = spec.source.target_revision if spec.source is not None else ""
        if wanted and not spec.sources and wanted not in {target, target or "HEAD"}:
            raise Conflict(
                f"Cannot sync to {wanted}: auto-sync currently set to {target or 'HEAD'}",
                code="argo.automated",
                cure="switch automatic sync off first, or change targetRevision",
            )
    options = asked.sync_options.items if asked.sync_options is not None else None
    return Operation(
        sync=Sync(
            revision=asked.revision,
            revisions=asked.revisions,
            dry_run=asked.dry_run,
            prune=asked.prune,
            sync_strategy=asked.strategy,
            resources=asked.resources,
            manifests=asked.manifests,
            sync_options=options
            if options is not None
            else policy.sync_options
            if policy is not None
            else [],
        ),
        initiated_by=Initiator(username=who),
        info=asked.infos,
        retry=asked.retry_strategy or (policy.retry if policy is not None else None),
    )


def rollback_of(subject: Subject, asked: RollbackAsked, who: str) -> Operation:
    _check(subject)
    policy = subject.app.spec.sync_policy
    if policy is not None and policy.automated is not None and policy.automated.enabled:
        raise Conflict(
            "rollback cannot be initiated when auto-sync is enabled",
            code="argo.automated",
            cure="switch automatic sync off first",
        )
    entry = _entry(subject, asked.id)
    sources: list[Source] = list(entry.sources)
    return Operation(
        sync=Sync(
            revision=entry.revision,
            revisions=entry.revisions,
            source=entry.source,
            sources=sources,
            dry_run=asked.dry_run,
            prune=asked.prune,
            sync_options=policy.sync_options if policy is not None else [],
            sync_strategy=Strategy(apply=ApplyStrategy()),
        ),
        initiated_by=Initiator(username=who),
    )


async def request(writer: Writer, subject: Subject, operation: Operation) -> None:
    try:
        await writer.request(subject, operation)
    except OperationInProgress:
        raise Conflict(
            "another operation is already in progress", code="argo.busy", cure="wait for it, or terminate it"
        ) from None


async def terminate(client: Client, subject: Subject) -> None:
    state = subject.status.operation_state
    if subject.app.operation is None or state is None or state.phase != "Running":
        raise BadRequest("Unable to terminate operation. No operation is in progress", code="argo.idle")
    change = {
        "metadata": {"resourceVersion": revision_of(subject.object)},
        "status": {"operationState": {"phase": "Terminating"}},
    }
    await client.patch(APPLICATION, subject.name, change, namespace=subject.namespace)


async def refresh(client: Client, subject: Subject, how: str) -> Object:
    """The application once it has been looked at again."""
    asked = {REFRESH: how, REFRESHED_AT: now().isoformat()}
    change = {"metadata": {"annotations": asked}}
    after = await client.patch(APPLICATION, subject.name, change, namespace=subject.namespace)
    fields = f"metadata.name={subject.name}"
    watched = client.watch(APPLICATION, subject.namespace, revision=revision_of(after), fields=fields)
    async with asyncio.timeout(_REFRESHED_WITHIN), aclosing(watched) as events:
        async for event in events:
            if event.type == "DELETED":
                raise NotFound(
                    f"the application {subject.name} was deleted meanwhile", code="argo.application"
                )
            if event.type != "BOOKMARK" and REFRESH not in annotations_of(event.object):
                return event.object
    return after


def _check(subject: Subject) -> None:
    if "deletionTimestamp" in metadata(subject.object):
        raise Conflict("application is deleting", code="argo.deleting")


def _entry(subject: Subject, number: int) -> HistoryEntry:
    found = next((one for one in subject.status.history if one.id == number), None)
    if found is None:
        known = ", ".join(str(one.id) for one in subject.status.history) or "none"
        raise BadRequest(
            f"application {subject.namespace}/{subject.name} does not have deployment with id {number}",
            code="argo.history",
            cure=f"choose one of {known}",
        )
    return found


def plain(value: msgspec.Struct) -> Object:
    found: Object = msgspec.to_builtins(value)
    return found
