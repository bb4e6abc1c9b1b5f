"""What a cluster has before anybody made anything: namespaces, rights, priorities, the service that it is itself.

Each object is made when it is missing, at every start, through the same code as everybody's writes. What somebody changed
stays changed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from argosy.kit.errors import Internal
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object, name_of, namespace_of
from argosy.kube.server.access import User, bootstrap
from argosy.kube.server.api import writing
from argosy.kube.server.api.addresses import Address
from argosy.kube.server.api.call import Call
from argosy.kube.server.api.options import Writing
from argosy.kube.server.cluster import Cluster
from argosy.kube.wire import Request

_SYSTEM = User(name="system:apiserver", groups=("system:masters",))
_ASKED = Writing(dry_run=False, manager="kube-apiserver", validation="Strict", force=None)
SERVICE_ADDRESS = "10.96.0.1"


async def found(cluster: Cluster) -> None:
    for wave in (
        _namespaces(),
        [*bootstrap(), *_priorities(), *_defaults(), _own_service(), _own_authority(cluster)],
    ):
        await asyncio.gather(*(_make(cluster, obj) for obj in wave))


async def _make(cluster: Cluster, obj: Object) -> None:
    call = _call(cluster, obj)
    if cluster.store.latest(call.key()) is None:
        try:
            await writing.create(call, obj, _ASKED)
        except ApiError as error:
            raise Internal(f"{obj['kind']} {name_of(obj)} of a new cluster: {error.message}") from error


def _call(cluster: Cluster, obj: Object) -> Call:
    group, _, version = obj["apiVersion"].rpartition("/")
    served = cluster.registry.of_kind(group, version, obj["kind"])
    if served is None:
        raise Internal(f"a new cluster does not serve {obj['kind']}")
    address = Address("create", "", group, version, namespace_of(obj), served.resource.plural, name_of(obj))
    return Call(cluster, Request("POST", ""), _SYSTEM, address, served)


def _namespaces() -> list[Object]:
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        for name in ("default", "kube-system", "kube-public", "kube-node-lease")
    ]


def _priorities() -> Iterable[Object]:
    for name, value, words in (
        (
            "system-cluster-critical",
            2_000_000_000,
            "Used for system critical pods that must run in the cluster.",
        ),
        (
            "system-node-critical",
            2_000_001_000,
            "Used for system critical pods that must not be moved from their node.",
        ),
    ):
        yield {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": name},
            "value": value,
            "description": words,
        }


def _defaults() -> Iterable[Object]:
    """What `embedded` clusters offer: storage that is a folder, and the platform's own way in."""
    yield {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {
            "name": "standard",
            "annotations": {"storageclass.kubernetes.io/is-default-class": "true"},
        },
        "provisioner": "argosy.io/embedded",
        "reclaimPolicy": "Delete",
        "volumeBindingMode": "Immediate",
        "allowVolumeExpansion": True,
    }
    yield {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "IngressClass",
        "metadata": {
            "name": "argosy",
            "annotations": {"ingressclass.kubernetes.io/is-default-class": "true"},
        },
        "spec": {"controller": "argosy.io/gateway"},
    }


def _own_service() -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": "kubernetes",
            "namespace": "default",
            "labels": {"component": "apiserver", "provider": "kubernetes"},
        },
        "spec": {
            "clusterIP": SERVICE_ADDRESS,
            "ports": [{"name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443}],
        },
    }


def _own_authority(cluster: Cluster) -> Object:
    """Where extension API servers find whom to trust."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "extension-apiserver-authentication", "namespace": "kube-system"},
        "data": {"client-ca-file": cluster.authority.certificate_pem},
    }
