"""What a CRD may say of a version: its schema, its subresources, its columns, what can be selected."""

from __future__ import annotations

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.crds import schema_rules
from argosy.kube.server.crds.field_paths import field_at
from argosy.kube.server.rules import formats
from argosy.kube.server.rules.wording import duplicate, invalid, required, too_many

_COLUMN_TYPES = ("boolean", "date", "integer", "number", "string")
_COLUMN_FORMATS = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")
_MOST_SELECTABLE = 8


def with_status(holder: Object) -> bool:
    return (holder.get("subresources") or {}).get("status") is not None


def check_version(spec: Object, version: Object, path: str) -> list[Cause]:
    causes = label(f"{path}.name", version.get("name", ""))
    causes += _check_deprecation(version, f"{path}.deprecationWarning")
    own = any(one.get("subresources") is not None for one in spec["versions"])
    return causes + check_contents(version, path, "schema", with_status(version if own else spec))


def label(path: str, name: str) -> list[Cause]:
    told = formats.dns_1035_label(name)
    return [invalid(path, name, ",".join(told))] if told else []


def _check_deprecation(version: Object, path: str) -> list[Cause]:
    said = version.get("deprecationWarning")
    if said is None:
        return []
    if not version.get("deprecated"):
        return [invalid(path, said, "can only be set for deprecated versions")]
    causes: list[Cause] = []
    if formats.size(said) > 256:
        causes.append(invalid(path, said, "must be <= 256 characters long"))
    if not said:
        causes.append(invalid(path, said, "must not be an empty string"))
    at = 0
    for char in said:
        if not char.isprintable():
            told = (
                f"must only contain printable UTF-8 characters; non-printable character found at index {at}"
            )
            return [*causes, invalid(path, said, told)]
        at += formats.size(char)
    return causes


def check_contents(holder: Object, path: str, schema_name: str, own_status: bool) -> list[Cause]:
    """What may stand in one version, or once above all of them."""
    causes: list[Cause] = []
    schema = (holder.get("schema") or {}).get("openAPIV3Schema")
    if schema is not None:
        causes += schema_rules.check(schema, f"{path}.{schema_name}", with_status=own_status)
    causes += _check_scale(holder, f"{path}.subresources")
    for at, one in enumerate(holder.get("additionalPrinterColumns") or ()):
        causes += _check_column(one, f"{path}.additionalPrinterColumns[{at}]")
    if selectable := holder.get("selectableFields"):
        causes += _check_selectable(selectable, schema or {}, f"{path}.selectableFields")
    return causes


def _check_scale(holder: Object, path: str) -> list[Cause]:
    scale = (holder.get("subresources") or {}).get("scale")
    if scale is None:
        return []
    causes: list[Cause] = []
    for field, root in (("specReplicasPath", "spec"), ("statusReplicasPath", "status")):
        said, where = scale.get(field, ""), f"{path}.scale.{field}"
        if not said:
            causes.append(required(where))
        else:
            causes += _simple(said, where) or _under(
                said, where, (root,), f"should be a json path under .{root}"
            )
    if said := scale.get("labelSelectorPath"):
        where, told = f"{path}.scale.labelSelectorPath", "should be a json path under either .spec or .status"
        causes += _simple(said, where) or _under(said, where, ("spec", "status"), told)
    return causes


def _simple(said: str, path: str) -> list[Cause]:
    if said.startswith("."):
        return []
    return [invalid(path, said, "must be a simple json path starting with .")]


def _under(said: str, path: str, roots: tuple[str, ...], told: str) -> list[Cause]:
    return [] if said.startswith(tuple(f".{one}." for one in roots)) else [invalid(path, said, told)]


def _check_column(column: Object, path: str) -> list[Cause]:
    causes: list[Cause] = []
    if not column.get("name"):
        causes.append(required(f"{path}.name"))
    kind, form, said = column.get("type", ""), column.get("format", ""), column.get("jsonPath", "")
    one_of = f"must be one of {','.join(_COLUMN_TYPES)}"
    if not kind:
        causes.append(required(f"{path}.type", one_of))
    elif kind not in _COLUMN_TYPES:
        causes.append(invalid(f"{path}.type", kind, one_of))
    if form and form not in _COLUMN_FORMATS:
        causes.append(invalid(f"{path}.format", form, f"must be one of {','.join(_COLUMN_FORMATS)}"))
    if not said:
        return [*causes, required(f"{path}.JSONPath")]
    return causes + _simple(said, f"{path}.JSONPath")


def _check_selectable(fields: list[Object], schema: Object, path: str) -> list[Cause]:
    causes: list[Cause] = []
    seen: set[str] = set()
    for at, one in enumerate(fields):
        said, where = one.get("jsonPath", ""), f"{path}[{at}].jsonPath"
        if not said:
            causes.append(required(where))
            continue
        found, wrong = field_at(said, schema, keys=False)
        if wrong:
            causes.append(invalid(where, said, f"is an invalid path: {wrong}"))
            continue
        if said.removeprefix(".").split(".")[0] == "metadata":
            causes.append(invalid(where, said, "must not point to fields in metadata"))
        if found.get("type") not in {"string", "boolean", "integer"}:
            told = (
                "must point to a field of type string, boolean or integer. Enum string fields and strings with "
                "formats are allowed."
            )
            causes.append(invalid(where, said, told))
        if said in seen:
            causes.append(duplicate(where, said))
        seen.add(said)
    if len(seen) > _MOST_SELECTABLE:
        causes.append(too_many(path, len(seen), _MOST_SELECTABLE))
    return causes
