"""The types as OpenAPI schemas: of the table for built-in kinds, as published for custom resources.

No descriptions: the table has none, and a custom resource keeps its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from argosy.kube.objects import Object
from argosy.kube.server.crds import published
from argosy.kube.server.registry import Served
from argosy.kube.types import Field, Kind, Type, pinned

_META = "io.k8s.apimachinery.pkg.apis.meta.v1"
_PACKAGES = {
    "meta": "io.k8s.apimachinery.pkg.apis.meta",
    "apiextensions": "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions",
    "apiregistration": "io.k8s.kube-aggregator.pkg.apis.apiregistration",
}
_NAMES = {
    "Quantity": "io.k8s.apimachinery.pkg.api.resource.Quantity",
    "IntOrString": "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
    "RawExtension": "io.k8s.apimachinery.pkg.runtime.RawExtension",
    "Time": f"{_META}.Time",
    "MicroTime": f"{_META}.MicroTime",
    "FieldsV1": f"{_META}.FieldsV1",
    "Patch": f"{_META}.Patch",
    **{
        name: f"{_PACKAGES['apiextensions']}.v1.{name}"
        for name in (
            "JSON",
            "JSONSchemaPropsOrArray",
            "JSONSchemaPropsOrBool",
            "JSONSchemaPropsOrStringArray",
        )
    },
}
_PLAIN: dict[str, Object] = {
    "string": {"type": "string"},
    "bool": {"type": "boolean"},
    "int32": {"type": "integer", "format": "int32"},
    "int64": {"type": "integer", "format": "int64"},
    "float64": {"type": "number", "format": "double"},
    "bytes": {"type": "string", "format": "byte"},
}
_SPECIAL: dict[str, Object] = {
    "Time": {"type": "string", "format": "date-time"},
    "MicroTime": {"type": "string", "format": "date-time"},
    "FieldsV1": {"type": "object"},
    "RawExtension": {"type": "object"},
    "Patch": {"type": "object"},
    "JSON": {},
    "JSONSchemaPropsOrArray": {},
    "JSONSchemaPropsOrBool": {},
    "JSONSchemaPropsOrStringArray": {},
}
_EITHER: dict[str, tuple[str, str]] = {"Quantity": ("string", "number"), "IntOrString": ("integer", "string")}


@dataclass(frozen=True, slots=True)
class Style:
    """OpenAPI 2 has definitions, and no `oneOf`; 3 has components, where a reference beside a default is wrapped."""

    root: str
    wraps: bool

    def reference(self, name: str) -> Object:
        return self.pointer(full_name(name))

    def pointer(self, full: str) -> Object:
        pointer = {"$ref": f"{self.root}{full}"}
        return {"allOf": [pointer], "default": {}} if self.wraps else pointer


V2 = Style("#/definitions/", wraps=False)
V3 = Style("#/components/schemas/", wraps=True)


def full_name(name: str) -> str:
    if name in _NAMES or name.startswith("io."):
        return _NAMES.get(name, name)
    package, _, rest = name.partition(".")
    return f"{_PACKAGES.get(package, 'io.k8s.api.' + package)}.{rest}"


def schemas(served: Iterable[Served], style: Style) -> Object:
    """Of these resources, their lists, and everything they refer to, by full name."""
    made: Object = {}
    wanted: list[str] = [
        "meta.v1.ObjectMeta",
        "meta.v1.ListMeta",
        "meta.v1.DeleteOptions",
        "meta.v1.Status",
        "Patch",
    ]
    kinds: dict[str, list[Kind]] = {full_name("meta.v1.Status"): [Kind("", "v1", "Status")]}
    for one in served:
        resource = one.resource
        name = schema_name(one)
        kinds.setdefault(name, []).append(resource.kind)
        if one.custom:
            shown = published.second if style is V2 else published.third
            made[name] = {**shown(one.openapi or {}), **_gvk([resource.kind])}
        else:
            wanted.append(resource.type)
        wanted += [
            f"{sub.kind.group.split('.')[0] or 'core'}.{sub.kind.version}.{sub.kind.kind}"
            for sub in resource.subresources.values()
        ]
        if "list" in resource.verbs:
            items, meta = style.pointer(name), style.reference("meta.v1.ListMeta")
            if one.custom and style.wraps:  # nothing has a default here, and only the metadata is wrapped
                items, meta = {"$ref": f"{style.root}{name}"}, {"allOf": meta["allOf"]}
            made[f"{name}List"] = _list(resource.kind, items, meta)
    _close(wanted, made, style)
    for name, found in kinds.items():
        if name in made:
            made[name] = {**made[name], **_gvk(found)}
    return dict(sorted(made.items()))


def schema_name(one: Served) -> str:
    """`io.argoproj.v1alpha1.Application` for a custom resource: its group backwards."""
    kind = one.resource.kind
    if not one.custom:
        return full_name(one.resource.type)
    return f"{'.'.join(reversed(kind.group.split('.')))}.{kind.version}.{kind.kind}"


def _close(wanted: list[str], made: Object, style: Style) -> None:
    table = pinned()
    while wanted:
        name = wanted.pop()
        full = full_name(name)
        if full in made:
            continue
        if name in _SPECIAL:
            made[full] = _SPECIAL[name]
            if name.startswith("JSONSchemaPropsOr"):
                wanted.append("apiextensions.v1.JSONSchemaProps")
        elif name in _EITHER:
            made[full] = _either(name, style)
        elif (found := table.type(name)) is not None:
            made[full] = _struct(found, style)
            wanted += [_bare(field.type) for field in found.fields.values()]


def _bare(kind: str) -> str:
    return kind.replace("[]", "").replace("{}", "")


def _either(name: str, style: Style) -> Object:
    kinds = [{"type": kind} for kind in _EITHER[name]]
    if style is V2:
        return {"type": "string", **({"format": "int-or-string"} if name == "IntOrString" else {})}
    return {"oneOf": kinds, **({"format": "int-or-string"} if name == "IntOrString" else {})}


def _struct(found: Type, style: Style) -> Object:
    made: Object = {"type": "object"}
    if found.fields:
        made["properties"] = {field.name: _field(field, style) for field in found.fields.values()}
    if required := sorted(field.name for field in found.fields.values() if field.required):
        made["required"] = required
    if found.map_type:
        made["x-kubernetes-map-type"] = found.map_type
    if found.unions:
        made["x-kubernetes-unions"] = found.unions
    return made


def _field(field: Field, style: Style) -> Object:
    made = _of_type(field.type, style)
    if field.default is not None and style is V3:
        made = {**made, "default": field.default}
    for key, value in (
        ("x-kubernetes-list-type", field.list_type),
        ("x-kubernetes-list-map-keys", list(field.keys)),
        ("x-kubernetes-patch-strategy", field.strategy),
        ("x-kubernetes-patch-merge-key", field.merge_key),
        ("x-kubernetes-map-type", field.map_type),
    ):
        if value:
            made = {**made, key: value}
    return made


def _of_type(kind: str, style: Style) -> Object:
    if kind.startswith("[]"):
        return {"type": "array", "items": _of_type(kind[2:], style)}
    if kind.startswith("{}"):
        return {"type": "object", "additionalProperties": _of_type(kind[2:], style)}
    return _PLAIN.get(kind) or style.reference(kind)


def _list(kind: Kind, items: Object, metadata: Object) -> Object:
    listed = Kind(kind.group, kind.version, f"{kind.kind}List")
    return {
        "type": "object",
        "required": ["items"],
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "items": {"type": "array", "items": items},
            "metadata": metadata,
        },
        **_gvk([listed]),
    }


def _gvk(kinds: list[Kind]) -> Object:
    return {
        "x-kubernetes-group-version-kind": [
            {"group": kind.group, "kind": kind.kind, "version": kind.version} for kind in kinds
        ]
    }
