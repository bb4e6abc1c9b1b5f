"""HorizontalPodAutoscalers."""

from __future__ import annotations

from typing import ClassVar, Final

from argosy.kube import quantities
from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats, resources
from argosy.kube.server.rules.builtin import Builtin
from argosy.kube.server.rules.wording import (
    NEGATIVE,
    NOT_POSITIVE,
    each,
    forbidden,
    invalid,
    not_supported,
    required,
)
from argosy.kube.server.rules.workloads.replicated import check_counts

_SOURCES: Final = {
    "Object": "object",
    "External": "external",
    "Pods": "pods",
    "Resource": "resource",
    "ContainerResource": "containerResource",
}
_TYPES: Final = tuple(sorted(_SOURCES))
_POPULATE: Final = "must populate information for the given metric source"
_UP: Final[tuple[Object, ...]] = (
    {"type": "Pods", "value": 4, "periodSeconds": 15},
    {"type": "Percent", "value": 100, "periodSeconds": 15},
)
_DOWN: Final[tuple[Object, ...]] = ({"type": "Percent", "value": 100, "periodSeconds": 15},)


class AutoscalerRules(Builtin):
    new_status: ClassVar[Object] = {"desiredReplicas": 0, "currentMetrics": None}

    def default(self, obj: Object) -> None:
        spec = obj.setdefault("spec", {})
        if spec.get("minReplicas") is None:
            spec["minReplicas"] = 1
        if not spec.get("metrics"):
            target = {"type": "Utilization", "averageUtilization": 80}
            spec["metrics"] = [{"type": "Resource", "resource": {"name": "cpu", "target": target}}]
        for metric in spec["metrics"]:
            for source in _SOURCES.values():
                _canonical((metric.get(source) or {}).get("target") or {}, ("value", "averageValue"))
        for metric in (obj.get("status") or {}).get("currentMetrics") or ():
            for source in _SOURCES.values():
                _canonical((metric.get(source) or {}).get("current") or {}, ("value", "averageValue"))
        if (behaviour := spec.get("behavior")) is not None:
            behaviour["scaleUp"] = _rules(behaviour.get("scaleUp"), {"stabilizationWindowSeconds": 0}, _UP)
            behaviour["scaleDown"] = _rules(behaviour.get("scaleDown"), {}, _DOWN)

    def check(self, obj: Object) -> list[Cause]:
        return _check_spec(obj.get("spec") or {}, {})

    def check_update(self, new: Object, old: Object) -> list[Cause]:
        return _check_spec(new.get("spec") or {}, old.get("spec") or {})

    def check_status(self, new: Object, old: Object) -> list[Cause]:
        return check_counts(new.get("status") or {}, ("currentReplicas", "desiredReplicas"))


def _canonical(holder: Object, fields: tuple[str, ...]) -> None:
    for field in fields:
        if holder.get(field) is not None:
            holder[field] = quantities.canonical(holder[field])


def _rules(given: Object | None, others: Object, policies: tuple[Object, ...]) -> Object:
    rules = {**others, "selectPolicy": "Max", "policies": [dict(one) for one in policies]}
    rules |= {key: value for key, value in (given or {}).items() if value is not None}
    _canonical(rules, ("tolerance",))
    return rules


def _check_spec(spec: Object, old: Object) -> list[Cause]:
    least, most = spec.get("minReplicas"), spec.get("maxReplicas") or 0
    causes: list[Cause] = []
    bound = 0 if old.get("minReplicas") == 0 else 1
    if least is not None and least < bound:
        causes.append(invalid("spec.minReplicas", least, f"must be greater than or equal to {bound}"))
    if most == 0:
        causes.append(required("spec.maxReplicas", "must be set and greater than 0"))
    elif most < 0:
        causes.append(invalid("spec.maxReplicas", most, "must be greater than or equal to 1"))
    if least is not None and most < least:
        causes.append(invalid("spec.maxReplicas", most, "must be greater than or equal to `minReplicas`"))
    target, before = spec.get("scaleTargetRef") or {}, old.get("scaleTargetRef")
    known = before is not None and all(
        before.get(part) == target.get(part) for part in ("apiVersion", "kind")
    )
    legacy = target.get("kind") == "ReplicationController"
    causes += _check_reference(target, "spec.scaleTargetRef", any_version=known, any_group=legacy)
    causes += _check_metrics(spec.get("metrics") or [], least)
    for part in ("scaleUp", "scaleDown"):
        rules = (spec.get("behavior") or {}).get(part)
        if rules is not None:
            causes += _check_rules(rules, f"spec.behavior.{part}")
    return causes


def _check_reference(
    reference: Object, path: str, *, any_version: bool = False, any_group: bool = False
) -> list[Cause]:
    causes: list[Cause] = []
    for field in ("kind", "name"):
        if value := reference.get(field):
            causes += each(f"{path}.{field}", value, formats.segment_name(value))
        else:
            causes.append(required(f"{path}.{field}"))
    version = reference.get("apiVersion") or ""
    told = "" if any_version else _wrong_version(version, any_group)
    return [*causes, invalid(f"{path}.apiVersion", version, told)] if told else causes


def _wrong_version(version: str, any_group: bool) -> str:
    if version.count("/") > 1:
        return f"unexpected GroupVersion string: {version}"
    return "" if any_group or "/" in version.lstrip("/") else "apiVersion must specify API group"


def _check_metrics(metrics: list[Object], least: int | None) -> list[Cause]:
    causes: list[Cause] = []
    for index, metric in enumerate(metrics):
        causes += _check_metric(metric, f"spec.metrics[{index}]")
    if least == 0 and not any(metric.get("type") in {"Object", "External"} for metric in metrics):
        told = "must specify at least one Object or External metric to support scaling to zero replicas"
        causes.append(forbidden("spec.metrics", told))
    return causes


