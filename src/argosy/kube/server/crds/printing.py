"""Parts of a CRD as the API server prints them in its messages: as its internal structures, which have other names and show every
field that is empty."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from argosy.kube.objects import Object
from argosy.kube.server.rules.wording import Printed

_Made = Callable[[Any], Any]


def schema(value: Object) -> Printed:
    return _printed(_schema(value))


def items(value: Any) -> Printed:
    return _printed(_items(value))


def rule(value: Object) -> Printed:
    return _printed(_struct(value, _RULE))


def versions(values: list[Object] | None) -> Printed:
    return _printed(None if values is None else [_struct(one, _VERSION) for one in values])


def _printed(value: Any) -> Printed:
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return Printed(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def _struct(value: Object, fields: tuple[tuple[str, str, Any, _Made], ...]) -> Object:
    return {name: zero if value.get(key) is None else made(value[key]) for name, key, zero, made in fields}


def _same(value: Any) -> Any:
    return value


def _sorted(value: Any) -> Any:
    """Go sorts the keys of what it does not know."""
    return json.loads(json.dumps(value, sort_keys=True))


def _schema(value: Object) -> Object:
    return _struct(value, _SCHEMA)


def _schemas(values: list[Object]) -> list[Object]:
    return [_schema(one) for one in values]


def _named(values: Object) -> Object:
    return {name: _schema(values[name]) for name in sorted(values)}


def _items(value: Any) -> Object:
    if isinstance(value, list):
        return {"Schema": None, "JSONSchemas": _schemas(value)}
    return {"Schema": _schema(value), "JSONSchemas": None}


def _or_bool(value: Any) -> Object:
    if isinstance(value, dict):
        return {"Allows": True, "Schema": _schema(value)}
    return {"Allows": bool(value), "Schema": None}


def _dependencies(values: Object) -> Object:
    return {
        name: {"Schema": None, "Property": one}
        if isinstance(one, list)
        else {"Schema": _schema(one), "Property": None}
        for name, one in sorted(values.items())
    }


def _validation(value: Object) -> Object:
    inside = value.get("openAPIV3Schema")
    return {"OpenAPIV3Schema": None if inside is None else _schema(inside)}


def _subresources(value: Object) -> Object:
    scale = value.get("scale")
    return {"Status": value.get("status"), "Scale": None if scale is None else _struct(scale, _SCALE)}


def _rules(values: list[Object]) -> list[Object]:
    return [_struct(one, _RULE) for one in values]


def _columns(values: list[Object]) -> list[Object]:
    return [_struct(one, _COLUMN) for one in values]


def _selectable(values: list[Object]) -> list[Object]:
    return [{"JSONPath": one.get("jsonPath", "")} for one in values]


def _external(value: Object) -> Object:
    return {"Description": value.get("description", ""), "URL": value.get("url", "")}


def _fields(text: str, made: dict[str, _Made] | None = None) -> tuple[tuple[str, str, Any, _Made], ...]:
    """`Name/key/zero`: the name printed, the key in JSON, what is printed of nothing."""
    found = []
    for word in text.split():
        name, key, zero = word.split("/")
        found.append((name, key, _ZERO[zero], (made or {}).get(name, _same)))
    return tuple(found)


_ZERO: Final[dict[str, Any]] = {"s": "", "b": False, "i": 0, "n": None}
_RULE = _fields(
    "Rule/rule/s Message/message/s MessageExpression/messageExpression/s Reason/reason/n FieldPath/fieldPath/s "
    "OptionalOldSelf/optionalOldSelf/n"
)
_SCALE = _fields(
    "SpecReplicasPath/specReplicasPath/s StatusReplicasPath/statusReplicasPath/s LabelSelectorPath/labelSelectorPath/n"
)
_COLUMN = _fields(
    "Name/name/s Type/type/s Format/format/s Description/description/s Priority/priority/i JSONPath/jsonPath/s"
)
_VERSION = _fields(
    "Name/name/s Served/served/b Storage/storage/b Deprecated/deprecated/b DeprecationWarning/deprecationWarning/n "
    "Schema/schema/n Subresources/subresources/n AdditionalPrinterColumns/additionalPrinterColumns/n "
    "SelectableFields/selectableFields/n",
    {
        "Schema": _validation,
        "Subresources": _subresources,
        "AdditionalPrinterColumns": _columns,
        "SelectableFields": _selectable,
    },
)
_SCHEMA = _fields(
    "ID/id/s Schema/$schema/s Ref/$ref/n Description/description/s Type/type/s Nullable/nullable/b Format/format/s "
    "Title/title/s Default/default/n Maximum/maximum/n ExclusiveMaximum/exclusiveMaximum/b Minimum/minimum/n "
    "ExclusiveMinimum/exclusiveMinimum/b MaxLength/maxLength/n MinLength/minLength/n Pattern/pattern/s "
    "MaxItems/maxItems/n MinItems/minItems/n UniqueItems/uniqueItems/b MultipleOf/multipleOf/n Enum/enum/n "
    "MaxProperties/maxProperties/n MinProperties/minProperties/n Required/required/n Items/items/n AllOf/allOf/n "
    "OneOf/oneOf/n AnyOf/anyOf/n Not/not/n Properties/properties/n AdditionalProperties/additionalProperties/n "
    "PatternProperties/patternProperties/n Dependencies/dependencies/n AdditionalItems/additionalItems/n "
    "Definitions/definitions/n ExternalDocs/externalDocs/n Example/example/n "
    "XPreserveUnknownFields/x-kubernetes-preserve-unknown-fields/n XEmbeddedResource/x-kubernetes-embedded-resource/b "
    "XIntOrString/x-kubernetes-int-or-string/b XListMapKeys/x-kubernetes-list-map-keys/n "
    "XListType/x-kubernetes-list-type/n XMapType/x-kubernetes-map-type/n XValidations/x-kubernetes-validations/n",
    {
        "Default": _sorted,
        "Enum": _sorted,
        "Example": _sorted,
        "Items": _items,
        "AllOf": _schemas,
        "OneOf": _schemas,
        "AnyOf": _schemas,
        "Not": _schema,
        "Properties": _named,
        "PatternProperties": _named,
        "Definitions": _named,
        "AdditionalProperties": _or_bool,
        "AdditionalItems": _or_bool,
        "Dependencies": _dependencies,
        "ExternalDocs": _external,
        "XValidations": _rules,
    },
)
NAMES: Final[dict[str, str]] = {key: name for name, key, _, _ in _SCHEMA}
"""From the key of a schema's field to its name in messages."""
