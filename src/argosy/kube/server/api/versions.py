"""Objects in the version that was asked for: most are stored in it, and then nothing is touched. And whether a write meant the
state that it replaces."""

from __future__ import annotations

import msgspec

from argosy.kube.errors import STALE, Cause, conflict, invalid
from argosy.kube.objects import Object, name_of
from argosy.kube.server.api import options
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


def check_version(call: Call, new: Object, old: Object) -> None:
    meta, was, name = new["metadata"], old["metadata"], name_of(new)
    replaces = call.request.method == "PUT"
    uid = meta.get("uid")
    if replaces and uid and uid != was["uid"]:
        why = (
            f"StorageError: invalid object, Code: 4, Key: {_storage_key(call)}, ResourceVersion: 0, AdditionalErrorMsg: "
            f"Precondition failed: UID in precondition: {uid}, UID in object meta: {was['uid']}"
        )
        raise conflict(call.plural, name, why, group=call.group)
    said = meta.get("resourceVersion") or ""
    if said and not said.isdecimal():
        raise options.bad_version(said)
    if said in {"", "0"}:
        if replaces and not call.served.rules.unconditional_update:
            told = "Invalid value: 0: must be specified for an update"
            cause = Cause("FieldValueInvalid", told, "metadata.resourceVersion")
            raise invalid(call.plural, name, [cause], group=call.group)
    elif said != was["resourceVersion"]:
        raise conflict(call.plural, name, STALE, group=call.group)


def _storage_key(call: Call) -> str:
    key = call.key()
    group = [call.group] if call.served.custom else []
    return "/".join(["/registry", *group, call.plural, *([key.namespace] if key.namespace else []), key.name])
