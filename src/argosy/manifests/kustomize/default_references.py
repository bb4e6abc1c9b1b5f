"""Which field of which kind holds the name of which other kind: kustomize's built-in name references, as of its version.

`references` follows them after names were changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from argosy.manifests.kustomize.identity import Gvk
from argosy.manifests.kustomize.paths import FieldSpec

_IN_CONTAINER = {
    "ConfigMap": ("env/valueFrom/configMapKeyRef/name", "envFrom/configMapRef/name"),
    "Secret": ("env/valueFrom/secretKeyRef/name", "envFrom/secretRef/name"),
}
_IN_POD = {
    "ConfigMap": ("volumes/configMap/name", "volumes/projected/sources/configMap/name"),
    "Secret": ("volumes/secret/secretName", "imagePullSecrets/name", "volumes/projected/sources/secret/name"),
}
_HOLDERS = {
    Gvk("", "v1", "Pod"): "spec",
    Gvk(kind="PodTemplate"): "template/spec",
    Gvk(kind="Deployment"): "spec/template/spec",
    Gvk(kind="ReplicaSet"): "spec/template/spec",
    Gvk(kind="DaemonSet"): "spec/template/spec",
    Gvk(kind="StatefulSet"): "spec/template/spec",
    Gvk(kind="Job"): "spec/template/spec",
    Gvk(kind="CronJob"): "spec/jobTemplate/spec/template/spec",
}
_OWNERS_OF_PODS = {
    "Pod": "spec",
    "StatefulSet": "spec/template/spec",
    "Deployment": "spec/template/spec",
    "ReplicationController": "spec/template/spec",
    "CronJob": "spec/jobTemplate/spec/template/spec",
    "Job": "spec/template/spec",
    "DaemonSet": "spec/template/spec",
}
_RBAC, _HOOKS = "rbac.authorization.k8s.io", "admissionregistration.k8s.io"


def _mounted(kind: str) -> Iterator[FieldSpec]:
    for holder, pod in _HOLDERS.items():
        for containers in ("containers", "initContainers"):
            yield from (FieldSpec(f"{pod}/{containers}/{path}", holder) for path in _IN_CONTAINER[kind])
        yield from (FieldSpec(f"{pod}/{path}", holder) for path in _IN_POD[kind])


def _of_pods(path: str) -> list[FieldSpec]:
    return [FieldSpec(f"{pod}/{path}", Gvk(kind=kind)) for kind, pod in _OWNERS_OF_PODS.items()]


def _kinds(pairs: Iterable[tuple[str, str]]) -> list[FieldSpec]:
    return [FieldSpec(path, Gvk(kind=kind)) for path, kind in pairs]


REFERENCES: list[tuple[Gvk, list[FieldSpec]]] = [
    *(
        (Gvk(kind=kind), _kinds([("spec/scaleTargetRef/name", "HorizontalPodAutoscaler")]))
        for kind in ("Deployment", "ReplicationController", "ReplicaSet", "StatefulSet")
    ),
    (
        Gvk("", "v1", "ConfigMap"),
        [
            *_mounted("ConfigMap"),
            *_kinds(
                [
                    ("spec/configSource/configMap", "Node"),
                    ("rules/resourceNames", "Role"),
                    ("rules/resourceNames", "ClusterRole"),
                    (
                        "metadata/annotations/nginx.ingress.kubernetes.io\\/fastcgi-params-configmap",
                        "Ingress",
                    ),
                ]
            ),
        ],
    ),
    (
        Gvk("", "v1", "Secret"),
        [
            *_mounted("Secret"),
            *_kinds(
                [
                    ("spec/tls/secretName", "Ingress"),
                    ("metadata/annotations/ingress.kubernetes.io\\/auth-secret", "Ingress"),
                    ("metadata/annotations/nginx.ingress.kubernetes.io\\/auth-secret", "Ingress"),
                    ("metadata/annotations/nginx.ingress.kubernetes.io\\/auth-tls-secret", "Ingress"),
                    ("imagePullSecrets/name", "ServiceAccount"),
                    ("parameters/secretName", "StorageClass"),
                    ("parameters/adminSecretName", "StorageClass"),
                    ("parameters/userSecretName", "StorageClass"),
                    ("parameters/secretRef", "StorageClass"),
                    ("rules/resourceNames", "Role"),
                    ("rules/resourceNames", "ClusterRole"),
                ]
            ),
            FieldSpec(
                "spec/template/spec/containers/env/valueFrom/secretKeyRef/name",
                Gvk("serving.knative.dev", "v1", "Service"),
            ),
            *_kinds([("spec/azureFile/secretName", "PersistentVolume")]),
        ],
    ),
    (
        Gvk("", "v1", "Service"),
        [
            FieldSpec("spec/serviceName", Gvk("apps", kind="StatefulSet")),
            *_kinds(
                (path, "Ingress")
                for path in (
                    "spec/rules/http/paths/backend/serviceName",
                    "spec/backend/serviceName",
                    "spec/rules/http/paths/backend/service/name",
                    "spec/defaultBackend/service/name",
                )
            ),
            FieldSpec("spec/service/name", Gvk("apiregistration.k8s.io", kind="APIService")),
            FieldSpec("webhooks/clientConfig/service", Gvk(_HOOKS, kind="ValidatingWebhookConfiguration")),
            FieldSpec("webhooks/clientConfig/service", Gvk(_HOOKS, kind="MutatingWebhookConfiguration")),
        ],
    ),
    (Gvk(_RBAC, kind="Role"), [FieldSpec("roleRef/name", Gvk(_RBAC, kind="RoleBinding"))]),
    (
        Gvk(_RBAC, kind="ClusterRole"),
        [
            FieldSpec("roleRef/name", Gvk(_RBAC, kind="RoleBinding")),
            FieldSpec("roleRef/name", Gvk(_RBAC, kind="ClusterRoleBinding")),
        ],
    ),
    (
        Gvk("", "v1", "ServiceAccount"),
        [
            FieldSpec("subjects", Gvk(_RBAC, kind="RoleBinding")),
            FieldSpec("subjects", Gvk(_RBAC, kind="ClusterRoleBinding")),
            *_of_pods("serviceAccountName"),
        ],
    ),
    (Gvk("", "v1", "PersistentVolumeClaim"), _of_pods("volumes/persistentVolumeClaim/claimName")),
    (
        Gvk("", "v1", "PersistentVolume"),
        _kinds([("spec/volumeName", "PersistentVolumeClaim"), ("rules/resourceNames", "ClusterRole")]),
    ),
    (
        Gvk("storage.k8s.io", "v1", "StorageClass"),
        _kinds(
            [
                ("spec/storageClassName", "PersistentVolume"),
                ("spec/storageClassName", "PersistentVolumeClaim"),
                ("spec/volumeClaimTemplates/spec/storageClassName", "StatefulSet"),
            ]
        ),
    ),
    (Gvk("scheduling.k8s.io", "v1", "PriorityClass"), _of_pods("priorityClassName")),
    (Gvk("networking.k8s.io/v1", "v1", "IngressClass"), _kinds([("spec/ingressClassName", "Ingress")])),
    (
        Gvk(_HOOKS, kind="ValidatingAdmissionPolicy"),
        [FieldSpec("spec/policyName", Gvk(_HOOKS, kind="ValidatingAdmissionPolicyBinding"))],
    ),
]
