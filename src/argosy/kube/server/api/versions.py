"""Objects in the version that was asked for: most are stored in it, and then nothing is touched."""

from __future__ import annotations

import msgspec

from argosy.kube.objects import Object
from argosy.kube.server.api.call import Call
from argosy.kube.server.store import Stored

_OBJECT = msgspec.json.Decoder(Object)
_JSON = msgspec.json.Encoder()


def bytes_in_version(call: Call, stored: Stored) -> bytes:
    return body_in_version(call, stored.body, stored.revision)


def body_in_version(call: Call, body: bytes, revision: int) -> bytes:
    served = call.served
    if served.as_stored and revision >= served.since:
        return body
    obj = served.from_stored(_OBJECT.decode(body))
    return _JSON.encode({"kind": obj["kind"], "apiVersion": obj["apiVersion"], **obj})


def in_version(call: Call, stored: Stored) -> Object:
    obj = _OBJECT.decode(stored.body)
    served = call.served
    return obj if served.as_stored and stored.revision >= served.since else served.from_stored(obj)
