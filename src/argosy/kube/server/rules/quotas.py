"""LimitRanges and ResourceQuotas."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import Final

from argosy.kube import quantities
from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.quantities import Quantity
from argosy.kube.server.rules import formats, resources
from argosy.kube.server.rules.builtin import Builtin, Revalidated
from argosy.kube.server.rules.pods.defaults import round_quantities
from argosy.kube.server.rules.printing import printed
from argosy.kube.server.rules.wording import (
    ENOUGH,
    IMMUTABLE,
    duplicate,
    each,
    forbidden,
    invalid,
    required,
)

_PARTS: Final = ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")
_SCOPES: Final = {
    "Terminating",
    "NotTerminating",
    "BestEffort",
    "NotBestEffort",
    "PriorityClass",
    "VolumeAttributesClass",
    "CrossNamespacePodAffinity",
}
_ONLY_EXISTS: Final = _SCOPES - {"PriorityClass", "VolumeAttributesClass"}
_POD_RESOURCES: Final = {
    *("pods", "cpu", "memory"),
    *("limits.cpu", "limits.memory", "requests.cpu", "requests.memory"),
}
_EXCLUSIVE: Final = ({"BestEffort", "NotBestEffort"}, {"Terminating", "NotTerminating"})
_MUST_EXIST: Final = (
    "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, "
    "ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"
)


class LimitRangeRules(Revalidated):
    create_on_update = True
    repeats_metadata = False

    def prepare_create(self, obj: Object) -> None:
        super().prepare_create(obj)
        if not obj["metadata"].get("name"):
            obj["metadata"]["name"] = str(uuid.uuid4())

    def default(self, obj: Object) -> None:
        for limit in (obj.get("spec") or {}).get("limits") or ():
            for part in _PARTS:
                round_quantities(limit.get(part) or {})
            if limit.get("type") == "Container":
                default = limit["default"] = {**(limit.get("max") or {}), **(limit.get("default") or {})}
                requests = limit.get("defaultRequest") or {}
                limit["defaultRequest"] = {**(limit.get("min") or {}), **default, **requests}

    def check(self, obj: Object) -> list[Cause]:
        causes: list[Cause] = []
        kinds: set[str] = set()
        for index, limit in enumerate((obj.get("spec") or {}).get("limits") or ()):
            path, kind = f"spec.limits[{index}]", limit.get("type") or ""
            causes += _check_kind(kind, f"{path}.type")
            if kind in kinds:
                causes.append(duplicate(f"{path}.type", kind))
            kinds.add(kind)
            causes += _check_limit(limit, kind, path)
        return causes


def _check_kind(kind: str, path: str) -> list[Cause]:
    if causes := each(path, kind, formats.qualified_name(kind)):
        return causes
    if "/" in kind or kind in {"Pod", "Container", "PersistentVolumeClaim"}:
        return []
    return [invalid(path, kind, "must be a standard limit type or fully qualified")]


def _check_limit(limit: Object, kind: str, path: str) -> list[Cause]:
    check_name = resources.check_container_name if kind in {"Pod", "Container"} else resources.check_name
    causes: list[Cause] = []
    amounts: dict[str, dict[str, Quantity]] = {part: {} for part in _PARTS}
    for part in _PARTS:
        listed = limit.get(part) or {}
        if kind == "Pod" and part in {"default", "defaultRequest"}:
            if listed:
                causes.append(forbidden(f"{path}.{part}", "may not be specified when `type` is 'Pod'"))
            continue
        if part == "maxLimitRequestRatio" and kind == "PersistentVolumeClaim":
            causes += _check_storage(limit, path)
        for name, written in listed.items():
            causes += check_name(name, f"{path}.{part}[{name}]")
            amounts[part][name] = quantities.parse(written)
    for name in dict.fromkeys(name for part in _PARTS for name in amounts[part]):
        causes += _check_amounts(name, {part: amounts[part].get(name) for part in _PARTS}, path)
    return causes


def _check_storage(limit: Object, path: str) -> list[Cause]:
    if any("storage" in (limit.get(part) or {}) for part in ("min", "max")):
        return []
    told = "either minimum or maximum storage value is required, but neither was provided"
    return [required(f"{path}.limits", told)]


def _check_amounts(name: str, found: dict[str, Quantity | None], path: str) -> list[Cause]:
    least, most, default = found["min"], found["max"], found["default"]
    request, ratio = found["defaultRequest"], found["maxLimitRequestRatio"]
    causes: list[Cause] = []

    def above(low: Quantity | None, high: Quantity | None, part: str, shown: str, told: str) -> None:
        if low is not None and high is not None and low.nano > high.nano:
            causes.append(invalid(f"{path}.{part}[{name}]", shown, told.format(low.text, high.text)))

    above(least, most, "min", least.text if least else "", "min value {} is greater than max value {}")
    text = request.text if request else ""
    above(least, request, "defaultRequest", text, "min value {} is greater than default request value {}")
    above(request, most, "defaultRequest", text, "default request value {} is greater than max value {}")
    above(
        request,
        default,
        "defaultRequest",
        text,
        "default request value {} is greater than default limit value {}",
    )
    above(
        least,
        default,
        "default",
        least.text if least else "",
        "min value {} is greater than default value {}",
    )
    above(
        default, most, "default", most.text if most else "", "default value {} is greater than max value {}"
    )
    if ratio is not None:
        causes += _check_ratio(ratio, least, most, f"{path}.maxLimitRequestRatio[{name}]")
    if default and request and not resources.may_overcommit(name) and default.nano != request.nano:
        told = f"default value {default.text} must equal to defaultRequest value {request.text} in {name}"
        causes.append(invalid(f"{path}.defaultRequest[{name}]", request.text, told))
    return causes


def _check_ratio(ratio: Quantity, least: Quantity | None, most: Quantity | None, path: str) -> list[Cause]:
    causes: list[Cause] = []
    if ratio.nano < quantities.NANO:
        causes.append(invalid(path, ratio.text, f"ratio {ratio.text} is less than 1"))
    if least is None or most is None or least.nano <= 0:
        return causes
    limit = most.milli / least.milli
    if ratio.milli / 1000 > limit:
        told = f"ratio {ratio.text} is greater than max/min = {limit:f}"
        causes.append(invalid(path, ratio.text, told))
    return causes


class ResourceQuotaRules(Builtin):
    def default(self, obj: Object) -> None:
        round_quantities((obj.get("spec") or {}).get("hard") or {})
        for part in ("hard", "used"):
            round_quantities((obj.get("status") or {}).get(part) or {})

    def check(self, obj: Object) -> list[Cause]:
        return _check_spec(obj.get("spec") or {}) + self.check_status(obj, obj)

    def check_update(self, new: Object, old: Object) -> list[Cause]:
        spec = new.get("spec") or {}
        causes = _check_spec(spec)
        scopes = spec.get("scopes")
        if set(scopes or ()) != set((old.get("spec") or {}).get("scopes") or ()):
            causes.append(invalid("spec.scopes", scopes, IMMUTABLE))
        return causes

    def check_status(self, new: Object, old: Object) -> list[Cause]:
        status = new.get("status") or {}
        causes: list[Cause] = []
        for part in ("hard", "used"):
            causes += _check_hard(status.get(part) or {}, f"status.{part}")
        return causes


def _check_hard(amounts: Object, path: str) -> list[Cause]:
    causes: list[Cause] = []
    for name, written in amounts.items():
        causes += resources.check_quota_name(name, f"{path}[{name}]")
        causes += resources.check_amount(name, written, f"{path}[{name}]")
    return causes


def _check_spec(spec: Object) -> list[Cause]:
    hard, scopes = spec.get("hard") or {}, spec.get("scopes") or []
    causes = _check_hard(hard, "spec.hard")
    for scope in scopes[:ENOUGH]:
        if scope not in _SCOPES:
            causes.append(invalid("spec.scopes", scopes, "unsupported scope"))
        told = "unsupported scope applied to resource"
        causes += [invalid("spec.scopes", scopes, told)] * _misfits(scope, hard)
    causes += _check_pairs(set(scopes), scopes, "spec.scopes")
    if (selector := spec.get("scopeSelector")) is not None:
        causes += _check_selector(selector, spec)
    return causes


def _check_pairs(found: set[str], scopes: list[str] | None, path: str) -> list[Cause]:
    return [invalid(path, scopes or None, "conflicting scopes") for pair in _EXCLUSIVE if pair <= found]


def _misfits(scope: str, hard: Iterable[str]) -> int:
    return min(sum(not _fits(scope, name) for name in hard), ENOUGH)


def _fits(scope: str, name: str) -> bool:
    if name not in resources.QUOTA and not resources.is_quota_huge_page(name):
        return True
    if scope == "BestEffort":
        return name == "pods"
    if scope == "VolumeAttributesClass":
        return name in {"persistentvolumeclaims", "requests.storage"}
    return scope not in _SCOPES or name in _POD_RESOURCES


def _check_selector(selector: Object, spec: Object) -> list[Cause]:
    path, causes = "spec.scopeSelector.matchExpressions", []
    scopes: set[str] = set()
    shown = printed("*core.ScopeSelector", selector)
    for one in (selector.get("matchExpressions") or ())[:ENOUGH]:
        scope, operator = one.get("scopeName") or "", one.get("operator") or ""
        if scope not in _SCOPES:
            causes.append(invalid(f"{path}.scopeName", scope, "unsupported scope"))
        told = "unsupported scope applied to resource"
        causes += [invalid(path, shown, told)] * _misfits(scope, spec.get("hard") or ())
        if scope in _ONLY_EXISTS and operator != "Exists":
            causes.append(invalid(f"{path}.operator", operator, _MUST_EXIST))
        values = one.get("values") or []
        if operator in {"In", "NotIn"}:
            if not values:
                told = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
                causes.append(required(f"{path}.values", told))
        elif operator in {"Exists", "DoesNotExist"}:
            if values:
                told = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
                causes.append(invalid(f"{path}.values", values, told))
        else:
            causes.append(invalid(f"{path}.operator", operator, "not a valid selector operator"))
        scopes.add(scope)
    return causes + _check_pairs(scopes, spec.get("scopes"), path)
