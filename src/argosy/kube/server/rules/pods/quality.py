"""Quality of service: how a pod fares when its node runs short. The API server writes it into the status."""

from __future__ import annotations

from argosy.kube import quantities
from argosy.kube.objects import Object

_COUNTED = ("cpu", "memory")


def quality_of_service(spec: Object) -> str:
    if (own := spec.get("resources")) is not None:
        holders = [{"resources": own}]
    else:
        holders = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    requests: dict[str, int] = {}
    limits: dict[str, int] = {}
    guaranteed = True
    for holder in holders:
        resources = holder.get("resources") or {}
        _add(requests, resources.get("requests"))
        guaranteed &= _add(limits, resources.get("limits"))
    if not requests and not limits:
        return "BestEffort"
    guaranteed = guaranteed and all(limits.get(name) == wanted for name, wanted in requests.items())
    return "Guaranteed" if guaranteed and len(requests) == len(limits) else "Burstable"


def _add(total: dict[str, int], amounts: Object | None) -> bool:
    """Whether all that counts is there."""
    found = 0
    for name in _COUNTED:
        amount = quantities.amount((amounts or {}).get(name))
        if amount > 0:
            total[name] = total.get(name, 0) + amount
            found += 1
    return found == len(_COUNTED)
