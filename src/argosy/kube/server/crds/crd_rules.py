"""The rules of the kind CustomResourceDefinition itself."""

from __future__ import annotations

from argosy.kube.errors import ApiError, Cause, bad_request
from argosy.kube.objects import Object
from argosy.kube.schema import struct
from argosy.kube.server.crds import conditions, crd_validation, string_formats
from argosy.kube.server.crds.cel import judging
from argosy.kube.server.crds.definition import (
    FINALIZER,
    schema_of,
    schemas_inside,
    spec_of,
    versions_of,
)
from argosy.kube.server.decoding import decode
from argosy.kube.server.patches.depth import bounded
from argosy.kube.server.rules import Rules
from argosy.kube.server.rules.builtin import Builtin
from argosy.kube.types import Resource

_SCHEMA = "apiextensions.v1.JSONSchemaProps"
_LEAF = frozenset({"type", "description"})


def rules_for_crds(resource: Resource) -> Rules:
    return CrdRules(resource)


class CrdRules(Builtin):
    slow_from = 32 << 10
    unconditional_update = False
    generation = True
    standard_finalizers = False

    @bounded
    def default(self, obj: Object) -> None:
        spec = obj.setdefault("spec", {})
        names = spec.setdefault("names", {})
        kind = names.get("kind", "")
        names["singular"] = names.get("singular") or kind.lower()
        if kind and not names.get("listKind"):
            names["listKind"] = f"{kind}List"
        spec.setdefault("conversion", {"strategy": "None"})
        for version in versions_of(obj):
            if version.get("schema") and version["schema"].get("openAPIV3Schema"):
                _typed(version["schema"]["openAPIV3Schema"], "spec.versions.schema.openAPIV3Schema")
        _remember_storage(obj)

    def prepare_create(self, obj: Object) -> None:
        obj["status"] = {
            "conditions": None,
            "acceptedNames": {"plural": "", "kind": ""},
            "storedVersions": None,
        }
        obj["metadata"]["generation"] = 1
        _remember_storage(obj)

    def prepare_update(self, new: Object, old: Object) -> None:
        super().prepare_update(new, old)
        _remember_storage(new)

    def check_metadata(self, obj: Object) -> list[Cause]:
        return crd_validation.check_name(obj)

    @bounded
    def check(self, obj: Object) -> list[Cause]:
        return crd_validation.check(obj)

    @bounded
    def check_update(self, new: Object, old: Object) -> list[Cause]:
        return crd_validation.check_change(new, old)

    def check_status(self, new: Object, old: Object) -> list[Cause]:
        return crd_validation.check_status(new)

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        before = _unknown_formats(old) if old is not None else set()
        told = [f'unrecognized format "{one}"' for one in sorted(_unknown_formats(obj) - before)]
        if old is None or spec_of(obj) != spec_of(old):
            told += (
                f"{path}: a rule is stored but not evaluated by this cluster" for path in unevaluated(obj)
            )
        return told

    def holds(self, obj: Object) -> bool:
        """Until its objects are gone."""
        return "deletionTimestamp" not in obj["metadata"]

    def prepare_deletion(self, obj: Object) -> None:
        meta = obj["metadata"]
        meta.pop("deletionGracePeriodSeconds", None)
        if "generation" in meta:
            meta["generation"] -= 1  # a delete is no change of what is wanted
        if FINALIZER not in (meta.get("finalizers") or ()):
            meta["finalizers"] = [*(meta.get("finalizers") or ()), FINALIZER]
        conditions.put(obj, conditions.DELETION_PENDING)


def _remember_storage(crd: Object) -> None:
    """Every version that objects were ever stored in is listed, until somebody migrated them."""
    status = crd.setdefault("status", {})
    stored = status.get("storedVersions") or []
    version = next((one.get("name", "") for one in versions_of(crd) if one.get("storage")), None)
    if version is not None and version not in stored:
        status["storedVersions"] = [*stored, version]


def _typed(schema: Object, path: str) -> Object:
    """The built-in type stops at `items` and `additionalProperties`, which are one of two things each. This goes on."""
    if schema.keys() <= _LEAF:
        return schema
    for key in ("items", "additionalProperties", "additionalItems"):
        given, where = schema.get(key), f"{path}.{key}"
        if isinstance(given, dict):
            schema[key] = _typed(_decoded(given, where), where)
        elif isinstance(given, list) and key == "items":
            schema[key] = [_typed(_decoded(one, where), where) for one in given]
        elif key == "items":
            schema.pop(key, None)
        elif given is not None and not isinstance(given, bool):
            raise _unreadable("boolean or JSON schema expected")
    for key in ("allOf", "anyOf", "oneOf"):
        for one in schema.get(key) or ():
            _typed(one, f"{path}.{key}")
    if schema.get("not") is not None:
        _typed(schema["not"], f"{path}.not")
    for key in ("properties", "definitions", "patternProperties"):
        for one in (schema.get(key) or {}).values():
            _typed(one, f"{path}.{key}")
    return schema


def _decoded(schema: object, path: str) -> Object:
    try:
        return decode(schema, struct(_SCHEMA)).obj
    except ApiError as error:
        told = error.message.replace("field JSONSchemaProps.", f"field JSONSchemaProps.{path}.")
        raise _unreadable(told) from error


def _unreadable(why: str) -> ApiError:
    return bad_request(
        'CustomResourceDefinition in version "v1" cannot be handled as a CustomResourceDefinition: ' + why
    )


def _unknown_formats(crd: Object) -> set[str]:
    return {
        one["format"]
        for version in versions_of(crd)
        for one in schemas_inside(schema_of(version))
        if one.get("format") and not string_formats.known(one.get("type", ""), one["format"])
    }


def unevaluated(crd: Object) -> list[str]:
    """The paths of rules in CEL which this cluster keeps and publishes but cannot run."""
    return [
        path
        for at, version in enumerate(versions_of(crd))
        for path in judging.unevaluated(schema_of(version), f"spec.versions[{at}].schema.openAPIV3Schema")
    ]
