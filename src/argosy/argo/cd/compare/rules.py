"""What to overlook in a comparison: rules of the application and of the installation, and what no comparison is about."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from argosy.argo.cd.compare import managed
from argosy.argo.cd.resources import ResourceKey
from argosy.contracts.argo.application import IgnoreDifferences
from argosy.kube.objects import Object

_SERVER_OWN = (
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
)
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


@dataclass(frozen=True, slots=True)
class Rule:
    """`group` and `kind` are globs."""

    group: str = "*"
    kind: str = "*"
    name: str = ""
    namespace: str = ""
    pointers: tuple[str, ...] = ()
    expressions: tuple[str, ...] = ()
    managers: tuple[str, ...] = ()

    @classmethod
    def of(cls, said: IgnoreDifferences) -> Rule:
        return cls(
            group=said.group,
            kind=said.kind,
            name=said.name,
            namespace=said.namespace,
            pointers=tuple(said.json_pointers),
            expressions=tuple(said.jq_path_expressions),
            managers=tuple(said.managed_fields_managers),
        )

    def is_about(self, key: ResourceKey) -> bool:
        return (
            fnmatchcase(key.group, self.group)
            and fnmatchcase(key.kind, self.kind)
            and self.name in {"", key.name}
            and self.namespace in {"", key.namespace}
        )


@dataclass(frozen=True, slots=True)
class Overlooked:
    """The rules that are about one object, as one."""

    pointers: tuple[str, ...] = ()
    expressions: tuple[str, ...] = ()
    managers: tuple[str, ...] = ()

    @property
    def nothing(self) -> bool:
        return not (self.pointers or self.expressions or self.managers)


def about(rules: Iterable[Rule], key: ResourceKey) -> Overlooked:
    found = [rule for rule in rules if rule.is_about(key)]
    return Overlooked(
        tuple(one for rule in found for one in rule.pointers),
        tuple(one for rule in found for one in rule.expressions),
        tuple(one for rule in found for one in rule.managers),
    )


def cleaned(obj: Object, overlooked: Overlooked, *, live: Object | None) -> Object:
    """What of an object is compared, but for jq's expressions. `live` says who manages which field. Shares what it does not change."""
    found = {name: value for name, value in obj.items() if name != "status"}
    found["metadata"] = _metadata(obj.get("metadata") or {})
    if obj.get("kind") == "Secret" and obj.get("stringData"):
        found = _folded(found)
    if live is not None:
        for fields in managed.fields_of(live, overlooked.managers):
            found = managed.without(found, fields)
    for pointer in overlooked.pointers:
        found = _removed(found, _steps(pointer))  # type: ignore[assignment]
    return found


def _metadata(metadata: Object) -> Object:
    found = {name: value for name, value in metadata.items() if name not in _SERVER_OWN}
    annotations = found.get("annotations")
    if isinstance(annotations, dict) and _LAST_APPLIED in annotations:
        found["annotations"] = {name: value for name, value in annotations.items() if name != _LAST_APPLIED}
    return {name: value for name, value in found.items() if value not in ({}, None)}


def _folded(secret: Object) -> Object:
    plain = {name: b64encode(str(value).encode()).decode() for name, value in secret["stringData"].items()}
    rest = {name: value for name, value in secret.items() if name != "stringData"}
    return {**rest, "data": {**(secret.get("data") or {}), **plain}}


def _steps(pointer: str) -> list[str]:
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.lstrip("/").split("/")]


def _removed(value: object, steps: list[str]) -> object:
    """`value` less what the pointer names; a pointer that leads nowhere changes nothing."""
    step, *rest = steps
    if isinstance(value, dict) and step in value:
        if not rest:
            return {name: one for name, one in value.items() if name != step}
        return {**value, step: _removed(value[step], rest)}
    if isinstance(value, list) and step.isdigit() and int(step) < len(value):
        place = int(step)
        middle = [_removed(value[place], rest)] if rest else []
        return [*value[:place], *middle, *value[place + 1 :]]
    return value
