"""`scale`: how many replicas, in one form for every kind that has them."""

from __future__ import annotations

from functools import partial

import msgspec

from argosy.kube.errors import Cause, bad_request, invalid
from argosy.kube.objects import Object, metadata
from argosy.kube.schema import struct
from argosy.kube.server.api import answers, bodies, options, patching, writing
from argosy.kube.server.api.call import Call
from argosy.kube.server.api.versions import in_version
from argosy.kube.server.decoding import decode
from argosy.kube.server.registry import ScalePaths
from argosy.kube.server.rules.selectors import LabelSelector, Requirement
from argosy.kube.types import Kind
from argosy.kube.wire import Response

_KIND = Kind("autoscaling", "v1", "Scale")
_SCHEMA = struct("autoscaling.v1.Scale")
_OPERATORS = {"In": "in", "NotIn": "notin", "Exists": "exists", "DoesNotExist": "!"}
_BUILT_IN = ScalePaths(("spec", "replicas"), ("status", "replicas"), ())


async def answer(call: Call) -> Response:
    wanted = call.form(shapes=False)
    if call.address.verb == "get":
        return answers.one(call, _read(call, in_version(call, call.committed())), wanted)
    if call.address.verb == "update":
        asked = options.writing(call.request, "UpdateOptions")
        said = bodies.part(call, asked.validation, _KIND, _SCHEMA)
        writing.match_name(call, said)
        outcome = await writing.update(call, _changed(call, lambda _: said), asked)
    elif bodies.media_type(call) == patching.APPLY:
        asked = options.writing(call.request, "PatchOptions", applying=True)
        outcome = await writing.update(call, _applied(call, asked), asked, applied=True)
    else:
        asked = options.writing(call.request, "PatchOptions")
        patch = patching.change(call, asked, schema=_SCHEMA, decode=partial(decode, schema=_SCHEMA))
        outcome = await writing.update(call, _changed(call, patch), asked)
    return answers.one(call, of(call, outcome.obj), wanted)


def _changed(call: Call, change: patching.Change) -> patching.Change:
    """Of the object, by what changes its scale."""

    def changed(obj: Object) -> Object:
        scale = change(of(call, obj))
        writing.match_name(call, scale)
        if version := scale["metadata"].get("resourceVersion"):
            obj["metadata"]["resourceVersion"] = version
        return _with(obj, _paths(call).spec, _replicas(call, scale))

    return changed


def _applied(call: Call, asked: options.Writing) -> patching.Change:
    """Who applies a scale owns the one field of the object that stands for it."""
    scale, _ = patching.intended(call, _KIND)
    kind, meta = call.served.resource.kind, metadata(scale)
    known = {key: meta[key] for key in ("name", "resourceVersion") if key in meta}
    intent: Object = {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": known}
    if "replicas" in (decode(scale, _SCHEMA, fill=False).obj.get("spec") or {}):
        intent = _with(intent, _paths(call).spec, _replicas(call, scale))
    return lambda live: patching.applied_to(call, live, intent, asked)


def _replicas(call: Call, scale: Object) -> int:
    replicas: int = (scale.get("spec") or {}).get("replicas", 0)
    if replicas < 0 and not call.served.custom:  # a custom kind judges the field where it has it
        why = f"Invalid value: {replicas}: must be greater than or equal to 0"
        cause = Cause("FieldValueInvalid", why, "spec.replicas")
        raise invalid(_KIND.kind, call.address.name, [cause], group=_KIND.group)
    return replicas


def _read(call: Call, obj: Object) -> Object:
    """A custom object that names no number has no scale to read; one can still be written. 500 upstream."""
    path = _paths(call).spec
    if call.served.custom and _at(obj, path) is None:
        raise bad_request(f'the spec replicas field ".{".".join(path)}" does not exist')
    return of(call, obj)


def of(call: Call, obj: Object) -> Object:
    meta, paths = obj["metadata"], _paths(call)
    scale: Object = {
        "kind": _KIND.kind,
        "apiVersion": _KIND.api_version,
        "metadata": {
            key: meta[key]
            for key in ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
            if key in meta
        },
        "spec": {},
        "status": {"replicas": _at(obj, paths.status) or 0},
    }
    replicas = _at(obj, paths.spec)
    if replicas:
        scale["spec"]["replicas"] = replicas
    selector = (
        _at(obj, paths.selector) if paths.selector else _selector_text(obj["spec"].get("selector") or {})
    )
    if selector:
        scale["status"]["selector"] = selector
    return scale


def _selector_text(selector: Object) -> str:
    """As a query has it; replication controllers keep labels only, without a name around them."""
    if not {"matchLabels", "matchExpressions"} & selector.keys():
        selector = {"matchLabels": selector}
    found = [Requirement(key, "=", (value,)) for key, value in (selector.get("matchLabels") or {}).items()]
    found += [
        Requirement(one["key"], _OPERATORS[one["operator"]], tuple(one.get("values") or ()))
        for one in selector.get("matchExpressions") or ()
    ]
    return str(LabelSelector(tuple(sorted(found, key=lambda one: one.key))))


def _paths(call: Call) -> ScalePaths:
    return call.served.scale or _BUILT_IN


def _at(obj: Object, path: tuple[str, ...]) -> object:
    found: object = obj
    for part in path:
        found = found.get(part) if isinstance(found, dict) else None
    return found


def _with(obj: Object, path: tuple[str, ...], value: int) -> Object:
    made: Object = msgspec.json.decode(msgspec.json.encode(obj), type=Object)
    holder = made
    for part in path[:-1]:
        holder = holder.setdefault(part, {})
    holder[path[-1]] = value
    return made
