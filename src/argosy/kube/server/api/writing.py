"""POST and PUT, and the last part of every write: from an object somebody wants to one that is stored.

`create` and `update` are also what `patching` ends in. In both, everything between reading the newest state and staging
the new one happens without awaiting, but for objects that take long to check (`Rules.slow_from`): those are checked in a thread, and
begun anew if somebody wrote meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import msgspec

from argosy.kit import clock
from argosy.kube.errors import (
    Cause,
    already_exists,
    bad_request,
    invalid,
    not_found,
)
from argosy.kube.objects import Object, name_of, namespace_of
from argosy.kube.schema import Struct
from argosy.kube.server import admission, ownership
from argosy.kube.server.access import Attributes
from argosy.kube.server.admission import Write
from argosy.kube.server.api import answers, bodies, options
from argosy.kube.server.api.aside import aside
from argosy.kube.server.api.call import Call
from argosy.kube.server.api.names import generated, new_uid
from argosy.kube.server.api.options import Writing
from argosy.kube.server.api.versions import check_version, in_version
from argosy.kube.server.decoding import fill, forget_empties
from argosy.kube.server.rules import Rules
from argosy.kube.server.store import Stored
from argosy.kube.wire import Response

_CANONICAL = msgspec.json.Encoder(order="sorted")
_SYSTEM_FIELDS = ("uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink")


@dataclass(frozen=True, slots=True)
class Outcome:
    obj: Object
    created: bool = False


async def post(call: Call) -> Response:
    wanted, asked = call.form(), options.writing(call.request, "CreateOptions")
    obj = await aside(call, lambda: bodies.obj(call, asked.validation))
    stored = await create(call, obj, asked, versionless=True)
    return answers.one(call, stored.obj, wanted, status=201)


async def put(call: Call) -> Response:
    wanted, asked = call.form(), options.writing(call.request, "UpdateOptions")
    obj = await aside(call, lambda: bodies.obj(call, asked.validation))
    match_namespace(call, obj)
    match_name(call, obj)
    if call.cluster.store.latest(call.key()) is None:
        if not call.served.rules.create_on_update:
            raise not_found(call.plural, call.address.name, group=call.group)
        call.cluster.access.require(call.user, attributes(call, "create"))
        outcome = await create(call, obj, asked)
    else:
        outcome = await update(call, lambda _: obj, asked)
    return answers.one(call, outcome.obj, wanted, status=201 if outcome.created else 200)


async def create(
    call: Call, obj: Object, asked: Writing, *, applied: bool = False, versionless: bool = False
) -> Outcome:
    """`versionless`: whether a resourceVersion in it is refused rather than forgotten."""
    served = call.served
    rules = served.rules
    meta: Object = obj.setdefault("metadata", {})
    for field in _SYSTEM_FIELDS:
        meta.pop(field, None)
    version = meta.pop("resourceVersion", "")
    match_namespace(call, obj)
    drop_repeated_owners(call, obj)
    await aside(call, partial(_completed, call, obj, None, asked, applied=applied))
    write = Write(call.cluster.view, call.user, "CREATE", served.resource, obj, None, warnings=call.warnings)
    admission.admit(write)
    meta["uid"], meta["creationTimestamp"] = new_uid(), now()
    if not meta.get("name") and meta.get("generateName"):
        meta["name"] = generated(meta["generateName"])
    rules.prepare_create(obj)
    fill(obj, served.schema)
    _check_rbac(call, obj, None)
    causes, told = await aside(call, lambda: _judged(rules.validate(obj), rules, obj, None))
    _refuse(call, obj, causes)
    admission.check(write)
    call.warnings += told
    key = call.key(meta["name"])
    if version not in {"", "0"} and versionless:
        raise bad_request("resourceVersion should not be set on objects to be created")
    if call.cluster.store.latest(key) is not None:
        raise already_exists(call.plural, meta["name"], group=call.group)
    forget_empties(call.empties)
    return Outcome(await _put(call, obj, asked), created=True)


async def update(
    call: Call, change: Callable[[Object], Object], asked: Writing, *, applied: bool = False
) -> Outcome:
    """`change` answers what the newest state should become; it may raise."""
    while True:
        stored, warnings, empties = call.latest(), len(call.warnings), len(call.empties)
        old, new = await _changed(call, stored, change, asked, applied=applied)
        if call.latest() is stored:
            break
        del call.warnings[warnings:], call.empties[empties:]
    forget_empties(call.empties)
    ownership.keep_times(new, old)
    served = call.served
    if new["metadata"].get("deletionTimestamp") and _is_free(new, served.rules):
        if not asked.dry_run:
            await call.cluster.writer.remove(call.key(name_of(new)), served.to_stored(old))
        return Outcome(new)
    if new == old:
        await call.cluster.store.settled()  # equal, perhaps, to what nobody can read yet
        return Outcome(old)
    return Outcome(await _put(call, new, asked))


async def _changed(
    call: Call, stored: Stored, change: Callable[[Object], Object], asked: Writing, *, applied: bool
) -> tuple[Object, Object]:
    """The object as it was and as it is to be, checked. What is awaited first of all comes before the checks that look at others."""
    served = call.served
    rules = served.rules
    old = in_version(call, stored)
    new = await aside(call, lambda: change(in_version(call, stored)))
    check_version(call, new, old)
    match_namespace(call, new)
    match_name(call, new)
    drop_repeated_owners(call, new)
    await aside(call, partial(_completed, call, new, old, asked, applied=applied))
    sub = call.address.subresource
    write = Write(call.cluster.view, call.user, "UPDATE", served.resource, new, old, sub, call.warnings)
    admission.admit(write)
    _keep_identity(new, old)
    steps = rules.steps(sub)
    steps.prepare(new, old)
    fill(new, served.schema)
    causes, told = await aside(call, lambda: _judged(steps.validate(new, old), rules, new, old))
    call.warnings += rules.tolerated()
    _refuse(call, new, causes)
    admission.check(write)
    _check_rbac(call, new, old)
    call.warnings += told
    return old, new


def _judged(
    causes: list[Cause], rules: Rules, obj: Object, old: Object | None
) -> tuple[list[Cause], list[str]]:
    """With the warnings, unless it is refused."""
    return causes, [] if causes else rules.warnings(obj, old)


def _completed(call: Call, obj: Object, old: Object | None, asked: Writing, *, applied: bool) -> None:
    """In place: with its defaults, and with who owns what, unless that was decided by applying it."""
    call.served.rules.default(obj)
    if not applied:
        ownership.admit_managed_fields(obj, old)
        own(call, obj, old, asked)


def match_namespace(call: Call, obj: Object) -> None:
    meta = obj["metadata"]
    if not call.served.resource.namespaced:
        meta.pop("namespace", None)
    elif not meta.get("namespace"):
        meta["namespace"] = call.address.namespace
    elif meta["namespace"] != call.address.namespace:
        raise bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
        )


def match_name(call: Call, obj: Object) -> None:
    if not name_of(obj):
        raise bad_request(
            f"the name of the object ({call.address.name} based on URL) was undeterminable: name must be provided"
        )
    if name_of(obj) != call.address.name:
        raise bad_request(
            f"the name of the object ({name_of(obj)}) does not match the name on the URL ({call.address.name})"
        )


def attributes(call: Call, verb: str) -> Attributes:
    address = call.address
    return Attributes(
        verb=verb,
        group=address.group,
        version=address.version,
        resource=address.plural,
        subresource=address.subresource,
        namespace=address.namespace,
        name=address.name,
    )


def now() -> str:
    return clock.now().strftime("%Y-%m-%dT%H:%M:%SZ")


def drop_repeated_owners(call: Call, obj: Object) -> None:
    owners = obj["metadata"].get("ownerReferences")
    if not isinstance(owners, list) or len(owners) < 2:
        return
    seen: set[bytes] = set()
    kept: list[Object] = []
    repeated: list[Object] = []
    for one in owners:
        said = _CANONICAL.encode(one)
        (repeated if said in seen else kept).append(one)
        seen.add(said)
    if repeated:
        told = ", ".join(dict.fromkeys(str(one.get("uid")) for one in repeated))
        call.warnings.append(
            ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may "
            f"reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {told}"
        )
        obj["metadata"]["ownerReferences"] = kept


def own(call: Call, new: Object, old: Object | None, asked: Writing, *, schema: Struct | None = None) -> None:
    """`schema`: of a subresource that is a kind of its own."""
    sub = call.address.subresource
    reset = ownership.reset_fields(call.served.resource, sub, custom=call.served.custom)
    ownership.own_update(
        new,
        old,
        schema or call.served.schema,
        manager=asked.manager,
        subresource=sub,
        time="" if sub == "scale" else now(),  # as upstream forgets it
        reset=reset,
    )


def _keep_identity(new: Object, old: Object) -> None:
    """What a write can neither set nor lose."""
    meta, was = new["metadata"], old["metadata"]
    meta["resourceVersion"] = was["resourceVersion"]
    if "generation" in was:
        meta["generation"] = was["generation"]
    else:
        meta.pop("generation", None)
    meta["uid"] = meta.get("uid") or was["uid"]
    for field in ("creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"):
        if field in was:
            meta[field] = was[field]


def _refuse(call: Call, obj: Object, causes: list[Cause]) -> None:
    if causes:
        # Of the group in which it is kept: an event is one of the core.
        group = call.served.collection.partition(".")[2]
        raise invalid(call.served.resource.kind.kind, name_of(obj), causes, group=group)


def _check_rbac(call: Call, obj: Object, old: Object | None) -> None:
    if call.group == "rbac.authorization.k8s.io":
        call.cluster.access.check_rbac_write(call.user, obj, old, namespace_of(obj))


def _is_free(obj: Object, rules: Rules) -> bool:
    """Marked for deletion, and nobody holds it any more."""
    meta = obj["metadata"]
    return not meta.get("finalizers") and not meta.get("deletionGracePeriodSeconds") and not rules.holds(obj)


async def _put(call: Call, obj: Object, asked: Writing) -> Object:
    """Answers what a reader will see: an object that is stored in another version may have lost something on the way."""
    stored = call.served.to_stored(obj)
    if not asked.dry_run:
        stored = await call.cluster.writer.put(call.key(name_of(obj)), stored)
    return obj if stored is obj else call.served.from_stored(stored)
