"""A list of objects as a Table: columns with their types, and a row of cells per object.

`api.answers` and `api.watching` call `table` when a client asks for one. What a kind's columns hold stands in the modules
beside this one, by subject; the columns of a custom resource come from its definition (`custom`).
"""

from __future__ import annotations

from collections.abc import Sequence

from argosy.kube.errors import bad_request
from argosy.kube.objects import Object
from argosy.kube.server.registry import Column, Served
from argosy.kube.server.tables import cluster, custom, network, pods, rights, storage, workloads
from argosy.kube.server.tables.printer import NAME, Cells, Printer

_PRINTERS: dict[str, Printer] = {
    **cluster.PRINTERS,
    **network.PRINTERS,
    **pods.PRINTERS,
    **rights.PRINTERS,
    **storage.PRINTERS,
    **workloads.PRINTERS,
}
_INCLUDES = frozenset({"", "Metadata", "Object", "None"})


def table(
    served: Served,
    objects: Sequence[Object],
    version: str,
    *,
    metadata: Object | None = None,
    revision: str = "",
    headers: bool = True,
    include: str = "Metadata",
) -> Object:
    """`version` is the Table's own (`v1`, `v1beta1`); `metadata` a list's, `revision` a single object's. Without `headers`
    the columns are left out: a watch tells them once."""
    check_include(include)
    printer = custom.printer(served.columns) if served.custom else _PRINTERS.get(_kind(served), _PLAIN)
    rows = [_row(served, printer, obj, version, include) for obj in objects]
    return {
        "kind": "Table",
        "apiVersion": f"meta.k8s.io/{version}",
        "metadata": metadata if metadata is not None else {"resourceVersion": revision} if revision else {},
        "columnDefinitions": [_column(one) for one in printer.columns] if headers else None,
        "rows": rows,
    }


def check_include(include: str) -> None:
    """What a row may carry of its object, as a client asks for it (`includeObject`)."""
    if include not in _INCLUDES:
        raise bad_request(
            f'Unable to convert to Table as requested: includeObject: Invalid value: "{include}": '
            "must be 'Metadata', 'Object', 'None', or empty"
        )


def _kind(served: Served) -> str:
    """Both faces of events print alike: in the form in which they are stored."""
    return served.collection if not served.as_stored else served.resource.group_resource


def _row(served: Served, printer: Printer, obj: Object, version: str, include: str) -> Object:
    cells = printer.cells(obj if served.custom else served.to_stored(obj))
    row: Object = {"cells": cells}
    if printer.conditions is not None and (conditions := printer.conditions(obj)):
        row["conditions"] = conditions
    row["object"] = _included(obj, version, include)
    return row


def _included(obj: Object, version: str, include: str) -> Object | None:
    match include:
        case "None":
            return None
        case "Object":
            return obj
        case _:
            return {
                "kind": "PartialObjectMetadata",
                "apiVersion": f"meta.k8s.io/{version}",
                "metadata": obj["metadata"],
            }


def _column(column: Column) -> Object:
    return {
        "name": column.name,
        "type": column.type,
        "format": column.format,
        "description": column.description,
        "priority": column.priority,
    }


def _plain(obj: Object) -> Cells:
    return [obj["metadata"].get("name", ""), obj["metadata"].get("creationTimestamp")]


_PLAIN = Printer((NAME, Column("Created At", "date", description="When it was made.")), _plain)
"""Of kinds that nobody made columns for."""
