"""What the API server itself writes into a pod before it is stored, and what it takes out because a feature is off."""

from __future__ import annotations

from argosy.kube.objects import Object
from argosy.kube.server.rules import metadata
from argosy.kube.server.rules.pods.annotations import APP_ARMOR
from argosy.kube.server.rules.pods.quality import quality_of_service
from argosy.kube.server.rules.pods.security import check_app_armor
from argosy.kube.server.rules.pods.systems import each_container
from argosy.kube.server.rules.pods.warnings import app_armor_profile

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def prepare_pod(pod: Object) -> None:
    spec = pod.setdefault("spec", {})
    pod["metadata"]["generation"] = 1
    pod["status"] = {"phase": "Pending", "qosClass": quality_of_service(spec)}
    drop_disabled(spec)
    if spec.get("schedulingGates"):
        pod["status"]["conditions"] = [
            {
                "type": "PodScheduled",
                "status": "False",
                "lastProbeTime": None,
                "lastTransitionTime": metadata.of(pod).get("creationTimestamp"),
                "reason": "SchedulingGated",
                "message": "Scheduling is blocked due to non-empty scheduling gates",
            }
        ]
    labels = metadata.of(pod).get("labels") or {}
    _select_by_keys(spec, labels)
    if annotations := metadata.of(pod).get("annotations"):
        _adopt_app_armor(spec, annotations)


def drop_disabled(spec: Object) -> None:
    """Alpha fields, and beta ones that are off."""
    spec.pop("schedulingGroup", None)
    for container, _ in each_container(spec, ""):
        if lifecycle := container.get("lifecycle"):
            lifecycle.pop("stopSignal", None)
    for volume in spec.get("volumes") or ():
        for source in (volume.get("projected") or {}).get("sources") or ():
            source.pop("clusterTrustBundle", None)
            source.pop("podCertificate", None)


def _select_by_keys(spec: Object, labels: dict[str, str]) -> None:
    """`matchLabelKeys` become part of the selector, with the pod's own values."""
    affinity = spec.get("affinity") or {}
    for part in ("podAffinity", "podAntiAffinity"):
        one = affinity.get(part) or {}
        for weighted in one.get(_PREFERRED) or ():
            _extend(weighted.get("podAffinityTerm") or {}, labels)
        for term in one.get(_REQUIRED) or ():
            _extend(term, labels)
    for constraint in spec.get("topologySpreadConstraints") or ():
        _extend(constraint, labels)


def _extend(term: Object, labels: dict[str, str]) -> None:
    selector = term.get("labelSelector")
    if selector is None:
        return
    for field, operator in (("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn")):
        for key in term.get(field) or ():
            if key in labels:
                expression = {"key": key, "operator": operator, "values": [labels[key]]}
                selector.setdefault("matchExpressions", []).append(expression)


def _adopt_app_armor(spec: Object, annotations: dict[str, str]) -> None:
    """The annotation is the old form of the field."""
    if (spec.get("os") or {}).get("name") == "windows":
        return
    of_pod = (spec.get("securityContext") or {}).get("appArmorProfile")
    for container, _ in each_container(spec, ""):
        annotation = annotations.get(APP_ARMOR + (container.get("name") or ""))
        if annotation is None or (container.get("securityContext") or {}).get("appArmorProfile") is not None:
            continue
        made = app_armor_profile(annotation)
        if made is not None and not check_app_armor(made, "") and made != of_pod:
            container.setdefault("securityContext", {})["appArmorProfile"] = made
