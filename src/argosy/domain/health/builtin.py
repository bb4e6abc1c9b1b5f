"""Which built-in rule is whose: first the ones in Python, then the tables."""

from __future__ import annotations

from typing import Final

from argosy.domain.health import argo, autoscaling, extending, gateway, jobs, pods, serving, table, workloads
from argosy.domain.health.model import UNKNOWN, Health, Rule
from argosy.kube.objects import Object, group_version

_RULES: Final[dict[str, Rule]] = {
    "apps/Deployment": workloads.deployment,
    "apps/ReplicaSet": workloads.replica_set,
    "apps/StatefulSet": workloads.stateful_set,
    "apps/DaemonSet": workloads.daemon_set,
    "Pod": pods.pod,
    "batch/Job": jobs.job,
    "batch/CronJob": jobs.cron_job,
    "Service": serving.service,
    "PersistentVolumeClaim": serving.claim,
    "networking.k8s.io/Ingress": serving.ingress,
    "extensions/Ingress": serving.ingress,
    "autoscaling/HorizontalPodAutoscaler": autoscaling.autoscaler,
    "apiregistration.k8s.io/APIService": extending.api_service,
    "apiextensions.k8s.io/CustomResourceDefinition": extending.definition,
    "policy/PodDisruptionBudget": extending.disruption_budget,
    "argoproj.io/Workflow": argo.workflow,
    "argoproj.io/Application": argo.application,
    "argoproj.io/Rollout": argo.rollout,
    "gateway.networking.k8s.io/Gateway": gateway.gateway,
    "gateway.networking.k8s.io/ListenerSet": gateway.gateway,
    "gateway.networking.k8s.io/HTTPRoute": gateway.route,
    "gateway.networking.k8s.io/GRPCRoute": gateway.route,
    "gateway.networking.k8s.io/TLSRoute": gateway.route,
    "gateway.networking.k8s.io/BackendTLSPolicy": gateway.backend_tls,
    "gateway.envoyproxy.io/BackendTrafficPolicy": gateway.policy,
    "gateway.envoyproxy.io/ClientTrafficPolicy": gateway.policy,
    "gateway.envoyproxy.io/EnvoyExtensionPolicy": gateway.policy,
    "gateway.envoyproxy.io/EnvoyPatchPolicy": gateway.policy,
    "gateway.envoyproxy.io/SecurityPolicy": gateway.policy,
}
_ONLY_V1: Final = frozenset(
    {
        "apps/Deployment",
        "apps/ReplicaSet",
        "apps/StatefulSet",
        "apps/DaemonSet",
        "batch/Job",
        "Pod",
        "Service",
        "PersistentVolumeClaim",
    }
)


def key_of(obj: Object) -> str:
    """`group/Kind`, as argocd-cm names it; of the core group only the kind."""
    group, _ = group_version(obj)
    return f"{group}/{obj.get('kind', '')}" if group else str(obj.get("kind", ""))


def judge(key: str, obj: Object) -> Health | None:
    rule = _RULES.get(key)
    if rule is None:
        tabled = table.rule_for(key)
        return tabled(obj) if tabled else None
    if key in _ONLY_V1 and (version := group_version(obj)[1]) != "v1":
        kind = key.rpartition("/")[2]
        return Health(UNKNOWN, f"unsupported {kind} GVK: {key.rpartition('/')[0]}/{version}, Kind={kind}")
    return rule(obj)


def kinds() -> list[str]:
    """All kinds with a rule, for the documentation."""
    return sorted([*_RULES, *table.kinds()])
