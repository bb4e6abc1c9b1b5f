"""Which lists a strategic merge patch merges, and by which keys.

For built-in kinds out of `kube.types`. That table is newer than the schema inside kustomize (Kubernetes 1.21.2), so what came later is taken away
again here: upstream replaces such lists. A kustomization may bring a schema of its own (`openapi.path`), which then stands instead of the built-in one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from argosy.kube.types import Field, pinned

_LATER_FIELDS = frozenset(
    {
        "allocatedResourceStatuses",
        "allocatedResourcesStatus",
        "hostIPs",
        "matchConditions",
        "resourceClaimStatuses",
        "resourceClaims",
        "schedulingGates",
        "x-kubernetes-validations",
    }
)
_LATER_IN = {("core.v1.EphemeralContainer", "ports"), ("core.v1.ContainerStatus", "volumeMounts")}
_LATER_KINDS = frozenset(
    {
        ("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicy"),
        ("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicyBinding"),
        ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy"),
        ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding"),
        ("authentication.k8s.io/v1", "SelfSubjectReview"),
        ("autoscaling/v2", "HorizontalPodAutoscaler"),
        ("networking.k8s.io/v1", "IPAddress"),
        ("networking.k8s.io/v1", "ServiceCIDR"),
        ("storage.k8s.io/v1", "CSIStorageCapacity"),
        ("storage.k8s.io/v1", "VolumeAttributesClass"),
    }
)
_SINCE_GONE = {
    "admissionregistration.k8s.io/v1beta1": "MutatingWebhookConfiguration ValidatingWebhookConfiguration",
    "batch/v1beta1": "CronJob",
    "certificates.k8s.io/v1beta1": "CertificateSigningRequest",
    "coordination.k8s.io/v1beta1": "Lease",
    "discovery.k8s.io/v1beta1": "EndpointSlice",
    "apiregistration.k8s.io/v1beta1": "APIService",
    "apiextensions.k8s.io/v1beta1": "CustomResourceDefinition",
    "events.k8s.io/v1beta1": "Event",
    "networking.k8s.io/v1beta1": "Ingress IngressClass",
    "node.k8s.io/v1beta1": "RuntimeClass",
    "policy/v1beta1": "PodDisruptionBudget",
    "rbac.authorization.k8s.io/v1beta1": "ClusterRole ClusterRoleBinding Role RoleBinding",
    "scheduling.k8s.io/v1beta1": "PriorityClass",
    "storage.k8s.io/v1beta1": "CSIDriver CSINode StorageClass VolumeAttachment",
}
"""Versions that upstream's schema has: their lists are those of version 1."""
_ONLY_METADATA = {
    ("extensions/v1beta1", "Ingress"),
    ("autoscaling/v1", "HorizontalPodAutoscaler"),
    ("autoscaling/v2beta1", "HorizontalPodAutoscaler"),
    ("autoscaling/v2beta2", "HorizontalPodAutoscaler"),
    ("policy/v1beta1", "PodSecurityPolicy"),
    ("storage.k8s.io/v1beta1", "CSIStorageCapacity"),
    ("flowcontrol.apiserver.k8s.io/v1beta1", "FlowSchema"),
    ("flowcontrol.apiserver.k8s.io/v1beta1", "PriorityLevelConfiguration"),
}
"""Nothing of theirs merges but owner references and finalizers."""


class Schema(Protocol):
    """Of one value: what is below it, and, of a list, whether it merges."""

    def field(self, name: str) -> Schema | None: ...

    def items(self) -> Schema | None: ...

    @property
    def keys(self) -> tuple[str, ...] | None:
        """None: the list is replaced. Empty: a list of scalars that are merged as a set."""


class Schemas(Protocol):
    def of(self, api_version: str, kind: str) -> Schema | None: ...


@dataclass(frozen=True, slots=True)
class _BuiltIn:
    type: str
    keys: tuple[str, ...] | None = None

    def field(self, name: str) -> Schema | None:
        if self.type.startswith("{}"):
            return _BuiltIn(self.type[2:])
        described = pinned().type(self.type)
        found = described.fields.get(name) if described else None
        if found is None:
            return None
        return _BuiltIn(found.type, _keys(self.type, found))

    def items(self) -> Schema | None:
        return _BuiltIn(self.type[2:]) if self.type.startswith("[]") else None


