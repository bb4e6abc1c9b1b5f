"""Makes what was generated so: the rollout a step further, the applications, what nobody wants any more, and what the status tells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from argosy.argo.cd.application_sets import asking, rollout, steps, validating
from argosy.argo.cd.application_sets.children import ChildFailed, Children
from argosy.argo.cd.application_sets.facts import Cluster
from argosy.argo.cd.application_sets.failing import GenerationFailed, Reason
from argosy.argo.cd.application_sets.settings import Settings
from argosy.argo.cd.application_sets.telling import Telling
from argosy.contracts.argo.application_set import SetSpec
from argosy.kit import clock
from argosy.kube.objects import Object, name_of
from argosy.kube.reconcile.times import stamp

AFTER_ERROR, _SOON = 180.0, 5.0
Apps = dict[str, Object]


class Making:
    def __init__(self, children: Children, telling: Telling, settings: Settings) -> None:
        self._children, self._telling, self._settings = children, telling, settings

    async def make(
        self,
        application_set: Object,
        spec: SetSpec,
        generated: list[Object],
        clusters: Sequence[Cluster],
        projects: set[str] | None,
    ) -> float | None:
        """Answers after how long to look again."""
        errors = validating.invalid(name_of(application_set), generated, clusters, projects)
        live = self._children.of(application_set)
        valid = [app for app in generated if name_of(app) not in errors]
        again = asking.requeue_seconds(application_set) or (AFTER_ERROR if errors else None)
        if self._telling.is_rolling(application_set):
            told = await self._rollout(application_set, spec, live, generated)
            application_set = await self._telling.rollout(application_set, told.statuses, told.conditions)
            await self._refresh(live, told.refresh)
            valid = [rollout.ordered(app, live.get(name_of(app)), told.pending) for app in valid]
            if told.pending or told.is_waiting:
                again = _SOON
        live = live | await self._write(application_set, spec, live, valid)
        live = await self._prune(application_set, spec, live, generated, clusters)
        await self._telling.outcome(application_set, live.values(), errors)
        return again

    async def _rollout(
        self, application_set: Object, spec: SetSpec, live: Apps, generated: list[Object]
    ) -> rollout.Rollout:
        if not steps.steps_of(spec):
            raise GenerationFailed("No steps defined for rollout", "ApplicationSetRolloutError")
        wanted = {name_of(app): rollout.switched_off(app) for app in generated}
        changed = {
            name: await self._children.spec_changed(app, wanted[name], spec)
            for name, app in live.items()
            if name in wanted
        }
        before = application_set.get("status") or {}
        return rollout.advance(spec, before, list(live.values()), generated, changed, clock.now())

    async def _refresh(self, live: Apps, names: Iterable[str]) -> None:
        for name in names:
            asked = {rollout.REFRESH: "normal", rollout.REFRESH_TIME: stamp()}
            live[name] = await self._children.annotate(live[name], asked)

    async def _write(self, application_set: Object, spec: SetSpec, live: Apps, valid: list[Object]) -> Apps:
        updates = self._settings.may_update(spec)
        wanted = valid if updates else [app for app in valid if name_of(app) not in live]
        try:
            return await self._children.write(application_set, spec, wanted)
        except ChildFailed as error:
            reason: Reason = "UpdateApplicationError" if updates else "CreateApplicationError"
            await self._tell(application_set, error, reason)
            raise

    async def _prune(
        self,
        application_set: Object,
        spec: SetSpec,
        live: Apps,
        generated: list[Object],
        clusters: Sequence[Cluster],
    ) -> Apps:
        """What is generated stays, even when it cannot be made as it is now."""
        if not self._settings.may_delete(spec):
            return live
        wanted = {name_of(app) for app in generated}
        extra = [app for name, app in sorted(live.items()) if name not in wanted]
        try:
            left = await self._children.delete(application_set, extra, clusters)
        except ChildFailed as error:
            await self._tell(application_set, error, "DeleteApplicationError")
            raise
        return {name: app for name, app in live.items() if name in wanted} | left

    async def _tell(self, application_set: Object, error: ChildFailed, reason: Reason) -> None:
        """A conflict is no trouble: our copy was old, and the next look knows better."""
        if error.cause is None or error.cause.code != 409:
            await self._telling.trouble(application_set, reason, error.message)
