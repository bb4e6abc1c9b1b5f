"""Objects as scenarios write them: `{ConfigMap: a, data: {…}}`, `{Job: migrate, hook: PreSync}`; and states that controllers would give them."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from argosy.kube.objects import Object
from argosy.kube.types import Kind

Values = dict[str, Any]
_VERSIONS = {
    "Deployment": "apps/v1",
    "StatefulSet": "apps/v1",
    "DaemonSet": "apps/v1",
    "ReplicaSet": "apps/v1",
    "Job": "batch/v1",
    "CronJob": "batch/v1",
    "Ingress": "networking.k8s.io/v1",
    "Role": "rbac.authorization.k8s.io/v1",
    "RoleBinding": "rbac.authorization.k8s.io/v1",
    "ClusterRole": "rbac.authorization.k8s.io/v1",
    "ClusterRoleBinding": "rbac.authorization.k8s.io/v1",
    "HorizontalPodAutoscaler": "autoscaling/v2",
    "PodDisruptionBudget": "policy/v1",
    "CustomResourceDefinition": "apiextensions.k8s.io/v1",
    "Application": "argoproj.io/v1alpha1",
    "AppProject": "argoproj.io/v1alpha1",
    "ApplicationSet": "argoproj.io/v1alpha1",
    "Widget": "example.com/v1",
    "PriorityClass": "scheduling.k8s.io/v1",
}
CLUSTER_WIDE = frozenset(
    {"Namespace", "ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition", "PriorityClass"}
)
_ANNOTATIONS = {
    "hook": "argocd.argoproj.io/hook",
    "policy": "argocd.argoproj.io/hook-delete-policy",
    "wave": "argocd.argoproj.io/sync-wave",
    "options": "argocd.argoproj.io/sync-options",
    "compare": "argocd.argoproj.io/compare-options",
    "tracking": "argocd.argoproj.io/tracking-id",
}
_METADATA = ("labels", "annotations", "namespace", "finalizers", "generateName", "ownerReferences")
_POD: Values = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "busybox:1"}]}


def made(said: Values) -> Object:
    """The first key is the kind, its value the name; short words become annotations; the rest is part of the object. A whole
    object (`apiVersion` …) stays as it is."""
    if "apiVersion" in said and "kind" in said:
        return copy.deepcopy(said)
    kind = next(iter(said))
    rest = {key: value for key, value in said.items() if key != kind}
    metadata: Object = {"name": said[kind]} if said[kind] else {}
    metadata |= {key: copy.deepcopy(rest.pop(key)) for key in _METADATA if key in rest}
    short = {_ANNOTATIONS[key]: str(rest.pop(key)) for key in _ANNOTATIONS if key in rest}
    if short:
        metadata["annotations"] = {**metadata.get("annotations", {}), **short}
    api = rest.pop("api", "") or _VERSIONS.get(kind, "v1")
    body = _USUAL.get(kind, _as_said)(str(said[kind]), copy.deepcopy(rest))
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **body}


def kind_of(name: str) -> Kind:
    """By the names above, or written out: `Widget.example.com/v1`."""
    kind, dot, rest = name.partition(".")
    if dot:
        group, _, version = rest.rpartition("/")
        return Kind(group, version, kind)
    group, _, version = _VERSIONS.get(name, "v1").rpartition("/")
    return Kind(group, version, name)


def state(kind: str, word: str, live: Object) -> Object:
    """The status that its controller would write."""
    generation = live.get("metadata", {}).get("generation", 1)
    replicas = live.get("spec", {}).get("replicas", 1)
    found = _STATES[kind][word]
    return _filled(found, generation, replicas)  # type: ignore[return-value]


def _filled(value: object, generation: int, replicas: int) -> object:
    if isinstance(value, dict):
        return {key: _filled(one, generation, replicas) for key, one in value.items()}
    if isinstance(value, list):
        return [_filled(one, generation, replicas) for one in value]
    return (
        {"GENERATION": generation, "REPLICAS": replicas}.get(value, value)
        if isinstance(value, str)
        else value
    )


def _workload(name: str, said: Values) -> Values:
    image = said.pop("image", "nginx:1")
    template = {
        "metadata": {"labels": {"app": name}},
        "spec": {"containers": [{"name": "main", "image": image}]},
    }
    spec = {"selector": {"matchLabels": {"app": name}}, "template": template, **said.pop("spec", {})}
    if "replicas" in said:
        spec["replicas"] = said.pop("replicas")
    return {"spec": spec, **said}


def _stateful(name: str, said: Values) -> Values:
    return _workload(name, {**said, "spec": {"serviceName": name, **said.get("spec", {})}})


def _as_said(name: str, said: Values) -> Values:
    return said


def _job(name: str, said: Values) -> Values:
    return {"spec": {"template": {"spec": {**_POD, **said.pop("pod", {})}}, **said.pop("spec", {})}, **said}


def _pod(name: str, said: Values) -> Values:
    return {"spec": {**_POD, **said.pop("spec", {})}, **said}


def _service(name: str, said: Values) -> Values:
    return {"spec": {"selector": {"app": name}, "ports": [{"port": 80}], **said.pop("spec", {})}, **said}


def _widgets(name: str, said: Values) -> Values:
    """A definition of Widgets, `name` being `widgets.<group>`; they say what they like."""
    group = name.partition(".")[2]
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"kind": "Widget", "plural": "widgets", "singular": "widget", "listKind": "WidgetList"}
    return {"spec": {"group": group, "scope": "Namespaced", "names": names, "versions": [version]}, **said}


_USUAL: dict[str, Callable[[str, Values], Values]] = {
    "Deployment": _workload,
    "DaemonSet": _workload,
    "StatefulSet": _stateful,
    "ReplicaSet": _workload,
    "Job": _job,
    "Pod": _pod,
    "Service": _service,
    "CustomResourceDefinition": _widgets,
}
_NOW = "2026-01-01T00:00:00Z"
_STATES: dict[str, dict[str, Object]] = {
    "Deployment": {
        "healthy": {
            "observedGeneration": "GENERATION",
            "replicas": "REPLICAS",
            "updatedReplicas": "REPLICAS",
            "readyReplicas": "REPLICAS",
            "availableReplicas": "REPLICAS",
        },
        "progressing": {"observedGeneration": "GENERATION", "replicas": "REPLICAS", "updatedReplicas": 0},
        "degraded": {
            "observedGeneration": "GENERATION",
            "conditions": [
                {
                    "type": "Progressing",
                    "status": "False",
                    "reason": "ProgressDeadlineExceeded",
                    "message": "too slow",
                }
            ],
        },
    },
    "StatefulSet": {
        "healthy": {
            "observedGeneration": "GENERATION",
            "replicas": "REPLICAS",
            "readyReplicas": "REPLICAS",
            "updatedReplicas": "REPLICAS",
            "currentRevision": "a",
            "updateRevision": "a",
        },
    },
    "Job": {
        "complete": {
            "succeeded": 1,
            "startTime": _NOW,
            "completionTime": _NOW,
            "conditions": [
                {"type": "SuccessCriteriaMet", "status": "True", "lastTransitionTime": _NOW},
                {"type": "Complete", "status": "True", "lastTransitionTime": _NOW, "message": "all is done"},
            ],
        },
        "failed": {
            "failed": 1,
            "startTime": _NOW,
            "conditions": [
                {
                    "type": "FailureTarget",
                    "status": "True",
                    "lastTransitionTime": _NOW,
                    "message": "it gave up",
                },
                {"type": "Failed", "status": "True", "lastTransitionTime": _NOW, "message": "it gave up"},
            ],
        },
    },
    "Pod": {
        "running": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
        "succeeded": {"phase": "Succeeded"},
        "failed": {"phase": "Failed", "message": "it gave up"},
    },
    "Ingress": {"healthy": {"loadBalancer": {"ingress": [{"ip": "10.0.0.1"}]}}},
    "Service": {"healthy": {"loadBalancer": {"ingress": [{"ip": "10.0.0.1"}]}}},
    "PersistentVolumeClaim": {"bound": {"phase": "Bound"}, "lost": {"phase": "Lost"}},
}
