"""A set that is being deleted: its applications go with it, in reverse order where it says so, or stay where its policy says that."""

from __future__ import annotations

from argosy.argo.cd.application_sets import steps
from argosy.argo.cd.application_sets.children import Children
from argosy.argo.cd.application_sets.failing import GenerationFailed
from argosy.argo.cd.application_sets.generating import RESOURCES_FINALIZER
from argosy.argo.cd.application_sets.settings import Settings
from argosy.argo.cd.application_sets.telling import read
from argosy.contracts.argo.application_set import SetSpec
from argosy.kube.objects import Object, metadata, uid_of
from argosy.kube.reconcile import Workplace

_AGAIN = 10.0


class Removing:
    def __init__(self, place: Workplace, children: Children, settings: Settings) -> None:
        self._place, self._children, self._settings = place, children, settings

    async def prepare(self, application_set: Object, spec: SetSpec) -> Object:
        """A deletion in order is ours to do, so we hold the set until it is done."""
        finalizers = metadata(application_set).get("finalizers") or []
        if not steps.deletes_in_reverse(spec) or RESOURCES_FINALIZER in finalizers:
            return application_set
        return await self._with(application_set, [*finalizers, RESOURCES_FINALIZER])

    async def remove(self, application_set: Object) -> float | None:
        """Answers after how long to look again. Without our finalizer there is nothing to do: the cluster deletes what is owned."""
        finalizers = metadata(application_set).get("finalizers") or []
        if RESOURCES_FINALIZER not in finalizers:
            return None
        spec = _spec(application_set)
        live = self._children.of(application_set)
        if not self._settings.may_delete(spec):
            await self._children.release(live.values())
        elif spec is not None and steps.deletes_in_reverse(spec) and await self._last(spec, live):
            return _AGAIN
        await self._with(application_set, [one for one in finalizers if one != RESOURCES_FINALIZER])
        return None

    async def _last(self, spec: SetSpec, live: dict[str, Object]) -> bool:
        """One application at a time, from the last step to the first. False when none is left."""
        plan = steps.plan(spec, list(live.values()))
        name = max(plan.step, key=lambda one: (plan.step[one], one), default=None)
        if name is None:
            return False
        if "deletionTimestamp" not in metadata(live[name]):
            await self._place.delete(live[name])
        return True

    async def _with(self, application_set: Object, finalizers: list[str]) -> Object:
        change = {"metadata": {"finalizers": finalizers, "uid": uid_of(application_set)}}
        return await self._place.patch(application_set, change)


def _spec(application_set: Object) -> SetSpec | None:
    try:
        return read(application_set)
    except GenerationFailed:
        return None
