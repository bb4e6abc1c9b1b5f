"""Who owns what in one object: `metadata.managedFields`, read and written."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

from argosy.kube.objects import Object, metadata
from argosy.kube.server.ownership.elements import BadElement
from argosy.kube.server.ownership.fieldset import FieldSet, ordered, parsed, union

APPLY, UPDATE = "Apply", "Update"
MOST_UPDATERS = 10
ANCIENT = "ancient-changes"


class Manager(NamedTuple):
    """Who is one owner. An applier is the same one in every version; for it the version is empty here."""

    name: str
    operation: str
    version: str
    subresource: str = ""

    @property
    def applies(self) -> bool:
        return self.operation == APPLY

    @property
    def rank(self) -> str:
        """Managers are told in this order."""
        shown = {"manager": self.name, "operation": self.operation, "apiVersion": self.version}
        return json.dumps(
            {key: value for key, value in (*shown.items(), ("subresource", self.subresource)) if value},
            ensure_ascii=False,
            separators=(",", ":"),
        )


@dataclass(frozen=True, slots=True)
class Owned:
    fields: FieldSet
    version: str
    time: str = ""

    def with_fields(self, fields: FieldSet) -> Owned:
        return replace(self, fields=fields)


Managers: TypeAlias = dict[Manager, Owned]


def manager_of(name: str, operation: str, version: str, subresource: str) -> Manager:
    return Manager(name or "unknown", operation, "" if operation == APPLY else version, subresource)


def read(entries: object) -> Managers:
    """`BadElement` says why they are not managed fields."""
    if not isinstance(entries, list):
        raise BadElement("not a list")
    return dict(_entry(entry, index) for index, entry in enumerate(entries))


def read_or_nothing(obj: Object | None) -> Managers:
    if obj is None:
        return {}
    try:
        return read(metadata(obj).get("managedFields") or [])
    except BadElement:
        return {}


def write(obj: Object, managers: Managers) -> None:
    """In the order in which they are always listed; nothing where nobody owns anything."""
    meta = obj.get("metadata")
    if not isinstance(meta, dict):
        return
    if managers:
        meta["managedFields"] = [
            _written(manager, owned) for manager, owned in sorted(managers.items(), key=_order)
        ]
    else:
        meta.pop("managedFields", None)


def capped(managers: Managers) -> Managers:
    """At most ten updaters: the oldest of a version become one."""
    updaters = sorted(
        (manager for manager in managers if not manager.applies),
        key=lambda manager: (managers[manager].time, manager.rank),
    )
    many = len(updaters)
    if many <= MOST_UPDATERS:
        return managers
    out, first_of = dict(managers), dict[str, Manager]()
    for manager in updaters:
        if many <= MOST_UPDATERS:
            break
        owned = out[manager]
        first = first_of.setdefault(owned.version, manager)
        if first is manager:
            continue
        bucket = manager_of(ANCIENT, UPDATE, owned.version, "")
        if bucket not in out:
            out[bucket] = out.pop(first)
        out[bucket] = replace(owned, fields=union(owned.fields, out[bucket].fields))
        if manager != bucket:
            del out[manager]
        many -= 1
    return out


def everything(managers: Iterable[Owned]) -> FieldSet:
    """What they own together."""
    out: FieldSet = {}
    for owned in managers:
        out = union(out, owned.fields)
    return out


def _entry(entry: object, index: int) -> tuple[Manager, Owned]:
    if not isinstance(entry, dict):
        raise BadElement("not an object")
    operation = entry.get("operation", "")
    if operation not in {APPLY, UPDATE}:
        raise BadElement("operation must be `Apply` or `Update`")
    version = entry.get("apiVersion")
    if not version or not isinstance(version, str):
        raise BadElement("apiVersion must not be empty")
    kind = entry.get("fieldsType")
    if not kind:
        raise BadElement(f"missing fieldsType in managed fields entry {index}")
    if kind != "FieldsV1":
        raise BadElement(f'invalid fieldsType "{kind}" in managed fields entry {index}')
    name, time, subresource = (entry.get(key) or "" for key in ("manager", "time", "subresource"))
    manager = Manager(str(name), str(operation), "" if operation == APPLY else version, str(subresource))
    return manager, Owned(parsed(entry.get("fieldsV1")), version, str(time))


def _written(manager: Manager, owned: Owned) -> Object:
    entry = {
        "manager": manager.name,
        "operation": manager.operation,
        "apiVersion": owned.version,
        "time": owned.time,
        "fieldsType": "FieldsV1",
        "fieldsV1": ordered(owned.fields),
        "subresource": manager.subresource,
    }
    return {key: value for key, value in entry.items() if value or key == "fieldsV1"}


def _order(one: tuple[Manager, Owned]) -> tuple[str, ...]:
    manager, owned = one
    return (manager.operation, owned.time, manager.name, owned.version, manager.subresource)