def _keys(holder: str, field: Field) -> tuple[str, ...] | None:
    if "merge" not in field.strategy.split(","):
        return None
    if field.name in _LATER_FIELDS or (holder, field.name) in _LATER_IN:
        return None
    return field.keys or ((field.merge_key,) if field.merge_key else ())


class BuiltIn:
    """The kinds of Kubernetes 1.21.2."""

    def of(self, api_version: str, kind: str) -> Schema | None:
        return _built_in(api_version, kind)


@lru_cache(maxsize=256)
def _built_in(api_version: str, kind: str) -> Schema | None:
    if (api_version, kind) in _LATER_KINDS:
        return None
    if kind in _SINCE_GONE.get(api_version, "").split():
        api_version = f"{api_version.partition('/')[0]}/v1"
    elif (api_version, kind) in _ONLY_METADATA:
        api_version, kind = "v1", "Namespace"
    return next(
        (
            _BuiltIn(resource.type)
            for resource in pinned().resources
            if resource.kind.kind == kind and resource.kind.api_version == api_version
        ),
        None,
    )


class Custom:
    """The `definitions` of an OpenAPI document."""

    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self.definitions = definitions
        self._kinds: dict[tuple[str, str], _OfDefinition] = {}
        for definition in definitions.values():
            for gvk in _listed(definition, "x-kubernetes-group-version-kind"):
                if isinstance(gvk, dict) and "version" in gvk and "kind" in gvk:
                    self._kinds[_api_version(gvk), str(gvk["kind"])] = _OfDefinition(definition, self)

    def of(self, api_version: str, kind: str) -> Schema | None:
        return self._kinds.get((api_version, kind))

    def resolved(self, schema: Any) -> Mapping[str, Any] | None:
        for _ in range(
            len(self.definitions) + 1
        ):  # a reference may lead to a reference, but not round and round
            if not isinstance(schema, dict):
                return None
            reference = schema.get("$ref")
            if not isinstance(reference, str):
                return schema
            schema = self.definitions.get(reference.removeprefix("#/definitions/"))
        return None


@dataclass(frozen=True, slots=True)
class _OfDefinition:
    schema: Mapping[str, Any]
    all: Custom

    @property
    def keys(self) -> tuple[str, ...] | None:
        if "merge" not in str(self.schema.get("x-kubernetes-patch-strategy", "")).split(","):
            return None
        listed = _listed(self.schema, "x-kubernetes-list-map-keys")
        single = self.schema.get("x-kubernetes-patch-merge-key")
        return tuple(map(str, listed)) or ((str(single),) if single else ())

    def field(self, name: str) -> Schema | None:
        properties = self.schema.get("properties")
        found = properties.get(name) if isinstance(properties, dict) else None
        return self._below(self.schema.get("additionalProperties") if found is None else found)

    def items(self) -> Schema | None:
        return self._below(self.schema.get("items")) if self.schema.get("type") == "array" else None

    def _below(self, schema: Any) -> Schema | None:
        found = self.all.resolved(schema)
        return _OfDefinition(found, self.all) if found is not None else None


def cluster_wide_in(paths: Any) -> frozenset[tuple[str, str]]:
    """The kinds that an OpenAPI document serves, but not below a namespace."""
    below: dict[tuple[str, str], bool] = {}
    for path, item in paths.items() if isinstance(paths, dict) else ():
        get = item.get("get") if isinstance(item, dict) else None
        gvk = get.get("x-kubernetes-group-version-kind") if isinstance(get, dict) else None
        if isinstance(gvk, dict) and "version" in gvk and "kind" in gvk:
            kind = _api_version(gvk), str(gvk["kind"])
            below[kind] = below.get(kind, False) or "namespaces/{namespace}" in str(path)
    return frozenset(kind for kind, namespaced in below.items() if not namespaced)


def _api_version(gvk: Mapping[str, Any]) -> str:
    group = str(gvk.get("group") or "")
    return f"{group}/{gvk['version']}" if group else str(gvk["version"])


def _listed(schema: Any, key: str) -> list[Any]:
    found = schema.get(key) if isinstance(schema, dict) else None
    return found if isinstance(found, list) else []
