"""The kinds that loops work on, by name."""

from __future__ import annotations

from argosy.kube.types import Kind

CONFIG_MAP = Kind("", "v1", "ConfigMap")
CONTROLLER_REVISION = Kind("apps", "v1", "ControllerRevision")
CLUSTER_ROLE = Kind("rbac.authorization.k8s.io", "v1", "ClusterRole")
CRD = Kind("apiextensions.k8s.io", "v1", "CustomResourceDefinition")
CRON_JOB = Kind("batch", "v1", "CronJob")
DAEMON_SET = Kind("apps", "v1", "DaemonSet")
DEPLOYMENT = Kind("apps", "v1", "Deployment")
DISRUPTION_BUDGET = Kind("policy", "v1", "PodDisruptionBudget")
ENDPOINTS = Kind("", "v1", "Endpoints")
ENDPOINT_SLICE = Kind("discovery.k8s.io", "v1", "EndpointSlice")
EVENT = Kind("", "v1", "Event")
AUTOSCALER = Kind("autoscaling", "v2", "HorizontalPodAutoscaler")
JOB = Kind("batch", "v1", "Job")
LEASE = Kind("coordination.k8s.io", "v1", "Lease")
NAMESPACE = Kind("", "v1", "Namespace")
NODE = Kind("", "v1", "Node")
CLAIM = Kind("", "v1", "PersistentVolumeClaim")
VOLUME = Kind("", "v1", "PersistentVolume")
POD = Kind("", "v1", "Pod")
REPLICA_SET = Kind("apps", "v1", "ReplicaSet")
REPLICATION_CONTROLLER = Kind("", "v1", "ReplicationController")
RESOURCE_QUOTA = Kind("", "v1", "ResourceQuota")
SECRET = Kind("", "v1", "Secret")
SERVICE = Kind("", "v1", "Service")
SERVICE_ACCOUNT = Kind("", "v1", "ServiceAccount")
STATEFUL_SET = Kind("apps", "v1", "StatefulSet")
STORAGE_CLASS = Kind("storage.k8s.io", "v1", "StorageClass")
