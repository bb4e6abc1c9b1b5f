"""Takes leave of an application that is being deleted: its hooks, its objects from the last wave to the first, and then itself.

Which of it is to be done is said by the finalizers, and each is taken off when its part is done.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Literal

from argosy.argo.cd import marks
from argosy.argo.cd.applications.comparison import Comparing, Wanted
from argosy.argo.cd.applications.reading import FINALIZER, sources_of
from argosy.argo.cd.applications.reporting import HealthOf, is_approved
from argosy.argo.cd.applications.subject import Subject
from argosy.argo.cd.applications.writing import Writer
from argosy.argo.cd.clusters.live import LiveState
from argosy.argo.cd.clusters.registry import Known
from argosy.argo.cd.compare.tracking import Tracking
from argosy.argo.cd.permissions import Permissions
from argosy.argo.cd.resources import ResourceKey, is_definition, key_of
from argosy.argo.cd.sync.applying import MANAGER
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object, group_version, metadata, name_of, namespace_of
from argosy.kube.types import Kind

PRE, POST = "pre-delete-finalizer.argocd.argoproj.io", "post-delete-finalizer.argocd.argoproj.io"
When = Literal["PreDelete", "PostDelete"]


class StillThere(Exception):
    """What the deletion waits for, in words."""


class HookFailed(Exception):
    """Why an application cannot be deleted yet."""


def wanted_finalizers(subject: Subject, hooks: Sequence[Object]) -> list[str] | None:
    """With those that hooks of a deletion need, and without those that nothing needs; None: they are right."""
    now = list(metadata(subject.object).get("finalizers") or ())
    found = list(now)
    for when, name in (("PreDelete", PRE), ("PostDelete", POST)):
        needed = any(marks.runs_at_deletion(hook, when) for hook in hooks)  # type: ignore[arg-type]
        for finalizer in (name, f"{name}/cleanup"):
            if needed and finalizer not in found:
                found.append(finalizer)
            elif not needed and finalizer in found:
                found.remove(finalizer)
    return found if found != now else None


class Deleting:
    def __init__(
        self, comparing: Comparing, writer: Writer, tracking: Callable[[], Tracking], health_of: HealthOf
    ) -> None:
        self._comparing, self._writer = comparing, writer
        self._tracking, self._health_of = tracking, health_of

    async def abandon(self, subject: Subject) -> None:
        """Its cluster is not known any more: nothing there can be deleted, and the application need not wait for ever."""
        kept = [one for one in _finalizers(subject) if not _is_ours(one)]
        if kept != _finalizers(subject):
            await self._writer.finalizers(subject, kept)

    async def step(self, subject: Subject, project: Permissions, known: Known, state: LiveState) -> str:
        """One part of it. Answers what is waited for; empty: this part is done."""
        kinds = [Kind(one.group, one.version, one.kind) for one in subject.status.resources]
        await state.need(kinds)
        mine = [one for one in _finalizers(subject) if _is_ours(one)]
        if not mine:
            return ""
        part = min(mine, key=_turn)
        try:
            await self._part(part, subject, project, known, state)
        except StillThere as error:
            return str(error)
        await self._writer.finalizers(subject, [one for one in _finalizers(subject) if one != part])
        return ""

    async def _part(
        self, part: str, subject: Subject, project: Permissions, known: Known, state: LiveState
    ) -> None:
        if part in {PRE, POST}:
            await self._hooks("PreDelete" if part == PRE else "PostDelete", subject, project, known, state)
        elif part.endswith("/cleanup"):
            await self._clean_up("PreDelete" if part.startswith(PRE) else "PostDelete", subject, state)
        else:
            await self._resources(part, subject, state)

    async def _resources(self, finalizer: str, subject: Subject, state: LiveState) -> None:
        """Wave by wave, from the last to the first."""
        default = _default(subject)
        live = {
            key: obj
            for key, obj in state.of(subject.instance).items()
            if self._tracking().is_own(obj, None) and _may_go(obj, default)
        }
        if going := [key for key, obj in live.items() if "deletionTimestamp" in metadata(obj)]:
            raise StillThere(f"{len(live)} objects remaining for deletion, {_shown(going[0])} among them")
        approved = is_approved(
            subject.app.metadata.get("annotations") or {}, str(metadata(subject.object)["deletionTimestamp"])
        )
        if waiting := [
            key for key, obj in live.items() if marks.may_delete(obj) == "confirm" and not approved
        ]:
            raise StillThere(f"waiting for deletion confirmation of {_shown(waiting[0])}")
        if not live:
            return
        last = max(marks.wave(obj) for obj in live.values())
        wave = [obj for obj in live.values() if marks.wave(obj) == last]
        await asyncio.gather(*(_delete(state, obj, background="/background" in finalizer) for obj in wave))
        raise StillThere(f"{len(live)} objects remaining for deletion")

    async def _hooks(
        self, when: When, subject: Subject, project: Permissions, known: Known, state: LiveState
    ) -> None:
        sources = sources_of(subject.app.spec)
        wanted = Wanted(sources, [source.target_revision for source in sources])
        comparison = await self._comparing.compare(subject, project, known, wanted)
        hooks = [one for one in comparison.deletion_hooks if marks.runs_at_deletion(one, when)]
        running: list[ResourceKey] = []
        for hook in hooks:
            key, kind = key_of(hook), _kind(hook)
            live = await state.client.find(kind, key.name, key.namespace)
            if live is None:
                live = await state.client.apply(hook, force=True, manager=MANAGER)
            health = self._health_of(live)
            if health is not None and health.status == "Degraded":
                await _delete(state, live, background=True)
                raise HookFailed(f"{when} hook(s) failed: {_shown(key)}: {health.message}")
            if health is not None and health.status != "Healthy":
                running.append(key)
        if running:
            raise StillThere(f"waiting for completion of {when} hook {_shown(running[0])}")

    async def _clean_up(self, when: When, subject: Subject, state: LiveState) -> None:
        """Hooks that ask for it are deleted when they have done their work."""
        left = [
            obj
            for obj in state.of(subject.instance).values()
            if marks.runs_at_deletion(obj, when) and "HookSucceeded" in marks.delete_policies(obj)
        ]
        for obj in left:
            if "deletionTimestamp" not in metadata(obj):
                await _delete(state, obj, background=True)
        if left:
            raise StillThere(f"waiting for deletion of {when} hook {_shown(key_of(left[0]))}")


def _finalizers(subject: Subject) -> list[str]:
    return list(metadata(subject.object).get("finalizers") or ())


def _is_ours(finalizer: str) -> bool:
    return finalizer.split("/", maxsplit=1)[0] in {FINALIZER, PRE, POST}


def _turn(finalizer: str) -> int:
    """Hooks before, the objects, hooks after, and then what hooks have left."""
    order = (PRE, FINALIZER, POST, f"{PRE}/cleanup", f"{POST}/cleanup")
    if finalizer in order:
        return order.index(finalizer)
    return order.index(FINALIZER)


def _may_go(obj: Object, default: str) -> bool:
    return not is_definition(obj) and marks.may_delete(obj, default) != "no"


def _default(subject: Subject) -> str:
    """What the application says of its objects' deletion where they say nothing."""
    policy = subject.app.spec.sync_policy
    said = dict(
        one.split("=", 1) for one in (policy.sync_options if policy is not None else ()) if "=" in one
    )
    return said.get("Delete", "")


async def _delete(state: LiveState, obj: Object, *, background: bool) -> None:
    try:
        if marks.HOOK_FINALIZER in (metadata(obj).get("finalizers") or ()):
            await _release(state, obj)
        await state.client.delete(
            _kind(obj),
            name_of(obj),
            namespace_of(obj),
            propagation="Background" if background else "Foreground",
            uid=str(metadata(obj).get("uid", "")),
        )
    except ApiError as error:
        if error.code not in {404, 409}:
            raise


async def _release(state: LiveState, obj: Object) -> None:
    """A hook that was left running holds itself by our finalizer."""
    rest = [one for one in metadata(obj)["finalizers"] if one != marks.HOOK_FINALIZER]
    change = {"metadata": {"finalizers": rest or None}}
    await state.client.patch(_kind(obj), name_of(obj), change, namespace=namespace_of(obj))


def _kind(obj: Object) -> Kind:
    group, version = group_version(obj)
    return Kind(group, version, str(obj.get("kind", "")))


def _shown(key: ResourceKey) -> str:
    return f"{key.group}/{key.kind}/{key.name}"
