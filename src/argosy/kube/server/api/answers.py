"""An object, a list or an error as the bytes of an answer, in the form that was asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec

from argosy.kube.errors import ApiError
from argosy.kube.objects import Object
from argosy.kube.server import tables
from argosy.kube.server.api import warned, yaml
from argosy.kube.server.api.call import Call
from argosy.kube.server.api.negotiation import JSON, YAML, Form, wants_yaml
from argosy.kube.server.api.pacing import paced
from argosy.kube.wire import Request, Response

_JSON = msgspec.json.Encoder()
_HEADERS = {"content-type": JSON, "cache-control": "no-cache, private"}


def plain(obj: object, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(status, {**_HEADERS, **(headers or {})}, _JSON.encode(obj) + b"\n")


def failure(error: ApiError, request: Request | None = None, warnings: Sequence[str] = ()) -> Response:
    headers = {"retry-after": str(error.retry_after)} if error.retry_after else {}
    if warnings:
        headers["warning"] = warned.header(warnings)
    if request is not None and wants_yaml(request):
        headers |= {"content-type": YAML, "cache-control": "no-cache, private"}
        return Response(error.code, headers, yaml.written(error.status()))
    return plain(error.status(), status=error.code, headers=headers)


def one(call: Call, obj: Object, form: Form, *, status: int = 200) -> Response:
    """An object as the asked version has it."""
    if form.shape == "table":
        body: object = tables.table(
            call.served, [obj], form.version, revision=_revision(obj), include=form.include
        )
    elif form.shape == "metadata":
        body = _partial(obj, form.version)
    else:
        body = obj
    return _written(call, body, form, status)


def raw(call: Call, body: bytes, form: Form, *, status: int = 200) -> Response:
    """Bytes of the store, as they are when nothing else was asked for."""
    if form.shape == "object" and not form.yaml:
        return Response(status, headers(call), body + b"\n")
    return one(call, msgspec.json.decode(body, type=Object), form, status=status)


def list_metadata(call: Call, revision: int) -> Object:
    """Lists of custom kinds always say where they go on, even if nowhere."""
    metadata: Object = {"continue": ""} if call.served.custom else {}
    return {**metadata, "resourceVersion": str(revision)}


async def many(call: Call, bodies: Iterable[bytes], metadata: Object, form: Form) -> Response:
    """A list. It may be long, so it is written piece by piece."""
    if form.shape != "object" and not metadata.get("continue"):
        metadata.pop("continue", None)
    head, field = _around(call, metadata, form)
    if not call.served.custom and form.shape == "object":
        bodies = _without_identity(call, bodies)
    items = [item async for item in paced(map(_item(call, form), bodies))]
    if form.yaml:
        return Response(200, {**headers(call), "content-type": YAML}, yaml.with_list(head, field, items))
    body = b'%s,"%s":[%s]}\n' % (_JSON.encode(head)[:-1], field.encode(), b",".join(items))
    return Response(200, headers(call), body)


def _around(call: Call, metadata: Object, form: Form) -> tuple[Object, str]:
    """A list without its items, and what they are called."""
    match form.shape:
        case "table":
            empty = tables.table(call.served, [], form.version, metadata=metadata, include=form.include)
            del empty["rows"]
            return empty, "rows"
        case "metadata":
            kind, version = "PartialObjectMetadataList", f"meta.k8s.io/{form.version}"
        case _:
            kind, version = call.served.resource.kind.kind + "List", call.served.resource.kind.api_version
    return {"kind": kind, "apiVersion": version, "metadata": metadata}, "items"


def _item(call: Call, form: Form) -> Callable[[bytes], bytes]:
    """How an object is written in the list, out of its bytes."""
    if form.shape == "object" and not form.yaml:
        return lambda body: body
    write = yaml.item if form.yaml else _JSON.encode

    def written(body: bytes) -> bytes:
        obj = msgspec.json.decode(body, type=Object)
        if form.shape == "table":
            (row,) = tables.table(call.served, [obj], form.version, include=form.include)["rows"]
            return write(row)
        return write(_partial(obj, form.version) if form.shape == "metadata" else obj)

    return written


def _partial(obj: Object, version: str) -> Object:
    return {
        "kind": "PartialObjectMetadata",
        "apiVersion": f"meta.k8s.io/{version}",
        "metadata": obj["metadata"],
    }


def _without_identity(call: Call, bodies: Iterable[bytes]) -> Iterator[bytes]:
    """Items of a list of a built-in kind do not say what they are; every body begins with it (`writer`)."""
    kind = call.served.resource.kind
    prefix = b'{"kind":"%s","apiVersion":"%s",' % (kind.kind.encode(), kind.api_version.encode())
    return (b"{" + body[len(prefix) :] if body.startswith(prefix) else body for body in bodies)


def success(call: Call, details: Object) -> Response:
    """What a delete answers when the object is gone."""
    status = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": {key: value for key, value in details.items() if value},
    }
    return Response(200, headers(call), _JSON.encode(status) + b"\n")


def _written(call: Call, body: object, form: Form, status: int) -> Response:
    if form.yaml:
        return Response(status, {**headers(call), "content-type": YAML}, yaml.written(body))
    return Response(status, headers(call), _JSON.encode(body) + b"\n")


def headers(call: Call) -> dict[str, str]:
    return {**_HEADERS, "warning": warned.header(call.warnings)} if call.warnings else _HEADERS


def _revision(obj: Object) -> str:
    return str(obj["metadata"].get("resourceVersion", ""))
