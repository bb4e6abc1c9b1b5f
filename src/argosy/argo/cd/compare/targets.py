"""What was rendered, made ready to be compared: every object in its namespace, marked as ours, each once."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec

from argosy.argo.cd.compare.tracking import Tracking
from argosy.argo.cd.resources import ResourceKey, key_of
from argosy.kube.objects import Object
from argosy.kube.types import Kind

Scope = Callable[[Kind], bool | None]
"""Whether objects of a kind live in namespaces; None while nobody serves it."""
_ENCODE = msgspec.json.Encoder(order="deterministic")


@dataclass(frozen=True, slots=True)
class Desired:
    key: ResourceKey
    object: Object
    digest: str
    """Equal while the object is."""


def prepare(
    rendered: Sequence[Object], *, application: str, namespace: str, tracking: Tracking, scope: Scope
) -> tuple[list[Desired], list[str]]:
    """And a warning for every object that is there more than once: the last one counts."""
    found: dict[ResourceKey, Desired] = {}
    times: dict[ResourceKey, int] = {}
    for one in rendered:
        desired = _desired(one, application, namespace, tracking, scope)
        found.pop(desired.key, None)
        found[desired.key] = desired
        times[desired.key] = times.get(desired.key, 0) + 1
    warnings = [
        f"Resource {key} appeared {number} times among application resources."
        for key, number in times.items()
        if number > 1
    ]
    return list(found.values()), warnings


def _desired(one: Object, application: str, namespace: str, tracking: Tracking, scope: Scope) -> Desired:
    obj = {**one, "metadata": copy.copy(one.get("metadata") or {})}
    if scope(_kind(obj)) is False:
        obj["metadata"].pop("namespace", None)
    elif namespace and not obj["metadata"].get("namespace"):
        obj["metadata"]["namespace"] = namespace
    tracking.stamp(obj, application, namespace)
    key = key_of(obj)
    if not key.name:  # a hook that is named when it is made
        key = key._replace(name=str(obj["metadata"].get("generateName", "")))
    return Desired(key, obj, hashlib.blake2b(_ENCODE.encode(obj), digest_size=16).hexdigest())


def _kind(obj: Object) -> Kind:
    group, _, version = str(obj.get("apiVersion", "")).rpartition("/")
    return Kind(group, version, str(obj.get("kind", "")))
