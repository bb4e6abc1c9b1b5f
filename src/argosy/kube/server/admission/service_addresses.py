"""The address of a service inside the cluster, which has IPv4 only. `services` calls it for each write."""

from __future__ import annotations

import ipaddress

from argosy.kube.errors import Cause, internal, invalid
from argosy.kube.objects import Object
from argosy.kube.server.admission.names import candidates
from argosy.kube.server.admission.write import Write
from argosy.kube.server.rules.service_addresses import check_addresses
from argosy.kube.server.rules.wording import invalid as wrong

NETWORK = ipaddress.ip_network("10.96.0.0/16")
_FAMILY, _OTHER = "IPv4", "IPv6"
_POLICY = "spec.ipFamilyPolicy"


def keep(spec: Object, before: Object) -> None:
    """An update that leaves the address out means the same one."""
    if "ExternalName" not in {spec.get("type"), before.get("type")}:
        for part in ("clusterIP", "clusterIPs"):
            if not spec.get(part) and before.get(part):
                spec[part] = before[part]
    _settle(spec, before)


def give(write: Write, spec: Object, before: Object, others: list[Object]) -> None:
    if write.old is None and spec.get("clusterIP") and not spec.get("clusterIPs"):
        spec["clusterIPs"] = [spec["clusterIP"]]
    if spec.get("type") == "ExternalName" or _stays_dual(spec, before):
        return
    _choose_policy(spec, before)
    _refuse(write, check_addresses(spec, before))
    _refuse(write, [*_shrink(spec, before), *_infer_families(spec)])
    if spec.get("clusterIP") == "None" and not spec.get("selector"):
        _families_of_nobody(spec)
        return
    _refuse(write, _check_families(spec))
    if not spec.get("ipFamilies"):
        spec["ipFamilies"] = [_FAMILY]
    if (spec.get("clusterIPs") or [""])[0] != "None":
        _address(write, spec, before, {ip for one in others for ip in _given(one.get("spec") or {})})


def _settle(spec: Object, before: Object) -> None:
    """Of `clusterIP` and `clusterIPs`, a client may have changed one only."""
    first, was = spec.get("clusterIP") or "", before.get("clusterIP") or ""
    untouched = spec.get("clusterIPs") == before.get("clusterIPs")
    if first == was or not untouched:
        return
    if first:
        spec["clusterIPs"] = [first]
    else:
        spec.pop("clusterIPs", None)


def _stays_dual(spec: Object, before: Object) -> bool:
    parts = ("type", "clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy")
    return before.get("ipFamilyPolicy") == "PreferDualStack" and all(
        spec.get(part) == before.get(part) for part in parts
    )


def _choose_policy(spec: Object, before: Object) -> None:
    if spec.get("ipFamilyPolicy") is not None:
        return
    headless_alone = spec.get("clusterIP") == "None" and not spec.get("selector")
    otherwise = "RequireDualStack" if headless_alone else "SingleStack"
    spec["ipFamilyPolicy"] = before.get("ipFamilyPolicy") or otherwise


def _shrink(spec: Object, before: Object) -> list[Cause]:
    """From two families to one, which has to be asked for."""
    policy, causes = spec["ipFamilyPolicy"], list[Cause]()
    for part, what, many in (
        ("clusterIPs", "cluster IP", "cluster IPs"),
        ("ipFamilies", "IP family", "IP families"),
    ):
        now, was = spec.get(part) or [], before.get(part) or []
        if policy == "SingleStack":
            if now == was and len(now) > 1:
                now = spec[part] = now[:1]
            if len(now) == 2:
                told = f"must be 'RequireDualStack' or 'PreferDualStack' when multiple {many} are specified"
                causes.append(wrong(_POLICY, policy, told))
        elif 0 < len(now) < len(was):
            causes.append(wrong(_POLICY, policy, f"must be 'SingleStack' to release the secondary {what}"))
    return causes


def _infer_families(spec: Object) -> list[Cause]:
    listed, families = spec.get("clusterIPs") or [], list(spec.get("ipFamilies") or ())
    causes: list[Cause] = []
    for at, ip in enumerate(listed if listed[:1] != ["None"] else ()):
        if at < len(families):
            continue
        if ":" in ip:
            causes.append(
                wrong(f"spec.clusterIPs[{at}]", listed, f"{_OTHER} is not configured on this cluster")
            )
        else:
            families.append(_FAMILY)
    if families:
        spec["ipFamilies"] = families
    return causes


def _families_of_nobody(spec: Object) -> None:
    """Who writes the endpoints of such a service may write any address."""
    families = list(spec.get("ipFamilies") or [_FAMILY])
    if len(families) < 2 and spec["ipFamilyPolicy"] != "SingleStack":
        families.append(_OTHER if families[0] == _FAMILY else _FAMILY)
    spec["ipFamilies"] = families


def _check_families(spec: Object) -> list[Cause]:
    causes: list[Cause] = []
    if spec["ipFamilyPolicy"] == "RequireDualStack":
        told = "this cluster is not configured for dual-stack services"
        causes.append(wrong(_POLICY, "RequireDualStack", told))
    for at, family in enumerate(spec.get("ipFamilies") or ()):
        if family != _FAMILY:
            causes.append(wrong(f"spec.ipFamilies[{at}]", family, "not configured on this cluster"))
    return causes


def _address(write: Write, spec: Object, before: Object, taken: set[str]) -> None:
    listed = spec.get("clusterIPs") or [""]
    wanted = listed[0]
    if not wanted:
        spec["clusterIP"] = _free(taken)
        spec["clusterIPs"] = [spec["clusterIP"]]
        return
    if wanted in _given(before):
        return
    why = ""
    if ipaddress.ip_address(wanted) not in NETWORK:
        why = f"the provided IP ({wanted}) is not in the valid range. The range of valid IPs is {NETWORK}"
    elif wanted in taken:
        why = "provided IP is already allocated"
    if why:
        _refuse(write, [wrong("spec.clusterIPs", listed, f"failed to allocate IP {wanted}: {why}")])


def _free(taken: set[str]) -> str:
    first, last = int(NETWORK.network_address) + 1, int(NETWORK.broadcast_address) - 1
    for number in candidates(first, last):
        text = str(ipaddress.ip_address(number))
        if text not in taken:
            return text
    raise internal("failed to allocate a serviceIP: range is full")


def _refuse(write: Write, causes: list[Cause]) -> None:
    if causes:
        raise invalid("Service", write.name, causes)


def _given(spec: Object) -> list[str]:
    return [ip for ip in spec.get("clusterIPs") or [spec.get("clusterIP")] if ip and ip != "None"]
