"""Writes `src/argosy/argo/crds/`: the definitions of the Argo kinds, from the types in `argosy.contracts.argo`.

`python -m tools.argo_crds`. Every object keeps fields that it does not know, because the engine answers those with a condition that
names them; pruned, they would be missing without a word.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass

import msgspec
from msgspec import inspect

from argosy.contracts.argo.application import GROUP, VERSION, Application
from argosy.contracts.argo.application_set import ApplicationSet
from argosy.contracts.argo.project import AppProject
from tools.steps import ROOT

FOLDER = ROOT / "src" / "argosy" / "argo" / "crds"
_KEEPS: dict[str, object] = {"x-kubernetes-preserve-unknown-fields": True}


@dataclass(frozen=True, slots=True)
class Definition:
    type: type[msgspec.Struct]
    kind: str
    plural: str
    short: tuple[str, ...]
    columns: tuple[tuple[str, str, int], ...]
    """Header, JSON path, priority."""
    status: bool = False


DEFINITIONS = (
    Definition(
        Application,
        "Application",
        "applications",
        ("app", "apps"),
        (
            ("Sync Status", ".status.sync.status", 0),
            ("Health Status", ".status.health.status", 0),
            ("Revision", ".status.sync.revision", 10),
            ("Project", ".spec.project", 10),
        ),
    ),
    Definition(AppProject, "AppProject", "appprojects", ("appproj", "appprojs"), ()),
    Definition(ApplicationSet, "ApplicationSet", "applicationsets", ("appset", "appsets"), (), status=True),
)


def main() -> int:
    FOLDER.mkdir(exist_ok=True)
    for one in DEFINITIONS:
        path = FOLDER / f"{one.plural}.json"
        path.write_text(json.dumps(document(one), separators=(",", ":")) + "\n")
        print(f"{path.relative_to(ROOT)}  {path.stat().st_size / 1024:.0f} KB")
    return 0


def document(one: Definition) -> dict[str, object]:
    version = {
        "name": VERSION,
        "served": True,
        "storage": True,
        **({"additionalPrinterColumns": _columns(one)} if one.columns else {}),
        "schema": {"openAPIV3Schema": _root(one.type)},
        "subresources": {"status": {}} if one.status else {},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": f"{one.plural}.{GROUP}",
            "labels": {
                "app.kubernetes.io/name": f"{one.plural}.{GROUP}",
                "app.kubernetes.io/part-of": "argocd",
            },
        },
        "spec": {
            "group": GROUP,
            "names": {
                "kind": one.kind,
                "listKind": f"{one.kind}List",
                "plural": one.plural,
                "singular": one.kind.lower(),
                "shortNames": list(one.short),
            },
            "scope": "Namespaced",
            "versions": [version],
        },
    }


def _columns(one: Definition) -> list[dict[str, object]]:
    return [
        {"name": name, "jsonPath": path, "type": "string"} | ({"priority": level} if level else {})
        for name, path, level in one.columns
    ]


def _root(root: type[msgspec.Struct]) -> dict[str, object]:
    found = _schema(inspect.type_info(root))
    properties = found["properties"]
    assert isinstance(properties, dict)
    text = {"type": "string"}
    properties |= {"apiVersion": text, "kind": text, "metadata": {"type": "object"}}
    return {
        "type": "object",
        "required": ["metadata", "spec"],
        "properties": dict(sorted(properties.items())),
    } | _KEEPS


def _schema(found: inspect.Type) -> dict[str, object]:
    match found:
        case inspect.StructType():
            required = sorted(field.encode_name for field in found.fields if field.required)
            properties = {field.encode_name: _schema(field.type) for field in found.fields}
            return (
                {"type": "object", "properties": dict(sorted(properties.items()))}
                | ({"required": required} if required else {})
                | _KEEPS
            )
        case inspect.ListType():
            return {"type": "array", "items": _schema(found.item_type)}
        case inspect.DictType() if isinstance(found.value_type, inspect.AnyType):
            return {"type": "object"} | _KEEPS
        case inspect.DictType():
            return {"type": "object", "additionalProperties": _schema(found.value_type)}
        case inspect.UnionType():
            return _union(found)
        case inspect.BoolType():
            return {"type": "boolean"}
        case inspect.IntType():
            return {"type": "integer", "format": "int64"}
        case inspect.StrType() | inspect.LiteralType():
            return {"type": "string"}
        case inspect.AnyType():
            return dict(_KEEPS)
    raise TypeError(f"no schema for {found}")


def _union(found: inspect.UnionType) -> dict[str, object]:
    kinds = [one for one in found.types if not isinstance(one, inspect.NoneType)]
    if len(kinds) == 1:
        return _schema(kinds[0])
    if all(isinstance(one, inspect.StrType | inspect.LiteralType) for one in kinds):
        return {"type": "string"}
    return {"x-kubernetes-int-or-string": True}


if __name__ == "__main__":
    sys.exit(main())
