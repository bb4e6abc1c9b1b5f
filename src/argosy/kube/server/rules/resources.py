"""Amounts of resources: which names there are, which amounts each may have, requests against limits."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

from argosy.kube import quantities
from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats
from argosy.kube.server.rules.wording import (
    NEGATIVE,
    duplicate,
    each,
    forbidden,
    invalid,
    not_found,
    not_supported,
    required,
)

_CONTAINER: Final = {"cpu", "memory", "ephemeral-storage"}
_COUNTED: Final = {
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "services.nodeports",
    "services.loadbalancers",
}
STANDARD: Final = _COUNTED | {
    "cpu",
    "memory",
    "ephemeral-storage",
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "storage",
    "requests.storage",
}
QUOTA: Final = STANDARD - {"storage"}
NOT_INTEGER: Final = "must be an integer"


def is_huge_page(name: str) -> bool:
    return name.startswith("hugepages-")


def is_quota_huge_page(name: str) -> bool:
    return name.startswith(("hugepages-", "requests.hugepages-"))


def is_native(name: str) -> bool:
    return "/" not in name or "kubernetes.io/" in name


def is_extended(name: str) -> bool:
    if is_native(name) or name.startswith("requests."):
        return False
    return not formats.qualified_name(f"requests.{name}")


def may_overcommit(name: str) -> bool:
    return is_native(name) and not is_huge_page(name)


def check_name(name: str, path: str) -> list[Cause]:
    if causes := each(path, name, formats.qualified_name(name)):
        return causes
    if "/" not in name and name not in STANDARD and not is_quota_huge_page(name):
        return [invalid(path, name, "must be a standard resource type or fully qualified")]
    return []


def check_container_name(name: str, path: str) -> list[Cause]:
    if name in _CONTAINER:
        return []
    causes = check_name(name, path)
    if "/" not in name:
        if not is_huge_page(name):
            causes.append(invalid(path, name, "must be a standard resource for containers"))
    elif not is_native(name) and not is_extended(name):
        causes.append(invalid(path, name, "doesn't follow extended resource name standard"))
    return causes


def check_pod_name(name: str, path: str) -> list[Cause]:
    if causes := check_name(name, path):
        return causes
    if name in {"cpu", "memory"} or is_huge_page(name):
        return []
    return [not_supported(path, name, ("cpu", "hugepages-", "memory"))]


def check_quota_name(name: str, path: str) -> list[Cause]:
    causes = check_name(name, path)
    if "/" not in name and name not in QUOTA and not is_quota_huge_page(name):
        causes.append(invalid(path, name, "must be a standard resource for quota"))
    return causes


def check_amount(name: str, written: object, path: str) -> list[Cause]:
    found = quantities.parse(written)
    causes = [invalid(path, found.text, NEGATIVE)] if found.nano < 0 else []
    if (name in _COUNTED or is_extended(name)) and found.milli % 1000:
        causes.append(invalid(path, found.text, NOT_INTEGER))
    return causes


def check_container(resources: Object, path: str, claims: Collection[str] = ()) -> list[Cause]:
    return _check_requirements(resources, check_container_name, path, claims)


def check_pod(resources: Object, path: str, claims: Collection[str] = ()) -> list[Cause]:
    return _check_requirements(resources, check_pod_name, path, claims)


def _check_requirements(
    resources: Object, check_one: Callable[[str, str], list[Cause]], path: str, claims: Collection[str]
) -> list[Cause]:
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    causes: list[Cause] = []
    for name, written in limits.items():
        here = f"{path}.limits[{name}]"
        causes += check_one(name, here)
        causes += check_amount(name, written, here)
        causes += _check_huge_page(name, written, here)
    for name, written in requests.items():
        here = f"{path}.requests[{name}]"
        causes += check_one(name, here)
        causes += check_amount(name, written, here)
        causes += _check_request(name, written, limits, path)
        causes += _check_huge_page(name, written, here)
    named = {*limits, *requests}
    if named and not named & {"cpu", "memory"} and any(is_huge_page(name) for name in named):
        causes.append(forbidden(path, "HugePages require cpu or memory"))
    if listed := resources.get("claims"):
        causes += _check_claims(listed, claims, f"{path}.claims")
    return causes


def _check_request(name: str, written: object, limits: Object, path: str) -> list[Cause]:
    if name not in limits:
        if may_overcommit(name):
            return []
        return [required(f"{path}.limits", "Limit must be set for non overcommitable resources")]
    request, limit = quantities.parse(written), quantities.parse(limits[name])
    if request.nano != limit.nano and not may_overcommit(name):
        return [invalid(f"{path}.requests", request.text, f"must be equal to {name} limit of {limit.text}")]
    if request.nano > limit.nano:
        told = f"must be less than or equal to {name} limit of {limit.text}"
        return [invalid(f"{path}.requests", request.text, told)]
    return []


def _check_huge_page(name: str, written: object, path: str) -> list[Cause]:
    if not is_huge_page(name):
        return []
    found = quantities.parse(written)
    try:
        page = quantities.parse(name.removeprefix("hugepages-"))
    except ValueError:
        page = None
    if page and page.nano > 0 and page.milli % 1000 == 0 and found.value % page.value == 0:
        return []
    return [invalid(path, found.text, f"{found.text} is not positive integer multiple of {name}")]


def _check_claims(claims: list[Object], known: Collection[str], path: str) -> list[Cause]:
    causes: list[Cause] = []
    seen: set[str] = set()
    for index, claim in enumerate(claims):
        here = f"{path}[{index}]"
        name, request = claim.get("name") or "", claim.get("request") or ""
        if not name:
            causes.append(required(here))
            continue
        causes += _check_claim_once(name, request, seen, here)
        if name not in known:
            listed = f": {', '.join(sorted(known))}" if known else " which is empty"
            causes.append(
                not_found(here, name, f"must be one of the names in pod.spec.resourceClaims{listed}")
            )
    return causes


def _check_claim_once(name: str, request: str, seen: set[str], path: str) -> list[Cause]:
    if name in seen:
        return [duplicate(path, name)]
    causes = each(f"{path}.request", request, formats.dns_label(request)) if request else []
    key = f"{name}/{request}" if request else name
    if key in seen:
        causes.append(duplicate(path, key))
    elif not request:
        causes += [
            duplicate(path, name) for other in seen if other.partition("/")[0] == name and "/" in other
        ]
    seen.add(key)
    return causes
