"""Endpoints and EndpointSlices: where a Service's traffic goes."""

from __future__ import annotations

from typing import Final

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import addresses, formats, metadata
from argosy.kube.server.rules.builtin import Builtin, Revalidated, same
from argosy.kube.server.rules.pods.containers import check_protocol
from argosy.kube.server.rules.wording import (
    duplicate,
    each,
    immutable,
    invalid,
    not_supported,
    required,
    too_many,
)

_TYPES: Final = ("FQDN", "IPv4", "IPv6")
_MANAGED: Final = "endpointslice.kubernetes.io/managed-by"
_CONTROLLERS: Final = {"endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"}


class EndpointsRules(Revalidated):
    create_on_update = True

    def default(self, obj: Object) -> None:
        for subset in obj.get("subsets") or ():
            for port in subset.get("ports") or ():
                if not port.get("protocol"):
                    port["protocol"] = "TCP"

    def check(self, obj: Object) -> list[Cause]:
        causes: list[Cause] = []
        for index, subset in enumerate(obj.get("subsets") or ()):
            causes += _check_subset(subset, f"subsets[{index}]")
        return causes

    def check_update(self, new: Object, old: Object) -> list[Cause]:
        """Addresses that were accepted once may stay."""
        causes = self.check_metadata(new)
        return causes if same(new.get("subsets"), old.get("subsets")) else causes + self.check(new)

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        labels = metadata.of(obj).get("labels") or {}
        if labels.get("endpoints.kubernetes.io/managed-by") == "endpoint-controller":
            return []
        return [
            told
            for index, subset in enumerate(obj.get("subsets") or ())
            for part in ("addresses", "notReadyAddresses")
            for number, one in enumerate(subset.get(part) or ())
            for told in addresses.warnings(one.get("ip") or "", f"subsets[{index}].{part}[{number}].ip")
        ]


def _check_subset(subset: Object, path: str) -> list[Cause]:
    causes: list[Cause] = []
    if not subset.get("addresses") and not subset.get("notReadyAddresses"):
        causes.append(required(path, "must specify `addresses` or `notReadyAddresses`"))
    for part in ("addresses", "notReadyAddresses"):
        for index, one in enumerate(subset.get(part) or ()):
            causes += _check_address(one, f"{path}.{part}[{index}]")
    ports = subset.get("ports") or []
    for index, port in enumerate(ports):
        causes += _check_port(port, len(ports) > 1, f"{path}.ports[{index}]")
    return causes


def _check_address(one: Object, path: str) -> list[Cause]:
    causes = addresses.check(one.get("ip") or "", f"{path}.ip")
    if name := one.get("hostname"):
        causes += each(f"{path}.hostname", name, formats.dns_label(name))
    if (node := one.get("nodeName")) is not None:
        causes += each(f"{path}.nodeName", node, formats.subdomain(node))
    return causes + addresses.check_endpoint(one.get("ip") or "", f"{path}.ip")


def _check_port(port: Object, named: bool, path: str) -> list[Cause]:
    causes: list[Cause] = []
    if name := port.get("name"):
        causes += each(f"{path}.name", name, formats.dns_label(name))
    elif named:
        causes.append(required(f"{path}.name"))
    number = port.get("port") or 0
    causes += each(f"{path}.port", number, formats.port_number(number))
    causes += check_protocol(port.get("protocol") or "", f"{path}.protocol")
    if (protocol := port.get("appProtocol")) is not None:
        causes += each(f"{path}.appProtocol", protocol, formats.qualified_name(protocol))
    return causes


class EndpointSliceRules(Builtin):
    generation = True
    repeats_metadata = False

    def default(self, obj: Object) -> None:
        for port in obj.get("ports") or ():
            if port.get("name") is None:
                port["name"] = ""
            if port.get("protocol") is None:
                port["protocol"] = "TCP"

    def prepare_create(self, obj: Object) -> None:
        super().prepare_create(obj)
        _drop_topology(obj)

    def prepare_update(self, new: Object, old: Object) -> None:
        super().prepare_update(new, old)
        if not same(new.get("endpoints"), old.get("endpoints")):
            _drop_topology(new)

    def changed(self, new: Object, old: Object) -> bool:
        if not same(metadata.of(new).get("labels"), metadata.of(old).get("labels")):
            return True
        return any(not same(new.get(part), old.get(part)) for part in ("endpoints", "ports", "addressType"))

    def check(self, obj: Object) -> list[Cause]:
        kind = obj.get("addressType") or ""
        causes: list[Cause] = []
        if kind not in _TYPES:
            causes.append(not_supported("addressType", kind, _TYPES) if kind else required("addressType"))
        return causes + _check_slice_ports(obj.get("ports") or []) + _check_endpoints(obj, kind)

    def check_update(self, new: Object, old: Object) -> list[Cause]:
        causes = self.check_metadata(new)
        kept = same(new.get("endpoints"), old.get("endpoints"))
        causes += self.check({**new, "endpoints": []} if kept else new)
        return causes + immutable("addressType", new.get("addressType") or "", old.get("addressType") or "")

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        told: list[str] = []
        if old is None and obj.get("addressType") == "FQDN":
            told.append("spec.addressType: FQDN endpoints are deprecated")
        if (metadata.of(obj).get("labels") or {}).get(_MANAGED) in _CONTROLLERS:
            return told
        for index, endpoint in enumerate(obj.get("endpoints") or ()):
            for number, address in enumerate(endpoint.get("addresses") or ()):
                told += addresses.warnings(address, f"endpoints[{index}].addresses[{number}]")
        return told


