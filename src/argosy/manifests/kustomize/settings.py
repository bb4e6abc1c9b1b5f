"""Where each transformer works: the built-in field specifications and what kustomizations add to them with `configurations` and `crds`.

What a base adds holds for everything above it too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any

from argosy.manifests.kustomize import default_references, defaults
from argosy.manifests.kustomize.identity import Gvk
from argosy.manifests.kustomize.paths import FieldSpec
from argosy.manifests.kustomize.sorting import FIRST, LAST
from argosy.manifests.tree import SourceError

_JSON_NAMES = {
    "namePrefix": "name_prefix",
    "nameSuffix": "name_suffix",
    "namespace": "namespace",
    "commonLabels": "common_labels",
    "labels": "labels",
    "templateLabels": "template_labels",
    "volumeClaimTemplateLabels": "claim_labels",
    "commonAnnotations": "common_annotations",
    "nameReference": "references",
    "varReference": "variables",
    "images": "images",
    "replicas": "replicas",
}
_SPEC_FIELDS = {"group", "version", "kind", "path", "create"}
_ORDER = {kind: index - len(FIRST) for index, kind in enumerate(FIRST)} | {
    kind: index + 1 for index, kind in enumerate(LAST)
}


@dataclass(frozen=True, slots=True)
class Settings:
    name_prefix: list[FieldSpec] = field(default_factory=list)
    name_suffix: list[FieldSpec] = field(default_factory=list)
    namespace: list[FieldSpec] = field(default_factory=list)
    common_labels: list[FieldSpec] = field(default_factory=list)
    labels: list[FieldSpec] = field(default_factory=list)
    template_labels: list[FieldSpec] = field(default_factory=list)
    claim_labels: list[FieldSpec] = field(default_factory=list)
    common_annotations: list[FieldSpec] = field(default_factory=list)
    references: list[tuple[Gvk, list[FieldSpec]]] = field(default_factory=list)
    variables: list[FieldSpec] = field(default_factory=list)
    images: list[FieldSpec] = field(default_factory=list)
    replicas: list[FieldSpec] = field(default_factory=list)

    def merged(self, more: Settings) -> Settings:
        if more is self or more == Settings():
            return self
        if self == Settings() and more is built_in():
            return more
        lists = {
            one.name: merge_all(getattr(self, one.name), getattr(more, one.name), _shown(one.name))
            for one in fields(self)
            if one.name != "references"
        }
        return Settings(**lists, references=_merge_references(self.references, more.references)).in_order()

    def in_order(self) -> Settings:
        """As upstream sorts them: by the kinds' places in an installation."""
        lists = {
            one.name: sorted(getattr(self, one.name), key=lambda spec: _rank(spec.gvk))
            for one in fields(self)
            if one.name != "references"
        }
        return replace(self, **lists, references=sorted(self.references, key=lambda pair: _rank(pair[0])))


@cache
def built_in() -> Settings:
    raw = Settings(
        name_prefix=defaults.NAMES,
        name_suffix=defaults.NAMES,
        namespace=defaults.NAMESPACES,
        common_labels=defaults.COMMON_LABELS,
        template_labels=defaults.TEMPLATE_LABELS,
        claim_labels=defaults.CLAIM_LABELS,
        common_annotations=defaults.ANNOTATIONS,
        references=default_references.REFERENCES,
        variables=defaults.VARIABLES,
        images=defaults.IMAGES,
        replicas=defaults.REPLICAS,
    )
    return raw.in_order()


def merge_all(specs: list[FieldSpec], more: Iterable[FieldSpec], what: str) -> list[FieldSpec]:
    """What is there already is left out. Raises when it is there with the other `create`."""
    merged = list(specs)
    for one in more:
        same = next((old for old in merged if old.path == one.path and old.gvk.selected_by(one.gvk)), None)
        if same is None:
            merged.append(one)
        elif same.create != one.create:
            raise SourceError(f"failed to merge {what} fieldSpec: conflicting fieldspecs ({one.path})")
    return merged


def _shown(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _merge_references(
    pairs: list[tuple[Gvk, list[FieldSpec]]], more: list[tuple[Gvk, list[FieldSpec]]]
) -> list[tuple[Gvk, list[FieldSpec]]]:
    merged = list(pairs)
    for target, specs in more:
        places = [index for index, (gvk, _) in enumerate(merged) if gvk == target]
        for index in places:
            merged[index] = (target, merge_all(merged[index][1], specs, "NameReference"))
        if not places:
            merged.append((target, specs))
    return merged


def _rank(gvk: Gvk) -> tuple[int, str]:
    return _ORDER.get(gvk.kind, 0), f"{gvk.group or '~G'}_{gvk.version or '~V'}_{gvk.kind or '~K'}"


def read(value: Any, file: str) -> Settings:
    """A file of `configurations`. Unknown fields are errors."""
    if value is None:
        return Settings()
    if not isinstance(value, dict):
        raise SourceError(f"{file}: must be a mapping of field specifications")
    lists: dict[str, Any] = {}
    for key, entries in value.items():
        if key not in _JSON_NAMES:
            raise SourceError(
                f'{file}: error unmarshaling JSON: while decoding JSON: json: unknown field "{key}"'
            )
        if not isinstance(entries, list | None):
            raise SourceError(f"{file}: {key} must be a list")
        where = f"{file}: {key}"
        read_one = _reference if key == "nameReference" else spec_of
        lists[_JSON_NAMES[key]] = [
            read_one(one, f"{where}[{index}]") for index, one in enumerate(entries or ())
        ]
    return Settings(**lists).in_order()


def _reference(value: Any, where: str) -> tuple[Gvk, list[FieldSpec]]:
    checked(value, {"group", "version", "kind", "fieldSpecs"}, where)
    entries = value.get("fieldSpecs") or []
    return _gvk(value), [spec_of(one, f"{where}.fieldSpecs[{index}]") for index, one in enumerate(entries)]


def spec_of(value: Any, where: str) -> FieldSpec:
    checked(value, _SPEC_FIELDS, where)
    return FieldSpec(_text(value.get("path")), _gvk(value), value.get("create") is True)


def checked(value: Any, known: set[str], where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise SourceError(f"{where}: must be a mapping")
    for key in value:
        if key not in known:
            raise SourceError(
                f'{where}: error unmarshaling JSON: while decoding JSON: json: unknown field "{key}"'
            )
    return value


def _text(value: Any) -> str:
    if isinstance(value, dict | list):
        raise SourceError("json: cannot unmarshal object into Go struct field of type string")
    return "" if value is None else str(value)


def _gvk(value: Mapping[str, Any]) -> Gvk:
    return Gvk(*(_text(value.get(part)) for part in ("group", "version", "kind")))
