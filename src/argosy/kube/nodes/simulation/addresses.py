"""Addresses of the pods of one cluster: no two pods have the same one at the same time."""

from __future__ import annotations

import ipaddress
from collections import deque

_NETWORK = ipaddress.ip_network("10.244.0.0/16")


class Addresses:
    """What was given back is used again last, so that an old address seldom means a new pod."""

    def __init__(self) -> None:
        self._next = int(_NETWORK.network_address) + 1
        self._free: deque[str] = deque()
        self._taken: set[str] = set()

    def take(self, wanted: str = "") -> str:
        """`wanted`: what the pod had before this process began."""
        if wanted and wanted not in self._taken:
            self._taken.add(wanted)
            return wanted
        found = self._fresh()
        self._taken.add(found)
        return found

    def give_back(self, address: str) -> None:
        if address in self._taken:
            self._taken.discard(address)
            self._free.append(address)

    def _fresh(self) -> str:
        last = int(_NETWORK.broadcast_address)
        while self._next < last:
            found = str(ipaddress.ip_address(self._next))
            self._next += 1
            if found not in self._taken:
                return found
        while self._free:
            found = self._free.popleft()
            if found not in self._taken:
                return found
        raise RuntimeError(f"all addresses of {_NETWORK} are taken")
