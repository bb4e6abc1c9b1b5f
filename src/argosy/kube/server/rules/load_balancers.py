"""Where a load balancer listens: the status of a Service, and each point of it, an Ingress's too."""

from __future__ import annotations

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import addresses, formats
from argosy.kube.server.rules.wording import each, forbidden, invalid, not_supported, required


def check_load_balancer(new: Object, old: Object) -> list[Cause]:
    listed = ((new.get("status") or {}).get("loadBalancer") or {}).get("ingress") or []
    before = ((old.get("status") or {}).get("loadBalancer") or {}).get("ingress") or []
    path = "status.loadBalancer.ingress"
    if listed and (new.get("spec") or {}).get("type") != "LoadBalancer":
        return [forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")]
    known = [one["ip"] for one in before if one.get("ip")]
    causes: list[Cause] = []
    for index, one in enumerate(listed):
        causes += check_ingress_point(one, f"{path}[{index}]", known)
        mode, address = one.get("ipMode"), one.get("ip")
        if mode is None and address:
            causes.append(required(f"{path}[{index}].ipMode", "must be specified when `ip` is set"))
        elif mode is not None and not address:
            causes.append(forbidden(f"{path}[{index}].ipMode", "may not be specified when `ip` is not set"))
        elif mode is not None and mode not in {"Proxy", "VIP"}:
            causes.append(not_supported(f"{path}[{index}].ipMode", mode, ("Proxy", "VIP")))
    return causes


def check_ingress_point(one: Object, path: str, known: list[str]) -> list[Cause]:
    causes = addresses.check(one["ip"], f"{path}.ip", old=known) if one.get("ip") else []
    if name := one.get("hostname"):
        causes += each(f"{path}.hostname", name, formats.subdomain(name))
        if addresses.parse(name) is not None:
            causes.append(invalid(f"{path}.hostname", name, "must be a DNS name, not an IP address"))
    return causes
