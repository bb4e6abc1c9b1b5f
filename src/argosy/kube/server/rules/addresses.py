"""IP addresses and networks: what is one, and in which one way it is to be written."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection
from typing import Final, TypeAlias

from argosy.kube.errors import Cause
from argosy.kube.server.rules.wording import invalid, quoted

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

NO_ADDRESS: Final = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
NO_NETWORK: Final = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
_LONGEST: Final = 64
_leading_zeros = re.compile(r"(^|\.)0+(?=[0-9])").sub


def parse(text: str) -> Address | None:
    """Leading zeros of IPv4 count as decimal."""
    if len(text) > _LONGEST or "%" in text or not text.isascii():
        return None
    try:
        return ipaddress.ip_address(_leading_zeros(r"\1", text) if "." in text else text)
    except ValueError:
        return None


def parse_network(text: str) -> Network | None:
    address, slash, length = text.partition("/")
    found = parse(address)
    if found is None or not slash or not re.fullmatch("[0-9]{1,3}", length):
        return None
    if int(length) > found.max_prefixlen:
        return None
    return ipaddress.ip_network((found, int(length)), strict=False)


def is_v6(text: str) -> bool:
    found = parse(text)
    return found is not None and found.version == 6 and _mapped(found) is None


def check(text: str, path: str, *, old: Collection[str] = ()) -> list[Cause]:
    """`old`: what the stored object has already may stay."""
    if text in old:
        return []
    found = parse(text)
    if found is None:
        return [invalid(path, text, NO_ADDRESS)]
    causes: list[Cause] = []
    if _has_leading_zeros(text):
        causes.append(invalid(path, text, "must not have leading 0s"))
    if _mapped(found) is not None:
        causes.append(invalid(path, text, "must not be an IPv4-mapped IPv6 address"))
    return causes


def check_canonical(text: str, path: str) -> list[Cause]:
    if causes := check(text, path):
        return causes
    told = str(parse(text))
    return [] if told == text else [invalid(path, text, f"must be in canonical form ({quoted(told)})")]


def check_network(text: str, path: str, *, old: Collection[str] = ()) -> list[Cause]:
    if text in old:
        return []
    network = parse_network(text)
    if network is None:
        return [invalid(path, text, NO_NETWORK)]
    address, _, length = text.partition("/")
    found = parse(address)
    if _has_leading_zeros(address) or (len(length) > 1 and length[0] == "0"):
        return [invalid(path, text, "must not have leading 0s in IP or prefix length")]
    if found is not None and _mapped(found) is not None:
        return [invalid(path, text, "must not have an IPv4-mapped IPv6 address")]
    if found != network.network_address:
        return [invalid(path, text, "must not have bits set beyond the prefix length")]
    return []


def check_canonical_network(text: str, path: str) -> list[Cause]:
    if causes := check_network(text, path):
        return causes
    told = str(parse_network(text))
    return [] if told == text else [invalid(path, text, f"must be in canonical form ({quoted(told)})")]


def warnings(text: str, path: str) -> list[str]:
    found = parse(text)
    if found is None:
        return []
    mapped = _mapped(found)
    if mapped is not None or _has_leading_zeros(text):
        return [
            f"{path}: non-standard IP address {quoted(text)} is invalid: use {quoted(str(mapped or found))}"
        ]
    if found.version == 6 and str(found) != text:
        told = f"should be in RFC 5952 canonical format ({quoted(str(found))})"
        return [f"{path}: IPv6 address {quoted(text)} {told}"]
    return []


def network_warnings(text: str, path: str) -> list[str]:
    network = parse_network(text)
    if network is None:
        return []
    address, _, length = text.partition("/")
    found = parse(address)
    told: list[str] = []
    if found != network.network_address:
        single = f"{found}/{network.max_prefixlen}"
        told.append(
            f"{path}: CIDR value {quoted(text)} is ambiguous in this context "
            f"(should be {quoted(str(network))} or {quoted(single)}?)"
        )
    if _has_leading_zeros(address) or (found is not None and _mapped(found) is not None):
        told.append(f"{path}: non-standard CIDR value {quoted(text)} is invalid: use {quoted(str(network))}")
    if not told and network.version == 6 and f"{found}/{int(length)}" != text:
        form = f"should be in RFC 5952 canonical format ({quoted(f'{found}/{int(length)}')})"
        told.append(f"{path}: IPv6 CIDR value {quoted(text)} {form}")
    return told


def check_endpoint(text: str, path: str) -> list[Cause]:
    """An address that traffic may be sent to."""
    found = parse(text)
    if found is None:
        return [invalid(path, text, "must be a valid IP address")]
    found = _mapped(found) or found
    if found.is_unspecified:
        return [invalid(path, text, f"may not be unspecified ({text})")]
    if found.is_loopback:
        return [invalid(path, text, "may not be in the loopback range (127.0.0.0/8, ::1/128)")]
    if found.is_link_local:
        return [invalid(path, text, "may not be in the link-local range (169.254.0.0/16, fe80::/10)")]
    if found in _MULTICAST[found.version]:
        return [invalid(path, text, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)")]
    return []


_MULTICAST: Final[dict[int, Network]] = {
    4: ipaddress.ip_network("224.0.0.0/24"),
    6: ipaddress.ip_network("ff02::/16"),
}


def _mapped(found: Address) -> ipaddress.IPv4Address | None:
    return found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None


def _has_leading_zeros(text: str) -> bool:
    return "." in text and _leading_zeros(r"\1", text) != text
