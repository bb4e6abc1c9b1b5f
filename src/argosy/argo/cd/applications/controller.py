"""Looks at one application after another, whenever something about it may have changed.

One look: take leave if it is being deleted; go a step on with the sync that was asked for; see whether a refresh is needed, compare, write
the status, and sync by itself where the policy says so. What a look leaves open it says by when to look again.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol

import msgspec

from argosy.argo.cd.applications import conditions, statuses
from argosy.argo.cd.applications.automatic import decide
from argosy.argo.cd.applications.comparison import Comparing, Comparison, Wanted
from argosy.argo.cd.applications.deleting import Deleting, HookFailed, wanted_finalizers
from argosy.argo.cd.applications.operating import COMPLETED, Operating
from argosy.argo.cd.applications.reading import NotReadable, project_of, sources_of
from argosy.argo.cd.applications.refreshing import Level, Need, needed
from argosy.argo.cd.applications.subject import Subject
from argosy.argo.cd.applications.validating import validated
from argosy.argo.cd.applications.writing import OperationInProgress, Writer, stamp
from argosy.argo.cd.clusters.registry import Clusters, Known
from argosy.argo.cd.permissions import Permissions
from argosy.argo.cd.repositories.credentials import normalised
from argosy.argo.cd.settings import Settings
from argosy.contracts.argo.status import Condition
from argosy.kit.errors import BadRequest
from argosy.kit.log import get_logger
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object, annotations_of, metadata, name_of, namespace_of
from argosy.kube.reconcile.copies import Copy
from argosy.kube.reconcile.events import Events
from argosy.kube.reconcile.loop import Loop
from argosy.kube.reconcile.queue import Name

log = get_logger(__name__)
_SKIP = "argocd.argoproj.io/skip-reconcile"
_GRACE = 180.0
"""Seconds in which a repository that cannot be reached leaves the status as it was."""
_OPERATION_LOOK = 30.0
"""A sync that waits is looked at now and then, should a change have been missed."""


class Projects(Protocol):
    def find(self, name: str, *, application: str, namespace: str) -> Permissions | str:
        """Or why this application cannot have it."""


class Applications:
    def __init__(
        self,
        copy: Copy,
        *,
        control_namespace: str,
        clusters: Clusters,
        projects: Projects,
        comparing: Comparing,
        operating: Operating,
        deleting: Deleting,
        writer: Writer,
        events: Events,
        settings: Callable[[], Settings],
        workers: int = 20,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._copy, self._namespace = copy, control_namespace
        self._clusters, self._projects = clusters, projects
        self._comparing, self._operating, self._deleting = comparing, operating, deleting
        self._writer, self._events, self._settings, self._now = writer, events, settings, now
        self._requested: dict[Name, Level] = {}
        self._broken_since: dict[Name, datetime] = {}
        self._synced: dict[Name, str] = {}
        """Digests of what was synced last, for as long as this process lives."""
        self.comparisons: dict[Name, Comparison] = {}
        self.loop = Loop("applications", self._look, reads=[copy], workers=workers, longest_rest=0.0)
        copy.on_change(self._changed)

    def refresh(self, name: Name, level: Level) -> None:
        """Something of it changed: to be looked at soon, at least this thoroughly."""
        self._requested[name] = max(level, self._requested.get(name, level))
        self.loop.add(name)

    def changed_live(self, instance: str) -> None:
        """One of its objects changed in its cluster."""
        namespace, _, name = instance.rpartition("_")
        found = (namespace or self._namespace, name)
        if self._copy.get(found[1], found[0]) is not None:
            self.refresh(found, Level.RECENT)

    def pushed(self, url: str) -> None:
        """To a repository: whoever takes something from it is looked at."""
        wanted = normalised(url)
        for obj in self._copy:
            if wanted in _urls(obj.get("spec") or {}):
                self.refresh((namespace_of(obj), name_of(obj)), Level.LATEST)

    async def compare(self, subject: Subject, wanted: Wanted) -> Comparison:
        """On somebody's demand. Raises `ArgosyError` when the application cannot be looked at."""
        project, known = self._permitted(subject)
        return await self._comparing.compare(subject, project, known, wanted)

    def closed_window(self, subject: Subject) -> str:
        """Why a person may not sync it now; empty: he may."""
        project, known = self._permitted(subject)
        return project.sync_permitted(subject.app, known, manual=True, now=self._now(), started=None)

    def _project(self, subject: Subject) -> Permissions | str:
        name = project_of(subject.app.spec)
        return self._projects.find(name, application=subject.name, namespace=subject.namespace)

    def _permitted(self, subject: Subject) -> tuple[Permissions, Known]:
        project = self._project(subject)
        if isinstance(project, str):
            raise BadRequest(project, code="argo.application")
        known, found = validated(subject, project, self._clusters)
        if known is None:
            raise BadRequest(conditions.words(found), code="argo.application")
        return project, known

    def refresh_all(self, level: Level) -> None:
        for obj in self._copy:
            self.refresh((namespace_of(obj), name_of(obj)), level)

    def _changed(self, before: Object | None, after: Object | None) -> None:
        found = after if after is not None else before
        assert found is not None
        name = (namespace_of(found), name_of(found))
        if after is None:
            self._forget(name)
        elif before is None or _is_news(before, after):
            self.loop.add(name)

    def _forget(self, name: Name) -> None:
        for known in (self._requested, self._broken_since, self._synced, self.comparisons):
            known.pop(name, None)

    async def _look(self, name: Name) -> float | None:
        obj = self._copy.get(name[1], name[0])
        if obj is None or annotations_of(obj).get(_SKIP) == "true":
            return None
        try:
            subject = Subject.of(obj, self._namespace)
        except NotReadable as error:
            await self._write_unreadable(obj, str(error))
            return None
        project = self._project(subject)
        if isinstance(project, str) and "deletionTimestamp" in metadata(obj):
            return await self._say_of_deletion(subject, project)
        if isinstance(project, str):
            return await self._refuse(subject, [Condition(type=conditions.INVALID, message=project)])
        if "deletionTimestamp" in metadata(obj):
            return await self._take_leave(subject, project)
        known, found = validated(subject, project, self._clusters)
        if known is None:
            return await self._refuse(subject, found)
        return await self._go_on(subject, project, known, found)

    async def _go_on(
        self, subject: Subject, project: Permissions, known: Known, found: list[Condition]
    ) -> float | None:
        name = (subject.namespace, subject.name)
        ended = await self._operating.step(subject, project, known)
        if ended.phase in COMPLETED:
            self.refresh(name, Level.LATEST)
            return None
        need = needed(
            subject.app, self._requested.pop(name, None), now=self._now(), expires=self._settings().expires
        )
        if need is None:
            again = self._until_expiry(subject)
        else:
            again = await self._refresh(subject, project, known, need, found)
            if ended.phase and need.level >= Level.LATEST:
                await self._supersede(subject)
        return _soonest(again, ended.again_in, _OPERATION_LOOK if ended.phase else None)

    async def _refresh(
        self, subject: Subject, project: Permissions, known: Known, need: Need, found: list[Condition]
    ) -> float | None:
        name = (subject.namespace, subject.name)
        comparison = await self._comparing.compare(subject, project, known, _wanted(subject, need))
        if comparison.rendering is None and self._is_in_grace(subject, name, need):
            return _GRACE / 6
        if comparison.rendering is not None:
            self._broken_since.pop(name, None)
        self.comparisons[name] = comparison
        change = wanted_finalizers(subject, comparison.deletion_hooks) if not comparison.failed else None
        if change is not None:
            await self._writer.finalizers(subject, change)
        again = await self._sync_automatically(subject, project, known, comparison, found)
        status = statuses.compared(
            subject,
            comparison,
            [*found, *comparison.conditions],
            need,
            now=self._stamp(),
            control=self._namespace,
        )
        await self._writer.status(subject, status)
        if not subject.app.spec.project:
            await self._writer.spec(subject, {"project": "default"})
        for words in statuses.changes(subject.status, status):
            self._events.normal(subject.object, "ResourceUpdated", words)
        return _soonest(again, self._until_expiry(subject))

    async def _sync_automatically(
        self,
        subject: Subject,
        project: Permissions,
        known: Known,
        comparison: Comparison,
        found: list[Condition],
    ) -> float | None:
        closed = project.sync_permitted(subject.app, known, manual=False, now=self._now(), started=None)
        if closed:
            opens = project.next_window(subject.app, known, now=self._now())
            return (opens - self._now()).total_seconds() if opens is not None else None
        decision = decide(
            subject.app,
            comparison.sync,
            comparison.report.resources,
            has_changes=self._has_changes(subject, comparison),
            now=self._now(),
        )
        if decision.condition is not None:
            found.append(decision.condition)
        if decision.operation is None:
            log.debug("application.not_synced", application=subject.instance, because=decision.because)
            return decision.again_in or None
        try:
            await self._writer.request(subject, decision.operation)
        except OperationInProgress:
            return None
        if comparison.rendering is not None:
            self._synced[subject.namespace, subject.name] = comparison.rendering.digest
        revisions = ", ".join(comparison.sync.revisions) or comparison.sync.revision
        self._events.normal(subject.object, "OperationStarted", f"Initiated automated sync to '{revisions}'")
        return None

    async def _supersede(self, subject: Subject) -> None:
        """An automatic sync that waits makes way when something newer has been pushed."""
        name = (subject.namespace, subject.name)
        state, comparison = subject.status.operation_state, self.comparisons.get(name)
        initiator = state.operation.initiated_by if state is not None else None
        if state is None or initiator is None or not initiator.automated or state.phase != "Running":
            return
        if comparison is None or comparison.rendering is None:
            return
        now = list(comparison.sync.revisions) or [comparison.sync.revision]
        result = state.sync_result
        before = [] if result is None else list(result.revisions) or [result.revision]
        if before and now != before and self._has_changes(subject, comparison):
            await self._operating.supersede(subject, ", ".join(now))

    async def _take_leave(self, subject: Subject, project: Permissions) -> float | None:
        known, _ = validated(subject, project, self._clusters)
        if known is None:
            await self._deleting.abandon(subject)
            return None
        wrong = ""
        try:
            waits_for = await self._deleting.step(subject, project, known, self._clusters.live(known))
        except HookFailed as error:
            waits_for, wrong = "", str(error)
        except ApiError as error:
            waits_for, wrong = "", error.message
        if waits_for:
            log.debug("application.deleting", application=subject.instance, waits_for=waits_for)
        again = await self._say_of_deletion(subject, wrong)
        return _OPERATION_LOOK if waits_for else again

    async def _say_of_deletion(self, subject: Subject, wrong: str) -> float | None:
        """Why it cannot go on; empty: it does."""
        found = [Condition(type=conditions.DELETION, message=wrong)] if wrong else []
        before = subject.status
        after = conditions.evaluated(before.conditions, found, {conditions.DELETION}, self._stamp())
        if after != before.conditions:
            await self._writer.status(subject, msgspec.structs.replace(before, conditions=after))
        return _OPERATION_LOOK if wrong else None

    async def _refuse(self, subject: Subject, found: list[Condition]) -> float | None:
        """Nothing can be said of it, but why."""
        errors = [one for one in found if one.type == conditions.INVALID]
        if subject.app.operation is not None:
            await self._operating.refuse(subject, conditions.words(errors))
        status = statuses.refused(subject, found, now=self._stamp())
        await self._writer.status(subject, status)
        return None

    async def _write_unreadable(self, obj: Object, why: str) -> None:
        """The types do not fit; then nothing else of it can be trusted either."""
        plain: Object = {
            "metadata": obj["metadata"],
            "spec": {"destination": {}, "project": ""},
            "status": obj.get("status") if isinstance(obj.get("status"), dict) else {},
        }
        try:
            subject = Subject.of(plain, self._namespace)
        except NotReadable:
            subject = Subject.of({**plain, "status": {}}, self._namespace)
        await self._refuse(subject, [Condition(type=conditions.INVALID, message=why)])

    def _has_changes(self, subject: Subject, comparison: Comparison) -> bool:
        """Whether this revision says anything else than what was synced. Unknown after a restart: then revisions are compared."""
        known = self._synced.get((subject.namespace, subject.name))
        return known is None or comparison.rendering is None or comparison.rendering.digest != known

    def _is_in_grace(self, subject: Subject, name: Name, need: Need) -> bool:
        if need.level == Level.RESOLVED or not subject.status.reconciled_at:
            return False
        if any(one.type == conditions.COMPARISON for one in subject.status.conditions):
            return False  # it says so already
        since = self._broken_since.setdefault(name, self._now())
        return (self._now() - since).total_seconds() < _GRACE

    def _stamp(self) -> str:
        return stamp(self._now())

    def _until_expiry(self, subject: Subject) -> float | None:
        expires = self._settings().expires.total_seconds()
        at = subject.status.reconciled_at
        if not at:
            return None
        left = expires - (self._now() - datetime.fromisoformat(at)).total_seconds()
        return max(left, 1.0) + 1.0


