"""Where kustomize's transformers work if nobody says otherwise: its built-in field specifications, as of its version.

Facts of upstream, its irregularities included (CronJobs know no `ReplicationController`-like treatment, StorageClass parameters are references…).
`settings` merges a kustomization's own specifications into these.
"""

from __future__ import annotations

from collections.abc import Iterator

from argosy.manifests.kustomize.identity import Gvk
from argosy.manifests.kustomize.paths import FieldSpec

NAMES = [FieldSpec("metadata/name")]
NAMESPACES = [
    FieldSpec("metadata/name", Gvk(kind="Namespace"), create=True),
    FieldSpec("spec/service/namespace", Gvk("apiregistration.k8s.io", kind="APIService"), create=True),
    FieldSpec(
        "spec/conversion/webhook/clientConfig/service/namespace",
        Gvk("apiextensions.k8s.io", kind="CustomResourceDefinition"),
    ),
]
REPLICAS = [
    FieldSpec("spec/replicas", Gvk(kind=kind), create=True)
    for kind in ("Deployment", "ReplicationController", "ReplicaSet", "StatefulSet")
]
IMAGES = [
    FieldSpec(f"{prefix}{path}", create=True)
    for prefix in ("spec/", "spec/template/spec/")
    for path in ("containers[]/image", "initContainers[]/image", "volumes[]/image/reference")
] + [FieldSpec("spec/jobTemplate/spec/template/spec/volumes[]/image/reference", create=True)]


def _metadata(of: str, stateful_set: Gvk) -> list[FieldSpec]:
    """The places of labels, or of annotations, of an object and of the pods it makes."""
    template = f"spec/template/metadata/{of}"
    return [
        FieldSpec(f"metadata/{of}", create=True),
        FieldSpec(template, Gvk("", "v1", "ReplicationController"), create=True),
        *(
            FieldSpec(template, Gvk(kind=kind), create=True)
            for kind in ("Deployment", "ReplicaSet", "DaemonSet")
        ),
        FieldSpec(template, stateful_set, create=True),
        FieldSpec(template, Gvk("batch", kind="Job"), create=True),
        FieldSpec(f"spec/jobTemplate/metadata/{of}", Gvk("batch", kind="CronJob"), create=True),
        FieldSpec(f"spec/jobTemplate/spec/template/metadata/{of}", Gvk("batch", kind="CronJob"), create=True),
    ]


ANNOTATIONS = _metadata("annotations", Gvk(kind="StatefulSet"))
TEMPLATE_LABELS = _metadata("labels", Gvk("apps", kind="StatefulSet"))
CLAIM_LABELS = [
    FieldSpec("spec/volumeClaimTemplates[]/metadata/labels", Gvk("apps", kind="StatefulSet"), create=True)
]


def _selectors() -> Iterator[FieldSpec]:
    yield FieldSpec("spec/selector", Gvk("", "v1", "Service"), create=True)
    yield FieldSpec("spec/selector", Gvk("", "v1", "ReplicationController"), create=True)
    for kind in ("Deployment", "ReplicaSet", "DaemonSet"):
        yield FieldSpec("spec/selector/matchLabels", Gvk(kind=kind), create=True)
    yield FieldSpec("spec/selector/matchLabels", Gvk("apps", kind="StatefulSet"), create=True)
    for kind in ("Deployment", "StatefulSet"):
        for affinity in ("podAffinity", "podAntiAffinity"):
            start = f"spec/template/spec/affinity/{affinity}"
            for path in (
                "preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm",
                "requiredDuringSchedulingIgnoredDuringExecution",
            ):
                yield FieldSpec(f"{start}/{path}/labelSelector/matchLabels", Gvk("apps", kind=kind))
        spread = "spec/template/spec/topologySpreadConstraints/labelSelector/matchLabels"
        yield FieldSpec(spread, Gvk("apps", kind=kind))
    yield FieldSpec("spec/selector/matchLabels", Gvk("batch", kind="Job"))
    yield FieldSpec("spec/jobTemplate/spec/selector/matchLabels", Gvk("batch", kind="CronJob"))
    yield FieldSpec("spec/selector/matchLabels", Gvk("policy", kind="PodDisruptionBudget"))
    for path in ("spec/podSelector", "spec/ingress/from/podSelector", "spec/egress/to/podSelector"):
        yield FieldSpec(f"{path}/matchLabels", Gvk("networking.k8s.io", kind="NetworkPolicy"))


COMMON_LABELS = [*_selectors(), *TEMPLATE_LABELS, *CLAIM_LABELS]

_CONTAINER_VARIABLES = ("args", "command", "env/value", "volumeMounts/mountPath")
_POD_OF = {
    "CronJob": "spec/jobTemplate/spec/template/spec",
    "DaemonSet": "spec/template/spec",
    "Deployment": "spec/template/spec",
    "Job": "spec/template/spec",
    "Pod": "spec",
    "ReplicaSet": "spec/template/spec",
    "StatefulSet": "spec/template/spec",
}


def _variables() -> Iterator[FieldSpec]:
    for kind, pod in _POD_OF.items():
        for containers in ("containers", "initContainers"):
            for path in _CONTAINER_VARIABLES:
                yield FieldSpec(f"{pod}/{containers}/{path}", Gvk(kind=kind))
        if kind not in {"CronJob", "StatefulSet"}:
            yield FieldSpec(f"{pod}/volumes/nfs/server", Gvk(kind=kind))
    for path, kind in (
        ("spec/jobTemplate/spec/template/volumes/nfs/server", "CronJob"),
        ("spec/template/metadata/annotations", "Deployment"),
        ("spec/rules/host", "Ingress"),
        ("spec/tls/hosts", "Ingress"),
        ("spec/tls/secretName", "Ingress"),
        ("spec/ports/port", "Service"),
        ("spec/ports/targetPort", "Service"),
        ("spec/volumeClaimTemplates/spec/nfs/server", "StatefulSet"),
        ("spec/nfs/server", "PersistentVolume"),
    ):
        yield FieldSpec(path, Gvk(kind=kind))
    yield FieldSpec("metadata/labels")
    yield FieldSpec("metadata/annotations")


VARIABLES = list(_variables())
