"""`log`: what a container wrote, from the node that runs it."""

from __future__ import annotations

from datetime import timedelta

from argosy.kit import clock
from argosy.kube.errors import ApiError, Cause, bad_request, invalid
from argosy.kube.kubelet import LogOptions
from argosy.kube.objects import Object
from argosy.kube.server.api import options
from argosy.kube.server.api.call import Call
from argosy.kube.server.view import decoded
from argosy.kube.wire import Response


async def log(call: Call) -> Response:
    request = call.request
    tail, most = options.optional(request, "tailLines"), options.optional(request, "limitBytes")
    seconds, since = options.optional(request, "sinceSeconds"), request.parameter("sinceTime")
    _check(call, tail, most, seconds, since)
    pod = decoded(call.committed())
    if seconds:
        since = (clock.now() - timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")
    asked = LogOptions(
        container=container_of(pod, request.parameter("container")),
        follow=options.boolean(request, "follow") or False,
        previous=options.boolean(request, "previous") or False,
        timestamps=options.boolean(request, "timestamps") or False,
        tail=tail,
        since=since,
        most_bytes=most,
    )
    if not pod["spec"].get("nodeName"):
        return Response(204, {})
    _check_started(pod, asked)
    return Response(200, {"content-type": "text/plain"}, call.cluster.kubelet.logs(pod, asked))


async def stream(call: Call) -> Response:
    """`exec` and its like: refused as upstream refuses them, and otherwise not to be had."""
    pod = decoded(call.committed())
    if call.address.subresource != "portforward":
        container_of(pod, call.request.parameter("container"))
    check_node(pod)
    raise ApiError(
        501, "NotImplemented", f"{call.plural}/{call.address.subresource} needs nodes that run processes"
    )


def check_node(pod: Object) -> None:
    if not pod["spec"].get("nodeName"):
        raise bad_request(f"pod {pod['metadata']['name']} does not have a host assigned")


def _check(call: Call, tail: int | None, most: int | None, seconds: int | None, since: str) -> None:
    causes: list[Cause] = []
    if tail is not None and tail < 0:
        causes.append(_invalid("tailLines", tail, "must be greater than or equal to 0"))
    if most is not None and most < 1:
        causes.append(_invalid("limitBytes", most, "must be greater than 0"))
    if seconds is not None and since:
        told = "Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified"
        causes.append(Cause("FieldValueForbidden", told, "[]"))
    elif seconds is not None and seconds < 1:
        causes.append(_invalid("sinceSeconds", seconds, "must be greater than 0"))
    if causes:
        raise invalid("PodLogOptions", call.address.name, causes)


def _invalid(field: str, value: int, why: str) -> Cause:
    return Cause("FieldValueInvalid", f"Invalid value: {value}: {why}", field)


def container_of(pod: Object, name: str) -> str:
    spec = pod["spec"]
    regular = [one["name"] for one in spec.get("containers") or ()]
    initial = [one["name"] for one in spec.get("initContainers") or ()]
    shown = f"[{' '.join(regular)}]"
    told = f"pod {pod['metadata']['name']}"
    if not name:
        if len(regular) == 1:
            return str(regular[0])
        also = f" or one of the init containers: [{' '.join(initial)}]" if initial else ""
        raise bad_request(f"a container name must be specified for {told}, choose one of: {shown}{also}")
    others = [one["name"] for one in spec.get("ephemeralContainers") or ()]
    if name not in regular + initial + others:
        raise bad_request(f"container {name} is not valid for {told}")
    return name


def _check_started(pod: Object, asked: LogOptions) -> None:
    name, status = pod["metadata"]["name"], pod.get("status") or {}
    kinds = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")
    states = [one for kind in kinds for one in status.get(kind) or ()]
    state = next((one for one in states if one["name"] == asked.container), None)
    waiting = (state or {}).get("state", {}).get("waiting")
    if asked.previous and (state is None or not state.get("lastState", {}).get("terminated")):
        raise bad_request(f'previous terminated container "{asked.container}" in pod "{name}" not found')
    started = state is not None and (not waiting or state.get("lastState", {}).get("terminated"))
    if not started:
        reason = (waiting or {}).get("reason", "ContainerCreating")
        why = "trying and failing to pull image" if "Pull" in reason else f"waiting to start: {reason}"
        raise bad_request(f'container "{asked.container}" in pod "{name}" is {why}')
