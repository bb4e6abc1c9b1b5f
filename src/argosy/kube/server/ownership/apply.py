"""Server-side apply: the applier says all that it wants, and gets it unless others own it otherwise.

What it applied before and no longer does goes away, if nobody else owns it. What others own it takes by force or not at
all. The object comes back merged, with its `managedFields`, but neither decoded nor defaulted: nulls that were applied
are still in it. `settle` has the rule of ownership, `prune` what goes away, `last_applied` the way from client-side apply.
"""

from __future__ import annotations

from dataclasses import dataclass

from argosy.kube.errors import bad_request
from argosy.kube.objects import Object, group_version, metadata
from argosy.kube.schema import Struct
from argosy.kube.server.ownership.check import faults
from argosy.kube.server.ownership.compare import same
from argosy.kube.server.ownership.conflicts import Conflicts
from argosy.kube.server.ownership.empty import empty
from argosy.kube.server.ownership.fieldset import difference
from argosy.kube.server.ownership.last_applied import KUBECTL, allowed, refresh
from argosy.kube.server.ownership.leaves import fields_of
from argosy.kube.server.ownership.managers import (
    APPLY,
    UPDATE,
    Manager,
    Managers,
    Owned,
    capped,
    manager_of,
    read_or_nothing,
    write,
)
from argosy.kube.server.ownership.merge import merge
from argosy.kube.server.ownership.prune import prune
from argosy.kube.server.ownership.reset import reset_of
from argosy.kube.server.ownership.settle import Convert, Reset, Views, reconciled, settle
from argosy.kube.server.ownership.shapes import root
from argosy.kube.server.ownership.update import NEVER_OWNED, updated
from argosy.kube.server.patches.depth import bounded

FIRST = "before-first-apply"


@bounded
def apply(
    live: Object | None,
    intent: Object,
    schema: Struct,
    *,
    manager: str,
    force: bool,
    subresource: str = "",
    time: str,
    convert: Convert | None = None,
    reset: Reset | None = None,
) -> Object:
    """`intent` as it was sent; `live` None means that it is being created. 409 with a cause per field that others own."""
    base = {"apiVersion": intent.get("apiVersion"), "kind": intent.get("kind")} if live is None else live
    _accept(base, intent, schema)
    version = str(intent.get("apiVersion", ""))
    applying = _Applying(
        base,
        intent,
        Views(version, schema, convert),
        reset or reset_of(intent, subresource),
        manager_of(manager, APPLY, version, subresource),
        time,
    )
    managers = read_or_nothing(live)
    if live is not None and not managers:
        first = manager_of(FIRST, UPDATE, version, subresource)
        nothing = empty(live, schema)
        managers = capped(updated(nothing, live, {}, first, time, applying.views, applying.reset))
    new, owners = _apply(applying, managers, schema, force=force)
    out = _copied(new)
    if not isinstance(out.get("metadata"), dict):
        out["metadata"] = {}
    write(out, owners)
    if manager == KUBECTL:
        refresh(out, intent)
    return out


def _accept(base: Object, intent: Object, schema: Struct) -> None:
    kind = _kind(intent)
    if kind != _kind(base):
        raise bad_request(f"invalid object type: {kind}")
    if metadata(intent).get("managedFields") is not None:
        raise bad_request("metadata.managedFields must be nil")
    wrong = faults(root(schema), intent)
    if wrong:
        named = f"{_named(intent, 'namespace')}/{_named(intent, 'name')}; {kind}"
        raise bad_request(f"failed to create typed patch object ({named}): {wrong}")


def _apply(
    applying: _Applying, managers: Managers, schema: Struct, *, force: bool
) -> tuple[Object, Managers]:
    try:
        return applying.go(managers, force=force)
    except Conflicts as conflicts:
        if applying.who.name != KUBECTL:
            raise conflicts.error() from None
        left = conflicts.but(allowed(applying.live, schema))
        if left.found:
            raise left.error() from None
    return applying.go(managers, force=True)


@dataclass(frozen=True, slots=True)
class _Applying:
    live: Object
    intent: Object
    views: Views
    reset: Reset
    who: Manager
    time: str

    def go(self, managers: Managers, *, force: bool) -> tuple[Object, Managers]:
        """The new object, and who owns what in it."""
        known = reconciled(managers, self.live, self.views)
        shape = self.views.shape
        last = known.get(self.who)
        mine = self.reset(fields_of(shape, self.intent))
        known[self.who] = Owned(mine, self.views.version, last.time if last else "")
        merged = prune(merge(shape, self.live, self.intent), known, self.who, last, self.views)
        new = merged if isinstance(merged, dict) else {}
        owners, _ = settle(
            self.live, new, known, writer=self.who, force=force, views=self.views, reset=self.reset
        )
        kept = difference(mine, NEVER_OWNED)
        owners.pop(self.who, None)
        if kept:
            owners[self.who] = Owned(kept, self.views.version, self._time(last, new))
        return new, owners

    def _time(self, last: Owned | None, new: Object) -> str:
        """An apply that changes nothing in the object has no time of its own."""
        if not same(self.live, new):
            return self.time
        return last.time if last else ""


def _kind(obj: Object) -> str:
    group, version = group_version(obj)
    return f"{group}/{version}, Kind={obj.get('kind') or ''}"


def _named(obj: Object, name: str) -> str:
    value = metadata(obj).get(name)
    return value if isinstance(value, str) else ""


def _copied(obj: Object) -> Object:
    """Shares nothing with the live object or the intent: defaulting writes into it."""
    return {name: _copy(value) for name, value in obj.items()}


def _copy(value: object) -> object:
    if isinstance(value, dict):
        return {name: _copy(below) for name, below in value.items()}
    return [_copy(item) for item in value] if isinstance(value, list) else value