def _urls(spec: Object) -> set[str]:
    sources = [*(spec.get("sources") or ()), spec.get("source") or {}]
    return {normalised(str(one.get("repoURL", ""))) for one in sources}


def _soonest(*times: float | None) -> float | None:
    return min((one for one in times if one is not None), default=None)


def _wanted(subject: Subject, need: Need) -> Wanted:
    sources = sources_of(subject.app.spec)
    sync = subject.status.sync
    revisions = [source.target_revision for source in sources]
    if need.level == Level.RECENT and sync is not None and (sync.revision or sync.revisions):
        revisions = list(sync.revisions) or [sync.revision]
    return Wanted(
        sources,
        revisions if len(revisions) == len(sources) else [source.target_revision for source in sources],
        resolve=need.level == Level.RESOLVED,
        fresh=need.fresh,
    )


def _is_news(before: Object, after: Object) -> bool:
    """Our own writes of the status come back, too, and are none."""
    parts = ("spec", "operation")
    if any(before.get(part) != after.get(part) for part in parts):
        return True
    if (before.get("status") or {}).get("operationState") != (after.get("status") or {}).get(
        "operationState"
    ):
        return True
    names = ("annotations", "labels", "finalizers", "deletionTimestamp")
    return any(metadata(before).get(name) != metadata(after).get(name) for name in names)
