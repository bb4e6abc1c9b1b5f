"""DELETE: at once, after a grace period, or when its finalizers are gone; one object or a collection.

`plan` decides what a delete makes of an object, as pure data; `delete` and `delete_collection` carry it out.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import msgspec

from argosy.kit import clock
from argosy.kube.errors import Cause, bad_request, conflict, invalid
from argosy.kube.objects import Key, Object, name_of
from argosy.kube.schema import struct
from argosy.kube.server import admission
from argosy.kube.server.admission import Write
from argosy.kube.server.api import answers, bodies, options
from argosy.kube.server.api.call import Call
from argosy.kube.server.api.matching import Matcher
from argosy.kube.server.api.pacing import paced
from argosy.kube.server.api.versions import bytes_in_version
from argosy.kube.server.decoding import decode
from argosy.kube.server.registry import Served
from argosy.kube.server.view import decoded
from argosy.kube.wire import Request, Response

_ORPHAN, _FOREGROUND = "orphan", "foregroundDeletion"
_TIME = "%Y-%m-%dT%H:%M:%SZ"
_JOBS = (
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set "
    "propagationPolicy=Orphan to suppress this warning"
)
_POLICIES = ("Foreground", "Background", "Orphan")


class Preconditions(msgspec.Struct, frozen=True):
    uid: str | None = None
    resourceVersion: str | None = None


class DeleteOptions(msgspec.Struct, frozen=True):
    gracePeriodSeconds: int | None = None
    preconditions: Preconditions | None = None
    orphanDependents: bool | None = None
    propagationPolicy: str | None = None
    dryRun: list[str] | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """It goes now, or it stays as `marked` until somebody lets go of it; with both, it is told to go first. With neither it is on
    its way already."""

    now: bool = False
    marked: Object | None = None


async def delete(call: Call) -> Response:
    wanted = call.form()
    asked = _asked(call)
    stored = call.latest()
    obj = decoded(stored)
    check_preconditions(call, obj, asked)
    _admit(call, obj)
    call.warnings += _warnings(call, asked)
    planned = plan(call.served, obj, asked)
    if not asked.dryRun:
        await _carry_out(call, stored.key, obj, planned)
    left = planned.marked or obj
    if not planned.now:
        return answers.one(call, call.served.from_stored(left), wanted)
    obj = left
    if call.served.rules.returns_deleted:
        return answers.one(call, call.served.from_stored(obj), wanted)
    details = {"name": name_of(obj), "group": call.group, "kind": call.plural, "uid": obj["metadata"]["uid"]}
    return answers.success(call, details)


async def delete_collection(call: Call) -> Response:
    wanted, asked = call.form(), _asked(call)
    matcher = Matcher(call)
    listed = options.listing(call.request)
    options.check_list(listed)
    matcher.take(listed)
    store = call.cluster.store
    found = [
        one for one in store.list(call.served.collection, call.address.namespace) if matcher.matches(one.body)
    ]
    answered = [bytes_in_version(call, one) for one in found]
    revision = store.revision
    async for one in paced(found):
        newest = store.latest(one.key)
        if newest is None:
            continue
        obj = decoded(newest)
        check_preconditions(call, obj, asked)
        _admit(call, obj)
        planned = plan(call.served, obj, asked)
        if not asked.dryRun:
            await _carry_out(call, one.key, obj, planned)
    call.warnings += _warnings(call, asked)
    return await answers.many(call, answered, answers.list_metadata(call, revision), wanted)


def _admit(call: Call, obj: Object) -> None:
    view, resource = call.cluster.view, call.served.resource
    admission.admit(Write(view, call.user, "DELETE", resource, obj, obj, warnings=call.warnings))


async def _carry_out(call: Call, key: Key, obj: Object, planned: Plan) -> None:
    if planned.now:
        await call.cluster.writer.remove(key, planned.marked or obj, marked=planned.marked is not None)
    elif planned.marked is not None and planned.marked != obj:
        await call.cluster.writer.put(key, planned.marked)


def _warnings(call: Call, asked: DeleteOptions) -> list[str]:
    said = asked.propagationPolicy is not None or asked.orphanDependents is not None
    return [] if said or call.served.collection != "jobs.batch" else [_JOBS]


def plan(served: Served, obj: Object, asked: DeleteOptions) -> Plan:
    grace = served.rules.grace(obj, asked.gracePeriodSeconds)
    marked = msgspec.json.decode(msgspec.json.encode(obj), type=Object)
    meta = marked["metadata"]
    if grace is not None and "deletionTimestamp" in meta and meta.get("deletionGracePeriodSeconds"):
        return _hurried(marked, asked.gracePeriodSeconds)
    finalizers = _finalizers(served, meta.get("finalizers") or [], asked)
    graceful = bool(grace) and "deletionTimestamp" not in meta
    held = bool(finalizers) or served.rules.holds(marked)
    if grace is None and not held:
        return Plan(now=True)
    if finalizers:
        meta["finalizers"] = finalizers
    else:
        meta.pop("finalizers", None)
    if "deletionTimestamp" not in meta:
        _mark(meta, grace or 0)
        served.rules.prepare_deletion(marked)
    return Plan(now=not graceful and not held, marked=marked)


def _mark(meta: Object, grace: int) -> None:
    meta["deletionTimestamp"] = _moment(grace)
    meta["deletionGracePeriodSeconds"] = grace
    if meta.get("generation"):
        meta["generation"] += 1


def _hurried(marked: Object, seconds: int | None) -> Plan:
    """It is going already: a grace period can only become shorter."""
    meta = marked["metadata"]
    had = meta["deletionGracePeriodSeconds"]
    if seconds is None or seconds >= had:
        return Plan()
    left = max(seconds, 0)
    began = datetime.fromisoformat(meta["deletionTimestamp"]) - timedelta(seconds=had)
    meta["deletionTimestamp"] = (began + timedelta(seconds=left)).strftime(_TIME)
    meta["deletionGracePeriodSeconds"] = left
    return Plan(now=not left and not meta.get("finalizers"), marked=marked)


def _finalizers(served: Served, found: list[str], asked: DeleteOptions) -> list[str]:
    """Those of others stay; the garbage collector's say what becomes of the dependents."""
    orphan, foreground = _ORPHAN in found, _FOREGROUND in found and _ORPHAN not in found
    if asked.orphanDependents is not None:
        orphan, foreground = asked.orphanDependents, False
    elif asked.propagationPolicy is not None:
        orphan, foreground = asked.propagationPolicy == "Orphan", asked.propagationPolicy == "Foreground"
    elif not orphan and not foreground:
        orphan = served.rules.orphans
    kept = [one for one in found if one not in {_ORPHAN, _FOREGROUND}]
    return [*kept, *([_ORPHAN] if orphan else []), *([_FOREGROUND] if foreground else [])]


