"""Copies values from one resource's field into fields of others: the `replacements` of a kustomization."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from argosy.manifests.kustomize import structured
from argosy.manifests.kustomize.documents import copied
from argosy.manifests.kustomize.field_paths import FRESH, Nothing, Place, look_up, places
from argosy.manifests.kustomize.identity import Gvk, Id
from argosy.manifests.kustomize.kustomization import FieldOptions, Replacement, Selector, Source, Target
from argosy.manifests.kustomize.paths import split_smartly
from argosy.manifests.kustomize.resource import Resource
from argosy.manifests.kustomize.scalars import (
    is_null,
    is_scalar,
    resolve,
    retexted,
    text_of,
)
from argosy.manifests.kustomize.selectors import matches, matches_gvk, meets, requirements
from argosy.manifests.tree import SourceError

_NAME = "metadata.name"


def replace_all(resources: Sequence[Resource], replacements: Iterable[Replacement]) -> None:
    for one in replacements:
        if (one.source is None and one.source_value is None) or one.targets is None:
            raise SourceError("replacements must specify a source and at least one target")
        value = _value(resources, one)
        for target in one.targets:
            _put_into(resources, value, target)


def _value(resources: Sequence[Resource], replacement: Replacement) -> Any:
    source = replacement.source
    if source is None:
        return resolve(replacement.source_value or "")
    if replacement.source_value is not None:
        raise SourceError("value and resource selectors are mutually exclusive")
    found = _source(resources, source)
    path = source.field_path or _NAME
    try:
        value = look_up(found.obj, split_smartly(path))
    except SourceError as error:
        raise SourceError(f"error looking up replacement source: {error}") from error
    if value is Nothing or is_null(value) or value in ({}, []):
        raise SourceError(f"fieldPath `{path}` is missing for replacement source {found.id}")
    return _part(copied(value), source.options)


def _part(value: Any, options: FieldOptions | None) -> Any:
    if options is None or not options.delimiter:
        return value
    if not is_scalar(value):
        raise SourceError("delimiter option can only be used with scalar nodes")
    parts = text_of(value).split(options.delimiter)
    if not 0 <= options.index < len(parts):
        raise SourceError(f"options.index {options.index} is out of bounds for the source's value")
    return retexted(value, parts[options.index])


def _ids(one: Resource) -> list[Id]:
    """The present id first. Here, what belongs to the cluster has no namespace of its own."""
    now = one.id
    return [now._replace(scope=now.namespace or "default"), *one.former_ids()]


def _source(resources: Sequence[Resource], wanted: Source) -> Resource:
    gvk = Gvk(wanted.group, wanted.version, wanted.kind)
    found = [
        one
        for one in resources
        if any(known.selected_by(gvk, wanted.name, wanted.namespace) for known in _ids(one))
    ]
    said = Id(gvk, wanted.name, wanted.namespace, "")
    if not found:
        raise SourceError(f"nothing selected by {said}")
    if len(found) > 1:
        raise SourceError(f"multiple matches for selector {said}")
    return found[0]


def _put_into(resources: Sequence[Resource], value: Any, target: Target) -> None:
    if target.select is None:
        raise SourceError("target must specify resources to select")
    select = target.select
    for one in resources:
        ids = _ids(one)
        if not _labelled(one, select) or any(_rejects(one, ids, reject) for reject in target.reject):
            continue
        if any(_selects(select, known) for known in ids):
            for path in target.field_paths or [_NAME]:
                try:
                    _put(one, path, value, target.options)
                except ValueError as error:
                    raise SourceError(f"field {path!r} of {one.id}: {error}") from error


def _selects(by: Selector, known: Id) -> bool:
    return (
        matches_gvk(by, known.gvk) and matches(by.name, known.name) and matches(by.namespace, known.namespace)
    )


def _labelled(one: Resource, by: Selector) -> bool:
    return meets(requirements(by.annotation_selector), one.texts("annotations")) and meets(
        requirements(by.label_selector), one.texts("labels")
    )


def _rejects(one: Resource, ids: Sequence[Id], by: Selector) -> bool:
    if (by.annotation_selector or by.label_selector) and _labelled(one, by):
        return True
    named = by.group or by.version or by.kind or by.name or by.namespace
    return bool(named) and any(_selects(by, known) for known in ids)


def _put(one: Resource, path: str, value: Any, options: FieldOptions | None) -> None:
    parts = split_smartly(path)
    create = _created(value) if options is not None and options.create else None
    if structured.put(one.obj, parts, lambda place: _set(place, value, options), create):
        return
    failed = (
        f'unable to find {"or create " if create is not None else ""}field "{path}" in replacement target'
    )
    try:
        found = places([one.obj], 0, parts, create)
    except SourceError as error:
        raise SourceError(f"{failed}: {error}") from error
    if not found:
        raise SourceError(failed)
    for place in found:
        _set(place, value, options)


def _created(value: Any) -> Any:
    return {} if isinstance(value, dict) else [] if isinstance(value, list) else FRESH


def _set(place: Place, value: Any, options: FieldOptions | None) -> None:
    old = place.value
    if options is not None and options.delimiter:
        if not is_scalar(old):
            raise SourceError("delimiter option can only be used with scalar nodes")
        parts = text_of(old).split(options.delimiter)
        text = "" if is_null(value) else text_of(value)
        if options.index < 0:
            parts.insert(0, text)
        elif options.index >= len(parts):
            parts.append(text)
        else:
            parts[options.index] = text
        place.put(retexted(old, options.delimiter.join(parts)))
    elif is_scalar(old):
        place.put(retexted(old, text_of(value)))
    else:
        place.put(copied(value))
