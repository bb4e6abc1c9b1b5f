"""What is answered, without HTTP: from what the engine knows, and from the clusters."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass

import msgspec

from argosy.argo.cd.actions import ActionError, Change, actions_of, perform
from argosy.argo.cd.applications.comparison import Comparison
from argosy.argo.cd.applications.comparison import Wanted as WantedSources
from argosy.argo.cd.applications.reading import APPLICATION, sources_of
from argosy.argo.cd.applications.subject import Subject
from argosy.argo.cd.clusters.registry import Known
from argosy.argo.cd.engine import Engine
from argosy.argo.cd.projects.following import PROJECT
from argosy.argo.cd.repositories.credentials import Repository
from argosy.argo.cd.repositories.sources import Sources
from argosy.argo.cd.resources import ResourceKey
from argosy.argo.cd.serving import asking
from argosy.argo.cd.serving.asking import RollbackAsked, SyncAsked
from argosy.argo.cd.serving.resources import managed, shown
from argosy.contracts.argo.operation import Operation
from argosy.kit.clock import now
from argosy.kit.errors import BadRequest, Forbidden, NotFound, Unavailable
from argosy.kube.client import Client
from argosy.kube.objects import Object, metadata, name_of
from argosy.kube.types import Kind

_COMPARED_WITHIN = 60.0
_WHO = "agent"
_JSON = msgspec.json.Encoder()


@dataclass(frozen=True, slots=True)
class Wanted:
    """One object of an application."""

    group: str
    version: str
    kind: str
    namespace: str
    name: str

    @property
    def key(self) -> ResourceKey:
        return ResourceKey(self.group, self.kind, self.namespace, self.name)


class Answers:
    def __init__(self, engine: Engine, sources: Sources) -> None:
        self._engine, self._sources = engine, sources

    async def version(self) -> Object:
        return {"Version": "v3.2.11+argosy", "Engine": "argosy"}

    async def settings(self) -> Object:
        texts = self._engine.settings.texts
        return {
            "appLabelKey": self._engine.settings.tracking.label,
            "trackingMethod": self._engine.settings.tracking.method,
            "controllerNamespace": self._engine.namespace,
            "url": texts.get("url", ""),
            "problems": list(self._engine.settings.problems),
        }

    async def projects(self) -> Object:
        return {"items": (await self._engine.client.list(PROJECT, self._engine.namespace)).items}

    async def clusters(self) -> Object:
        return {
            "items": [
                {
                    "server": one.server,
                    "name": one.name,
                    "namespaces": list(one.namespaces),
                    "project": one.project,
                    "connectionState": {"status": "Failed" if trouble else "Successful", "message": trouble},
                }
                for one in self._engine.clusters
                for trouble in (self._engine.clusters.trouble(one),)
            ]
        }

    async def repositories(self) -> Object:
        return {"items": [await self._repository(one) for one in self._sources.credentials]}

    async def _repository(self, known: Repository) -> Object:
        state, message, checked = await self._sources.reached(known)
        return {
            "repo": known.url,
            "name": known.name,
            "type": known.form,
            "project": known.project,
            "username": known.username,
            "insecure": known.insecure,
            "enableOCI": known.is_registry,
            "connectionState": {"status": state, "message": message},
            "nextCheck": checked.isoformat() if checked is not None else "",
        }

    async def list(self, projects: str) -> Object:
        wanted = set(projects.split(",")) if projects else set()
        found = await self._engine.client.list(APPLICATION)
        items = [one for one in found.items if not wanted or (one.get("spec") or {}).get("project") in wanted]
        return {"metadata": {"resourceVersion": found.revision}, "items": items}

    async def get(self, name: str, namespace: str, refresh: str) -> Object:
        subject = await self._subject(name, namespace)
        if not refresh:
            return subject.object
        return await asking.refresh(self._engine.client, subject, "hard" if refresh == "hard" else "normal")

    async def managed(self, name: str, namespace: str) -> Object:
        comparison = await self._comparison(await self._subject(name, namespace))
        return {"items": await asyncio.to_thread(managed, comparison)}

    async def manifests(self, name: str, namespace: str, revision: str) -> Object:
        subject = await self._subject(name, namespace)
        sources = sources_of(subject.app.spec)
        revisions = revision.split(",") if revision else [one.target_revision for one in sources]
        if len(revisions) != len(sources):
            raise BadRequest(f"{len(sources)} sources want {len(sources)} revisions", code="argo.revision")
        comparison = await self._engine.applications.compare(
            subject, WantedSources(sources, revisions, resolve=True)
        )
        if comparison.rendering is None:
            raise BadRequest("; ".join(one.message for one in comparison.conditions), code="argo.manifests")
        texts = [_JSON.encode(shown(one)).decode() for one in comparison.targets]
        types = comparison.rendering.types
        return {
            "manifests": texts,
            "revision": ",".join(comparison.rendering.revisions),
            "namespace": subject.app.spec.destination.namespace,
            "sourceType": types[0] if types else "",
        }

    async def sync(self, name: str, namespace: str, asked: SyncAsked) -> Object:
        subject = await self._subject(name, namespace or asked.app_namespace)
        operation = asking.operation_of(subject, asked, _WHO)
        if closed := self._engine.applications.closed_window(subject):
            raise Forbidden(f"cannot sync: blocked by sync window: {closed}", code="argo.window")
        return await self._requested(subject, operation)

    async def rollback(self, name: str, namespace: str, asked: RollbackAsked) -> Object:
        subject = await self._subject(name, namespace or asked.app_namespace)
        return await self._requested(subject, asking.rollback_of(subject, asked, _WHO))

    async def terminate(self, name: str, namespace: str) -> Object:
        await asking.terminate(self._engine.client, await self._subject(name, namespace))
        return {}

    async def resource(self, name: str, namespace: str, wanted: Wanted) -> Object:
        _, live = await self._live(await self._subject(name, namespace), wanted)
        return {"manifest": _JSON.encode(shown(live)).decode()}

    async def delete(self, name: str, namespace: str, wanted: Wanted, *, force: bool, orphan: bool) -> Object:
        client, live = await self._live(await self._subject(name, namespace), wanted)
        await client.delete(
            Kind(wanted.group, wanted.version or _version(live), wanted.kind),
            wanted.name,
            wanted.namespace,
            propagation="Orphan" if orphan else "Background" if force else "Foreground",
            grace=0 if force else None,
        )
        return {}

    async def actions(self, name: str, namespace: str, wanted: Wanted) -> Object:
        _, live = await self._live(await self._subject(name, namespace), wanted)
        try:
            found = actions_of(live, self._engine.settings.scripts)
        except ActionError as error:
            raise BadRequest(str(error), code="argo.action") from None
        return {
            "actions": [
                {
                    "name": one.name,
                    "disabled": one.disabled,
                    "displayName": one.display_name,
                    "iconClass": one.icon,
                    "params": [{"name": key, "value": value} for key, value in dict(one.params).items()],
                }
                for one in found
            ]
        }

    async def act(
        self, name: str, namespace: str, wanted: Wanted, action: str, parameters: Mapping[str, str]
    ) -> Object:
        subject = await self._subject(name, namespace)
        client, live = await self._live(subject, wanted)
        try:
            changes = perform(action, live, parameters, self._engine.settings.scripts, now=now())
        except ActionError as error:
            raise BadRequest(str(error), code="argo.action") from None
        for change in changes:
            await _carry_out(client, change, live)
        kind = f"{wanted.kind} {wanted.name}"
        self._engine.events.normal(
            subject.object, "ResourceActionRan", f"{_WHO} ran action {action} on resource {kind}"
        )
        return {}

    async def logs(
        self,
        name: str,
        namespace: str,
        *,
        pod: str,
        pod_namespace: str,
        container: str,
        follow: bool,
        tail: int | None,
    ) -> AsyncIterator[object]:
        subject = await self._subject(name, namespace)
        if not pod:
            raise BadRequest("podName is missing", code="argo.query")
        client = self._client(subject)
        place = pod_namespace or subject.app.spec.destination.namespace
        found = await client.get(Kind("", "v1", "Pod"), pod, place)
        await self._check_belongs(subject, client, found)
        return _lines(client, pod, place, container, follow=follow, tail=tail)

    async def _requested(self, subject: Subject, operation: Operation) -> Object:
        await asking.request(self._engine.writer, subject, operation)
        return await self._engine.client.get(APPLICATION, subject.name, subject.namespace)

    async def _subject(self, name: str, namespace: str) -> Subject:
        obj = await self._engine.client.find(APPLICATION, name, namespace or self._engine.namespace)
        if obj is None:
            raise NotFound(f'applications.argoproj.io "{name}" not found', code="argo.application")
        return Subject.of(obj, self._engine.namespace)

    async def _comparison(self, subject: Subject) -> Comparison:
        known = self._engine.applications.comparisons.get((subject.namespace, subject.name))
        if known is not None:
            return known
        sources = sources_of(subject.app.spec)
        async with asyncio.timeout(_COMPARED_WITHIN):
            return await self._engine.applications.compare(
                subject, WantedSources(sources, [one.target_revision for one in sources])
            )

    async def _live(self, subject: Subject, wanted: Wanted) -> tuple[Client, Object]:
        """Only what the application has itself, or what was made by what it has."""
        client = self._client(subject)
        kind = Kind(wanted.group, wanted.version or "v1", wanted.kind)
        live = await client.get(kind, wanted.name, wanted.namespace)
        await self._check_belongs(subject, client, live)
        return client, live

    async def _check_belongs(self, subject: Subject, client: Client, obj: Object) -> None:
        own = {(one.group, one.kind, one.namespace, one.name) for one in subject.status.resources}
        seen: Object | None = obj
        for _ in range(8):
            if seen is None:
                break
            group, _, version = str(seen.get("apiVersion", "")).rpartition("/")
            namespace = str(metadata(seen).get("namespace", ""))
            if (group, seen.get("kind"), namespace, name_of(seen)) in own:
                return
            owners = metadata(seen).get("ownerReferences") or ()
            if not owners:
                break
            owner = owners[0]
            group, _, version = str(owner["apiVersion"]).rpartition("/")
            seen = await client.find(Kind(group, version, owner["kind"]), owner["name"], namespace)
        raise NotFound(
            f"{obj.get('kind')} {name_of(obj)} not found as part of application {subject.name}",
            code="argo.resource",
        )

    def _client(self, subject: Subject) -> Client:
        known: Known = self._engine.clusters.find(subject.app.spec.destination)
        state = self._engine.clusters.live(known)
        if state.trouble:
            raise Unavailable(state.trouble, code="argo.cluster")
        return state.client


async def _carry_out(client: Client, change: Change, live: Object) -> None:
    if change.operation == "create":
        await client.create(change.object)
        return
    await client.replace(
        {
            **change.object,
            "metadata": {**metadata(change.object), "resourceVersion": metadata(live).get("resourceVersion")},
        }
    )
    if change.object.get("status") != live.get("status") and live.get("kind") in {"Rollout", "Workflow"}:
        await client.replace(change.object, subresource="status")


async def _lines(
    client: Client, pod: str, namespace: str, container: str, *, follow: bool, tail: int | None
) -> AsyncIterator[object]:
    rest = b""
    async for piece in client.logs(pod, namespace, container=container, follow=follow, tail=tail):
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            yield {"content": line.decode(errors="replace"), "podName": pod}
    if rest:
        yield {"content": rest.decode(errors="replace"), "podName": pod}


def _version(obj: Object) -> str:
    return str(obj.get("apiVersion", "")).rpartition("/")[2]
