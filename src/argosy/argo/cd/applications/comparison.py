"""Compares an application with its cluster: what Git says, what is there, and what of it differs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import msgspec

from argosy.argo.cd import marks
from argosy.argo.cd.applications import conditions
from argosy.argo.cd.applications.reading import APPLICATION, project_of
from argosy.argo.cd.applications.refreshing import destination_of, ignored_of
from argosy.argo.cd.applications.reporting import HealthOf, Report, report
from argosy.argo.cd.applications.subject import Subject
from argosy.argo.cd.clusters.live import LiveState
from argosy.argo.cd.clusters.registry import Clusters, Known
from argosy.argo.cd.compare.comparing import Comparer, Jq, Verdict
from argosy.argo.cd.compare.matching import matched
from argosy.argo.cd.compare.rules import Rule
from argosy.argo.cd.compare.targets import Desired, prepare
from argosy.argo.cd.permissions import Permissions
from argosy.argo.cd.rendering import Asked, Renderer, RenderError, Rendering
from argosy.argo.cd.resources import Pair, ResourceKey
from argosy.argo.cd.settings import Settings
from argosy.contracts.argo.source import Source
from argosy.contracts.argo.status import ComparedTo, Condition, SyncStatus
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object, group_version, name_of, namespace_of
from argosy.kube.types import Kind


@dataclass(slots=True)
class Comparison:
    sync: SyncStatus
    report: Report
    conditions: list[Condition]
    pairs: list[Pair]
    hooks: list[Object]
    verdicts: dict[ResourceKey, Verdict]
    state: LiveState
    targets: list[Object]
    """Everything that is desired, hooks too."""
    rendering: Rendering | None = None
    deletion_hooks: list[Object] = field(default_factory=list)
    """Those of the phases around the application's own deletion."""

    @property
    def failed(self) -> bool:
        return self.sync.status == "Unknown"

    @property
    def unmodified(self) -> frozenset[ResourceKey]:
        return frozenset(key for key, verdict in self.verdicts.items() if not verdict.modified)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which sources at which revisions, and how thoroughly."""

    sources: Sequence[Source]
    revisions: Sequence[str]
    resolve: bool = False
    fresh: bool = False
    manifests: Sequence[Object] = ()
    """Instead of anything from Git: what a person's own files say."""


