"""What an application becomes: what was generated, with what its set preserves or overlooks of the live one; and the patch that does it. Pure."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence

from argosy.argo.cd.application_sets.settings import Settings
from argosy.argo.cd.compare.rules import Overlooked, cleaned
from argosy.contracts.argo.application_set import IgnoredApplicationDifferences, PreservedFields, SetSpec
from argosy.kube.objects import Object, annotations_of, labels_of, metadata, name_of, uid_of

_ALWAYS_PRESERVED = (
    "notified.notifications.argoproj.io",
    "argocd.argoproj.io/refresh",
    "argocd.argoproj.io/hydrate",
)
_DELETING_FINALIZERS = (
    "pre-delete-finalizer.argocd.argoproj.io",
    "post-delete-finalizer.argocd.argoproj.io",
)
_FREE_FORM = frozenset(["valuesObject"])
"""Compared as it is: what is empty there means something."""


class NotOurs(Exception):
    """Somebody else's controller has it."""


def normal(spec: Object) -> Object:
    """Without what says nothing, as the engine takes it."""
    found = copy.deepcopy(spec)
    found["project"] = found.get("project") or "default"
    if "syncPolicy" in found and not _says(found["syncPolicy"], keep=("automated",)):
        del found["syncPolicy"]
    for source in [*(found.get("sources") or ()), found.get("source")]:
        if isinstance(source, dict):
            for kind in ("kustomize", "helm", "directory"):
                if kind in source and not _says(source[kind]):
                    del source[kind]
    return found


def _says(value: object, keep: Iterable[str] = ()) -> bool:
    if isinstance(value, dict):
        return any(key in keep and inner is not None for key, inner in value.items()) or any(
            _says(inner, keep) for inner in value.values()
        )
    return value not in (None, "", False, [], {})


def desired(
    live: Object | None, generated: Object, application_set: Object, spec: SetSpec, settings: Settings
) -> Object:
    """The parts of an application that its set decides. Raises `NotOurs`."""
    generated_metadata = generated["metadata"]
    labels = dict(generated_metadata.get("labels") or {})
    annotations = dict(generated_metadata.get("annotations") or {})
    finalizers = list(generated_metadata.get("finalizers") or ())
    if live is not None:
        preserved = spec.preserved_fields or PreservedFields()
        own = (*preserved.annotations, *settings.preserved_annotations, *_ALWAYS_PRESERVED)
        annotations |= _held(annotations_of(live), own)
        labels |= _held(labels_of(live), (*preserved.labels, *settings.preserved_labels))
        finalizers += [
            one
            for one in metadata(live).get("finalizers") or ()
            if one.startswith(_DELETING_FINALIZERS) and one not in finalizers
        ]
    found: Object = {
        "metadata": {
            "labels": labels,
            "annotations": annotations,
            "finalizers": finalizers,
            "ownerReferences": _owners(live, application_set),
        },
        "spec": normal(generated["spec"]),
    }
    if generated.get("operation") is not None:
        found["operation"] = generated["operation"]
    return found


def _held(live: dict[str, str], keys: Iterable[str]) -> dict[str, str]:
    return {key: live[key] for key in keys if key in live}


def _owners(live: Object | None, application_set: Object) -> list[Object]:
    ours: Object = {
        "apiVersion": application_set["apiVersion"],
        "kind": application_set["kind"],
        "name": name_of(application_set),
        "uid": uid_of(application_set),
        "controller": True,
        "blockOwnerDeletion": True,
    }
    others: list[Object] = []
    for one in (metadata(live).get("ownerReferences") or ()) if live is not None else ():
        if one.get("uid") == ours["uid"]:
            continue
        if one.get("controller"):
            if one.get("kind") == ours["kind"] and one.get("name") == ours["name"]:
                continue  # our namesake of before
            raise NotOurs(
                f"Object {metadata(live or {}).get('namespace', '')}/{name_of(live or {})} is already owned by another "
                f"{one.get('kind')} controller {one.get('name')}"
            )
        others.append(one)
    return [*others, ours]


def current(live: Object) -> Object:
    """The same parts of the live one."""
    held = metadata(live)
    found: Object = {
        "metadata": {
            "labels": held.get("labels") or {},
            "annotations": held.get("annotations") or {},
            "finalizers": held.get("finalizers") or [],
            "ownerReferences": held.get("ownerReferences") or [],
        },
        "spec": live.get("spec") or {},
    }
    if live.get("operation") is not None:
        found["operation"] = live["operation"]
    return found


def overlooked(rules: Sequence[IgnoredApplicationDifferences], name: str) -> Overlooked:
    about = [one for one in rules if one.name in {"", name}]
    return Overlooked(
        pointers=tuple(pointer for one in about for pointer in one.json_pointers),
        expressions=tuple(expression for one in about for expression in one.jq_path_expressions),
    )


def without(parts: Object, over: Overlooked) -> Object:
    """Less what the set overlooks, but for jq's expressions."""
    if not over.pointers:
        return parts
    found = cleaned(parts, over, live=None)
    empty = {key: type(value)() for key, value in parts["metadata"].items()}
    return {**found, "metadata": empty | (found.get("metadata") or {})}


def same_spec(left: Object, right: Object) -> bool:
    return _comparable(normal(left)) == _comparable(normal(right))


def patch(before: Object, after: Object) -> Object:
    """A merge patch; empty when both say the same."""
    found: Object = {}
    if _comparable(normal(before.get("spec") or {})) != _comparable(after["spec"]):
        found["spec"] = _difference(before.get("spec") or {}, after["spec"])
    held = before.get("metadata") or {}
    changed = {
        key: _difference(held.get(key) or {}, value) if isinstance(value, dict) else value
        for key, value in (after.get("metadata") or {}).items()
        if (held.get(key) or type(value)()) != value
    }
    if changed:
        found["metadata"] = changed
    if "operation" in after and before.get("operation") != after["operation"]:
        found["operation"] = after["operation"]
    return found


def _difference(before: Object, after: Object) -> Object:
    found: Object = {key: None for key in before if key not in after}
    for key, value in after.items():
        there = before.get(key)
        if there == value:
            continue
        found[key] = (
            _difference(there, value) if isinstance(there, dict) and isinstance(value, dict) else value
        )
    return found


def _comparable(value: object, name: str = "") -> object:
    """What is empty is as good as not there, but for `automated`, whose presence counts."""
    if name in _FREE_FORM:
        return value
    if isinstance(value, dict):
        found = {key: _comparable(inner, key) for key, inner in value.items()}
        return {
            key: inner
            for key, inner in found.items()
            if key == "automated"
            or not (inner in (None, "", [], {}) or (inner is False and key != "enabled"))
        }
    if isinstance(value, list):
        return [_comparable(inner) for inner in value]
    return value