def _drop_topology(obj: Object) -> None:
    for endpoint in obj.get("endpoints") or ():
        endpoint.pop("deprecatedTopology", None)


def _check_slice_ports(ports: list[Object]) -> list[Cause]:
    if len(ports) > 20000:
        return [too_many("ports", len(ports), 20000)]
    causes: list[Cause] = []
    names: set[str] = set()
    for index, port in enumerate(ports):
        name = port.get("name") or ""
        if name:
            causes += each(f"ports[{index}].name", name, formats.dns_label(name))
        if name in names:
            causes.append(duplicate(f"ports[{index}].name", name))
        names.add(name)
        protocol = port.get("protocol") or ""
        if protocol not in {"TCP", "UDP", "SCTP"}:
            causes.append(not_supported(f"ports[{index}].protocol", protocol, ("SCTP", "TCP", "UDP")))
        if (application := port.get("appProtocol")) is not None:
            causes += each(f"ports[{index}].appProtocol", application, formats.qualified_name(application))
    return causes


def _check_endpoints(obj: Object, kind: str) -> list[Cause]:
    endpoints = obj.get("endpoints") or []
    if len(endpoints) > 1000:
        return [too_many("endpoints", len(endpoints), 1000)]
    causes: list[Cause] = []
    for index, endpoint in enumerate(endpoints):
        path, listed = f"endpoints[{index}]", endpoint.get("addresses") or []
        if not listed:
            causes.append(required(f"{path}.addresses", "must contain at least 1 address"))
        elif len(listed) > 100:
            causes.append(too_many(f"{path}.addresses", len(listed), 100))
        for number, address in enumerate(listed):
            causes += _check_slice_address(address, kind, f"{path}.addresses", number)
        if (node := endpoint.get("nodeName")) is not None:
            causes += each(f"{path}.nodeName", node, formats.subdomain(node))
        if (name := endpoint.get("hostname")) is not None:
            causes += each(f"{path}.hostname", name, formats.dns_label(name))
        causes += _check_hints(endpoint.get("hints") or {}, f"{path}.hints")
    return causes


def _check_slice_address(address: str, kind: str, path: str, index: int) -> list[Cause]:
    here = f"{path}[{index}]"
    if kind == "FQDN":
        return _check_domain(address, here)
    if kind not in {"IPv4", "IPv6"}:
        return []
    wrong = addresses.check(address, here) if kind == "IPv4" else addresses.check_canonical(address, here)
    if wrong:
        return wrong
    causes: list[Cause] = []
    if addresses.is_v6(address) != (kind == "IPv6"):
        causes.append(invalid(path, address, f"must be an {kind} address"))
    return causes + addresses.check_endpoint(address, here)


def _check_domain(name: str, path: str) -> list[Cause]:
    if not name:
        return [required(path)]
    plain = name.removesuffix(".")
    if told := formats.subdomain(plain):
        return [invalid(path, plain, ",".join(told))]
    labels = plain.split(".")
    if len(labels) < 2:
        told_short = "should be a domain with at least two segments separated by dots"
        return [invalid(path, plain, told_short)]
    for label in labels:
        if told := formats.dns_label(label):
            return [invalid(path, label, ",".join(told))]
    return []


def _check_hints(hints: Object, path: str) -> list[Cause]:
    causes: list[Cause] = []
    for part, check in (("forZones", formats.label_value), ("forNodes", formats.subdomain)):
        listed = hints.get(part) or []
        if len(listed) > 8:
            return [*causes, too_many(f"{path}.{part}", len(listed), 8)]
        seen: set[str] = set()
        for index, one in enumerate(listed):
            name, here = one.get("name") or "", f"{path}.{part}[{index}].name"
            if name in seen:
                causes.append(duplicate(here, name))
            seen.add(name)
            causes += each(here, name, check(name))
    return causes
