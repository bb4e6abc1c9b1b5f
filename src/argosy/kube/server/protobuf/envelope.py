"""The envelope around a protobuf body, which says of what kind the object inside is."""

from __future__ import annotations

from functools import cache

from argosy.kube.errors import bad_request
from argosy.kube.objects import Object
from argosy.kube.server.protobuf.messages import message
from argosy.kube.server.protobuf.wire_format import Garbled, fields
from argosy.kube.types import pinned

PREFIX = b"k8s\x00"
_NONE = "provided data does not appear to be a protobuf message"
_OTHERS = {"DeleteOptions": "meta.v1.DeleteOptions", "Status": "meta.v1.Status"}


def from_protobuf(body: bytes) -> Object:
    if not body.startswith(PREFIX):
        what = f"{_NONE}, expected prefix [{' '.join(map(str, PREFIX))}]"
        raise bad_request(what if body else "empty data")
    try:
        unknown = dict(fields(body[len(PREFIX) :]))
        said = dict(fields(_bytes(unknown.get(1, b""))))
        api_version, kind = _bytes(said.get(1, b"")).decode(), _bytes(said.get(2, b"")).decode()
        name = _OTHERS.get(kind) or _types().get((api_version, kind))
        if name is None:
            raise bad_request(f'no kind "{kind}" is registered for version "{api_version}"')
        return {**message(_bytes(unknown.get(2, b"")), name), "apiVersion": api_version, "kind": kind}
    except (Garbled, UnicodeDecodeError, RecursionError) as error:
        raise bad_request(f"{_NONE}: {error}") from error


@cache
def _types() -> dict[tuple[str, str], str]:
    """Kinds of objects, and of what one posts to their subresources."""
    table = pinned()
    found = {(one.kind.api_version, one.kind.kind): one.type for one in table.resources}
    for one in table.resources:
        for sub in one.subresources.values():
            name = f"{sub.kind.group.split('.')[0] or 'core'}.{sub.kind.version}.{sub.kind.kind}"
            if table.type(name) is not None:
                found.setdefault((sub.kind.api_version, sub.kind.kind), name)
    return found


def _bytes(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise Garbled("a number where a message should be")
    return value
