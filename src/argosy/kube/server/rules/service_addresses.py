"""The cluster IPs and IP families of a Service: how they must fit together, and what may change about them."""

from __future__ import annotations

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import addresses
from argosy.kube.server.rules.wording import duplicate, invalid, not_supported, required

_FAMILIES = ("IPv4", "IPv6")
_POLICIES = ("PreferDualStack", "RequireDualStack", "SingleStack")
_FIXED = "may not change once set"


def is_headless(spec: Object) -> bool:
    return (spec.get("clusterIPs") or []) == ["None"]


def check_addresses(spec: Object, old: Object) -> list[Cause]:
    if spec.get("type") == "ExternalName":
        return []
    listed, first = spec.get("clusterIPs") or [], spec.get("clusterIP") or ""
    causes: list[Cause] = []
    path = "spec.clusterIPs"
    if first and not listed:
        causes.append(required(path))
    elif first and listed[0] != first:
        causes.append(invalid(path, listed, "first value must match `clusterIP`"))
    elif listed and not first:
        causes.append(invalid(path, listed, "must be empty when `clusterIP` is not specified"))
    causes += _check_families(spec)
    wrong = _check_each(listed, old.get("clusterIPs") or [])
    causes += wrong
    if len(listed) > 2:
        causes.append(invalid(path, listed, "may only hold up to 2 values"))
    if wrong:
        return causes
    if len(listed) > 1 and len({addresses.is_v6(one) for one in listed}) != 2:
        causes.append(invalid(path, listed, "may specify no more than one IP for each IP family"))
    return causes if is_headless(spec) else causes + _check_match(listed, spec.get("ipFamilies") or [])


def _check_families(spec: Object) -> list[Cause]:
    causes: list[Cause] = []
    seen: set[str] = set()
    for index, family in enumerate(spec.get("ipFamilies") or ()):
        if family not in _FAMILIES:
            causes.append(not_supported(f"spec.ipFamilies[{index}]", family, _FAMILIES))
        if family in seen:
            causes.append(duplicate(f"spec.ipFamilies[{index}]", family))
        seen.add(family)
    policy = spec.get("ipFamilyPolicy")
    if policy is not None and policy not in _POLICIES:
        causes.append(not_supported("spec.ipFamilyPolicy", policy, _POLICIES))
    return causes


def _check_each(listed: list[str], known: list[str]) -> list[Cause]:
    causes: list[Cause] = []
    for index, address in enumerate(listed):
        if index == 0 and address == "None":
            if len(listed) > 1:
                told = "'None' must be the first and only value"
                causes.append(invalid("spec.clusterIPs", listed, told))
            continue
        causes += addresses.check(address, f"spec.clusterIPs[{index}]", old=known)
    return causes


def _check_match(listed: list[str], families: list[str]) -> list[Cause]:
    causes: list[Cause] = []
    for index, (address, family) in enumerate(zip(listed, families, strict=False)):
        if family in _FAMILIES and addresses.is_v6(address) != (family == "IPv6"):
            told = f"expected an {family} value as indicated by `ipFamilies[{index}]`"
            causes.append(invalid(f"spec.clusterIPs[{index}]", address, told))
    return causes


def check_address_changes(spec: Object, old: Object) -> list[Cause]:
    if "ExternalName" in {spec.get("type"), old.get("type")} or (is_headless(spec) and is_headless(old)):
        return []
    new, before = spec.get("clusterIPs") or [], old.get("clusterIPs") or []
    if len(before) == len(new):
        return [
            invalid(f"spec.clusterIPs[{index}]", new, _FIXED)
            for index, address in enumerate(before)
            if address != new[index]
        ]
    causes: list[Cause] = []
    if len(before) > len(new) and not new:
        causes.append(
            invalid("spec.clusterIPs[0]", spec.get("clusterIPs"), "primary clusterIP can not be unset")
        )
    if before and new and before[0] != new[0]:
        causes.append(invalid("spec.clusterIPs[0]", new, _FIXED))
    if len(before) > len(new) == 1 and spec.get("ipFamilyPolicy") != "SingleStack":
        told = "must be set to 'SingleStack' when releasing the secondary clusterIP"
        causes.append(invalid("spec.ipFamilyPolicy", spec.get("ipFamilyPolicy"), told))
    return causes


def check_family_changes(spec: Object, old: Object) -> list[Cause]:
    if "ExternalName" in {spec.get("type"), old.get("type")} or is_headless(spec) or is_headless(old):
        return []
    new, before = spec.get("ipFamilies") or [], old.get("ipFamilies") or []
    path, addresses_ = "spec.ipFamilies[0]", spec.get("clusterIPs")
    if len(before) == len(new):
        changed = [one for one, was in zip(new, before, strict=True) if one != was]
        return [invalid(path, new, _FIXED) for _ in changed]
    causes: list[Cause] = []
    if len(before) > len(new) and not addresses_:
        causes.append(invalid(path, spec.get("ipFamilies"), "primary ipFamily can not be unset"))
    if before and new and before[0] != new[0]:
        causes.append(invalid(path, addresses_, _FIXED))
    if len(before) > len(new) == 1 and spec.get("ipFamilyPolicy") != "SingleStack":
        told = "must be set to 'SingleStack' when releasing the secondary ipFamily"
        causes.append(invalid("spec.ipFamilyPolicy", spec.get("ipFamilyPolicy"), told))
    return causes