def _check_metric(metric: Object, path: str) -> list[Cause]:
    kind, causes = metric.get("type") or "", []
    if not kind:
        causes.append(required(f"{path}.type", "must specify a metric source type"))
    if kind not in _SOURCES:
        causes.append(not_supported(f"{path}.type", kind, _TYPES))
    present = [source for source in _SOURCES.values() if metric.get(source) is not None]
    if present:
        causes += _check_source(metric[present[0]], present[0], f"{path}.{present[0]}")
    expected = _SOURCES.get(kind)
    if expected is None:
        causes.append(not_supported(f"{path}.type", kind, _TYPES))
    elif expected not in present:
        causes.append(required(f"{path}.{expected}", _POPULATE))
    if len(present) != 1:
        told = "must populate the given metric source only"
        causes += [forbidden(f"{path}.{source}", told) for source in present if source != expected]
    return causes


def _check_source(source: Object, kind: str, path: str) -> list[Cause]:
    target, causes = source.get("target") or {}, []
    if kind == "object":
        causes += _check_reference(
            source.get("describedObject") or {}, f"{path}.describedObject", any_group=True
        )
    if kind in {"object", "external", "pods"}:
        name = (source.get("metric") or {}).get("name") or ""
        here = f"{path}.metric.name"
        causes += (
            each(here, name, formats.segment_name(name))
            if name
            else [required(here, "must specify a metric name")]
        )
    elif name := source.get("name"):
        causes += resources.check_container_name(name, f"{path}.name") if kind == "containerResource" else []
    else:
        causes.append(required(f"{path}.name", "must specify a resource name"))
    if kind == "containerResource":
        if container := source.get("container"):
            causes += each(f"{path}.container", container, formats.dns_label(container))
        else:
            causes.append(required(f"{path}.container", "must specify a container"))
    return causes + _check_target(target, f"{path}.target") + _check_choice(target, kind, f"{path}.target")


def _check_target(target: Object, path: str) -> list[Cause]:
    kind, causes = target.get("type") or "", []
    if not kind:
        causes.append(required(f"{path}.type", "must specify a metric target type"))
    if kind not in {"Utilization", "Value", "AverageValue"}:
        causes.append(invalid(f"{path}.type", kind, "must be either Utilization, Value, or AverageValue"))
    for field in ("value", "averageValue"):
        if target.get(field) is not None and quantities.amount(target[field]) <= 0:
            causes.append(invalid(f"{path}.{field}", quantities.canonical(target[field]), "must be positive"))
    share = target.get("averageUtilization")
    if share is not None and share < 1:
        causes.append(invalid(f"{path}.averageUtilization", share, "must be greater than 0"))
    return causes


def _check_choice(target: Object, kind: str, path: str) -> list[Cause]:
    """Which of a target's values the source needs, and which exclude each other."""
    value, average = target.get("value") is not None, target.get("averageValue") is not None
    share = target.get("averageUtilization") is not None
    match kind:
        case "object" if not value and not average:
            return [required(f"{path}.averageValue", "must set either a target value or averageValue")]
        case "external" if not value and not average:
            told = "must set either a target value for metric or a per-pod target"
            return [required(f"{path}.averageValue", told)]
        case "external" if value and average:
            told = "may not set both a target value for metric and a per-pod target"
            return [forbidden(f"{path}.value", told)]
        case "pods" if not average:
            return [required(f"{path}.averageValue", "must specify a positive target averageValue")]
        case "resource" | "containerResource" if not share and not average:
            told = "must set either a target raw value or a target utilization"
            return [required(f"{path}.averageUtilization", told)]
        case "resource" | "containerResource" if share and average:
            told = "may not set both a target raw value and a target utilization"
            return [forbidden(f"{path}.averageValue", told)]
    return []


def _check_rules(rules: Object, path: str) -> list[Cause]:
    window, select, causes = rules.get("stabilizationWindowSeconds"), rules.get("selectPolicy"), []
    here = f"{path}.stabilizationWindowSeconds"
    if window is not None and window < 0:
        causes.append(invalid(here, window, "must be greater than or equal to zero"))
    if window is not None and window > 3600:
        causes.append(invalid(here, window, "must be less than or equal to 3600"))
    if select is not None and select not in {"Disabled", "Max", "Min"}:
        causes.append(not_supported(f"{path}.selectPolicy", select, ("Disabled", "Max", "Min")))
    if not rules.get("policies"):
        causes.append(required(f"{path}.policies", "must specify at least one Policy"))
    for index, policy in enumerate(rules.get("policies") or ()):
        causes += _check_policy(policy, f"{path}.policies[{index}]")
    tolerance = rules.get("tolerance")
    if tolerance is not None and quantities.amount(tolerance) < 0:
        causes.append(invalid(f"{path}.tolerance", quantities.canonical(tolerance), NEGATIVE))
    return causes


def _check_policy(policy: Object, path: str) -> list[Cause]:
    kind, value, period = policy.get("type") or "", policy.get("value") or 0, policy.get("periodSeconds") or 0
    causes: list[Cause] = []
    if kind not in {"Pods", "Percent"}:
        causes.append(not_supported(f"{path}.type", kind, ("Percent", "Pods")))
    if value <= 0:
        causes.append(invalid(f"{path}.value", value, NOT_POSITIVE))
    if period <= 0:
        causes.append(invalid(f"{path}.periodSeconds", period, NOT_POSITIVE))
    if period > 1800:
        causes.append(invalid(f"{path}.periodSeconds", period, "must be less than or equal to 1800"))
    return causes
