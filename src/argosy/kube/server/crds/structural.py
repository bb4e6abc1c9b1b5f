"""Whether a schema is structural: each field's type stands in one place, outside of every alternative, so that one can tell from the
schema alone what is known.

`schema_rules` asks. The answer is a list of causes, sorted as upstream sorts them.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.crds.regex_syntax import RegexError, parse
from argosy.kube.server.rules.wording import forbidden, invalid, required

Level: TypeAlias = Literal["root", "item", "field"]
_EITHER = [{"type": "integer"}, {"type": "string"}]
_UNSUPPORTED = (
    "id",
    "$schema",
    "$ref",
    "patternProperties",
    "dependencies",
    "additionalItems",
    "definitions",
)
_LEAF, _SCALARS = frozenset({"type", "description"}), frozenset({"string", "integer", "number", "boolean"})
"""Most nodes are no more than that."""
_MISSING = {
    "root": "must not be empty at the root",
    "item": "must not be empty for specified array items",
    "field": "must not be empty for specified object fields",
}
_EMBEDDED = "x-kubernetes-embedded-resource"
_KEEP = "x-kubernetes-preserve-unknown-fields"
_EITHER_MARK = "x-kubernetes-int-or-string"
_NESTED: tuple[tuple[str, str], ...] = (
    ("default", "must be undefined to be structural"),
    ("title", "must be empty to be structural"),
    ("description", "must be empty to be structural"),
    ("nullable", "must be false to be structural"),
    (_KEEP, "must be false to be structural"),
    (_EMBEDDED, "must be false to be structural"),
    (_EITHER_MARK, "must be false to be structural"),
    ("x-kubernetes-list-map-keys", "must be empty to be structural"),
    ("x-kubernetes-list-type", "must be undefined to be structural"),
    ("x-kubernetes-map-type", "must be undefined to be structural"),
    ("x-kubernetes-validations", "must be empty to be structural"),
)


def unsupported(schema: Any) -> str:
    """What no structural schema may have anywhere, if it has."""
    if schema.keys() <= _LEAF:
        return ""
    for key in _UNSUPPORTED:
        if schema.get(key) not in (None, "", [], {}) or (key == "additionalItems" and key in schema):
            return f"OpenAPIV3Schema '{key.removeprefix('$') if key == '$schema' else key}' is not supported"
    if isinstance(schema.get("items"), list):
        return "OpenAPIV3Schema 'items' must be a schema, but is an array"
    if schema.get(_KEEP) is False:
        return f"internal error: '{_KEEP}' must be true or undefined"
    return next((told for one in _inside(schema) if (told := unsupported(one))), "")


def _inside(schema: Object) -> list[Object]:
    found = [schema.get("not"), schema.get("items"), schema.get("additionalProperties")]
    for key in ("allOf", "anyOf", "oneOf"):
        found += schema.get(key) or ()
    found += (schema.get("properties") or {}).values()
    return [one for one in found if isinstance(one, dict)]


def check(schema: Object, path: str) -> list[Cause]:
    causes: list[Cause] = []
    _invariants(schema, "root", path, causes)
    _complete(schema, schema, path, path, causes)
    return sorted(causes, key=lambda cause: f"{cause.field}: {cause.message}")


def _invariants(schema: Object, level: Level, path: str, causes: list[Cause]) -> None:
    if schema.keys() <= _LEAF and schema.get("type") in _SCALARS and level != "root":
        return
    kind, items, rest = schema.get("type", ""), schema.get("items"), schema.get("additionalProperties")
    if kind == "array" and items is None:
        causes.append(required(f"{path}.items", "must be specified"))
    if isinstance(items, dict):
        _invariants(items, "item", f"{path}.items", causes)
    for name, one in (schema.get("properties") or {}).items():
        _invariants(one, "field", f"{path}.properties[{name}]", causes)
    if rest is not None:
        if level == "root":
            causes.append(forbidden(f"{path}.additionalProperties", "must not be used at the root"))
        if isinstance(rest, dict):
            _invariants(rest, "field", f"{path}.additionalProperties", causes)
    _marks(schema, path, causes)
    _values(
        schema, level, path, causes, skip_any=_says_either(schema), skip_first=_says_either_in_all(schema)
    )
    _type(schema, level, path, causes)
    _meta(schema, level, path, causes)


def _says_either(schema: Object) -> bool:
    return schema.get("anyOf") == _EITHER


def _says_either_in_all(schema: Object) -> bool:
    return bool(((schema.get("allOf") or [{}])[0]).get("anyOf") == _EITHER)


def _marks(schema: Object, path: str, causes: list[Cause]) -> None:
    if schema.get(_EITHER_MARK):
        causes += (
            invalid(f"{path}.{key}", True, f"must be false if {_EITHER_MARK} is true")
            for key in (_KEEP, _EMBEDDED)
            if schema.get(key)
        )


def _type(schema: Object, level: Level, path: str, causes: list[Cause]) -> None:
    kind, embedded = schema.get("type", ""), bool(schema.get(_EMBEDDED))
    if embedded and kind != "object":
        told = f"must be object if {_EMBEDDED} is true"
        causes.append(invalid(f"{path}.type", kind, told) if kind else required(f"{path}.type", told))
    elif not kind and not schema.get(_EITHER_MARK) and not schema.get(_KEEP):
        causes.append(required(f"{path}.type", _MISSING[level]))
    if embedded and schema.get("additionalProperties") is not None:
        causes.append(forbidden(f"{path}.additionalProperties", f"must not be used if {_EMBEDDED} is set"))
    if level == "root" and kind and kind != "object":
        causes.append(invalid(f"{path}.type", kind, "must be object at the root"))


def _meta(schema: Object, level: Level, path: str, causes: list[Cause]) -> None:
    properties: Object = schema.get("properties") or {}
    embedded = bool(schema.get(_EMBEDDED))
    checked = level == "root" or embedded
    for name in ("kind", "apiVersion"):
        if checked and name in properties and properties[name].get("type", "") != "string":
            kind = properties[name].get("type", "")
            causes.append(invalid(f"{path}.properties[{name}].type", kind, "must be string"))
    if "metadata" in properties:
        meta, where = properties["metadata"], f"{path}.properties[metadata]"
        if checked and meta.get("type", "") != "object":
            causes.append(invalid(f"{where}.type", meta.get("type", ""), "must be object"))
        if level == "root" and _restricts(meta):
            causes.append(
                forbidden(
                    where,
                    "must not specify anything other than name and generateName, but metadata is implicitly specified",
                )
            )
    if embedded and not schema.get(_KEEP) and not properties:
        causes.append(
            required(f"{path}.properties", f"must not be empty if {_EMBEDDED} is true without {_KEEP}")
        )


def _restricts(meta: Object) -> bool:
    named = set(meta.get("properties") or ())
    allowed = {"type", "default"} | ({"properties"} if named <= {"name", "generateName"} and named else set())
    return any(key not in allowed for key, value in meta.items() if value not in (None, {}, [], "", False))


def _values(
    schema: Object, level: Level, path: str, causes: list[Cause], *, skip_any: bool, skip_first: bool
) -> None:
    if not skip_any:
        for at, one in enumerate(schema.get("anyOf") or ()):
            _nested(one, level, f"{path}.anyOf[{at}]", causes)
    for at, one in enumerate(schema.get("allOf") or ()):
        _nested(one, level, f"{path}.allOf[{at}]", causes, skip_any=skip_first and at == 0)
    for at, one in enumerate(schema.get("oneOf") or ()):
        _nested(one, level, f"{path}.oneOf[{at}]", causes)
    if schema.get("not") is not None:
        _nested(schema["not"], level, f"{path}.not", causes)
    if pattern := schema.get("pattern"):
        try:
            parse(pattern)
        except RegexError as error:
            told = f"must be a valid regular expression, but isn't: {error}"
            causes.append(invalid(f"{path}.pattern", pattern, told))


def _nested(schema: Object, level: Level, path: str, causes: list[Cause], *, skip_any: bool = False) -> None:
    """What stands in an alternative may only say what values are valid."""
    _values(schema, level, path, causes, skip_any=skip_any, skip_first=False)
    if isinstance(schema.get("items"), dict):
        _nested(schema["items"], level, f"{path}.items", causes)
    properties = schema.get("properties") or {}
    for name, one in properties.items():
        _nested(one, "field", f"{path}.properties[{name}]", causes)
    if schema.get("type"):
        causes.append(forbidden(f"{path}.type", "must be empty to be structural"))
    if schema.get("additionalProperties") not in (None, False):
        causes.append(forbidden(f"{path}.additionalProperties", "must be undefined to be structural"))
    causes += (forbidden(f"{path}.{key}", told) for key, told in _NESTED if schema.get(key) not in _EMPTY)
    if "metadata" in properties:
        causes.append(forbidden(f"{path}.properties[metadata]", "must not be specified in a nested context"))


_EMPTY: tuple[Any, ...] = (None, "", False, [])


def _complete(schema: Object, known: Any, known_path: str, path: str, causes: list[Cause]) -> None:
    """Everything that an alternative speaks of must be known outside of it."""
    for key in ("allOf", "anyOf", "oneOf"):
        for at, one in enumerate(schema.get(key) or ()):
            _complete_nested(one, known, known_path, f"{path}.{key}[{at}]", causes)
    if schema.get("not") is not None:
        _complete_nested(schema["not"], known, known_path, f"{path}.not", causes)


def _complete_nested(schema: Object, known: Any, known_path: str, path: str, causes: list[Cause]) -> None:
    if not isinstance(known, dict):
        causes.append(required(known_path, f"because it is defined in {path}"))
        return
    _complete(schema, known, known_path, path, causes)
    if isinstance(schema.get("items"), dict):
        _complete_nested(schema["items"], known.get("items"), f"{known_path}.items", f"{path}.items", causes)
    properties = known.get("properties") or {}
    for name, one in (schema.get("properties") or {}).items():
        where, here = f"{known_path}.properties[{name}]", f"{path}.properties[{name}]"
        if name in properties:
            _complete_nested(one, properties[name], where, here, causes)
        else:
            causes.append(required(where, f"because it is defined in {here}"))
