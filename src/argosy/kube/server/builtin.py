"""The built-in resources as a registry serves them."""

from __future__ import annotations

from functools import partial

from argosy.kube.objects import Object
from argosy.kube.schema import struct
from argosy.kube.server import events
from argosy.kube.server.crds import rules_for_crds
from argosy.kube.server.decoding import decode
from argosy.kube.server.registry import Registry, Served
from argosy.kube.server.rules import rules_for
from argosy.kube.types import Resource, pinned

_DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io"
_EVENTS = ("events.k8s.io", "events")


def registry() -> Registry:
    return Registry(_served(resource) for resource in pinned().resources)


def _served(resource: Resource) -> Served:
    schema = struct(resource.type)
    is_new_event = (resource.kind.group, resource.plural) == _EVENTS
    return Served(
        resource=resource,
        schema=schema,
        rules=rules_for_crds(resource) if resource.group_resource == _DEFINITIONS else rules_for(resource),
        decode=partial(decode, schema=schema),
        # Events are one thing with two faces; everything else has one version.
        collection="events" if is_new_event else resource.group_resource,
        to_stored=events.to_core if is_new_event else _same,
        from_stored=events.from_core if is_new_event else _same,
        as_stored=not is_new_event,
    )


def _same(obj: Object) -> Object:
    return obj
