"""PATCH: a change to whatever the newest state is, in four languages.

Three of them say what to change and end in an update. Server-side apply says what the applier wants, and also creates.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from argosy.kube.errors import (
    STALE,
    ApiError,
    Cause,
    bad_request,
    bare,
    conflict,
    not_found,
    unsupported_media_type,
)
from argosy.kube.objects import Object, metadata
from argosy.kube.schema import Struct
from argosy.kube.server import ownership
from argosy.kube.server.api import answers, bodies, options
from argosy.kube.server.api.aside import aside
from argosy.kube.server.api.call import Call
from argosy.kube.server.api.options import Writing
from argosy.kube.server.api.writing import (
    Outcome,
    attributes,
    create,
    match_name,
    match_namespace,
    now,
    update,
)
from argosy.kube.server.decoding import Decoded, text
from argosy.kube.server.patches import json_patch, merge_patch, strategic_merge
from argosy.kube.server.patches.go_text import shown as shown_by_go
from argosy.kube.types import Kind
from argosy.kube.wire import Response

APPLY = "application/apply-patch+yaml"
_JSON_PATCH, _MERGE, _STRATEGIC = (
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
)
_PREFIXES = {_JSON_PATCH: "json patch "}
Change = Callable[[Object], Object]


async def patch(call: Call) -> Response:
    wanted, media = call.form(), bodies.media_type(call)
    _check_media(call, media)
    asked = options.writing(call.request, "PatchOptions", applying=media == APPLY)
    outcome = await (apply(call, asked) if media == APPLY else update(call, change(call, asked), asked))
    return answers.one(call, outcome.obj, wanted, status=201 if outcome.created else 200)


def change(
    call: Call,
    asked: Writing,
    *,
    schema: Struct | None = None,
    decode: Callable[[object], Decoded] | None = None,
) -> Change:
    """What the body does to an object: the resource's own, or that of a subresource with a schema of its own."""
    media = bodies.media_type(call)
    what = "" if media == _STRATEGIC else "error decoding patch"
    patch_value, repeated = text.json_value(
        call.request.body, find_duplicates=asked.validation != "Ignore", what=what
    )
    told = [f'{_PREFIXES.get(media, "")}duplicate field "{path}"' for path in repeated]
    decoder = decode or call.served.decode

    def changed(obj: Object) -> Object:
        match media:
            case "application/json-patch+json":
                made = json_patch(obj, patch_value)
            case "application/merge-patch+json":
                made = merge_patch(obj, patch_value)
            case _:
                made = strategic_merge(obj, patch_value, schema or call.served.schema)
        shown = shown_by_go(patch_value) if media == _STRATEGIC else _printed(call, made)
        _check_kind(made, obj, shown)
        return _decoded(call, made, told, asked, decoder, shown)

    return changed


async def apply(call: Call, asked: Writing) -> Outcome:
    intent, repeated = await aside(call, lambda: intended(call, call.served.resource.kind))
    if call.cluster.store.latest(call.key()) is None:
        if call.address.subresource:
            raise not_found(call.plural, call.address.name, group=call.group)
        call.cluster.access.require(call.user, attributes(call, "create"))
        made = await aside(call, lambda: applied_to(call, None, intent, asked))
        if made["metadata"].get("uid"):
            raise conflict(
                call.plural,
                call.address.name,
                f"uid mismatch: the provided object specified uid {made['metadata']['uid']}, and no existing object was found",
                group=call.group,
            )
        _check_repeated(call, repeated, asked)
        match_namespace(call, made)
        match_name(call, made)
        return await create(call, made, asked, applied=True)

    def applied(live: Object) -> Object:
        made = applied_to(call, live, intent, asked)
        _check_repeated(call, repeated, asked)
        return made

    return await update(call, applied, asked, applied=True)


