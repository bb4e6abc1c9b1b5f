"""The order in which resources come out: kustomize's own (`legacy`), or that in which they were read (`fifo`)."""

from __future__ import annotations

from collections.abc import Sequence

from argosy.manifests.kustomize.identity import Gvk, Id
from argosy.manifests.kustomize.resource import Resource

FIRST = [
    "Namespace",
    "ResourceQuota",
    "StorageClass",
    "CustomResourceDefinition",
    "ServiceAccount",
    "PodSecurityPolicy",
    "Role",
    "ClusterRole",
    "RoleBinding",
    "ClusterRoleBinding",
    "ConfigMap",
    "Secret",
    "Endpoints",
    "Service",
    "LimitRange",
    "PriorityClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Deployment",
    "StatefulSet",
    "CronJob",
    "PodDisruptionBudget",
]
LAST = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"]


def in_legacy_order(
    resources: Sequence[Resource], first: Sequence[str] = FIRST, last: Sequence[str] = LAST
) -> list[Resource]:
    places = {kind: index - len(first) for index, kind in enumerate(first)}
    places |= {kind: index + 1 for index, kind in enumerate(last)}
    keyed = [(_rank(one.id, places), index, one) for index, one in enumerate(resources)]
    return [one for _, _, one in sorted(keyed, key=lambda entry: entry[:2])]


def _rank(identity: Id, places: dict[str, int]) -> tuple[int, int, str, str]:
    gvk = identity.gvk
    # The core Namespace comes before anybody else's kind of that name, if namespaces have a place of their own.
    core = 0 if gvk.kind == "Namespace" and not gvk.group and "Namespace" in places else 1
    return places.get(gvk.kind, 0), core, _text(gvk), f"{identity.namespace or '~X'}|{identity.name or '~N'}"


def _text(gvk: Gvk) -> str:
    return f"{gvk.group or '~G'}_{gvk.version or '~V'}_{gvk.kind or '~K'}"
