"""What a CRD may say in its schemas: `openAPIV3Schema` of one version, or of all versions that have the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.crds import default_rules, printing, structural
from argosy.kube.server.crds.cel import judging
from argosy.kube.server.crds.field_paths import field_at
from argosy.kube.server.crds.shapes import META
from argosy.kube.server.rules.wording import forbidden, invalid, not_supported, required

_TYPES = ("array", "boolean", "integer", "number", "object", "string")
_LEAF, _SCALARS = frozenset({"type", "description"}), frozenset(_TYPES) - {"array", "object"}
"""Most nodes are no more than that, and nothing can be wrong with them."""
_REASONS = ("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")
_AT_ROOT = (
    "Description",
    "Type",
    "Format",
    "Title",
    "Maximum",
    "ExclusiveMaximum",
    "Minimum",
    "ExclusiveMinimum",
    "MaxLength",
    "MinLength",
    "Pattern",
    "MaxItems",
    "MinItems",
    "UniqueItems",
    "MultipleOf",
    "Required",
    "Items",
    "Properties",
    "ExternalDocs",
    "Example",
    "XPreserveUnknownFields",
    "XValidations",
)
_UNSUPPORTED = ("id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref")


@dataclass(frozen=True, slots=True)
class _Inside:
    """Where a schema stands: whether it may have defaults (or why not), and whether in metadata."""

    no_defaults: str = ""
    meta: bool = False


def check(schema: Object, path: str, *, with_status: bool) -> list[Cause]:
    """`path` is that of what holds the schema (`spec.validation`)."""
    where = f"{path}.openAPIV3Schema"
    causes = _check_root(schema, where) if with_status else []
    if schema.get("nullable"):
        causes.append(forbidden(f"{where}.nullable", "nullable cannot be true at the root"))
    unreadable = structural.unsupported(schema)
    unfit = [] if unreadable else structural.check(schema, where) or default_rules.check(schema, where)
    causes += unfit
    _walk(schema, where, _Inside(), causes, root=True)
    if not causes and unreadable:
        causes.append(invalid(where, "", unreadable))
    if not unreadable and not unfit:
        causes += judging.check(schema, where, [one.field for one in causes])
    return causes


def _check_root(schema: Object, path: str) -> list[Cause]:
    """With a status of its own, whose schema must be found by looking at the properties."""
    for key, name in printing.NAMES.items():
        if key == "type" and schema.get("type"):
            if schema["type"] != "object":
                told = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
                return [invalid(f"{path}.type", schema["type"], told)]
        elif schema.get(key) not in (None, "", False) and name not in _AT_ROOT:
            allowed = " ".join(_AT_ROOT)
            told = f"only [{allowed}] fields are allowed at the root of the schema if the status subresource is enabled"
            return [invalid(path, printing.schema(schema), told)]
    return []


def _walk(schema: Any, path: str, inside: _Inside, causes: list[Cause], *, root: bool = False) -> None:
    if not isinstance(schema, dict) or (schema.keys() <= _LEAF and schema.get("type") in _SCALARS):
        return
    causes += _check_one(schema, path, inside)
    rest, properties = schema.get("additionalProperties"), schema.get("properties") or {}
    if rest is not None:
        if properties and rest is not True:
            causes.append(
                forbidden(
                    f"{path}.additionalProperties", "additionalProperties and properties are mutual exclusive"
                )
            )
        no = "inside additionalProperties applying to object metadata" if inside.meta else inside.no_defaults
        _walk(rest, f"{path}.additionalProperties", replace(inside, no_defaults=no), causes)
    for name, one in properties.items():
        here = inside
        if (root or schema.get("x-kubernetes-embedded-resource")) and name in META:
            no = f"in top-level {name}" if root else inside.no_defaults
            here = replace(inside, meta=True, no_defaults=no)
        _walk(one, f"{path}.properties[{name}]", here, causes)
    _walk(schema.get("not"), f"{path}.not", inside, causes)
    for key in ("allOf", "oneOf", "anyOf"):
        for at, one in enumerate(schema.get(key) or ()):
            _walk(one, f"{path}.{key}[{at}]", inside, causes)
    for name, one in (schema.get("definitions") or {}).items():
        _walk(one, f"{path}.definitions[{name}]", inside, causes)
    items = schema.get("items")
    _walk(items, f"{path}.items", inside, causes)
    for at, one in enumerate(items if isinstance(items, list) else ()):
        _walk(one, f"{path}.items[{at}]", inside, causes)
    for name, one in (schema.get("dependencies") or {}).items():
        _walk(one, f"{path}.dependencies[{name}]", inside, causes)
    causes += _check_marks(schema, path)


def _check_one(schema: Object, path: str, inside: _Inside) -> list[Cause]:
    kind = schema.get("type", "")
    causes: list[Cause] = []
    if kind and kind not in _TYPES:
        causes.append(not_supported(f"{path}.type", kind, _TYPES))
    if schema.get("default") is not None and inside.no_defaults:
        causes.append(forbidden(f"{path}.default", f"must not be set {inside.no_defaults}"))
    for key in _UNSUPPORTED:
        if schema.get(key) not in (None, "", {}) or (key == "additionalItems" and key in schema):
            causes.append(forbidden(f"{path}.{key}", f"{key} is not supported"))
    if kind == "null":
        told = "type cannot be set to null, use nullable as an alternative"
        causes.append(forbidden(f"{path}.type", told))
    if isinstance(schema.get("items"), list) and schema["items"]:
        causes.append(forbidden(f"{path}.items", "items must be a schema object and not an array"))
    if inside.meta and schema.get("x-kubernetes-embedded-resource"):
        told = "must not be used inside of resource meta"
        causes.append(forbidden(f"{path}.x-kubernetes-embedded-resource", told))
    if schema.get("uniqueItems"):
        told = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
        causes.append(forbidden(f"{path}.uniqueItems", told))
    return causes


def _check_marks(schema: Object, path: str) -> list[Cause]:
    causes: list[Cause] = []
    if schema.get("x-kubernetes-preserve-unknown-fields") is False:
        causes.append(
            invalid(f"{path}.x-kubernetes-preserve-unknown-fields", False, "must be true or undefined")
        )
    causes += _check_map_type(schema, path) + _check_list_type(schema, path)
    for at, one in enumerate(schema.get("x-kubernetes-validations") or ()):
        causes += _check_validation(one, schema, f"{path}.x-kubernetes-validations[{at}]")
    return causes


def _check_map_type(schema: Object, path: str) -> list[Cause]:
    given = schema.get("x-kubernetes-map-type")
    if given is None:
        return []
    causes = _needs_type(schema, "object", path, "x-kubernetes-map-type")
    if given not in {"atomic", "granular"}:
        causes.append(not_supported(f"{path}.x-kubernetes-map-type", given, ("atomic", "granular")))
    return causes


def _needs_type(schema: Object, wanted: str, path: str, mark: str) -> list[Cause]:
    kind, told = schema.get("type", ""), f"must be {wanted} if {mark} is specified"
    if kind == wanted:
        return []
    return [invalid(f"{path}.type", kind, told) if kind else required(f"{path}.type", told)]


def _check_list_type(schema: Object, path: str) -> list[Cause]:
    given, keys = schema.get("x-kubernetes-list-type"), schema.get("x-kubernetes-list-map-keys") or []
    causes: list[Cause] = []
    items = schema.get("items") if isinstance(schema.get("items"), dict) else None
    where = f"{path}.x-kubernetes-list-type"
    if given is not None:
        causes += _needs_type(schema, "array", path, "x-kubernetes-list-type")
        if not causes and given == "set" and items is not None:
            causes += _check_set_items(items, path)
        if given not in {"atomic", "set", "map"}:
            causes.append(not_supported(where, given, ("atomic", "set", "map")))
    if keys and given != "map":
        told = "must be map if x-kubernetes-list-map-keys is non-empty"
        causes.append(required(where, told) if given is None else invalid(where, given, told))
    if given == "map":
        causes += _check_map_items(schema, items, keys, path)
    if given in {"set", "map"} and items is not None:
        causes += _check_keys(items, keys if given == "map" else [], given, f"{path}.items")
    return causes


def _check_set_items(items: Object, path: str) -> list[Cause]:
    told = "must be atomic as item of a list with x-kubernetes-list-type=set"
    lists, maps = items.get("x-kubernetes-list-type"), items.get("x-kubernetes-map-type")
    if items.get("type") == "array" and lists not in {None, "atomic"}:
        return [invalid(f"{path}.items.x-kubernetes-list-type", lists, told)]
    if items.get("type") == "object" and maps != "atomic":
        return [invalid(f"{path}.items.x-kubernetes-map-type", lists, told)]
    return []


def _check_map_items(schema: Object, items: Object | None, keys: list[str], path: str) -> list[Cause]:
    causes: list[Cause] = []
    where = f"{path}.x-kubernetes-list-map-keys"
    if not keys:
        causes.append(required(where, "must not be empty if x-kubernetes-list-type is map"))
    if schema.get("items") is None:
        causes.append(required(f"{path}.items", "must have a schema if x-kubernetes-list-type is map"))
    elif items is None:
        told = "must only have a single schema if x-kubernetes-list-type is map"
        causes.append(invalid(f"{path}.items", printing.items(schema["items"]), told))
    elif items.get("type") != "object":
        told = "must be object if parent array's x-kubernetes-list-type is map"
        causes.append(invalid(f"{path}.items.type", items.get("type", ""), told))
    else:
        seen: set[str] = set()
        properties: Object = items.get("properties") or {}
        for key in keys:
            if key not in properties:
                causes.append(invalid(where, keys, "entries must all be names of item properties"))
            elif properties[key].get("type") in {"array", "object"}:
                told = "must be a scalar type if parent array's x-kubernetes-list-type is map"
                causes.append(invalid(f"{path}.items.properties[{key}].type", items["type"], told))
            if key in seen:
                causes.append(invalid(where, keys, "must not contain duplicate entries"))
            seen.add(key)
    return causes


def _check_keys(items: Object, keys: list[str], kind: str, path: str) -> list[Cause]:
    causes: list[Cause] = []
    if items.get("nullable"):
        told = f"cannot be nullable when x-kubernetes-list-type is {kind}"
        causes.append(forbidden(f"{path}.nullable", told))
    needed = items.get("required") or ()
    for key in keys:
        one = (items.get("properties") or {}).get(key)
        if one is None:
            continue
        where = f"{path}.properties[{key}]"
        if key not in needed and one.get("default") is None:
            told = "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property"
            causes.append(required(f"{where}.default", told))
        if one.get("nullable"):
            told = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable"
            causes.append(forbidden(f"{where}.nullable", told))
    return causes


def _check_validation(one: Object, schema: Object, path: str) -> list[Cause]:
    """The form of a rule; `cel.judging` reads its expression."""
    rule, message = one.get("rule", ""), one.get("message", "")
    expression, field = one.get("messageExpression", ""), one.get("fieldPath", "")
    causes: list[Cause] = []
    if not rule.strip():
        causes.append(required(f"{path}.rule", "rule is not specified"))
    elif message and not message.strip():
        causes.append(invalid(f"{path}.message", message, "must be non-empty if specified"))
    elif _has_newlines(message.strip()):
        causes.append(invalid(f"{path}.message", message, "must not contain line breaks"))
    elif _has_newlines(rule.strip()) and not message.strip():
        told = "message must be specified if rule contains line breaks"
        causes.append(required(f"{path}.message", told))
    if expression and not expression.strip():
        told = "messageExpression must be non-empty if specified"
        causes.append(required(f"{path}.messageExpression", told))
    if one.get("reason") is not None and one["reason"] not in _REASONS:
        causes.append(not_supported(f"{path}.reason", one["reason"], _REASONS))
    if field and not field.strip():
        causes.append(invalid(f"{path}.fieldPath", field, "must be non-empty if specified"))
    if _has_newlines(field):
        causes.append(invalid(f"{path}.fieldPath", field, "must not contain line breaks"))
    if field and not structural.unsupported(schema) and field_at(field, schema, keys=True)[1]:
        causes.append(invalid(f"{path}.fieldPath", field, "must be a valid path"))
    return causes


def _has_newlines(text: str) -> bool:
    return "\n" in text or "\r" in text
