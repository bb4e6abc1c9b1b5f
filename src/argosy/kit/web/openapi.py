"""The OpenAPI 3.1 document, derived from routes and the Structs behind them: it cannot disagree with the server."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from argosy.kit.errors import ErrorBody

Json = dict[str, Any]
_NAMED = re.compile(r"\{(\w+)\}")
_ERRORS = {
    "400": "The request is malformed",
    "401": "No credential, or one that is not good",
    "403": "The caller may not do this",
    "404": "Absent, or not the caller's to see",
    "409": "It conflicts with what is there",
    "413": "Too large",
    "415": "Not JSON",
    "422": "A value is not acceptable; `context.field` names it",
    "429": "Too many requests; see Retry-After",
    "503": "A service is not available",
    "504": "A service took too long",
}

_MEDIA = {
    "json": ("application/json",),
    "text": ("text/plain",),
    "html": ("text/html",),
    "sse": ("text/event-stream",),
    "download": ("text/csv", "application/jsonl"),
}


@dataclass(frozen=True, slots=True)
class Entry:
    method: str
    path: str
    name: str
    summary: str
    tag: str
    request: type[msgspec.Struct]
    response: Any
    shape: str
    public: bool
    scope: str
    needs: str


def document(entries: Sequence[Entry], *, version: str, url: str) -> Json:
    types = [kind for entry in entries for kind in (entry.request, entry.response)] + [ErrorBody]
    schemas, components = msgspec.json.schema_components(types, ref_template="#/components/schemas/{name}")
    paths: dict[str, Json] = {}
    names = Counter(entry.name for entry in entries)
    for number, entry in enumerate(entries):
        request, response = schemas[2 * number], schemas[2 * number + 1]
        described = _operation(entry, _resolve(request, components), response)
        if names[entry.name] > 1:  # two paths to one operation: each still needs its own id
            described["operationId"] = (
                f"{entry.name}_{re.sub(r'[^a-z]+', '_', entry.path.lower()).strip('_')}"
            )
        paths.setdefault(entry.path, {})[entry.method.lower()] = described
    return {
        "openapi": "3.1.0",
        "info": {"title": "Argosy", "version": version, "description": _ABOUT},
        "servers": [{"url": url}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "key": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "Authorization",
                    "description": "The API key, bare",
                },
                "bearer": {"type": "http", "scheme": "bearer"},
            },
        },
    }


_ABOUT = (
    "Lists are pages: `limit`, `after` (the `next` of the page before), `search`, `sort`. "
    "Errors are `{status, code, name, message, cure, context, request_id}`; `code` is stable."
)


def _resolve(schema: Json, components: dict[str, Json]) -> Json:
    name = schema.get("$ref", "").rpartition("/")[2]
    return components[name] if name else schema


def _operation(entry: Entry, request: Json, response: Json) -> Json:
    named = _NAMED.findall(entry.path)
    described: Json = {
        "operationId": entry.name,
        "summary": entry.summary,
        "tags": [entry.tag],
        "parameters": [_parameter(name, "path", request) for name in named],
        "responses": {"200": _success(entry, response)} | _failures(entry),
        "security": [] if entry.public else [{"key": []}, {"bearer": []}],
        "x-needs": entry.needs,
    }
    if entry.scope:
        described["x-scope"] = entry.scope
    rest = {name: value for name, value in request.get("properties", {}).items() if name not in named}
    required = [name for name in request.get("required", []) if name not in named]
    if entry.method in ("GET", "DELETE"):
        described["parameters"] += [
            _parameter(name, "query", request, required=name in required) for name in rest
        ]
    elif rest:
        body = {"type": "object", "properties": rest, "required": required, "additionalProperties": False}
        described["requestBody"] = {
            "required": bool(required),
            "content": {"application/json": {"schema": body}},
        }
    return described


def _parameter(name: str, where: str, request: Json, *, required: bool = True) -> Json:
    return {"name": name, "in": where, "required": required, "schema": request["properties"][name]}


def _success(entry: Entry, response: Json) -> Json:
    schema = response if entry.shape == "json" else {"type": "string"}
    return {"description": "Done", "content": {media: {"schema": schema} for media in _MEDIA[entry.shape]}}


def _failures(entry: Entry) -> Json:
    # A public write is refused too: for a wrong password or a used link, and from another site's page.
    skip = {"401", "403"} if entry.public and entry.method == "GET" else set()
    error = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorBody"}}}}
    return {status: {"description": text} | error for status, text in _ERRORS.items() if status not in skip}