def _asked(call: Call) -> DeleteOptions:
    found: Any = _from_query(call.request)
    if call.request.body:
        found, _ = bodies.value(call, find_duplicates=False)
        if not isinstance(found, dict):
            raise bad_request(bodies.no_kind(found))
        said = str(found.get("kind") or ""), str(found.get("apiVersion") or "")
        if said[0] not in {"", "DeleteOptions"}:
            raise bad_request(bodies.not_registered(*said))
        found = decode(found, struct("meta.v1.DeleteOptions")).obj
    asked = msgspec.convert({key: value for key, value in found.items() if value is not None}, DeleteOptions)
    _check(asked)
    return asked


def _from_query(request: Request) -> Object:
    found: Object = {}
    grace = request.parameter("gracePeriodSeconds")
    if grace:
        found["gracePeriodSeconds"] = options.integer(request, "gracePeriodSeconds")
    if request.parameter("propagationPolicy"):
        found["propagationPolicy"] = request.parameter("propagationPolicy")
    if request.parameter("orphanDependents"):
        found["orphanDependents"] = options.boolean(request, "orphanDependents")
    if dry := [value for name, value in request.query if name == "dryRun"]:
        found["dryRun"] = dry
    return found


def _check(asked: DeleteOptions) -> None:
    causes: list[Cause] = []
    if asked.orphanDependents is not None and asked.propagationPolicy is not None:
        why = "orphanDependents and deletionPropagation cannot be both set"
        causes.append(
            Cause(
                "FieldValueInvalid", f'Invalid value: "{asked.propagationPolicy}": {why}', "propagationPolicy"
            )
        )
    if asked.propagationPolicy is not None and asked.propagationPolicy not in _POLICIES:
        supported = ", ".join(f'"{one}"' for one in (*_POLICIES, "nil"))
        why = f'Unsupported value: "{asked.propagationPolicy}": supported values: {supported}'
        causes.append(Cause("FieldValueNotSupported", why, "propagationPolicy"))
    if any(one != "All" for one in asked.dryRun or ()):
        shown = "[" + ",".join(f'"{one}"' for one in asked.dryRun or ()) + "]"
        causes.append(
            Cause("FieldValueNotSupported", f'Unsupported value: {shown}: supported values: "All"', "dryRun")
        )
    if causes:
        raise invalid("DeleteOptions", "", causes, group="meta.k8s.io")


def check_preconditions(call: Call, obj: Object, asked: DeleteOptions) -> None:
    meta, wanted = obj["metadata"], asked.preconditions
    if wanted is None:
        return
    kind, name = call.served.resource.kind.kind, name_of(obj)
    if wanted.uid is not None and wanted.uid != meta["uid"]:
        raise conflict(
            kind,
            name,
            f"the UID in the precondition ({wanted.uid}) does not match the UID in record ({meta['uid']}). The object might "
            "have been deleted and then recreated",
            group=call.group,
        )
    if wanted.resourceVersion is not None and wanted.resourceVersion != meta["resourceVersion"]:
        raise conflict(
            kind,
            name,
            f"the ResourceVersion in the precondition ({wanted.resourceVersion}) does not match the ResourceVersion in record "
            f"({meta['resourceVersion']}). The object might have been modified",
            group=call.group,
        )


def _moment(seconds: int) -> str:
    return (clock.now() + timedelta(seconds=seconds)).strftime(_TIME)
