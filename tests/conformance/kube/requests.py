"""Turns a step of a scenario into the request that it means: pure, with everything known filled in."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from tests.conformance.kube.scenario import Values, fill, merged, protobuf

TYPES = {
    "json": "application/json-patch+json",
    "merge": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "apply": "application/apply-patch+yaml",
    "protobuf": "application/vnd.kubernetes.protobuf",
}
_ACCEPTED = {
    "table": "application/json;as=Table;v=v1;g=meta.k8s.io",
    "metadata": "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
    "metadata list": "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
    "aggregated": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
}


@dataclass(frozen=True)
class Asked:
    method: str
    path: str
    """With the query, encoded."""
    headers: dict[str, str]
    body: bytes | None = None
    certificate: bool = True
    """Whether the administrator's client certificate is shown."""


def asked(step: Values, known: Values) -> Asked:
    method, _, target = str(step.get("do") or step["watch"]).partition(" ")
    headers = _headers(step, known)
    return Asked(
        method,
        _path(target, step, known),
        headers,
        _body(step, known),
        certificate=step.get("as") != "anonymous" and "Authorization" not in headers,
    )


def _path(target: str, step: Values, known: Values) -> str:
    path, _, query = fill(target, known).partition("?")
    pairs = [query] if query else []
    for key, value in fill(step.get("query", {}), known).items():
        for one in value if isinstance(value, list) else [value]:
            pairs.append(f"{quote(str(key), safe='')}={quote(_text(one), safe='')}")
    return quote(path, safe="/%:~@!$&'()*+,;=") + ("?" + "&".join(pairs) if pairs else "")


def _headers(step: Values, known: Values) -> dict[str, str]:
    accept = step.get("accept", "application/json")
    headers = {"Accept": _ACCEPTED.get(accept, accept)}
    if step.keys() & {"body", "text", "protobuf"}:
        kind = step.get("type", "protobuf" if "protobuf" in step else "application/json")
        headers["Content-Type"] = TYPES.get(kind, kind)
    headers |= _identity(fill(step.get("as"), known))
    headers |= fill(step.get("headers", {}), known)
    return {key: value for key, value in headers.items() if value}


def _identity(who: Any) -> dict[str, str]:
    """A name impersonates that user; `token: …` is a credential."""
    if isinstance(who, dict):
        return {"Authorization": f"Bearer {who['token']}"}
    return {} if who in {None, "anonymous"} else {"Impersonate-User": who}


def _body(step: Values, known: Values) -> bytes | None:
    if "protobuf" in step:
        return protobuf(step["protobuf"])
    if "text" in step:
        text: str = fill(step["text"], known)
        return text.encode("utf-8", "surrogateescape")
    return json.dumps(_kept(fill(step["body"], known), known)).encode() if "body" in step else None


def _kept(body: Any, known: Values) -> Any:
    """`kept: made` is the object that an earlier step kept, with the rest merged over it."""
    if not isinstance(body, dict) or "kept" not in body:
        return body
    over = {key: value for key, value in body.items() if key != "kept"}
    return merged(copy.deepcopy(known[body["kept"]]), over)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
