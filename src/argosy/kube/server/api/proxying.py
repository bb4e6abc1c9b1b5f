"""`proxy`: HTTP to a pod or service, through the API server.

It connects only where the nodes say that a pod really listens, or to what the platform itself has published; never to an
address that somebody wrote into an Endpoints object.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

import aiohttp
from yarl import URL

from argosy.kube.errors import bad_request, unavailable
from argosy.kube.objects import Object, labels_of
from argosy.kube.server.api.call import Call
from argosy.kube.server.view import decoded
from argosy.kube.wire import Response

_DROPPED = {
    "host",
    "connection",
    "authorization",
    "cookie",
    "transfer-encoding",
    "content-length",
    "keep-alive",
    "upgrade",
}
_SECONDS = 30


async def proxy(call: Call) -> Response:
    scheme, name, port = _target(call.address.name)
    if call.plural == "nodes":
        raise unavailable(f"error trying to reach service: {name} is no machine of its own")
    host, number = _service(call, name, port) if call.plural == "services" else _pod(call, name, port)
    url = URL.build(
        scheme=scheme or "http", host=host, port=number, path=call.address.rest, query=call.request.query
    )
    headers = {name: value for name, value in call.request.headers.items() if name not in _DROPPED}
    session = aiohttp.ClientSession(
        auto_decompress=False, timeout=aiohttp.ClientTimeout(sock_connect=_SECONDS)
    )
    try:
        answer = await session.request(
            call.request.method,
            url,
            headers=headers,
            data=call.request.body or None,
            allow_redirects=False,
            ssl=False,
        )
    except aiohttp.ClientError as error:
        await session.close()
        raise unavailable(f"error trying to reach service: {error}") from error
    kept = {name.lower(): value for name, value in answer.headers.items() if name.lower() not in _DROPPED}
    return Response(answer.status, kept, _streamed(session, answer))


async def _streamed(session: aiohttp.ClientSession, answer: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    async with session, answer:
        async for chunk in answer.content.iter_any():
            yield chunk


def _target(text: str) -> tuple[str, str, str]:
    """`[scheme:]name[:port]`."""
    match text.split(":"):
        case [name]:
            return "", name, ""
        case [name, port]:
            return "", name, port
        case [("http" | "https" | "") as scheme, name, port]:
            return scheme, name, port
        case _:
            raise bad_request(f'invalid service request "{text}"')


def _pod(call: Call, name: str, port: str) -> tuple[str, int]:
    call.address = replace(call.address, name=name)
    pod = decoded(call.committed())
    ports = [one for container in pod["spec"]["containers"] for one in container.get("ports") or ()]
    if not (pod.get("status") or {}).get("podIP"):
        raise bad_request("address not allowed")
    number = int(port) if port.isdecimal() else (ports[0]["containerPort"] if ports else 80)
    return _reach(call, pod, number)


def _service(call: Call, name: str, port: str) -> tuple[str, int]:
    call.address = replace(call.address, name=name)
    service = decoded(call.committed())
    ports = service["spec"].get("ports") or []
    chosen = next((one for one in ports if port in {one.get("name", ""), str(one["port"])}), None)
    if chosen is None and not port and len(ports) == 1:
        chosen = ports[0]
    if chosen is None:
        raise unavailable(f'no service port "{port}" found for service "{name}"')
    for piece in call.cluster.view.list("endpointslices.discovery.k8s.io", call.address.namespace):
        if labels_of(piece).get("kubernetes.io/service-name") != name:
            continue
        for offered in piece.get("ports") or ():
            if offered.get("name", "") != chosen.get("name", ""):
                continue
            for endpoint in piece.get("endpoints") or ():
                if (endpoint.get("conditions") or {}).get("ready", True):
                    return _endpoint(call, endpoint, offered["port"])
    raise unavailable(f'no endpoints available for service "{name}"')


def _endpoint(call: Call, endpoint: Object, port: int) -> tuple[str, int]:
    target = endpoint.get("targetRef") or {}
    if target.get("kind") == "Pod":
        pod = call.cluster.view.get("pods", call.address.namespace, target.get("name", ""))
        if pod is not None:
            return _reach(call, pod, port)
    host = str(endpoint["addresses"][0])
    if call.cluster.kubelet.reachable(host, port):
        return host, port
    raise unavailable(f"error trying to reach service: dial tcp {host}:{port}: connect: connection refused")


def _reach(call: Call, pod: Object, port: int) -> tuple[str, int]:
    found = call.cluster.kubelet.address(pod, port)
    if found is None:
        address = (pod.get("status") or {}).get("podIP", "")
        raise unavailable(
            f"error trying to reach service: dial tcp {address}:{port}: connect: connection refused (the pod is simulated)"
        )
    return found
