"""Fields that nobody here reads. They are kept, and a condition names them: silence would promise what does not happen."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import inspect

from argosy.contracts.argo.application_set import Generator, SetSpec
from argosy.kube.objects import Object

_MOST = 20


def unknown_fields(spec: Object) -> list[str]:
    """Their paths, sorted."""
    found = sorted(_unknown(spec, inspect.type_info(SetSpec), "spec"))
    return found[:_MOST]


def _unknown(value: object, kind: inspect.Type, path: str) -> Iterator[str]:
    match kind:
        case inspect.UnionType():
            for one in kind.types:
                if isinstance(one, inspect.StructType | inspect.ListType):
                    yield from _unknown(value, one, path)
        case inspect.ListType() if isinstance(value, list):
            for at, inner in enumerate(value):
                yield from _unknown(inner, kind.item_type, f"{path}[{at}]")
        case inspect.StructType() if isinstance(value, dict):
            fields = {field.encode_name: field.type for field in kind.fields}
            for key, inner in value.items():
                if key not in fields:
                    yield f"{path}.{key}"
                elif key == "generators" and not isinstance(_item(fields[key]), inspect.StructType):
                    for at, one in enumerate(inner if isinstance(inner, list) else ()):
                        yield from _unknown(one, inspect.type_info(Generator), f"{path}.generators[{at}]")
                else:
                    yield from _unknown(inner, fields[key], f"{path}.{key}")


def _item(kind: inspect.Type) -> inspect.Type | None:
    return kind.item_type if isinstance(kind, inspect.ListType) else None
