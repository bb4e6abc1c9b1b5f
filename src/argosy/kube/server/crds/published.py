"""The schema of a custom resource as `/openapi/v2` and `/openapi/v3` show it (`documents.schemas` adds the kinds).

`kubectl explain` and client-side validation read it. OpenAPI 2 has no alternatives and no nulls, and its readers cannot stand fields
beside unknown ones; what they could not read is left out.
"""

from __future__ import annotations

from typing import Any

from argosy.kube.objects import Object

_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
_TEXT: Object = {"type": "string"}
_EITHER: list[Object] = [{"type": "integer"}, {"type": "string"}]
_NOT_IN_SECOND = frozenset({"allOf", "anyOf", "oneOf", "not", "nullable", "default"})


def third(schema: Object) -> Object:
    """For version 3."""
    made = _unfolded(schema)
    reference = {"allOf": [{"$ref": f"#/components/schemas/{_META}"}]}
    _embed(made, reference)
    return _whole(made, reference)


def second(schema: Object) -> Object:
    if schema.get("x-kubernetes-preserve-unknown-fields"):
        return {"type": "object"}
    made = _simple(schema)
    reference = {"$ref": f"#/definitions/{_META}"}
    _embed(made, reference, second=True)
    return _whole(made, reference)


def _whole(made: Object, reference: Object) -> Object:
    properties = {**(made.get("properties") or {})}
    properties |= {"apiVersion": _TEXT, "kind": _TEXT, "metadata": reference}
    return {**made, "properties": properties}


def _unfolded(schema: Any) -> Any:
    """A copy in which a number or text says so in the words of OpenAPI."""
    if not isinstance(schema, dict):
        return schema
    made = _inside(schema, _unfolded)
    if schema.get("x-kubernetes-int-or-string") and not _says_either(schema):
        if "anyOf" in made:
            made["allOf"] = [{"anyOf": _EITHER}, *(made.get("allOf") or [])]
        else:
            made["anyOf"] = _EITHER
    return made


def _says_either(schema: Object) -> bool:
    first = (schema.get("allOf") or [{}])[0]
    return schema.get("anyOf") == _EITHER or first.get("anyOf") == _EITHER


def _simple(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    kept = {key: value for key, value in schema.items() if key not in _NOT_IN_SECOND}
    unknown = bool(schema.get("x-kubernetes-preserve-unknown-fields"))
    if schema.get("nullable") or unknown:
        for key in ("items", "properties"):
            kept.pop(key, None)
    if schema.get("nullable") or (unknown and schema.get("type") == "object"):
        kept.pop("type", None)
    if kept.get("type") == "array" and "items" not in kept:
        del kept["type"]
    optional = {name for name, one in (kept.get("properties") or {}).items() if one.get("nullable")}
    rest = kept.get("additionalProperties")
    if isinstance(rest, dict) and rest.get("nullable"):
        kept.pop("required", None)
    if optional and "required" in kept:
        kept["required"] = [name for name in kept["required"] if name not in optional]
        if not kept["required"]:
            del kept["required"]
    return _inside(kept, _simple)


def _inside(schema: Object, each: Any) -> Object:
    made = {**schema}
    for key in ("items", "additionalProperties"):
        if key in made:
            made[key] = each(made[key])
    if "properties" in made:
        made["properties"] = {name: each(one) for name, one in (made["properties"] or {}).items()}
    return made


def _embed(schema: Any, reference: Object, *, second: bool = False) -> None:
    """Gives every whole object inside what such objects have."""
    if not isinstance(schema, dict):
        return
    for one in (
        *(schema.get("properties") or {}).values(),
        schema.get("items"),
        schema.get("additionalProperties"),
    ):
        _embed(one, reference, second=second)
    if not schema.get("x-kubernetes-embedded-resource"):
        return
    if second and schema.get("x-kubernetes-preserve-unknown-fields"):
        return
    properties = {**(schema.get("properties") or {})}
    schema["properties"] = properties | {"apiVersion": _TEXT, "kind": _TEXT, "metadata": reference}
    needed = list(schema.get("required") or ())
    schema["required"] = [*needed, *(one for one in ("kind", "apiVersion") if one not in needed)]
