"""What is in a cluster, as far as applications are concerned: followed by watches, of the kinds that some application uses.

Of objects that are nobody's only the name is kept, and the whole is asked for when it is needed. What this process
has written is believed at once, and nothing older afterwards.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Iterable, Iterator

from argosy.argo.cd.clusters.capabilities import Asking
from argosy.argo.cd.compare.tracking import Tracking
from argosy.argo.cd.resources import ResourceKey, key_of
from argosy.kit.log import get_logger
from argosy.kube.client import Client, Informer
from argosy.kube.errors import ApiError, unavailable
from argosy.kube.objects import Object, metadata, name_of, namespace_of, revision_of, uid_of
from argosy.kube.types import Kind

log = get_logger(__name__)
OnChange = Callable[[str, ResourceKey], None]
"""The application's instance name, and the object that changed."""
_FIRST_LOOK = 10.0
_STUB = "argosy.io/stub"
GroupKind = tuple[str, str]


class LiveCopy(Informer):
    """`keep`: whether the whole object is kept."""

    def __init__(self, client: Client, kind: Kind, keep: Callable[[Object], bool]) -> None:
        super().__init__(client, kind)
        self._keep = keep

    def believe(self, obj: Object) -> None:
        self._take((namespace_of(obj), name_of(obj)), obj)

    def _take(self, key: tuple[str, str], after: Object | None) -> None:
        before = self._objects.get(key)
        if before is not None and after is not None and uid_of(before) == uid_of(after):
            if _number(after) < _number(before):
                return  # from before what we wrote
        super()._take(key, after if after is None or self._keep(after) else _stub(after))


class LiveState:
    def __init__(
        self, client: Client, tracking: Callable[[], Tracking], on_change: OnChange, *, owns_client: bool
    ) -> None:
        self.client, self._tracking, self._on_change = client, tracking, on_change
        self.capabilities = Asking(client).capabilities
        self._owns_client = owns_client
        self._copies: dict[GroupKind, LiveCopy] = {}
        self._following: dict[GroupKind, asyncio.Task[None]] = {}
        self._by_application: dict[str, dict[ResourceKey, Object]] = {}
        self._scopes: dict[Kind, bool] = {}

    async def need(self, kinds: Iterable[Kind]) -> None:
        """Until what there is of these kinds is known. Kinds that nobody serves have nothing. Raises when the cluster is away."""
        kinds = list(kinds)
        missing = [kind for kind in kinds if (kind.group, kind.kind) not in self._copies]
        for served in await asyncio.gather(*(self._served(kind) for kind in missing)):
            if served is not None and (served.group, served.kind) not in self._copies:
                self._follow(served)
        waiting = [
            self._copies[one.group, one.kind] for one in kinds if (one.group, one.kind) in self._copies
        ]
        unsynced = [copy for copy in waiting if not copy.synced]
        if unsynced:
            await self._first_look(unsynced)

    def scope(self, kind: Kind) -> bool | None:
        """Whether its objects live in namespaces; None while nobody serves it. Known of what was needed."""
        return self._scopes.get(kind)

    def of(self, application: str) -> dict[ResourceKey, Object]:
        """What is marked as the application's own, and not made by another object."""
        return dict(self._by_application.get(application, {}))

    async def find(self, kind: Kind, key: ResourceKey) -> Object | None:
        """Whole, and in the version asked for."""
        copy = self._copies.get((kind.group, kind.kind))
        found = copy.get(key.name, key.namespace) if copy is not None else None
        if found is None:
            return None
        if found.get("apiVersion") == kind.api_version and _STUB not in found:
            return found
        return await self.client.find(kind, key.name, key.namespace)

    def wrote(self, obj: Object) -> None:
        """What the server answered us is the newest."""
        key = key_of(obj)
        copy = self._copies.get((key.group, key.kind))
        if copy is not None and obj.get("apiVersion") == copy.kind.api_version:
            copy.believe(obj)

    def all_of(self, group: str, kind: str) -> Iterator[Object]:
        copy = self._copies.get((group, kind))
        return iter(copy if copy is not None else ())

    @property
    def trouble(self) -> str:
        """Why what we know may be old."""
        return next((copy.trouble for copy in self._copies.values() if copy.trouble), "")

    async def close(self) -> None:
        for task in self._following.values():
            task.cancel()
        await asyncio.gather(*self._following.values(), return_exceptions=True)
        if self._owns_client:
            await self.client.close()

    async def _served(self, kind: Kind) -> Kind | None:
        try:
            place = await self.client.place(kind)
        except ApiError as error:
            if error.code == 404:
                return None
            raise
        self._scopes[kind] = place.namespaced
        return kind

    def _follow(self, kind: Kind) -> None:
        copy = LiveCopy(self.client, kind, self._is_tracked)
        copy.on_change(self._changed)
        self._copies[kind.group, kind.kind] = copy
        self._following[kind.group, kind.kind] = asyncio.create_task(copy.run())

    async def _first_look(self, copies: list[LiveCopy]) -> None:
        try:
            async with asyncio.timeout(_FIRST_LOOK):
                await asyncio.gather(*(copy.wait_synced() for copy in copies))
        except TimeoutError:
            late = next(copy for copy in copies if not copy.synced)
            raise unavailable(
                late.trouble or f"the cluster does not list its {late.kind.kind} objects"
            ) from None

    def _is_tracked(self, obj: Object) -> bool:
        return bool(self._tracking().application_of(obj))

    def _changed(self, before: Object | None, after: Object | None) -> None:
        for obj in (before, after):
            if obj is None or not (application := self._tracking().application_of(obj)):
                continue
            held = self._by_application.setdefault(application, {})
            if obj is after and "ownerReferences" not in metadata(after):
                held[key_of(after)] = after
            else:
                held.pop(key_of(obj), None)
            if not held:
                del self._by_application[application]
            self._on_change(application, key_of(obj))


def _stub(obj: Object) -> Object:
    """The name, and what tells one version from another."""
    kept = {
        name: value
        for name, value in metadata(obj).items()
        if name in {"name", "namespace", "uid", "resourceVersion", "labels", "ownerReferences"}
    }
    return {"apiVersion": obj.get("apiVersion"), "kind": obj.get("kind"), "metadata": kept, _STUB: True}


def _number(obj: Object) -> int:
    with contextlib.suppress(ValueError):
        return int(revision_of(obj))
    return 0
