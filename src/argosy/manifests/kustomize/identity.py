"""Which resource is meant: group, version, kind, name and namespace, as kustomize compares and prints them.

Version and kind come from the object; whether a kind belongs to the cluster comes from a table, because kustomize asks no cluster. The
table is upstream's of its version: a newer cluster-wide kind is taken for a namespaced one there, and here.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

NO_NAMESPACE = "_non_namespaceable_"
"""The namespace of what belongs to the cluster."""
DEFAULT = "default"

CLUSTER_WIDE = frozenset(
    (api_version, kind)
    for api_version, kinds in {
        "v1": "ComponentStatus Namespace Node NodeProxyOptions PersistentVolume",
        "admissionregistration.k8s.io/v1": "MutatingWebhookConfiguration ValidatingWebhookConfiguration"
        " ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding",
        "admissionregistration.k8s.io/v1beta1": "MutatingWebhookConfiguration ValidatingWebhookConfiguration",
        "apiextensions.k8s.io/v1": "CustomResourceDefinition",
        "apiextensions.k8s.io/v1beta1": "CustomResourceDefinition",
        "apiregistration.k8s.io/v1": "APIService",
        "apiregistration.k8s.io/v1beta1": "APIService",
        "certificates.k8s.io/v1": "CertificateSigningRequest",
        "certificates.k8s.io/v1beta1": "CertificateSigningRequest",
        "flowcontrol.apiserver.k8s.io/v1beta1": "FlowSchema PriorityLevelConfiguration",
        "networking.k8s.io/v1": "IngressClass",
        "networking.k8s.io/v1beta1": "IngressClass",
        "node.k8s.io/v1": "RuntimeClass",
        "node.k8s.io/v1beta1": "RuntimeClass",
        "policy/v1beta1": "PodSecurityPolicy",
        "rbac.authorization.k8s.io/v1": "ClusterRole ClusterRoleBinding",
        "rbac.authorization.k8s.io/v1beta1": "ClusterRole ClusterRoleBinding",
        "scheduling.k8s.io/v1": "PriorityClass",
        "scheduling.k8s.io/v1beta1": "PriorityClass",
        "storage.k8s.io/v1": "CSIDriver CSINode StorageClass VolumeAttachment",
        "storage.k8s.io/v1beta1": "CSIDriver CSINode StorageClass VolumeAttachment",
    }.items()
    for kind in kinds.split()
)


class Gvk(NamedTuple):
    group: str = ""
    version: str = ""
    kind: str = ""

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    def selected_by(self, wanted: Gvk) -> bool:
        """An empty part of `wanted` says nothing."""
        return (
            (not wanted.group or wanted.group == self.group)
            and (not wanted.version or wanted.version == self.version)
            and (not wanted.kind or wanted.kind == self.kind)
        )

    def __str__(self) -> str:
        return f"{self.kind or '[noKind]'}.{self.version or '[noVer]'}.{self.group or '[noGrp]'}"


class Id(NamedTuple):
    """`namespace` as it is written; `scope` is the one that counts in comparisons."""

    gvk: Gvk
    name: str
    namespace: str
    scope: str

    def same(self, other: Id) -> bool:
        return self.name == other.name and self.gvk == other.gvk and self.scope == other.scope

    def selected_by(self, gvk: Gvk, name: str, namespace: str) -> bool:
        return (
            (not name or name == self.name)
            and (not namespace or namespace == self.scope)
            and self.gvk.selected_by(gvk)
        )

    def __str__(self) -> str:
        return f"{self.gvk}/{self.name or '[noName]'}.{self.namespace or '[noNs]'}"


@lru_cache(maxsize=1024)
def gvk_of(api_version: str, kind: str) -> Gvk:
    """What stands behind a second `/` belongs to the version."""
    group, slash, version = api_version.partition("/")
    return Gvk(group, version, kind) if slash else Gvk("", api_version, kind)
