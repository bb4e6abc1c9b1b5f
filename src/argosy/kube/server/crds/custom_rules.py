"""What is particular about the objects of a CRD: their schema says what is valid and what is filled in."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from argosy.kube.errors import Cause, forbidden
from argosy.kube.objects import Object, name_of
from argosy.kube.server.crds import embedded, list_types, mistakes
from argosy.kube.server.crds.cel.rules import BLOCKED, Rules, blocked, rules_of
from argosy.kube.server.crds.checking import Check
from argosy.kube.server.crds.defaulting import default
from argosy.kube.server.crds.definition import has_status, scale_of, schema_of
from argosy.kube.server.crds.mistakes import Wrong
from argosy.kube.server.crds.shapes import Shape
from argosy.kube.server.crds.unchanged import NOTHING
from argosy.kube.server.patches.depth import bounded
from argosy.kube.server.rules import formats
from argosy.kube.server.rules.builtin import Builtin
from argosy.kube.server.rules.wording import each, invalid
from argosy.kube.server.tables.json_path import JsonPath, PathError
from argosy.kube.types import Resource

_MOST_REPLICAS = 2**31 - 1
_STANDARD_FINALIZERS = frozenset({"orphan", "foregroundDeletion", "kubernetes"})


class CustomRules(Builtin):
    unconditional_update = False
    generation = True
    standard_finalizers = False

    def __init__(
        self,
        resource: Resource,
        version: Object,
        shape: Shape,
        *,
        terminating: bool = False,
    ) -> None:
        super().__init__(resource)
        self._shape, self._terminating = shape, terminating
        self._with_status = has_status(version)
        self._scale = scale_of(version)
        self._schema = schema_of(version)
        self._check = Check(self._schema)
        self._let_pass: list[str] = []
        """By the latest check: what it tolerated."""
        status = (self._schema.get("properties") or {}).get("status")
        self._status_check = Check(status) if self._with_status and isinstance(status, dict) else None
        self._selectable = _selectable(version)

    @property
    def has_status(self) -> bool:
        return self._with_status

    def default(self, obj: Object) -> None:
        default(obj, self._shape)

    def prepare_create(self, obj: Object) -> None:
        if self._terminating:
            kind = self.resource.kind
            raise forbidden(
                f'{self.resource.group_resource} "{name_of(obj)}" is forbidden: create not allowed while custom '
                "resource definition is terminating",
                plural=self.resource.plural,
                name=name_of(obj),
                group=kind.group,
            )
        if self._with_status:
            obj.pop("status", None)
        obj["metadata"]["generation"] = 1

    def changed(self, new: Object, old: Object) -> bool:
        """Whatever is not metadata counts, and the status too where it has no address of its own."""
        return _without_metadata(new) != _without_metadata(old)

    @cached_property
    def _rules(self) -> Rules | None:
        return rules_of(self._schema)

    @bounded
    def check(self, obj: Object) -> list[Cause]:
        causes = self._against_schema(obj, NOTHING) + embedded.check(obj, self._shape)
        return self._with_rules(causes + list_types.check(obj, self._shape), obj, NOTHING)

    @bounded
    def check_update(self, new: Object, old: Object) -> list[Cause]:
        """What was wrong before and did not change is let pass."""
        causes = self._against_schema(new, old) + embedded.check(new, self._shape)
        if not list_types.check(old, self._shape):
            causes += list_types.check(new, self._shape)
        return self._with_rules(causes, new, old)

    def _with_rules(self, causes: list[Cause], obj: Object, old: Any) -> list[Cause]:
        self._let_pass = []
        if self._rules is None:
            return causes
        if blocked(causes):
            return [*causes, BLOCKED]
        judged = self._rules.judge(obj, old)
        self._let_pass = judged.warnings
        return causes + judged.causes

    def _against_schema(self, obj: Object, old: Any) -> list[Cause]:
        wrong: list[Wrong] = []
        self._check.inside(obj, "", wrong, old)
        return mistakes.causes(wrong) + self._replicas(obj) + self._status_replicas(obj)

    @bounded
    def check_status(self, new: Object, old: Object) -> list[Cause]:
        causes: list[Cause] = []
        if self._status_check is not None and "status" in new:
            wrong: list[Wrong] = []
            self._status_check.inside(new["status"], "", wrong, old.get("status", NOTHING))
            causes = mistakes.causes(wrong, "status")
        causes += self._status_replicas(new)
        repeated = list_types.check(new, self._shape)
        if repeated and not list_types.check(old, self._shape):
            causes += repeated
        return self._with_rules(causes, new, old)

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        before = (old or {}).get("metadata", {}).get("finalizers") or ()
        added = sorted(set(obj["metadata"].get("finalizers") or ()) - set(before))
        return [words for one in added for words in _finalizer_warnings(one)]

    def tolerated(self) -> list[str]:
        return self._let_pass

    def fields(self, obj: Object) -> dict[str, str]:
        return {name: _selected(path, obj) for name, path in self._selectable.items()}

    def _replicas(self, obj: Object) -> list[Cause]:
        return _check_count(obj, self._scale.get("specReplicasPath", "")) if self._scale else []

    def _status_replicas(self, obj: Object) -> list[Cause]:
        if not self._scale:
            return []
        causes = _check_count(obj, self._scale.get("statusReplicasPath", ""))
        path = self._scale.get("labelSelectorPath")
        if path is not None:
            found, wrong = _at(obj, path)
            if wrong is None and found is not None and not isinstance(found, str):
                wrong = _accessor(path, found, "string")
            if wrong is not None:
                causes.append(invalid(path, "", wrong))
        return causes


def _without_metadata(obj: Object) -> Object:
    return {name: part for name, part in obj.items() if name != "metadata"}


def _check_count(obj: Object, path: str) -> list[Cause]:
    found, wrong = _at(obj, path)
    if wrong is not None:
        return [invalid(path, 0, wrong)]
    if found is None:
        return []
    if type(found) is not int:
        return [invalid(path, 0, _accessor(path, found, "int64"))]
    if found < 0:
        return [invalid(path, found, "should be a non-negative integer")]
    if found > _MOST_REPLICAS:
        return [invalid(path, found, f"should be less than or equal to {_MOST_REPLICAS}")]
    return []


def _at(obj: Object, path: str) -> tuple[Any, str | None]:
    """What is there, or why there cannot be anything."""
    found: Any = obj
    parts = path.removeprefix(".").split(".")
    for at, part in enumerate(parts):
        if not isinstance(found, dict):
            return None, _accessor("." + ".".join(parts[:at]), found, "map[string]interface{}", whole=parts)
        if part not in found:
            return None, None
        found = found[part]
    return found, None


def _accessor(path: str, found: object, wanted: str, *, whole: list[str] | None = None) -> str:
    from argosy.kube.server.patches.go_text import shown, type_name

    kind = "<nil>" if found is None else type_name(found)
    told = "." + ".".join(whole) if whole else path
    return f"{told} accessor error: {shown(found)} is of the type {kind}, expected {wanted}"


def _finalizer_warnings(name: str) -> list[str]:
    told = [cause.message.partition(": ")[2] for cause in each("", name, formats.qualified_name(name))]
    words = [f'metadata.finalizers: "{name}": {one.partition(": ")[2]}' for one in told]
    if "/" not in name and name not in _STANDARD_FINALIZERS:
        path = " including a path (/)" if "." in name else ""
        words.append(
            f'metadata.finalizers: "{name}": prefer a domain-qualified finalizer name{path} to avoid accidental '
            "conflicts with other finalizer writers"
        )
    return words


def _selectable(version: Object) -> dict[str, JsonPath]:
    found = {}
    for one in version.get("selectableFields") or ():
        path = one.get("jsonPath") or ""
        try:
            found[path.removeprefix(".")] = JsonPath(path)
        except PathError:
            continue
    return found


def _selected(path: JsonPath, obj: Object) -> str:
    try:
        values = path.find(obj)
    except PathError:
        return ""
    value = values[0] if values else None
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
