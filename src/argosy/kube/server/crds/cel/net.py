"""`ip`, `cidr` and what they can be asked. An address is `{"ip": …}`, a network `{"cidr": …}`."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Interface: TypeAlias = ipaddress.IPv4Interface | ipaddress.IPv6Interface

_LINK_LOCAL_MULTICAST: Final[Mapping[int, ipaddress.IPv4Network | ipaddress.IPv6Network]] = {
    4: ipaddress.ip_network("224.0.0.0/24"),
    6: ipaddress.ip_network("ff02::/16"),
}


def _parsed(text: str) -> Address:
    found = ipaddress.ip_address(text)
    if "%" in text:
        raise ValueError(f"IP address {text!r} with zone value is not allowed")
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is not None:
        raise ValueError(f"IPv4-mapped IPv6 address {text!r} is not allowed")
    return found


def _network(text: str) -> Interface:
    address, slash, length = text.partition("/")
    if not slash or not length.isascii() or not length.isdigit() or (len(length) > 1 and length[0] == "0"):
        raise ValueError(f"network address parse error during conversion from string: {text!r}")
    return ipaddress.ip_interface(f"{_parsed(address)}/{length}")


def _is(read: Callable[[str], object], text: str) -> bool:
    try:
        read(text)
    except ValueError:
        return False
    return True


def _ip(text: str) -> dict[str, str]:
    return {"ip": str(_parsed(text))}


def _cidr(text: str) -> dict[str, str]:
    return {"cidr": str(_network(text))}


def _address(one: Mapping[str, str]) -> Address:
    """Raises for what is none, which compilers of upstream would have told."""
    if "ip" not in one:
        raise ValueError("no such overload")
    return ipaddress.ip_address(one["ip"])


def _interface(one: Mapping[str, str]) -> Interface:
    if "cidr" not in one:
        raise ValueError("no such overload")
    return ipaddress.ip_interface(one["cidr"])


def _is_global(one: Mapping[str, str]) -> bool:
    found = _address(one)
    special = found.is_unspecified or found.is_loopback or found.is_multicast or found.is_link_local
    return not special and str(found) != "255.255.255.255"


def _is_link_local_multicast(one: Mapping[str, str]) -> bool:
    found = _address(one)
    return found in _LINK_LOCAL_MULTICAST[found.version]


def _contains(network: Mapping[str, str], address: Address) -> bool:
    inside = _interface(network).network
    return address.version == inside.version and address in inside


def _holds(network: Mapping[str, str], other: Interface) -> bool:
    inside = _interface(network).network
    if isinstance(inside, ipaddress.IPv4Network):
        return isinstance(other, ipaddress.IPv4Interface) and other.network.subnet_of(inside)
    return isinstance(other, ipaddress.IPv6Interface) and other.network.subnet_of(inside)


FUNCTIONS: Final[Mapping[tuple[str, str], Callable[..., object]]] = {
    ("ip", "string -> map"): _ip,
    ("ip", ".map -> map"): lambda one: {"ip": str(_interface(one).ip)},
    ("isIP", "string -> bool"): lambda text: _is(_parsed, text),
    ("ip.isCanonical", "string -> bool"): lambda text: str(_parsed(text)) == text,
    ("family", ".map -> int"): lambda one: _address(one).version,
    ("isUnspecified", ".map -> bool"): lambda one: _address(one).is_unspecified,
    ("isLoopback", ".map -> bool"): lambda one: _address(one).is_loopback,
    ("isLinkLocalMulticast", ".map -> bool"): _is_link_local_multicast,
    ("isLinkLocalUnicast", ".map -> bool"): lambda one: _address(one).is_link_local,
    ("isGlobalUnicast", ".map -> bool"): _is_global,
    ("cidr", "string -> map"): _cidr,
    ("isCIDR", "string -> bool"): lambda text: _is(_network, text),
    ("containsIP", ".map string -> bool"): lambda one, text: _contains(one, _parsed(text)),
    ("containsIP", ".map map -> bool"): lambda one, other: _contains(one, _address(other)),
    ("containsCIDR", ".map string -> bool"): lambda one, text: _holds(one, _network(text)),
    ("containsCIDR", ".map map -> bool"): lambda one, other: _holds(one, _interface(other)),
    ("prefixLength", ".map -> int"): lambda one: _interface(one).network.prefixlen,
    ("masked", ".map -> map"): lambda one: {"cidr": str(_interface(one).network)},
}
