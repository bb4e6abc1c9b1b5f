"""Small objects for the tests of planners."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from argosy.kube.objects import Object
from argosy.kube.reconcile.times import stamp

NOW = datetime(2026, 5, 4, 12, 0, 0, tzinfo=UTC)


def ago(seconds: float) -> str:
    return stamp(NOW - timedelta(seconds=seconds))


def pod(
    name: str,
    *,
    phase: str = "Running",
    ready: bool = True,
    node: str = "node-1",
    age: float = 100,
    ready_for: float = 100,
    going: bool = False,
    labels: dict[str, str] | None = None,
    annotations: dict[str, str] | None = None,
    restarts: int = 0,
    finalizers: list[str] | None = None,
) -> Object:
    metadata: Object = {
        "name": name,
        "namespace": "default",
        "uid": f"uid-{name}",
        "creationTimestamp": ago(age),
        "labels": labels or {},
        "annotations": annotations or {},
    }
    if going:
        metadata["deletionTimestamp"] = ago(1)
    if finalizers:
        metadata["finalizers"] = finalizers
    condition = {
        "type": "Ready",
        "status": "True" if ready and phase == "Running" else "False",
        "lastTransitionTime": ago(ready_for),
    }
    statuses = [{"name": "main", "restartCount": restarts}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"nodeName": node, "containers": [{"name": "main", "image": "app:1"}]},
        "status": {"phase": phase, "conditions": [condition], "containerStatuses": statuses},
    }


def owner(kind: str, name: str = "it", *, spec: Object | None = None, status: Object | None = None) -> Object:
    template = {
        "metadata": {"labels": {"app": "it"}},
        "spec": {"containers": [{"name": "main", "image": "app:1"}]},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {
            "name": name,
            "namespace": "default",
            "uid": f"uid-{name}",
            "generation": 1,
            "creationTimestamp": ago(1000),
        },
        "spec": {
            "replicas": 3,
            "selector": {"matchLabels": {"app": "it"}},
            "template": template,
            **(spec or {}),
        },
        "status": status or {},
    }


def node(name: str, *, taints: list[Object] | None = None, labels: dict[str, str] | None = None) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels or {}},
        "spec": {"taints": taints or []},
        "status": {"allocatable": {"cpu": "2", "memory": "1Gi", "pods": "3"}},
    }
