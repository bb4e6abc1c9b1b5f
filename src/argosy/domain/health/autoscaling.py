"""HorizontalPodAutoscaler: scaling that is possible is healthy, a metric that cannot be read is not. Version 1 hides its conditions in an annotation."""

from __future__ import annotations

import msgspec

from argosy.domain.health.model import DEGRADED, HEALTHY, PROGRESSING, UNKNOWN, Health
from argosy.domain.health.reading import conditions, maps, part, text
from argosy.kube.objects import Object

_V1_CONDITIONS = "autoscaling.alpha.kubernetes.io/conditions"
_FAILURES = frozenset({
    ("AbleToScale", "FailedGetScale"),
    ("AbleToScale", "FailedUpdateScale"),
    ("ScalingActive", "FailedGetResourceMetric"),
    ("ScalingActive", "FailedGetObjectMetric"),
    ("ScalingActive", "FailedGetPodsMetric"),
    ("ScalingActive", "FailedGetExternalMetric"),
    ("ScalingActive", "FailedComputeMetricsReplicas"),
    ("ScalingActive", "InvalidSelector"),
})  # fmt: skip


def autoscaler(obj: Object) -> Health:
    if obj.get("apiVersion") != "autoscaling/v1":
        return _judged(conditions(obj))
    annotation = part(obj, "metadata", "annotations").get(_V1_CONDITIONS)
    if not isinstance(annotation, str):
        return _judged([])
    try:
        return _judged(maps(msgspec.json.decode(annotation)))
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        return Health(UNKNOWN, f"failed to convert conditions annotation to typed: {error}")


def _judged(found: list[Object]) -> Health:
    for one in found:
        if (text(one, "type"), text(one, "reason")) in _FAILURES:
            return Health(DEGRADED, text(one, "message"))
    for one in found:
        if text(one, "type") in {"AbleToScale", "ScalingLimited"} and one.get("status") == "True":
            return Health(HEALTHY, text(one, "message"))
    return Health(PROGRESSING, "Waiting to Autoscale")
