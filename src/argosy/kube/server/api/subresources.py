"""What stands behind an object's name: its status, its scale, its log, and the things one does to it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from argosy.kube.errors import (
    ApiError,
    bad_request,
    conflict,
    method_not_allowed,
    no_such_resource,
    not_found,
)
from argosy.kube.objects import Object, labels_of, name_of
from argosy.kube.schema import struct
from argosy.kube.server.api import answers, bodies, options, patching, reading, scaling, writing
from argosy.kube.server.api.call import Call
from argosy.kube.server.api.conditions import with_condition
from argosy.kube.server.api.evicting import evict
from argosy.kube.server.api.pod_logs import log, stream
from argosy.kube.server.api.proxying import proxy
from argosy.kube.server.view import decoded
from argosy.kube.types import Kind
from argosy.kube.wire import Response


async def answer(call: Call) -> Response:
    sub = call.served.resource.subresources.get(call.address.subresource)
    if sub is None:
        if call.served.custom:
            raise not_found(call.plural, call.address.name, group=call.group)
        raise no_such_resource()
    if call.address.verb not in sub.verbs:
        raise method_not_allowed()
    if sub.name in _LIKE_THE_OBJECT:
        return await _LIKE_THE_OBJECT_VERBS[call.address.verb](call)
    return await _OWN[sub.name](call)


async def review(call: Call) -> Response:
    asked = options.writing(call.request, "CreateOptions")
    obj = bodies.obj(call, asked.validation)
    meta = obj.setdefault("metadata", {})
    writing.match_namespace(call, obj)
    writing.own(call, obj, None, asked)
    reviewed = call.cluster.access.review(call.user, obj)
    reviewed.setdefault("metadata", meta)
    return answers.one(call, reviewed, call.form(), status=201)


async def bind(call: Call) -> Response:
    """The scheduler's word: which node a pod runs on. Said once."""
    asked = options.writing(call.request, "CreateOptions")
    binding = bodies.part(call, asked.validation, _BINDING, struct("core.v1.Binding"))
    if not call.address.name:
        call = _about(call, name_of(binding))
    if name_of(binding) != call.address.name:
        raise bad_request("name in URL does not match name in Binding object")
    _check_target(binding.get("target") or {})
    stored = call.latest()
    pod = _bound(call, decoded(stored), binding)
    if not asked.dry_run:
        await call.cluster.writer.put(stored.key, pod)
    return answers.plain(
        {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}, status=201
    )


def _about(call: Call, name: str) -> Call:
    """The old way of binding: posted to a collection of its own."""
    served = call.cluster.registry.find("", "v1", "pods")
    if served is None:
        raise no_such_resource()
    return replace(call, served=served, address=replace(call.address, plural="pods", name=name))


def _check_target(target: Object) -> None:
    """500 upstream, whose errors these are by accident."""
    if target.get("kind") not in {None, "", "Node"}:
        raise bad_request(
            f'target.kind: Unsupported value: "{target["kind"]}": supported values: "Node", "<empty>"'
        )
    if not target.get("name"):
        raise bad_request("target.name: Required value")


def _bound(call: Call, pod: Object, binding: Object) -> Object:
    meta, said = pod["metadata"], binding["metadata"]
    for precondition in ("uid", "resourceVersion"):
        if said.get(precondition) and said[precondition] != meta[precondition]:
            raise _unbound(
                call,
                f"Precondition failed: {precondition} in precondition: {said[precondition]}, in object meta: {meta[precondition]}",
            )
    why = ""
    if meta.get("deletionTimestamp"):
        why = "is being deleted, cannot be assigned to a host"
    elif pod["spec"].get("nodeName"):
        why = f'is already assigned to node "{pod["spec"]["nodeName"]}"'
    elif pod["spec"].get("schedulingGates"):
        why = "has non-empty .spec.schedulingGates"
    if why:
        raise _unbound(call, f"pod {call.address.name} {why}")
    node = binding["target"]["name"]
    pod["spec"]["nodeName"] = node
    pod["status"].pop("nominatedNodeName", None)
    for part, added in (("annotations", said.get("annotations")), ("labels", _labels(call, binding, node))):
        if added:
            meta[part] = {**(meta.get(part) or {}), **added}
    scheduled = {"type": "PodScheduled", "status": "True", "lastProbeTime": None}
    pod["status"]["conditions"] = with_condition(pod["status"].get("conditions"), scheduled, writing.now())
    return pod


def _labels(call: Call, binding: Object, node: str) -> dict[str, str]:
    """A pod knows where its node stands."""
    found = labels_of(call.cluster.view.get("nodes", "", node) or {})
    return {**labels_of(binding), **{key: found[key] for key in _TOPOLOGY if key in found}}


async def _token(call: Call) -> Response:
    asked = options.writing(call.request, "CreateOptions")
    account = decoded(call.latest())
    request = bodies.part(call, asked.validation, _TOKEN_REQUEST, struct("authentication.v1.TokenRequest"))
    meta, spec = request["metadata"], request["spec"]
    if spec.get("expirationSeconds") is None:
        spec["expirationSeconds"] = _TOKEN_SECONDS
    for part in [name for name, value in spec.items() if value is None]:
        del spec[part]
    request.pop("status", None)
    writing.own(call, request, None, asked, schema=struct("authentication.v1.TokenRequest"))
    for entry in meta.get("managedFields") or ():
        spec_owned = entry["fieldsV1"].get("f:spec", {})
        for owned in (spec_owned, spec_owned.get("f:boundObjectRef", {})):
            owned.pop(".", None)  # both are always there
    reference = spec.get("boundObjectRef")
    bound = None
    if reference:
        collection = {"Pod": "pods", "Secret": "secrets", "Node": "nodes"}.get(reference.get("kind", ""), "")
        namespace = "" if collection == "nodes" else call.address.namespace
        name = reference.get("name", "")
        bound = call.cluster.view.get(collection, namespace, name)
        if bound is None and collection:
            raise not_found(collection, name)
    issued = call.cluster.access.issue(request, account, bound)
    if meta.get("managedFields"):
        issued["metadata"]["managedFields"] = meta["managedFields"]
    return answers.plain(issued, status=201)


async def _finalize(call: Call) -> Response:
    """A namespace is let go by whoever emptied it: `spec.finalizers` changes only here."""
    return await writing.put(call)


_BINDING = Kind("", "v1", "Binding")
_TOKEN_REQUEST = Kind("authentication.k8s.io", "v1", "TokenRequest")
_TOKEN_SECONDS = 3600
_TOPOLOGY = ("topology.kubernetes.io/region", "topology.kubernetes.io/zone")
_OWN: Mapping[str, Callable[[Call], Awaitable[Response]]] = {
    "scale": scaling.answer,
    "binding": bind,
    "token": _token,
    "finalize": _finalize,
    "eviction": evict,
    "log": log,
    "exec": stream,
    "attach": stream,
    "portforward": stream,
    "proxy": proxy,
}
_LIKE_THE_OBJECT = {"status", "ephemeralcontainers", "resize", "approval"}
_LIKE_THE_OBJECT_VERBS: Mapping[str, Callable[[Call], Awaitable[Response]]] = {
    "get": reading.get,
    "update": writing.put,
    "patch": patching.patch,
}


def _unbound(call: Call, why: str) -> ApiError:
    return conflict("pods/binding", call.address.name, why)
