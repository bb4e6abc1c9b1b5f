"""What a Service gets or loses before it is judged: session affinity, what its former type gave it; and what deserves a warning."""

from __future__ import annotations

from typing import Final

from argosy.kube.objects import Object
from argosy.kube.server.rules import addresses, metadata
from argosy.kube.server.rules.wording import quoted

HINTS: Final = "service.kubernetes.io/topology-aware-hints"
MODE: Final = "service.kubernetes.io/topology-mode"


def default_affinity(spec: Object) -> None:
    if not spec.get("sessionAffinity"):
        spec["sessionAffinity"] = "None"
    if spec["sessionAffinity"] == "None":
        spec.pop("sessionAffinityConfig", None)
    elif spec["sessionAffinity"] == "ClientIP":
        client = (spec.get("sessionAffinityConfig") or {}).get("clientIP") or {}
        if client.get("timeoutSeconds") is None:
            spec["sessionAffinityConfig"] = {"clientIP": {"timeoutSeconds": 10800}}


def is_external(spec: Object) -> bool:
    if spec.get("type") in {"LoadBalancer", "NodePort"}:
        return True
    return spec.get("type") == "ClusterIP" and bool(spec.get("externalIPs"))


def needs_health_check(spec: Object) -> bool:
    return spec.get("type") == "LoadBalancer" and spec.get("externalTrafficPolicy") == "Local"


def drop_of_former_type(new: Object, old: Object) -> None:
    """What a service had because of its type goes with it, unless the client changed it in the same write."""
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    kind, was = spec.get("type"), before.get("type")
    if was != "ExternalName" and kind == "ExternalName":
        if all(spec.get(field) == before.get(field) for field in ("clusterIP", "clusterIPs")):
            spec.pop("clusterIP", None)
            spec.pop("clusterIPs", None)
        for field in ("ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"):
            if spec.get(field) == before.get(field):
                spec.pop(field, None)
    with_ports = {"NodePort", "LoadBalancer"}
    if was in with_ports and kind not in with_ports and _node_ports(spec) <= _node_ports(before):
        for port in spec.get("ports") or ():
            port.pop("nodePort", None)
    for field, needed, needs in (
        ("healthCheckNodePort", needs_health_check(before), needs_health_check(spec)),
        ("allocateLoadBalancerNodePorts", was == "LoadBalancer", kind == "LoadBalancer"),
        ("loadBalancerClass", was == "LoadBalancer", kind == "LoadBalancer"),
        ("externalTrafficPolicy", is_external(before), is_external(spec)),
    ):
        if needed and not needs and spec.get(field) == before.get(field):
            spec.pop(field, None)
    if kind != "LoadBalancer" and (new.get("status") or {}).get("loadBalancer"):
        new["status"] = {**new["status"], "loadBalancer": {}}


def _node_ports(spec: Object) -> set[int]:
    return {port["nodePort"] for port in spec.get("ports") or () if port.get("nodePort")}


def service_warnings(obj: Object) -> list[str]:
    spec, told = obj.get("spec") or {}, []
    kind, outside = spec.get("type"), spec.get("externalIPs") or []
    headless = kind == "ClusterIP" and spec.get("clusterIP") == "None"
    if HINTS in (metadata.of(obj).get("annotations") or {}):
        told.append(f"annotation {HINTS} is deprecated, please use {MODE} instead")
    if spec.get("clusterIP") not in {None, "", "None"}:
        for index, address in enumerate(spec.get("clusterIPs") or ()):
            told += addresses.warnings(address, f"spec.clusterIPs[{index}]")
    if headless:
        if spec.get("loadBalancerIP"):
            told.append("spec.loadBalancerIP is ignored for headless services")
        if outside:
            told.append("spec.externalIPs is ignored for headless services")
        if spec.get("sessionAffinity") != "None":
            told.append("spec.SessionAffinity is ignored for headless services")
    for index, address in enumerate(outside):
        told += addresses.warnings(address, f"spec.externalIPs[{index}]")
    if outside and not headless and kind != "ExternalName":
        told.append("spec.externalIPs is deprecated and may no longer be implemented in some clusters")
    if address := spec.get("loadBalancerIP"):
        told += addresses.warnings(address, "spec.loadBalancerIP")
    for index, network in enumerate(spec.get("loadBalancerSourceRanges") or ()):
        told += addresses.network_warnings(network, f"spec.loadBalancerSourceRanges[{index}]")
    if kind == "ExternalName" and outside:
        told.append('spec.externalIPs is ignored when spec.type is "ExternalName"')
    if kind != "ExternalName" and spec.get("externalName"):
        told.append('spec.externalName is ignored when spec.type is not "ExternalName"')
    if spec.get("trafficDistribution") == "PreferClose":
        told.append(
            f"spec.trafficDistribution: {quoted('PreferClose')} is deprecated; use {quoted('PreferSameZone')}"
        )
    return told
