"""Ownership after a create, an update or a patch: the writer owns what it changed, and nobody else does any more."""

from __future__ import annotations

from argosy.kube.objects import Object, metadata
from argosy.kube.schema import Struct
from argosy.kube.server.ownership.compare import same
from argosy.kube.server.ownership.elements import BadElement
from argosy.kube.server.ownership.empty import empty
from argosy.kube.server.ownership.fieldset import FieldSet, difference, of_paths, union
from argosy.kube.server.ownership.managers import (
    UPDATE,
    Manager,
    Managers,
    Owned,
    capped,
    manager_of,
    read,
    read_or_nothing,
    write,
)
from argosy.kube.server.ownership.reset import reset_of
from argosy.kube.server.ownership.settle import Convert, Reset, Views, reconciled, settle
from argosy.kube.server.patches.depth import bounded

NEVER_OWNED: FieldSet = of_paths(
    ("f:apiVersion",),
    ("f:kind",),
    ("f:metadata",),
    *(
        ("f:metadata", f"f:{name}")
        for name in (
            "name",
            "namespace",
            "creationTimestamp",
            "selfLink",
            "uid",
            "clusterName",
            "generation",
            "managedFields",
            "resourceVersion",
        )
    ),
)


@bounded
def own_update(
    new: Object,
    old: Object | None,
    schema: Struct,
    *,
    manager: str,
    subresource: str = "",
    time: str,
    convert: Convert | None = None,
    reset: Reset | None = None,
) -> None:
    """Writes `managedFields` into `new`, which is as it will be stored; `old` None means that it is being created.

    `reset` is what `reset_fields` answers; without it the table of built-in kinds is asked."""
    managers = _admitted(new, old, subresource)
    metadata(new).pop("managedFields", None)
    if old is not None and not managers:
        return
    version = str(new.get("apiVersion", ""))
    views = Views(version, schema, convert)
    live = empty(new, schema) if old is None else old
    who = manager_of(manager, UPDATE, version, subresource)
    write(new, capped(updated(live, new, managers, who, time, views, reset or reset_of(new, subresource))))


def updated(
    live: Object, new: Object, managers: Managers, who: Manager, time: str, views: Views, reset: Reset
) -> Managers:
    known = reconciled(managers, live, views)
    left, (_, modified, added) = settle(live, new, known, writer=None, force=True, views=views, reset=reset)
    taken = difference(union(modified, added), NEVER_OWNED)
    if taken:
        before = left.get(who)
        left[who] = Owned(union(taken, before.fields) if before else taken, views.version, time)
    return left


def admit_managed_fields(new: Object, old: Object | None, *, subresource: str = "") -> None:
    """What a client may do to `managedFields` by itself: replace them by valid ones, or empty them (`[]`, `[{}]`), which
    ends the tracking until the next apply. Whatever else it sends counts as nothing said. `own_update` begins with this."""
    meta = metadata(new)
    if not subresource and _emptied(meta.get("managedFields")):
        meta["managedFields"] = []
    else:
        write(new, _admitted(new, old, subresource))


def _admitted(new: Object, old: Object | None, subresource: str) -> Managers:
    if subresource:
        return read_or_nothing(old)
    sent = metadata(new).get("managedFields")
    if _emptied(sent):
        return {}
    try:
        managers = read(sent or [])
    except BadElement:
        managers = {}
    return managers or read_or_nothing(old)


def _emptied(sent: object) -> bool:
    if not isinstance(sent, list) or len(sent) > 1:
        return False
    return not sent or (
        isinstance(sent[0], dict) and not any(value or value == {} for value in sent[0].values())
    )


def keep_times(new: Object, old: Object) -> None:
    """Of an object that only has newer times, the old ones: such a write changes nothing. To be asked last, when `new` is
    defaulted and admitted."""
    after, before = metadata(new).get("managedFields"), metadata(old).get("managedFields")
    if not after or not before or after == before or len(after) != len(before):
        return
    if all(map(_same_but_time, after, before)) and same(_bare(new), _bare(old)):
        metadata(new)["managedFields"] = before


def _same_but_time(one: Object, other: Object) -> bool:
    return {**one, "time": None} == {**other, "time": None}


def _bare(obj: Object) -> Object:
    meta = {
        key: value for key, value in metadata(obj).items() if key not in {"managedFields", "resourceVersion"}
    }
    return {**obj, "metadata": meta}
