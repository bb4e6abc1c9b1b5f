"""What is done to a cluster for one task: apply, replace, delete, and the care around them. Called by `running`.

Everything is applied by the server, as the manager of Argo CD and with force: what other managers own besides stays theirs, and what
leaves Git is removed, without a copy of the manifest in an annotation.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing

from argosy.argo.cd import marks
from argosy.argo.cd.resources import is_definition
from argosy.argo.cd.secrets import masked
from argosy.argo.cd.sync import ownership
from argosy.argo.cd.sync.options import Request
from argosy.argo.cd.sync.task import Task
from argosy.argo.cd.sync.unknown_fields import without_unknown
from argosy.kube.client import Client
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object, metadata, name_of, namespace_of, revision_of, uid_of

MANAGER = "argocd-controller"
_ESTABLISHED_WITHIN, _GONE_WITHIN = 3.0, 60.0
_REPLACED_IN_PLACE = frozenset({"CustomResourceDefinition", "Namespace"})
"""Made anew they would take everything in them along."""
_NOT_SERVED = frozenset({"the server could not find the requested resource", "404 page not found"})
_BOUND = frozenset({"RoleBinding", "ClusterRoleBinding"})


class Applier:
    def __init__(self, client: Client, request: Request, wrote: Callable[[Object], None]) -> None:
        self._client, self._request, self._wrote = client, request, wrote

    async def try_out(self, task: Task) -> None:
        """Raises what is wrong with the manifest itself. What may be right by the time it is applied is left until then."""
        try:
            await self._send(task, dry_run=True)
        except ApiError as error:
            refused = error.code == 422 and task.live is None
            if error.code in {400, 403, 413, 415} or refused:
                raise

    async def apply(self, task: Task) -> str:
        """What was done, in kubectl's words. The task has the live object afterwards."""
        before = task.live
        replaces = self._asked(task, "Replace=true") or self._request.options.replace
        task.live = await (self._replace(task) if replaces else self._apply(task))
        self._wrote(task.live)
        if is_definition(task.live):
            await self._established(name_of(task.live))
        done = "replaced" if replaces and before is not None else _done(before, task.live)
        return f"{named(task)} {done}"

    async def prune(self, task: Task) -> None:
        """The task has what is left afterwards: an object that is being deleted is waited for."""
        assert task.live is not None
        if "deletionTimestamp" in metadata(task.live):
            return
        left = await self._delete(task)
        if "deletionTimestamp" in metadata(left):
            task.live = left

    async def delete(self, task: Task) -> None:
        """A hook. Gone already is fine."""
        try:
            await self._delete(task)
        except ApiError as error:
            if error.code != 404:
                raise

    async def release(self, task: Task) -> None:
        """Takes our finalizer off a hook, so that whoever wants to may delete it."""
        while task.live is not None and marks.HOOK_FINALIZER in (metadata(task.live).get("finalizers") or ()):
            rest = [one for one in metadata(task.live)["finalizers"] if one != marks.HOOK_FINALIZER]
            change = {"metadata": {"finalizers": rest or None, "resourceVersion": revision_of(task.live)}}
            try:
                task.live = await self._client.patch(
                    task.kind, task.key.name, change, namespace=task.key.namespace
                )
            except ApiError as error:
                if error.code not in {404, 409}:
                    raise
                task.live = await self.find(task)

    async def find(self, task: Task) -> Object | None:
        return await self._client.find(task.kind, task.key.name, task.key.namespace)

    async def _apply(self, task: Task) -> Object:
        if task.live is not None and self._request.options.migrate:
            await ownership.take_over(self._client, task.kind, task.live, manager=MANAGER)
        try:
            return await self._send(task)
        except ApiError as error:
            if task.live is None or not self._may_recreate(task, error):
                raise
        await self._remove(task)
        return await self._send(task)

    async def _replace(self, task: Task) -> Object:
        assert task.target is not None
        if task.live is None:
            return await self._client.create(task.target, namespace=task.key.namespace)
        target = {
            **task.target,
            "metadata": {**metadata(task.target), "resourceVersion": revision_of(task.live)},
        }
        if not self._forced(task) or task.key.kind in _REPLACED_IN_PLACE:
            return await self._client.replace(target)
        await self._remove(task)
        return await self._client.create(task.target, namespace=task.key.namespace)

    async def _send(self, task: Task, *, dry_run: bool = False) -> Object:
        assert task.target is not None
        if self._request.options.validate and not self._asked(task, "Validate=false"):
            return await self._sent(task.target, "Strict", dry_run=dry_run)
        try:
            return await self._sent(task.target, "Ignore", dry_run=dry_run)
        except ApiError as error:
            known = without_unknown(task.target, error)
            if known is None:
                raise
        return await self._sent(known, "Ignore", dry_run=dry_run)

    async def _sent(self, target: Object, validation: str, *, dry_run: bool) -> Object:
        return await self._client.apply(
            target, force=True, manager=MANAGER, dry_run=dry_run, validation=validation
        )

    def _may_recreate(self, task: Task, error: ApiError) -> bool:
        """A binding's role cannot be changed: like `kubectl auth reconcile`, without being asked."""
        if error.code == 422 and task.key.kind in _BOUND:
            return any(cause.field == "roleRef" for cause in error.causes)
        return error.code in {409, 422} and self._forced(task) and task.key.kind not in _REPLACED_IN_PLACE

    def _forced(self, task: Task) -> bool:
        return self._request.force or self._request.options.force or self._asked(task, "Force=true")

    @staticmethod
    def _asked(task: Task, option: str) -> bool:
        return any(marks.has_option(one, option) for one in (task.target, task.live) if one is not None)

    async def _delete(self, task: Task) -> Object:
        return await self._client.delete(
            task.kind,
            task.key.name,
            task.key.namespace,
            propagation=self._request.options.propagation,
            uid=uid_of(task.live) if task.live is not None else "",
        )

    async def _remove(self, task: Task) -> None:
        """Deletes and waits until it is gone, so that it can be made anew."""
        assert task.live is not None
        await self._client.delete(task.kind, task.key.name, task.key.namespace, propagation="Background")
        try:
            async with asyncio.timeout(_GONE_WITHIN):
                await self._gone(task)
        except TimeoutError:
            held = (
                ", ".join(metadata(task.live).get("finalizers") or ()) or "whoever deletes what belongs to it"
            )
            raise ApiError(
                504, "Timeout", f"{named(task)} is still being deleted; it waits for {held}"
            ) from None

    async def _gone(self, task: Task) -> None:
        uid = uid_of(task.live or {})
        while True:
            found = await self.find(task)
            if found is None or uid_of(found) != uid:
                return
            fields = f"metadata.name={task.key.name}"
            watched = self._client.watch(
                task.kind, namespace_of(found), revision=revision_of(found), fields=fields
            )
            async with aclosing(watched) as events:
                async for event in events:
                    if event.type == "DELETED":
                        return

    async def _established(self, name: str) -> None:
        """Custom resources of the next kind in turn need their definition to be served; a slow server is not waited for long."""
        kind = Task(
            "Sync", {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}, None
        ).kind
        watched = self._client.watch(kind, fields=f"metadata.name={name}", initial=True)
        try:
            async with asyncio.timeout(_ESTABLISHED_WITHIN), aclosing(watched) as events:
                async for event in events:
                    if event.type != "BOOKMARK" and _is_established(event.object):
                        return
        except TimeoutError:
            return


def reason(error: ApiError, task: Task) -> str:
    """For people, without a value of a Secret."""
    if error.code == 404 and error.message in _NOT_SERVED:
        kind = f"{task.key.group}/{task.key.kind}"
        return (
            f"The Kubernetes API could not find {kind} for requested resource {task.key.namespace}/{task.key.name}. "
            f'Make sure the "{task.key.kind}" CRD is installed on the destination cluster.'
        )
    return masked(error.message, task.target, task.live)


def named(task: Task) -> str:
    group = f".{task.key.group}" if task.key.group else ""
    return f"{task.key.kind.lower()}{group}/{task.key.name}"


def _done(before: Object | None, after: Object) -> str:
    if before is None or uid_of(before) != uid_of(after):
        return "created"
    return "unchanged" if revision_of(before) == revision_of(after) else "configured"


def _is_established(definition: Object) -> bool:
    conditions = (definition.get("status") or {}).get("conditions") or ()
    return any(one.get("type") == "Established" and one.get("status") == "True" for one in conditions)
