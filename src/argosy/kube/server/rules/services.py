"""Services. Which addresses and ports they get is decided in admission; here is what they may ask for."""

from __future__ import annotations

from typing import ClassVar, Final

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import addresses, formats, metadata
from argosy.kube.server.rules.builtin import Builtin
from argosy.kube.server.rules.formats import Messages
from argosy.kube.server.rules.load_balancers import check_load_balancer
from argosy.kube.server.rules.pods.containers import check_protocol
from argosy.kube.server.rules.pods.probes import check_port
from argosy.kube.server.rules.printing import printed
from argosy.kube.server.rules.service_addresses import (
    check_address_changes,
    check_addresses,
    check_family_changes,
    is_headless,
)
from argosy.kube.server.rules.service_preparation import (
    HINTS,
    MODE,
    default_affinity,
    drop_of_former_type,
    is_external,
    needs_health_check,
    service_warnings,
)
from argosy.kube.server.rules.wording import (
    duplicate,
    each,
    forbidden,
    invalid,
    not_supported,
    required,
)

_TYPES: Final = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_RANGES: Final = "service.beta.kubernetes.io/load-balancer-source-ranges"
_DISTRIBUTIONS: Final = ("PreferClose", "PreferSameZone", "PreferSameNode")
_ONLY_BALANCED: Final = "may only be used when `type` is 'LoadBalancer'"
_DAY: Final = 86400


class ServiceRules(Builtin):
    create_on_update = True
    new_status: ClassVar[Object] = {"loadBalancer": {}}

    def check_name(self, name: str, prefix: bool) -> Messages:
        return formats.label_name(name, prefix)

    def default(self, obj: Object) -> None:
        spec = obj.setdefault("spec", {})
        default_affinity(spec)
        kind = spec.get("type")
        if not kind:
            kind = spec["type"] = "ClusterIP"
        for port in spec.get("ports") or ():
            if not port.get("protocol"):
                port["protocol"] = "TCP"
            if not port.get("targetPort"):
                port["targetPort"] = port.get("port", 0)
        if is_external(spec) and not spec.get("externalTrafficPolicy"):
            spec["externalTrafficPolicy"] = "Cluster"
        if spec.get("internalTrafficPolicy") is None and kind in {"NodePort", "LoadBalancer", "ClusterIP"}:
            spec["internalTrafficPolicy"] = "Cluster"
        if kind == "LoadBalancer":
            if spec.get("allocateLoadBalancerNodePorts") is None:
                spec["allocateLoadBalancerNodePorts"] = True
            for ingress in ((obj.get("status") or {}).get("loadBalancer") or {}).get("ingress") or ():
                if ingress.get("ip") and ingress.get("ipMode") is None:
                    ingress["ipMode"] = "VIP"

    def prepare_update(self, new: Object, old: Object) -> None:
        super().prepare_update(new, old)
        drop_of_former_type(new, old)

    def check(self, obj: Object) -> list[Cause]:
        return _check(obj, None)

    def check_update(self, new: Object, old: Object) -> list[Cause]:
        spec, before = new.get("spec") or {}, old.get("spec") or {}
        causes = check_address_changes(spec, before) + check_family_changes(spec, before)
        causes += _check_class(spec, before)
        port, was = spec.get("healthCheckNodePort") or 0, before.get("healthCheckNodePort") or 0
        if needs_health_check(before) and needs_health_check(spec) and port != was:
            causes.append(forbidden("spec.healthCheckNodePort", "field is immutable"))
        return causes + _check(new, old)

    def check_status(self, new: Object, old: Object) -> list[Cause]:
        return check_load_balancer(new, old)

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        return service_warnings(obj)

    def fields(self, obj: Object) -> dict[str, str]:
        spec = obj.get("spec") or {}
        return {"spec.clusterIP": spec.get("clusterIP") or "", "spec.type": spec.get("type") or ""}


