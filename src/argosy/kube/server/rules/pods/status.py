"""What a pod's status may become. The node that runs a pod writes it, and controllers add conditions."""

from __future__ import annotations

from typing import Final

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import addresses, formats
from argosy.kube.server.rules.printing import printed
from argosy.kube.server.rules.wording import each, forbidden, immutable, invalid

_OWN: Final = {"PodScheduled", "Ready", "Initialized"}
_ENDED: Final = "may not be transitioned to non-terminated state"


def check_status(new: Object, old: Object) -> list[Cause]:
    """Of the whole pods; their specs are the same."""
    status, before = new.get("status") or {}, old.get("status") or {}
    spec = old.get("spec") or {}
    causes = _check_conditions(status.get("conditions") or [])
    nominated, was = status.get("nominatedNodeName") or "", before.get("nominatedNodeName") or ""
    if nominated and nominated != was:
        causes += each("status.nominatedNodeName", nominated, formats.subdomain(nominated))
        if spec.get("nodeName"):
            told = "may not be set on pods that are already bound to a node"
            causes.append(forbidden("status.nominatedNodeName", told))
    if (observed := status.get("observedGeneration") or 0) < 0:
        causes.append(invalid("status.observedGeneration", observed, "must be a non-negative integer"))
    causes += immutable("status.qosClass", status.get("qosClass") or "", before.get("qosClass") or "")
    causes += _check_states(status, before, spec)
    causes += _check_addresses(status, before, "podIPs", "core.PodIP")
    if hosts := status.get("hostIPs"):
        first = hosts[0].get("ip") or ""
        if (status.get("hostIP") or "") != first:
            causes.append(invalid("status.hostIPs[0].ip", first, "must be equal to `hostIP`"))
        causes += _check_addresses(status, before, "hostIPs", "core.HostIP")
    return causes


def _check_conditions(conditions: list[Object]) -> list[Cause]:
    causes: list[Cause] = []
    for index, condition in enumerate(conditions):
        here = f"status.conditions[{index}]"
        if (observed := condition.get("observedGeneration") or 0) < 0:
            causes.append(invalid(f"{here}.observedGeneration", observed, "must be a non-negative integer"))
        kind = condition.get("type") or ""
        if kind not in _OWN:
            causes += each(f"{here}.Type", kind, formats.qualified_name(kind))
    return causes


def _check_states(status: Object, before: Object, spec: Object) -> list[Cause]:
    causes: list[Cause] = []
    if not _restarts_all(spec):
        for kind, part in (("containerStatuses", "containers"), ("initContainerStatuses", "initContainers")):
            containers = {one.get("name"): one for one in spec.get(part) or ()}
            for index, name, code in _revived(status, before, kind):
                container = containers.get(name)
                if container is None or not _restarts(container, spec, code):
                    causes.append(forbidden(f"status.{kind}[{index}].state", _ENDED))
    for index, _, _ in _revived(status, before, "ephemeralContainerStatuses"):
        causes.append(forbidden(f"status.ephemeralContainerStatuses[{index}].state", _ENDED))
    return causes


def _revived(status: Object, before: Object, kind: str) -> list[tuple[int, str, int]]:
    """Containers that had ended and claim they have not: place, name, exit code."""
    running = {
        one.get("name")
        for one in status.get(kind) or ()
        if (one.get("state") or {}).get("terminated") is None
    }
    found: list[tuple[int, str, int]] = []
    for index, one in enumerate(before.get(kind) or ()):
        ended = (one.get("state") or {}).get("terminated")
        if ended is not None and one.get("name") in running:
            found.append((index, one.get("name") or "", ended.get("exitCode") or 0))
    return found


def _restarts(container: Object, spec: Object, code: int) -> bool:
    for rule in container.get("restartPolicyRules") or ():
        codes = rule.get("exitCodes") or {}
        listed = code in (codes.get("values") or ())
        if listed == (codes.get("operator") == "In") and rule.get("action") in {
            "Restart",
            "RestartAllContainers",
        }:
            return True
    policy = container.get("restartPolicy") or spec.get("restartPolicy")
    return policy == "Always" or (policy == "OnFailure" and code != 0)


def _restarts_all(spec: Object) -> bool:
    return any(
        rule.get("action") == "RestartAllContainers"
        for part in ("containers", "initContainers")
        for container in spec.get(part) or ()
        for rule in container.get("restartPolicyRules") or ()
    )


def _check_addresses(status: Object, before: Object, field: str, shape: str) -> list[Cause]:
    listed = [one.get("ip") or "" for one in status.get(field) or ()]
    known = [one.get("ip") or "" for one in before.get(field) or ()]
    causes: list[Cause] = []
    for index, address in enumerate(listed):
        causes += addresses.check(address, f"status.{field}[{index}]", old=known)
    if len(listed) > 1:
        families = {addresses.is_v6(address) for address in listed}
        if len(families) != 2 or len(listed) > 2:
            told = "may specify no more than one IP for each IP family"
            causes.append(invalid(f"status.{field}", printed(f"[{shape}", status[field]), told))
    return causes
