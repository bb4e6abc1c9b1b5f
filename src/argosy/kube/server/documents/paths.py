"""The paths of a resource as OpenAPI describes them: which verbs, what they take and answer.

Clients look here for the kind behind an address, and for whether a write takes `dryRun` and `fieldValidation`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from argosy.kube.objects import Object
from argosy.kube.server.documents.schemas import V2, Style, full_name, schema_name
from argosy.kube.server.registry import Served
from argosy.kube.types import Kind, pinned

_MEDIA = ("application/json", "application/yaml", "application/vnd.kubernetes.protobuf")
_PATCHES = (
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
)
_WRITING = (("dryRun", "string"), ("fieldManager", "string"), ("fieldValidation", "string"))
_LISTING = (
    ("allowWatchBookmarks", "boolean"),
    ("continue", "string"),
    ("fieldSelector", "string"),
    ("labelSelector", "string"),
    ("limit", "integer"),
    ("resourceVersion", "string"),
    ("resourceVersionMatch", "string"),
    ("sendInitialEvents", "boolean"),
    ("timeoutSeconds", "integer"),
    ("watch", "boolean"),
)
_DELETING = (
    ("dryRun", "string"),
    ("gracePeriodSeconds", "integer"),
    ("orphanDependents", "boolean"),
    ("propagationPolicy", "string"),
)


class _Verb(NamedTuple):
    method: str
    action: str
    word: str
    query: tuple[tuple[str, str], ...] = ()
    takes: str = ""
    """`object`, `options` or `patch`."""


_COLLECTION = {
    "list": _Verb("get", "list", "list", _LISTING),
    "create": _Verb("post", "post", "create", _WRITING, "object"),
    "deletecollection": _Verb(
        "delete", "deletecollection", "deleteCollection", _LISTING + _DELETING, "options"
    ),
}
_OBJECT = {
    "get": _Verb("get", "get", "read"),
    "update": _Verb("put", "put", "replace", _WRITING, "object"),
    "patch": _Verb("patch", "patch", "patch", (*_WRITING, ("force", "boolean")), "patch"),
    "delete": _Verb("delete", "delete", "delete", _DELETING, "options"),
}


def paths(served: Iterable[Served], style: Style) -> Object:
    return dict(sorted(entry for one in served for entry in _of(one, style)))


def _of(one: Served, style: Style) -> Iterator[tuple[str, Object]]:
    resource = one.resource
    kind = resource.kind
    root = f"/apis/{kind.group}/{kind.version}" if kind.group else f"/api/{kind.version}"
    inside = f"{root}/namespaces/{{namespace}}" if resource.namespaced else root
    scope, name = "Namespaced" if resource.namespaced else "", schema_name(one)
    here = _Here(kind, name, style, namespaced=resource.namespaced)
    collection = {_COLLECTION[verb] for verb in resource.verbs if verb in _COLLECTION}
    if collection:
        yield f"{inside}/{resource.plural}", here.item(collection, scope, named=False)
    if resource.namespaced and "list" in resource.verbs:
        everywhere = _Here(kind, name, style, namespaced=False)
        yield (
            f"{root}/{resource.plural}",
            everywhere.item({_COLLECTION["list"]}, "", "ForAllNamespaces", named=False),
        )
    objects = {_OBJECT[verb] for verb in resource.verbs if verb in _OBJECT}
    if objects:
        yield f"{inside}/{resource.plural}/{{name}}", here.item(objects, scope, named=True)
    for sub in resource.subresources.values():
        verbs = {_OBJECT[verb] for verb in sub.verbs if verb in _OBJECT and verb != "delete"}
        verbs |= {_COLLECTION["create"]} if "create" in sub.verbs else set()
        behind = _Here(sub.kind, _sub_name(one, sub.kind), style, namespaced=resource.namespaced)
        yield (
            f"{inside}/{resource.plural}/{{name}}/{sub.name}",
            behind.item(verbs, scope + kind.kind, sub.name.capitalize(), named=True),
        )


def _sub_name(one: Served, kind: Kind) -> str:
    if kind == one.resource.kind:
        return schema_name(one)
    short = f"{kind.group.split('.')[0] or 'core'}.{kind.version}.{kind.kind}"
    return full_name(short) if pinned().type(short) is not None else ""


class _Here(NamedTuple):
    kind: Kind
    schema: str
    style: Style
    namespaced: bool

    def item(self, verbs: set[_Verb], scope: str, suffix: str = "", *, named: bool) -> Object:
        made: Object = {verb.method: self._operation(verb, scope, suffix) for verb in sorted(verbs)}
        names = (["name"] if named else []) + (["namespace"] if self.namespaced else [])
        made["parameters"] = [self._parameter(name, "string", "path") for name in names]
        return made

    def _operation(self, verb: _Verb, scope: str, suffix: str) -> Object:
        kind = self.kind
        group = kind.group.removesuffix(".k8s.io").split(".")[0] or "core"
        noun = scope if suffix and scope.endswith(kind.kind) else f"{scope}{kind.kind}"
        identity = f"{verb.word}{group.capitalize()}{kind.version.capitalize()}{noun}{suffix}"
        schema = f"{self.schema}List" if verb.action == "list" else self.schema
        made: Object = {
            "operationId": identity,
            "tags": [f"{group}_{kind.version}"],
            "parameters": [self._parameter(name, of, "query") for name, of in verb.query],
            "responses": {"200": self._answer(schema)},
            "x-kubernetes-action": verb.action,
            "x-kubernetes-group-version-kind": {
                "group": kind.group,
                "kind": kind.kind,
                "version": kind.version,
            },
        }
        self._take(made, verb)
        return made

    def _take(self, made: Object, verb: _Verb) -> None:
        schema = {
            "object": self.schema,
            "options": full_name("meta.v1.DeleteOptions"),
            "patch": full_name("Patch"),
        }.get(verb.takes, "")
        if self.style is V2:
            made["consumes"] = list(_PATCHES) if verb.takes == "patch" else ["*/*"]
            made["produces"] = list(_MEDIA)
            made["schemes"] = ["https"]
            if schema:
                body = {"name": "body", "in": "body", "schema": {"$ref": f"#/definitions/{schema}"}}
                made["parameters"].insert(0, {**body, "required": verb.takes != "options"})
        elif schema:
            media = _PATCHES if verb.takes == "patch" else ("*/*",)
            pointer = {"schema": {"$ref": f"#/components/schemas/{schema}"}}
            made["requestBody"] = {
                "content": dict.fromkeys(media, pointer),
                "required": verb.takes != "options",
            }

    def _answer(self, schema: str) -> Object:
        if not schema:
            return {"description": "OK"}
        if self.style is V2:
            return {"description": "OK", "schema": {"$ref": f"#/definitions/{schema}"}}
        pointer = {"schema": {"$ref": f"#/components/schemas/{schema}"}}
        return {"description": "OK", "content": dict.fromkeys(_MEDIA, pointer)}

    def _parameter(self, name: str, of: str, where: str) -> Object:
        required = {"required": True} if where == "path" else {}
        if self.style is V2:
            return {"name": name, "in": where, "type": of, "uniqueItems": True, **required}
        return {"name": name, "in": where, "schema": {"type": of, "uniqueItems": True}, **required}