def intended(call: Call, kind: Kind) -> tuple[Object, list[str]]:
    """What is applied, and complaints about keys that stand twice."""
    try:
        intent, repeated = call.yaml_value()
    except ApiError as error:
        if error.code != 400:
            raise
        raise bad_request(f"error decoding YAML: error converting YAML to JSON: {error.message}") from error
    if intent is not None and not isinstance(intent, dict):
        raise bad_request(
            "error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal "
            f"{bodies.json_type(intent)} into Go value of type map[string]interface {{}}"
        )
    intent = intent or {}
    text.check_depth(intent)
    _check_identity(kind, intent)
    return intent, repeated


def _check_repeated(call: Call, repeated: list[str], asked: Writing) -> None:
    if repeated and asked.validation == "Strict":
        told = "\n  ".join(repeated)
        raise bad_request(
            f"error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  {told}"
        )
    if asked.validation == "Warn":
        call.warnings += repeated


def applied_to(call: Call, live: Object | None, intent: Object, asked: Writing) -> Object:
    said = metadata(intent).get("resourceVersion")
    if live is not None and said and said != live["metadata"]["resourceVersion"]:
        raise conflict(call.plural, call.address.name, STALE, group=call.group)
    merged = ownership.apply(
        live,
        intent,
        call.served.schema,
        manager=asked.manager,
        force=asked.force or False,
        subresource=call.address.subresource,
        time=now(),
        reset=ownership.reset_fields(
            call.served.resource, call.address.subresource, custom=call.served.custom
        ),
    )
    return _decoded(call, merged, [], asked, call.served.decode, "")


def _decoded(
    call: Call,
    made: object,
    repeated: list[str],
    asked: Writing,
    decode: Callable[[object], Decoded],
    shown: str,
) -> Object:
    try:
        found = decode(made)
    except ApiError as error:
        raise _does_not_fit(shown, error.message) from error
    problems = repeated + [f'unknown field "{path}"' for path in sorted(found.unknown)]
    if problems and asked.validation == "Strict":
        raise _does_not_fit(shown, "strict decoding error: " + ", ".join(problems))
    if asked.validation == "Warn":
        call.warnings += problems
    call.empties += found.empties
    return found.obj


def _printed(call: Call, made: object) -> str:
    """Upstream keeps a custom object in maps, which it prints by their keys."""
    return msgspec.json.encode(made, order="sorted" if call.served.custom else None).decode()


def _check_kind(made: object, obj: Object, shown: str) -> None:
    if not isinstance(made, dict):
        return
    said = str(made.get("apiVersion")), str(made.get("kind"))
    if said != (obj["apiVersion"], obj["kind"]):
        raise _does_not_fit(shown, bodies.not_registered(said[1], said[0]))


def _does_not_fit(shown: str, why: str) -> ApiError:
    message = f"Invalid value: {msgspec.json.encode(shown).decode()}: {why}"
    cause = Cause("FieldValueInvalid", message, "patch")
    return ApiError(422, "Invalid", f' "" is invalid: patch: {message}', causes=[cause])


def _check_identity(kind: Kind, intent: Object) -> None:
    if not isinstance(intent.get("metadata") or {}, dict):
        raise bad_request("error decoding YAML: metadata is a mapping")
    said = str(intent.get("apiVersion") or ""), str(intent.get("kind") or "")
    if said != (kind.api_version, kind.kind):
        shown = said[0] if "/" in said[0] else f"/{said[0]}"
        raise bad_request(f"invalid object type: {shown}, Kind={said[1]}")
    if metadata(intent).get("managedFields"):
        raise bad_request("metadata.managedFields must be nil")


def _check_media(call: Call, media: str) -> None:
    accepted = (
        (_JSON_PATCH, _MERGE, APPLY) if call.served.custom else (_JSON_PATCH, _MERGE, _STRATEGIC, APPLY)
    )
    if media not in accepted:
        if call.served.custom:
            raise unsupported_media_type(accepted)
        raise bare(415, "UnsupportedMediaType", "415: Unsupported Media Type")
