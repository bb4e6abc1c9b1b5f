"""What a loop works with: the copies to read, the client to write, the events to tell.

Writes go through here, so that the copies know what they still have to see (`Copy.caught_up`).
"""

from __future__ import annotations

from dataclasses import dataclass

from argosy.kube.client import Client
from argosy.kube.client.client import PatchForm, Propagation
from argosy.kube.client.resources import kind_of
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object, name_of, namespace_of, revision_of, uid_of
from argosy.kube.reconcile.copies import Copies
from argosy.kube.reconcile.events import Events

_NOTHING: tuple[object, ...] = (None, "", 0, False, [], {})


@dataclass(frozen=True, slots=True)
class Workplace:
    client: Client
    copies: Copies
    events: Events

    async def create(self, obj: Object) -> Object:
        return self._wrote(await self.client.create(obj, namespace=namespace_of(obj)))

    async def replace(self, obj: Object) -> Object:
        return self._wrote(await self.client.replace(obj))

    async def patch(
        self, obj: Object, change: object, *, form: PatchForm = "merge", subresource: str = ""
    ) -> Object:
        """`obj` says which one. A merge patch that holds `metadata.uid` is refused for a namesake."""
        return self._wrote(
            await self.client.patch(
                kind_of(obj),
                name_of(obj),
                change,
                namespace=namespace_of(obj),
                form=form,
                subresource=subresource,
            )
        )

    async def write_status(self, obj: Object, status: Object) -> Object:
        """Nothing when it says the same. From the state that the status was computed from: a conflict otherwise."""
        if bare(obj.get("status") or {}) == bare(status):
            return obj
        return self._wrote(await self.client.replace({**obj, "status": status}, subresource="status"))

    async def delete(
        self,
        obj: Object,
        *,
        propagation: Propagation = "",
        grace: int | None = None,
        unchanged: bool = False,
    ) -> bool:
        """False when it is gone already. `unchanged`: only in the state that we know."""
        kind = kind_of(obj)
        try:
            await self.client.delete(
                kind,
                name_of(obj),
                namespace_of(obj),
                propagation=propagation,
                grace=grace,
                uid=uid_of(obj),
                revision=revision_of(obj) if unchanged else "",
            )
        except ApiError as error:
            if error.code != 404:
                raise
            return False
        copy = self.copies.existing(kind)
        if copy is not None:
            copy.deleted(obj)
        return True

    def wrote(self, obj: Object) -> None:
        copy = self.copies.existing(kind_of(obj))
        if copy is not None:
            copy.wrote(obj)

    def _wrote(self, obj: Object) -> Object:
        self.wrote(obj)
        return obj


def bare(status: Object) -> Object:
    """Without what Go leaves out because it is empty."""
    return {key: value for key, value in status.items() if value not in _NOTHING}
