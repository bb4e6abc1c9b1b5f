"""Which rules a built-in resource has."""

from __future__ import annotations

from typing import Final

from argosy.kube.server.rules.builtin import Builtin
from argosy.kube.server.rules.certificates import CertificateRequestRules
from argosy.kube.server.rules.configuration import ConfigMapRules, SecretRules
from argosy.kube.server.rules.csi import CsiDriverRules, CsiNodeRules, CsiStorageCapacityRules
from argosy.kube.server.rules.endpoints import EndpointSliceRules, EndpointsRules
from argosy.kube.server.rules.events import EventRules
from argosy.kube.server.rules.ingresses import IngressClassRules, IngressRules
from argosy.kube.server.rules.namespaces import NamespaceRules, ServiceAccountRules
from argosy.kube.server.rules.network_policies import IpAddressRules, NetworkPolicyRules, ServiceCidrRules
from argosy.kube.server.rules.nodes import NodeRules
from argosy.kube.server.rules.pods.pod import PodRules
from argosy.kube.server.rules.quotas import LimitRangeRules, ResourceQuotaRules
from argosy.kube.server.rules.rbac import BindingRules, ClusterRoleRules, RoleRules
from argosy.kube.server.rules.rules import Rules
from argosy.kube.server.rules.services import ServiceRules
from argosy.kube.server.rules.small_kinds import (
    ApiServiceRules,
    LeaseRules,
    PriorityClassRules,
    RuntimeClassRules,
)
from argosy.kube.server.rules.storage_kinds import (
    StorageClassRules,
    VolumeAttachmentRules,
    VolumeAttributesClassRules,
)
from argosy.kube.server.rules.volume_claims import ClaimRules
from argosy.kube.server.rules.volumes import VolumeRules
from argosy.kube.server.rules.webhooks import AdmissionPolicyRules, WebhookRules
from argosy.kube.server.rules.workloads.autoscaler import AutoscalerRules
from argosy.kube.server.rules.workloads.controller_revision import ControllerRevisionRules
from argosy.kube.server.rules.workloads.cron_job import CronJobRules
from argosy.kube.server.rules.workloads.daemon_set import DaemonSetRules
from argosy.kube.server.rules.workloads.deployment import DeploymentRules
from argosy.kube.server.rules.workloads.disruption_budget import DisruptionBudgetRules
from argosy.kube.server.rules.workloads.job import JobRules
from argosy.kube.server.rules.workloads.pod_template import PodTemplateRules
from argosy.kube.server.rules.workloads.replica_set import ReplicaSetRules, ReplicationControllerRules
from argosy.kube.server.rules.workloads.stateful_set import StatefulSetRules
from argosy.kube.types import Resource

_RULES: Final[dict[str, type[Rules]]] = {
    "apiservices.apiregistration.k8s.io": ApiServiceRules,
    "certificatesigningrequests.certificates.k8s.io": CertificateRequestRules,
    "clusterrolebindings.rbac.authorization.k8s.io": BindingRules,
    "clusterroles.rbac.authorization.k8s.io": ClusterRoleRules,
    "configmaps": ConfigMapRules,
    "controllerrevisions.apps": ControllerRevisionRules,
    "cronjobs.batch": CronJobRules,
    "csidrivers.storage.k8s.io": CsiDriverRules,
    "csinodes.storage.k8s.io": CsiNodeRules,
    "csistoragecapacities.storage.k8s.io": CsiStorageCapacityRules,
    "daemonsets.apps": DaemonSetRules,
    "deployments.apps": DeploymentRules,
    "endpoints": EndpointsRules,
    "endpointslices.discovery.k8s.io": EndpointSliceRules,
    "events": EventRules,
    "events.events.k8s.io": EventRules,
    "horizontalpodautoscalers.autoscaling": AutoscalerRules,
    "ingressclasses.networking.k8s.io": IngressClassRules,
    "ingresses.networking.k8s.io": IngressRules,
    "ipaddresses.networking.k8s.io": IpAddressRules,
    "jobs.batch": JobRules,
    "leases.coordination.k8s.io": LeaseRules,
    "limitranges": LimitRangeRules,
    "mutatingadmissionpolicies.admissionregistration.k8s.io": AdmissionPolicyRules,
    "mutatingadmissionpolicybindings.admissionregistration.k8s.io": AdmissionPolicyRules,
    "mutatingwebhookconfigurations.admissionregistration.k8s.io": WebhookRules,
    "namespaces": NamespaceRules,
    "networkpolicies.networking.k8s.io": NetworkPolicyRules,
    "nodes": NodeRules,
    "persistentvolumeclaims": ClaimRules,
    "persistentvolumes": VolumeRules,
    "poddisruptionbudgets.policy": DisruptionBudgetRules,
    "pods": PodRules,
    "podtemplates": PodTemplateRules,
    "priorityclasses.scheduling.k8s.io": PriorityClassRules,
    "replicasets.apps": ReplicaSetRules,
    "replicationcontrollers": ReplicationControllerRules,
    "resourcequotas": ResourceQuotaRules,
    "rolebindings.rbac.authorization.k8s.io": BindingRules,
    "roles.rbac.authorization.k8s.io": RoleRules,
    "runtimeclasses.node.k8s.io": RuntimeClassRules,
    "secrets": SecretRules,
    "serviceaccounts": ServiceAccountRules,
    "servicecidrs.networking.k8s.io": ServiceCidrRules,
    "services": ServiceRules,
    "statefulsets.apps": StatefulSetRules,
    "storageclasses.storage.k8s.io": StorageClassRules,
    "validatingadmissionpolicies.admissionregistration.k8s.io": AdmissionPolicyRules,
    "validatingadmissionpolicybindings.admissionregistration.k8s.io": AdmissionPolicyRules,
    "validatingwebhookconfigurations.admissionregistration.k8s.io": WebhookRules,
    "volumeattachments.storage.k8s.io": VolumeAttachmentRules,
    "volumeattributesclasses.storage.k8s.io": VolumeAttributesClassRules,
}


def rules_for(resource: Resource) -> Rules:
    """A kind that is not listed has the general ones: valid metadata."""
    return _RULES.get(resource.group_resource, Builtin)(resource)