def _check(obj: Object, old: Object | None) -> list[Cause]:
    spec, before = obj.get("spec") or {}, (old or {}).get("spec") or {}
    annotations = metadata.of(obj).get("annotations") or {}
    causes: list[Cause] = []
    if HINTS in annotations and annotations.get(MODE, annotations[HINTS]) != annotations[HINTS]:
        told = f"must match annotations[{HINTS}] when both are specified"
        causes.append(invalid(f"metadata.annotations[{MODE}]", annotations[MODE], told))
    kind, ports = spec.get("type") or "", spec.get("ports") or []
    headless = is_headless(spec)
    if not ports and not headless and kind != "ExternalName":
        causes.append(required("spec.ports"))
    causes += _check_type(spec, kind, headless)
    names: set[str] = set()
    for index, port in enumerate(ports):
        causes += _check_port(port, len(ports) > 1, names, f"spec.ports[{index}]")
    if selector := spec.get("selector"):
        causes += metadata.check_labels(selector, "spec.selector")
    causes += _check_affinity(spec)
    causes += check_addresses(spec, before)
    known = before.get("externalIPs") or []
    for index, address in enumerate(spec.get("externalIPs") or ()):
        here = f"spec.externalIPs[{index}]"
        causes += addresses.check(address, here, old=known) or addresses.check_endpoint(address, here)
    if kind not in _TYPES:
        causes.append(not_supported("spec.type", kind, _TYPES) if kind else required("spec.type"))
    causes += _check_ports(ports, kind)
    causes += _check_ranges(spec, before, annotations, old)
    return causes + _check_traffic(spec, kind)


def _check_type(spec: Object, kind: str, headless: bool) -> list[Cause]:
    if kind in {"LoadBalancer", "NodePort"} and headless:
        told = f"may not be set to 'None' for {kind} services"
        return [invalid("spec.clusterIPs[0]", spec["clusterIPs"][0], told)]
    if kind != "ExternalName":
        return []
    told = "may not be set for ExternalName services"
    causes = [forbidden(f"spec.{field}", told) for field in ("clusterIPs", "ipFamilies") if spec.get(field)]
    if spec.get("ipFamilyPolicy") is not None:
        causes.append(forbidden("spec.ipFamilyPolicy", told))
    name = (spec.get("externalName") or "").removesuffix(".")
    return causes + (
        each("spec.externalName", name, formats.subdomain(name)) if name else [required("spec.externalName")]
    )


def _check_port(port: Object, named: bool, names: set[str], path: str) -> list[Cause]:
    causes: list[Cause] = []
    if name := port.get("name"):
        causes += each(f"{path}.name", name, formats.dns_label(name))
        if name in names:
            causes.append(duplicate(f"{path}.name", name))
        names.add(name)
    elif named:
        causes.append(required(f"{path}.name"))
    number = port.get("port") or 0
    causes += each(f"{path}.port", number, formats.port_number(number))
    causes += check_protocol(port.get("protocol") or "", f"{path}.protocol")
    causes += check_port(port.get("targetPort", 0), f"{path}.targetPort")
    if (protocol := port.get("appProtocol")) is not None:
        causes += each(f"{path}.appProtocol", protocol, formats.qualified_name(protocol))
    return causes


def _check_ports(ports: list[Object], kind: str) -> list[Cause]:
    causes: list[Cause] = []
    if kind == "ClusterIP":
        told = "may not be used when `type` is 'ClusterIP'"
        causes += [
            forbidden(f"spec.ports[{index}].nodePort", told)
            for index, port in enumerate(ports)
            if port.get("nodePort")
        ]
    for field in ("nodePort", "port"):
        seen: set[tuple[str, int]] = set()
        for index, port in enumerate(ports):
            number, protocol = port.get(field) or 0, port.get("protocol") or ""
            if field == "nodePort" and not number:
                continue
            if (protocol, number) in seen:
                path = f"spec.ports[{index}]"
                key = printed("core.ServicePort", {"protocol": protocol, "port": number})
                causes.append(
                    duplicate(f"{path}.nodePort", number) if field == "nodePort" else duplicate(path, key)
                )
            seen.add((protocol, number))
    return causes