class Comparing:
    """`settings` answers what they are now; `jq` and `health_of` are theirs who run scripts safely."""

    def __init__(
        self,
        renderer: Renderer,
        clusters: Clusters,
        *,
        settings: Callable[[], Settings],
        health_of: HealthOf,
        jq: Jq,
    ) -> None:
        self._renderer, self._clusters, self._jq = renderer, clusters, jq
        self._settings, self.health_of = settings, health_of
        self._comparers: dict[LiveState, Comparer] = {}
        self._prepared: dict[str, tuple[object, list[Desired], list[str]]] = {}

    async def compare(
        self, subject: Subject, project: Permissions, known: Known, wanted: Wanted
    ) -> Comparison:
        found: list[Condition] = []
        state = self._clusters.live(known)
        rendering = await self._render(subject, project, state, wanted, found)
        objects = wanted.manifests or (rendering.objects if rendering is not None else ())
        failed = bool(found)
        desired: list[Desired] = []
        live: dict[ResourceKey, Object] = {}
        try:
            await state.need(_kinds(subject, objects))
            desired = self._desired(subject, known, state, rendering, objects, found)
            live = await self._live(subject, known, state, desired, project, found)
        except ApiError as error:
            found.append(_error(f"Failed to load live state: {error.message}"))
            failed = True
        ending = [one for one in desired if _is_of_deletion(one.object)]
        pairs, hooks = matched((one for one in desired if not _only_of_deletion(one.object)), live)
        verdicts: dict[ResourceKey, Verdict] = {}
        if not failed:
            try:
                verdicts = await self._comparer(state).compare(
                    pairs, {one.key: one.digest for one in desired}, self._rules(subject)
                )
            except ApiError as error:
                found.append(_error(f"Failed to compare desired state to live state: {error.message}"))
                failed = True
        told = self._report(subject, project, state, pairs, hooks, verdicts)
        return Comparison(
            sync=_sync_status(subject, wanted, rendering, told, failed=failed),
            report=_unknown(told) if failed else told,
            conditions=found,
            pairs=pairs,
            hooks=hooks,
            verdicts=verdicts,
            state=state,
            targets=[one.object for one in desired],
            rendering=rendering,
            deletion_hooks=[one.object for one in ending],
        )

    async def respecting(self, subject: Subject, state: LiveState, pairs: Iterable[Pair]) -> list[Pair]:
        """To be synced without touching what the application and the settings say to ignore."""
        comparer, rules = self._comparer(state), self._rules(subject)
        return [await comparer.respecting(pair, rules) for pair in pairs]

    def forget(self, instance: str) -> None:
        self._prepared.pop(instance, None)

    async def _render(
        self,
        subject: Subject,
        project: Permissions,
        state: LiveState,
        wanted: Wanted,
        found: list[Condition],
    ) -> Rendering | None:
        if wanted.manifests:
            return None
        spec, capabilities = subject.app.spec, await state.capabilities()
        asked = Asked(
            application=subject.instance,
            name=subject.name,
            namespace=spec.destination.namespace,
            project=project_of(spec),
            sources=wanted.sources,
            revisions=wanted.revisions,
            resolve=wanted.resolve,
            fresh=wanted.fresh,
            kube_version=capabilities.version,
            api_versions=capabilities.apis,
            permits=project.source_permitted,
        )
        try:
            rendering = await self._renderer.render(asked)
        except RenderError as error:
            found.append(_error(f"Failed to load target state: {error}"))
            return None
        return rendering

    def _desired(
        self,
        subject: Subject,
        known: Known,
        state: LiveState,
        rendering: Rendering | None,
        objects: Sequence[Object],
        found: list[Condition],
    ) -> list[Desired]:
        """Prepared once for a rendering: most looks at an application find the same one as the look before."""
        settings, destination = self._settings(), subject.app.spec.destination
        scopes = tuple(state.scope(kind) for kind in _kinds_of(objects))
        made_for = (rendering, destination.namespace, settings.tracking, scopes, known.server)
        before = self._prepared.get(subject.instance)
        if before is None or before[0] != made_for or rendering is None:
            desired, warnings = prepare(
                objects,
                application=subject.instance,
                namespace=destination.namespace,
                tracking=settings.tracking,
                scope=state.scope,
            )
            before = (made_for, desired, warnings)
            self._prepared[subject.instance] = before
        found += [Condition(type=conditions.REPEATED, message=warning) for warning in before[2]]
        return [one for one in before[1] if not self._is_excluded(one, known, settings, found)]

    @staticmethod
    def _is_excluded(one: Desired, known: Known, settings: Settings, found: list[Condition]) -> bool:
        if not settings.is_excluded(one.key.group, one.key.kind, known.server):
            return False
        message = f"Resource {one.key.group}/{one.key.kind} {one.key.name} is excluded in the settings"
        found.append(Condition(type=conditions.EXCLUDED, message=message))
        return True

    async def _live(
        self,
        subject: Subject,
        known: Known,
        state: LiveState,
        desired: Sequence[Desired],
        project: Permissions,
        found: list[Condition],
    ) -> dict[ResourceKey, Object]:
        """What is marked as ours, and what has the name of something desired, whoever made it."""
        live = state.of(subject.instance)
        for one in desired:
            version = str(one.object.get("apiVersion", ""))
            held = live.get(one.key)
            if held is None or held.get("apiVersion") != version:
                other = await state.find(_kind(one.object), one.key)
                if other is not None:
                    live[one.key] = other
        for key, obj in list(live.items()):
            scoped = bool(namespace_of(obj))
            permitted = project.kind_permitted(key.group, key.kind, key.name, namespaced=scoped)
            if not permitted or (scoped and not project.destination_permitted(known, key.namespace)):
                del live[key]
            elif (other_app := self._settings().tracking.application_of(obj)) not in {"", subject.instance}:
                found.append(_shared(subject, obj, other_app))
        return live

    def _rules(self, subject: Subject) -> list[Rule]:
        own = [Rule.of(one) for one in subject.app.spec.ignore_differences]
        return [*self._settings().rules, *own]

    def _comparer(self, state: LiveState) -> Comparer:
        if state not in self._comparers:
            self._comparers[state] = Comparer(state.client, self._jq)
        return self._comparers[state]

    def _report(
        self,
        subject: Subject,
        project: Permissions,
        state: LiveState,
        pairs: Sequence[Pair],
        hooks: Sequence[Object],
        verdicts: dict[ResourceKey, Verdict],
    ) -> Report:
        def permitted(obj: Object) -> bool:
            group, _ = group_version(obj)
            scoped = state.scope(_kind(obj)) is not False
            return project.kind_permitted(group, str(obj["kind"]), name_of(obj), namespaced=scoped)

        operation = subject.status.operation_state
        return report(
            pairs,
            hooks,
            verdicts,
            tracking=self._settings().tracking,
            health_of=self.health_of,
            permitted=permitted,
            itself=ResourceKey(APPLICATION.group, APPLICATION.kind, subject.namespace, subject.name),
            annotations=subject.app.metadata.get("annotations") or {},
            approved_since=operation.started_at if operation is not None else "",
        )


