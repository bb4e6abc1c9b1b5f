"""What a cluster needs before Applications can live in it: their definitions, the namespace of the installation, its settings and the
project `default`. Nothing that is there already is changed, but for the definitions, which follow this version.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from importlib.resources import files

from argosy.kube.client import Client
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object
from argosy.kube.types import Kind

_CRDS = "argosy.argo.crds"
_MANAGER = "argosy-engine"
_DEFINITION = Kind("apiextensions.k8s.io", "v1", "CustomResourceDefinition")
_SERVED_WITHIN = 30.0
_PART_OF = {"app.kubernetes.io/part-of": "argocd"}


async def found(client: Client, namespace: str) -> None:
    definitions = [
        json.loads(file.read_text()) for file in files(_CRDS).iterdir() if file.name.endswith(".json")
    ]
    for definition in definitions:
        await client.apply(definition, force=True, manager=_MANAGER)
    await _served(client, {definition["metadata"]["name"] for definition in definitions})
    for obj in (_namespace(namespace), _settings(namespace), _project(namespace)):
        await _made(client, obj)


async def _served(client: Client, names: set[str]) -> None:
    missing = set(names)
    async with asyncio.timeout(_SERVED_WITHIN), aclosing(client.watch(_DEFINITION, initial=True)) as events:
        async for event in events:
            if event.type != "BOOKMARK" and _is_established(event.object):
                missing.discard(event.object["metadata"]["name"])
            if not missing:
                return


async def _made(client: Client, obj: Object) -> None:
    try:
        await client.create(obj)
    except ApiError as error:
        if error.reason != "AlreadyExists":
            raise


def _is_established(definition: Object) -> bool:
    conditions = (definition.get("status") or {}).get("conditions") or ()
    return any(one["type"] == "Established" and one["status"] == "True" for one in conditions)


def _namespace(name: str) -> Object:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def _settings(namespace: str) -> Object:
    metadata = {"name": "argocd-cm", "namespace": namespace, "labels": _PART_OF}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {}}


def _project(namespace: str) -> Object:
    """Permits everything, as it does everywhere else; people narrow it, or make others."""
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "AppProject",
        "metadata": {"name": "default", "namespace": namespace},
        "spec": {
            "sourceRepos": ["*"],
            "destinations": [{"namespace": "*", "server": "*"}],
            "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
        },
    }
