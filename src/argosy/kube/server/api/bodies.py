"""The body of a request as an object of the kind that its address names."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial
from typing import Any

import msgspec

from argosy.kube.errors import ApiError, Cause, bad_request, invalid, unsupported_media_type
from argosy.kube.objects import Object, name_of
from argosy.kube.schema import Struct
from argosy.kube.server.api.call import Call
from argosy.kube.server.decoding import decode as typed
from argosy.kube.server.decoding import text
from argosy.kube.server.protobuf import from_protobuf
from argosy.kube.server.registry import Decode
from argosy.kube.types import Kind

_ACCEPTED = ("application/json", "application/yaml", "application/vnd.kubernetes.protobuf")
_YAML = ("application/yaml", "application/apply-patch+yaml")
_SHOWN = 30
_NO_KIND = "couldn't get version/kind; json parse error: json"
_UNREAD = (
    "couldn't get version/kind",
    "yaml: ",
    "provided data does not appear",
    "empty data",
    "Object '",
    "exceeded max depth",
)
_SCHEME = "pkg/runtime/scheme.go:111"


def media_type(call: Call) -> str:
    return call.request.headers.get("content-type", "").split(";")[0].strip().lower()


async def read_ahead(call: Call) -> None:
    """Long YAML takes its seconds, in a thread: the loop goes on meanwhile."""
    body = call.request.body
    if media_type(call) in _YAML and not body.startswith(b"{"):
        call.yaml = await asyncio.to_thread(_attempt, body)


def _attempt(body: bytes) -> tuple[Any, list[str]] | ApiError:
    try:
        return text.yaml_value(body)
    except ApiError as error:
        return error


def value(call: Call, *, find_duplicates: bool) -> tuple[object, list[str]]:
    """What the body holds, whatever it should be, and what stands twice in it."""
    body = call.request.body
    match media_type(call):
        case "" | "application/json":
            what = "couldn't get version/kind; json parse error"
            found, repeated = text.json_value(body, find_duplicates=find_duplicates, what=what)
            return found, [f'duplicate field "{path}"' for path in repeated]
        case "application/yaml":
            found, repeated = call.yaml_value()
            return found, ["yaml: unmarshal errors:\n  " + "\n  ".join(repeated)] if repeated else []
        case "application/vnd.kubernetes.protobuf" if not call.served.custom:
            return from_protobuf(body), []
        case _:
            raise unsupported_media_type(_ACCEPTED)


def obj(call: Call, validation: str, *, kind: Kind | None = None, decode: Decode | None = None) -> Object:
    """Decoded and checked; unknown and repeated fields refused, told or ignored as `validation` says. `kind` and `decode`: of
    what a subresource takes."""
    wanted = kind or call.served.resource.kind
    try:
        found, repeated = value(call, find_duplicates=validation != "Ignore")
        said = _identified(call, found, wanted)
    except ApiError as error:
        raise _unrecognized(call, wanted, error) from error
    try:
        decoded = (decode or call.served.decode)(said)
    except ApiError as error:
        raise _cannot_be_handled(wanted.version, wanted.kind, wanted, error.message) from error
    problems = in_order(found, decoded.unknown, repeated)
    if problems and validation == "Strict":
        why = "strict decoding error: " + ", ".join(problems)
        raise _cannot_be_handled(wanted.version, wanted.kind, wanted, why)
    if validation == "Warn":
        call.warnings += problems
    call.empties += decoded.empties
    if (said.get("metadata") or {}).get("managedFields") == []:
        decoded.obj["metadata"]["managedFields"] = []  # said on purpose: ownership begins anew
    return decoded.obj


def part(call: Call, validation: str, kind: Kind, schema: Struct) -> Object:
    """What is sent to a subresource that takes a kind of its own."""
    return obj(call, validation, kind=kind, decode=partial(typed, schema=schema))


def in_order(found: object, unknown: list[str], repeated: list[str]) -> list[str]:
    """What strict reading finds, as it stands in the body."""
    told = [f'unknown field "{path}"' for path in unknown]
    if not (told and repeated):
        return repeated + told
    places = {path: at for at, path in enumerate(_paths(found, ""))}
    return sorted(repeated + told, key=lambda one: places.get(one.split('"')[1], -1))


def _paths(found: object, path: str) -> Iterator[str]:
    yield path
    match found:
        case dict():
            for name, inner in found.items():
                yield from _paths(inner, f"{path}.{name}" if path else name)
        case list():
            for at, inner in enumerate(found):
                yield from _paths(inner, f"{path}[{at}]")


def _identified(call: Call, found: object, wanted: Kind) -> Object:
    """The value, when it says that it is what the address takes; a value that says nothing is taken for that."""
    if found is None:
        found = {}
    if not isinstance(found, dict):
        raise bad_request(no_kind(found))
    for name in ("apiVersion", "kind"):
        if not isinstance(found.get(name) or "", str):
            raise bad_request(
                f"{_NO_KIND}: cannot unmarshal {json_type(found[name])} into Go struct field .{name} of type string"
            )
    api_version, kind = found.get("apiVersion") or "", found.get("kind") or ""
    if call.served.custom and not (kind and api_version):
        missing = "Kind" if not kind else "apiVersion"
        raise bad_request(f"Object '{missing}' is missing in '{msgspec.json.encode(found).decode()}'")
    if (kind or wanted.kind, api_version or wanted.api_version) != (wanted.kind, wanted.api_version):
        said = Kind(*_parsed(api_version or wanted.api_version), kind or wanted.kind)
        _refuse_kind(call, said, wanted, name_of(found))
    return {**found, "apiVersion": wanted.api_version, "kind": wanted.kind}


def _refuse_kind(call: Call, said: Kind, wanted: Kind, name: str) -> None:
    if call.served.custom:
        if said.api_version == wanted.api_version:
            raise _invalid_kind(said, wanted, name)
        raise _other_version(said, wanted)
    if not _is_known(call, said):
        why = not_registered(said.kind, said.api_version)
    elif said.group == wanted.group and said.kind == wanted.kind:
        raise _other_version(said, wanted)
    else:
        why = f"converting ({said.version}.{said.kind}) to ({hub(wanted)}.{wanted.kind}): unknown conversion"
    raise _cannot_be_handled(said.version, said.kind, wanted, why)


def no_kind(found: object) -> str:
    """Of a body that is no object at all."""
    return (
        f"{_NO_KIND}: cannot unmarshal {json_type(found)} into Go value of type struct "
        '{ APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
    )


def not_registered(kind: str, api_version: str) -> str:
    return f'no kind "{kind}" is registered for version "{api_version}" in scheme "{_SCHEME}"'


def hub(kind: Kind) -> str:
    """How upstream calls the package of the version that it computes with."""
    return kind.group.split(".")[0] or "core"


def _invalid_kind(said: Kind, wanted: Kind, name: str) -> ApiError:
    message = f'Invalid value: "{said.kind}": must be {wanted.kind}'
    return invalid(said.kind, name, [Cause("FieldValueInvalid", message, "kind")], group=said.group)


def _parsed(api_version: str) -> tuple[str, str]:
    group, _, version = api_version.rpartition("/")
    return group, version


def _is_known(call: Call, said: Kind) -> bool:
    name = said.kind.removesuffix("List")
    return call.cluster.registry.of_kind(said.group, said.version, name) is not None


def _other_version(said: Kind, wanted: Kind) -> ApiError:
    return bad_request(
        f"the API version in the data ({said.api_version}) does not match the expected API version ({wanted.api_version})"
    )


def _unrecognized(call: Call, wanted: Kind, error: ApiError) -> ApiError:
    if error.code != 400 or not error.message.startswith(_UNREAD):
        return error
    return bad_request(
        f"the object provided is unrecognized (must be of type {wanted.kind}): {error.message} ({_summary(call.request.body)})"
    )


def _cannot_be_handled(version: str, kind: str, wanted: Kind, why: str) -> ApiError:
    return bad_request(f'{kind} in version "{version}" cannot be handled as a {wanted.kind}: {why}')


def json_type(found: object) -> str:
    match found:
        case list():
            return "array"
        case str():
            return "string"
        case bool():
            return "bool"
        case None:
            return "null"
        case _:
            return "number"


def _summary(body: bytes) -> str:
    """Its beginning, so that somebody may recognise it."""
    if not body:
        return "<empty>"
    start = body[:_SHOWN].decode(errors="replace") if body.startswith(b"{") else body[:_SHOWN].hex()
    return start + (" ..." if len(body) > _SHOWN else "")
