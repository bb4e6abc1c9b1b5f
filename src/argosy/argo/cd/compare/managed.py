"""What the server remembers of who wrote which field: asked for what we own, what others own, and who is to blame."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator

from argosy.kube.objects import Object, metadata

Path = tuple[str, ...]
"""Steps as `managedFields` has them: `f:spec`, `k:{"name":"web"}`, `v:"x"`."""


def entries(live: Object) -> list[Object]:
    found = metadata(live).get("managedFields")
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def applied_by(live: Object, manager: str) -> Object | None:
    """The fields that this manager applied; None: it never did."""
    for one in entries(live):
        if one.get("manager") == manager and one.get("operation") == "Apply" and not one.get("subresource"):
            fields = one.get("fieldsV1")
            return fields if isinstance(fields, dict) else {}
    return None


def covers(target: object, fields: Object) -> bool:
    """Whether everything that is owned is still wanted: nothing has left Git since it was applied."""
    return all(_still_there(target, step, below) for step, below in fields.items())


def without(obj: Object, fields: Object) -> Object:
    """The object less these fields. What is left of it is shared with the original."""
    return {name: kept for name, one in obj.items() for kept in _kept(one, fields.get(f"f:{name}"))}


def fields_of(live: Object, managers: Collection[str]) -> list[Object]:
    return [
        one["fieldsV1"] for one in entries(live) if one.get("manager") in managers and one.get("fieldsV1")
    ]


def blamed(live: Object, path: Path) -> tuple[str, str]:
    """Who last wrote the field, and when. Empty: nobody says so."""
    owners = [one for one in entries(live) if _owns(one.get("fieldsV1") or {}, path)]
    if not owners:
        return "", ""
    last = max(owners, key=lambda one: str(one.get("time", "")))
    return str(last.get("manager", "")), str(last.get("time", ""))


def _still_there(target: object, step: str, below: object) -> bool:
    if step == ".":
        return True
    found = _at(target, step)
    if found is _NOTHING:
        return False
    return not isinstance(below, dict) or not below or covers(found, below)


_NOTHING = object()


def _at(value: object, step: str) -> object:
    form, _, rest = step.partition(":")
    if form == "f":
        return value.get(rest, _NOTHING) if isinstance(value, dict) else _NOTHING
    if not isinstance(value, list):
        return _NOTHING
    wanted = json.loads(rest)
    if form == "k":
        return next((one for one in value if _has(one, wanted)), _NOTHING)
    return wanted if wanted in value else _NOTHING


def _has(item: object, wanted: Object) -> bool:
    if not isinstance(item, dict):
        return False
    return all(item.get(key, "TCP" if key == "protocol" else None) == value for key, value in wanted.items())


def _without(value: object, fields: Object) -> object:
    if isinstance(value, dict):
        return without(value, fields)
    if isinstance(value, list):
        return [kept for one in value for kept in _kept(one, _of_item(one, fields))]
    return value


def _kept(value: object, below: object) -> Iterator[object]:
    if below is None:
        yield value
    elif isinstance(below, dict) and any(step != "." for step in below):
        yield _without(value, below)


def _of_item(item: object, fields: Object) -> object:
    for step, below in fields.items():
        form, _, rest = step.partition(":")
        if form == "k" and _has(item, json.loads(rest)):
            return below
        if form == "v" and json.loads(rest) == item:
            return {}
    return None


def _owns(fields: Object, path: Path) -> bool:
    for step in path:
        below = fields.get(step)
        if not isinstance(below, dict):
            return False
        if not below:  # owned as a whole
            return True
        fields = below
    return True
