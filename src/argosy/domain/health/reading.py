"""Reading objects whose shape nobody vouches for: what is not of the expected type is as if it were absent.

Rules are asked about whatever stands in a cluster, also about custom resources with somebody else's idea of a status.
"""

from __future__ import annotations

from argosy.kube.objects import Object

_EMPTY: Object = {}


def part(obj: object, *path: str) -> Object:
    """The map at `path`; an empty one if there is none. Never to be changed."""
    for name in path:
        obj = obj.get(name) if isinstance(obj, dict) else None
    return obj if isinstance(obj, dict) else _EMPTY


def text(fields: Object, name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def number(fields: Object, name: str, default: int = 0) -> int:
    value = fields.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value or abs(value) > 2**63:  # noqa: PLR0124 — NaN is not itself
        return default
    return int(value)


def maps(value: object) -> list[Object]:
    """The maps in a list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def conditions(obj: Object) -> list[Object]:
    status = obj.get("status")
    return maps(status.get("conditions")) if isinstance(status, dict) else []


def condition(obj: Object, kind: str) -> Object:
    """The first of that type; an empty one if there is none."""
    return next((one for one in conditions(obj) if one.get("type") == kind), _EMPTY)