def _check_affinity(spec: Object) -> list[Cause]:
    affinity, config = spec.get("sessionAffinity") or "", spec.get("sessionAffinityConfig")
    causes: list[Cause] = []
    if affinity not in {"ClientIP", "None"}:
        path = "spec.sessionAffinity"
        causes.append(not_supported(path, affinity, ("ClientIP", "None")) if affinity else required(path))
    path = "spec.sessionAffinityConfig"
    if affinity == "None" and config is not None:
        causes.append(forbidden(path, "must not be set when session affinity is None"))
    if affinity == "ClientIP":
        seconds = ((config or {}).get("clientIP") or {}).get("timeoutSeconds")
        if seconds is None:
            causes.append(required(path, "when session affinity type is ClientIP"))
        elif not 0 < seconds <= _DAY:
            told = f"must be greater than 0 and less than {_DAY}"
            causes.append(invalid(f"{path}.clientIP.timeoutSeconds", seconds, told))
    return causes


def _check_ranges(
    spec: Object, before: Object, annotations: dict[str, str], old: Object | None
) -> list[Cause]:
    causes: list[Cause] = []
    balanced = spec.get("type") == "LoadBalancer"
    if ranges := spec.get("loadBalancerSourceRanges"):
        path = "spec.LoadBalancerSourceRanges"
        if not balanced:
            causes.append(forbidden(path, _ONLY_BALANCED))
        known = [one.strip() for one in before.get("loadBalancerSourceRanges") or ()]
        for index, one in enumerate(ranges):
            causes += addresses.check_network(one.strip(), f"{path}[{index}]", old=known)
    elif (text := annotations.get(_RANGES)) is not None:
        path = f"metadata.annotations[{_RANGES}]"
        if not balanced:
            causes.append(forbidden(path, _ONLY_BALANCED))
        was = (metadata.of(old or {}).get("annotations") or {}).get(_RANGES)
        if was != text and text.strip():
            for one in text.split(","):
                causes += addresses.check_network(one.strip(), path)
    allocate = spec.get("allocateLoadBalancerNodePorts")
    if allocate is not None and not balanced:
        causes.append(forbidden("spec.allocateLoadBalancerNodePorts", _ONLY_BALANCED))
    if allocate is None and balanced:
        causes.append(required("allocateLoadBalancerNodePorts"))
    return causes + _check_class(spec, None)


def _check_class(spec: Object, before: Object | None) -> list[Cause]:
    name, path = spec.get("loadBalancerClass"), "spec.loadBalancerClass"
    balanced = spec.get("type") == "LoadBalancer"
    causes: list[Cause] = []
    if (
        before is not None
        and balanced
        and before.get("type") == "LoadBalancer"
        and name != before.get("loadBalancerClass")
    ):
        causes.append(invalid(path, name, "may not change once set"))
    if name is None:
        return causes
    return causes + (
        each(path, name, formats.qualified_name(name)) if balanced else [forbidden(path, _ONLY_BALANCED)]
    )


def _check_traffic(spec: Object, kind: str) -> list[Cause]:
    causes: list[Cause] = []
    policy, path = spec.get("externalTrafficPolicy") or "", "spec.externalTrafficPolicy"
    if not is_external(spec):
        if policy:
            causes.append(invalid(path, policy, "may only be set for externally-accessible services"))
    elif policy not in {"Cluster", "Local"}:
        causes.append(not_supported(path, policy, ("Cluster", "Local")) if policy else required(path))
    port, path = spec.get("healthCheckNodePort") or 0, "spec.healthCheckNodePort"
    if not needs_health_check(spec):
        if port:
            told = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"
            causes.append(invalid(path, port, told))
    elif port:
        causes += each(path, port, formats.port_number(port))
    inside, path = spec.get("internalTrafficPolicy"), "spec.internalTrafficPolicy"
    if inside is None:
        if kind in {"NodePort", "LoadBalancer", "ClusterIP"}:
            causes.append(required(path))
    elif inside not in {"Cluster", "Local"}:
        causes.append(not_supported(path, inside, ("Cluster", "Local")))
    spread = spec.get("trafficDistribution")
    if spread is not None and spread not in _DISTRIBUTIONS:
        causes.append(not_supported("spec.trafficDistribution", spread, _DISTRIBUTIONS))
    return causes
