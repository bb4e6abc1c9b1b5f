"""NetworkPolicies, and the cluster's own ranges of addresses: IPAddresses and ServiceCIDRs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import addresses, formats, label_selectors, metadata
from argosy.kube.server.rules.builtin import Builtin, Revalidated, same
from argosy.kube.server.rules.formats import Messages
from argosy.kube.server.rules.printing import printed
from argosy.kube.server.rules.wording import (
    IMMUTABLE,
    each,
    forbidden,
    invalid,
    not_supported,
    required,
)

_DIRECTIONS: Final = (("ingress", "from"), ("egress", "to"))


class NetworkPolicyRules(Builtin):
    generation = True

    def default(self, obj: Object) -> None:
        spec = obj.setdefault("spec", {})
        for direction, _ in _DIRECTIONS:
            for rule in spec.get(direction) or ():
                for port in rule.get("ports") or ():
                    if port.get("protocol") is None:
                        port["protocol"] = "TCP"
        if not spec.get("policyTypes"):
            spec["policyTypes"] = ["Ingress", "Egress"] if spec.get("egress") else ["Ingress"]

    def check(self, obj: Object) -> list[Cause]:
        return _check_spec(obj.get("spec") or {}, [], any_value=False)

    def check_update(self, new: Object, old: Object) -> list[Cause]:
        before = old.get("spec") or {}
        known = [
            one
            for _, block in _blocks(before)
            for one in (block.get("cidr") or "", *(block.get("except") or ()))
        ]
        loose = bool(label_selectors.check(before.get("podSelector"), ""))
        return _check_spec(new.get("spec") or {}, known, any_value=loose)

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        told: list[str] = []
        for path, block in _blocks(obj.get("spec") or {}):
            told += addresses.network_warnings(block.get("cidr") or "", f"{path}.cidr")
            for index, one in enumerate(block.get("except") or ()):
                told += addresses.network_warnings(one, f"{path}.except[{index}]")
        return told


def _blocks(spec: Object) -> Iterator[tuple[str, Object]]:
    for direction, peers in _DIRECTIONS:
        for index, rule in enumerate(spec.get(direction) or ()):
            for number, peer in enumerate(rule.get(peers) or ()):
                if (block := peer.get("ipBlock")) is not None:
                    yield f"spec.{direction}[{index}].{peers}[{number}].ipBlock", block


def _check_spec(spec: Object, known: list[str], *, any_value: bool) -> list[Cause]:
    causes = label_selectors.check(spec.get("podSelector"), "spec.podSelector", any_value=any_value)
    for direction, peers in _DIRECTIONS:
        for index, rule in enumerate(spec.get(direction) or ()):
            path = f"spec.{direction}[{index}]"
            for number, port in enumerate(rule.get("ports") or ()):
                causes += _check_port(port, f"{path}.ports[{number}]")
            for number, peer in enumerate(rule.get(peers) or ()):
                causes += _check_peer(peer, f"{path}.{peers}[{number}]", known, any_value)
    kinds = spec.get("policyTypes") or []
    if len(kinds) > 2:
        return [*causes, invalid("spec.policyTypes", kinds, "may not specify more than two policyTypes")]
    for index, kind in enumerate(kinds):
        if kind not in {"Ingress", "Egress"}:
            causes.append(not_supported(f"spec.policyTypes[{index}]", kind, ("Ingress", "Egress")))
    return causes


def _check_port(port: Object, path: str) -> list[Cause]:
    causes: list[Cause] = []
    protocol, number, end = port.get("protocol"), port.get("port"), port.get("endPort")
    if protocol is not None and protocol not in {"TCP", "UDP", "SCTP"}:
        causes.append(not_supported(f"{path}.protocol", protocol, ("TCP", "UDP", "SCTP")))
    if number is None:
        told = "may not be specified when `port` is not specified"
        return causes if end is None else [*causes, invalid(f"{path}.endPort", end, told)]
    if isinstance(number, str):
        if end is not None:
            told = "may not be specified when `port` is non-numeric"
            causes.append(invalid(f"{path}.endPort", end, told))
        return causes + each(f"{path}.port", number, formats.port_name(number))
    causes += each(f"{path}.port", number, formats.port_number(number))
    if end is not None:
        if end < number:
            causes.append(invalid(f"{path}.endPort", number, "must be greater than or equal to `port`"))
        causes += each(f"{path}.endPort", end, formats.port_number(end))
    return causes


def _check_peer(peer: Object, path: str, known: list[str], any_value: bool) -> list[Cause]:
    causes: list[Cause] = []
    for part in ("podSelector", "namespaceSelector"):
        causes += label_selectors.check(peer.get(part), f"{path}.{part}", any_value=any_value)
    block = peer.get("ipBlock")
    if block is not None:
        causes += _check_block(block, f"{path}.ipBlock", known)
    given = [part for part in ("podSelector", "namespaceSelector", "ipBlock") if peer.get(part) is not None]
    if not given:
        causes.append(required(path, "must specify a peer"))
    elif len(given) > 1 and block is not None:
        causes.append(forbidden(path, "may not specify both ipBlock and another peer"))
    return causes


def _check_block(block: Object, path: str, known: list[str]) -> list[Cause]:
    text = block.get("cidr") or ""
    if not text:
        return [required(f"{path}.cidr")]
    causes = addresses.check_network(text, f"{path}.cidr", old=known)
    network = addresses.parse_network(text)
    if network is None:
        return causes
    for index, one in enumerate(block.get("except") or ()):
        here = f"{path}.except[{index}]"
        causes += addresses.check_network(one, here, old=known)
        inner = addresses.parse_network(one)
        if inner is None:
            continue
        inside = inner.version == network.version and inner.network_address in network
        if not inside or network.prefixlen >= inner.prefixlen:
            causes.append(invalid(here, one, "must be a strict subset of `cidr`"))
    return causes


class IpAddressRules(Revalidated):
    repeats_metadata = False

    def check_name(self, name: str, prefix: bool) -> Messages:
        told = addresses.check_canonical(name, "")
        return tuple(cause.message.partition(f'{name}": ')[2] or cause.message for cause in told)

    def check(self, obj: Object) -> list[Cause]:
        parent, path = (obj.get("spec") or {}).get("parentRef"), "spec.parentRef"
        if parent is None:
            return [required(path)]
        causes = (
            each(f"{path}.group", parent["group"], formats.subdomain(parent["group"]))
            if parent.get("group")
            else []
        )
        for field in ("resource", "name"):
            if value := parent.get(field):
                causes += each(f"{path}.{field}", value, formats.segment_name(value))
            else:
                causes.append(required(f"{path}.{field}"))
        if namespace := parent.get("namespace"):
            causes += each(f"{path}.namespace", namespace, formats.segment_name(namespace))
        return causes

    def check_update(self, new: Object, old: Object) -> list[Cause]:
        causes = [*self.check_metadata(new), *self.check(new)]
        causes += metadata.check_update(metadata.of(new), metadata.of(old))
        causes += metadata.check_standard_finalizers(metadata.of(new))
        parent = (new.get("spec") or {}).get("parentRef")
        if not same(parent, (old.get("spec") or {}).get("parentRef")):
            causes.append(
                invalid("spec.parentRef", printed("*networking.ParentReference", parent), IMMUTABLE)
            )
        return causes


class ServiceCidrRules(Builtin):
    def check(self, obj: Object) -> list[Cause]:
        spec = obj.get("spec") or {}
        listed = spec.get("cidrs") or []
        if not listed:
            return [required("spec.cidrs", "at least one CIDR required")]
        if len(listed) > 2:
            shown = printed("networking.ServiceCIDRSpec", spec)
            return [invalid("spec.cidrs", shown, "may only hold up to 2 values")]
        causes: list[Cause] = []
        for index, one in enumerate(listed):
            causes += addresses.check_canonical_network(one, f"spec.cidrs[{index}]")
        networks = [addresses.parse_network(one) for one in listed]
        if len(listed) == 2 and networks[0] and networks[1] and networks[0].version == networks[1].version:
            told = "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64"
            causes.append(invalid("spec.cidrs", listed, told))
        return causes

    def check_update(self, new: Object, old: Object) -> list[Cause]:
        listed, before = ((obj.get("spec") or {}).get("cidrs") or [] for obj in (new, old))
        if len(before) == len(listed):
            return [
                invalid(f"spec.cidrs[{index}]", one, IMMUTABLE)
                for index, one in enumerate(listed)
                if one != before[index]
            ]
        if len(before) == 1 and len(listed) == 2:
            changed = [] if listed[0] == before[0] else [invalid("spec.cidrs[0]", listed[0], IMMUTABLE)]
            return changed + self.check(new)
        return [invalid("spec.cidrs", (new.get("spec") or {}).get("cidrs"), IMMUTABLE)]
