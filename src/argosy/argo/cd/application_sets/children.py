"""Makes the applications of a set so: creates, changes, deletes. `desiring` says what each becomes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence

from argosy.argo.cd.application_sets import desiring, validating
from argosy.argo.cd.application_sets.facts import Cluster
from argosy.argo.cd.application_sets.generating import RESOURCES_FINALIZER
from argosy.argo.cd.application_sets.settings import Settings
from argosy.argo.cd.compare.comparing import Jq
from argosy.contracts.argo.application_set import SetSpec
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object, metadata, name_of, namespace_of, uid_of
from argosy.kube.reconcile import Copy, Workplace

_AT_ONCE = 10


class ChildFailed(Exception):
    """Of several that failed the first by name. `cause` is what the server said, if it was the server."""

    def __init__(self, message: str, cause: ApiError | None) -> None:
        super().__init__(message)
        self.message, self.cause = message, cause


class Children:
    def __init__(self, place: Workplace, apps: Copy, jq: Jq, settings: Settings) -> None:
        self._place, self._apps, self._jq, self._settings = place, apps, jq, settings

    def of(self, application_set: Object) -> dict[str, Object]:
        return {name_of(app): app for app in self._apps.owned_by(uid_of(application_set))}

    async def compared(self, live: Object, after: Object, spec: SetSpec) -> tuple[Object, Object]:
        """Both sides, less what the set overlooks."""
        over = desiring.overlooked(spec.ignore_application_differences, name_of(live))
        before, after = (desiring.without(one, over) for one in (desiring.current(live), after))
        if over.expressions:
            before, after = [await self._jq(one, over.expressions) for one in (before, after)]
        return before, after

    async def spec_changed(self, live: Object, generated: Object, spec: SetSpec) -> bool:
        after: Object = {"metadata": {}, "spec": desiring.normal(generated["spec"])}
        before, after = await self.compared(live, after, spec)
        return not desiring.same_spec(before.get("spec") or {}, after.get("spec") or {})

    async def write(
        self, application_set: Object, spec: SetSpec, apps: Sequence[Object]
    ) -> dict[str, Object]:
        """As they are then, by name. Raises `ChildFailed` when all were tried."""

        async def one(app: Object) -> Object:
            return await self._write(application_set, spec, app)

        return await self._each(apps, one)

    async def _write(self, application_set: Object, spec: SetSpec, app: Object) -> Object:
        live = self._apps.get(name_of(app), namespace_of(app))
        after = desiring.desired(live, app, application_set, spec, self._settings)
        if live is None:
            made = await self._place.create(_new(app, after))
            self._tell(application_set, "created", f'created Application "{name_of(app)}"')
            return made
        before, after = await self.compared(live, after, spec)
        change = desiring.patch(before, after)
        if not change:
            return live
        change.setdefault("metadata", {})["uid"] = uid_of(live)
        changed = await self._place.patch(live, change)
        self._tell(application_set, "updated", f'updated Application "{name_of(app)}"')
        return changed

    async def delete(
        self, application_set: Object, apps: Iterable[Object], clusters: Sequence[Cluster]
    ) -> dict[str, Object]:
        """Those that are still there, because something has to be done before they may go."""

        async def one(app: Object) -> Object:
            if "deletionTimestamp" in metadata(app):
                return app
            app = await self._without_finalizer(application_set, app, clusters)
            if await self._place.delete(app):
                self._tell(application_set, "Deleted", f'Deleted Application "{name_of(app)}"')
            return app

        found = await self._each(list(apps), one)
        return {name: app for name, app in found.items() if metadata(app).get("finalizers")}

    async def _without_finalizer(
        self, application_set: Object, app: Object, clusters: Sequence[Cluster]
    ) -> Object:
        """Of one whose cluster is gone: nobody could do what the finalizer waits for."""
        finalizers = metadata(app).get("finalizers") or []
        destination = (app.get("spec") or {}).get("destination") or {}
        server, name = str(destination.get("server") or ""), str(destination.get("name") or "")
        if RESOURCES_FINALIZER not in finalizers or not validating.destination(server, name, clusters):
            return app
        left = [one for one in finalizers if one != RESOURCES_FINALIZER]
        changed = await self._place.patch(app, {"metadata": {"finalizers": left, "uid": uid_of(app)}})
        words = (
            f'Updated Application "{name_of(app)}" finalizer before deletion, because application has an invalid '
            "destination"
        )
        self._tell(application_set, "Updated", words)
        return changed

    async def release(self, apps: Iterable[Object]) -> None:
        """They stay when their set goes."""
        for app in apps:
            if metadata(app).get("ownerReferences"):
                await self._place.patch(app, {"metadata": {"ownerReferences": [], "uid": uid_of(app)}})

    async def annotate(self, app: Object, annotations: dict[str, str]) -> Object:
        return await self._place.patch(app, {"metadata": {"annotations": annotations, "uid": uid_of(app)}})

    async def _each(
        self, apps: Sequence[Object], work: Callable[[Object], Awaitable[Object]]
    ) -> dict[str, Object]:
        """Some at a time. One that fails stops none of the others; a conflict means that our copy was old: all is looked at again."""
        slots = asyncio.Semaphore(_AT_ONCE)
        failed: dict[str, ChildFailed] = {}
        done: dict[str, Object] = {}

        async def one(app: Object) -> None:
            async with slots:
                try:
                    done[name_of(app)] = await work(app)
                except ApiError as error:
                    failed[name_of(app)] = ChildFailed(error.message, error)
                except desiring.NotOurs as error:
                    failed[name_of(app)] = ChildFailed(str(error), None)

        await asyncio.gather(*(one(app) for app in apps))
        if failed:
            raise failed[min(failed)]
        return done

    def _tell(self, application_set: Object, reason: str, message: str) -> None:
        self._place.events.normal(application_set, reason, message)


def _new(app: Object, after: Object) -> Object:
    held = {key: value for key, value in after["metadata"].items() if value}
    return {**app, **after, "metadata": {"name": name_of(app), "namespace": namespace_of(app), **held}}