def _sync_status(
    subject: Subject, wanted: Wanted, rendering: Rendering | None, told: Report, *, failed: bool
) -> SyncStatus:
    several = bool(subject.app.spec.sources)
    revisions = list(rendering.revisions) if rendering is not None else list(wanted.revisions)
    managed_anew = has_changed_namespace(subject)
    return SyncStatus(
        status="Unknown" if failed else "OutOfSync" if managed_anew else told.code,
        compared_to=ComparedTo(
            destination=destination_of(subject.app.spec),
            source=None if several or not wanted.sources else wanted.sources[0],
            sources=list(wanted.sources) if several else [],
            ignore_differences=ignored_of(subject.app.spec),
        ),
        revision="" if several or not revisions else revisions[0],
        revisions=revisions if several else [],
    )


def has_changed_namespace(subject: Subject) -> bool:
    """Whether the metadata that the application manages of its namespace is other than at the last sync."""
    policy, state = subject.app.spec.sync_policy, subject.status.operation_state
    wanted = policy.managed_namespace_metadata if policy is not None else None
    result = state.sync_result if state is not None else None
    if wanted is None or result is None:
        return False
    return bool(msgspec.to_builtins(wanted) != (result.managed_namespace_metadata or {}))


def _unknown(told: Report) -> Report:
    for one in told.resources:
        one.status = "Unknown"
    return told


def _kinds(subject: Subject, objects: Iterable[Object]) -> list[Kind]:
    """Of what is wanted, and of what was there the last time."""
    before = [Kind(one.group, one.version, one.kind) for one in subject.status.resources]
    return list(dict.fromkeys([*_kinds_of(objects), *before]))


def _kinds_of(objects: Iterable[Object]) -> list[Kind]:
    return list(dict.fromkeys(_kind(obj) for obj in objects))


def _kind(obj: Object) -> Kind:
    group, version = group_version(obj)
    return Kind(group, version, str(obj.get("kind", "")))


def _shared(subject: Subject, obj: Object, other: str) -> Condition:
    own = f"{subject.namespace}/{subject.name}"
    theirs = other.replace("_", "/")
    message = f"{obj.get('kind')}/{name_of(obj)} is part of applications {own} and {theirs}"
    return Condition(type=conditions.SHARED, message=message)


def _error(message: str) -> Condition:
    return Condition(type=conditions.COMPARISON, message=message)


def _is_of_deletion(obj: Object) -> bool:
    return marks.runs_at_deletion(obj, "PreDelete") or marks.runs_at_deletion(obj, "PostDelete")


def _only_of_deletion(obj: Object) -> bool:
    return _is_of_deletion(obj) and not marks.phases(obj)
