"""Whose request is it? The routes of all Ingresses, by host and by path. Pure.

The rules are upstream's: a host that is spelt out before a wildcard, the longest path before shorter ones, an exact one before a
prefix of the same length, and the default backend for what is left.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import unquote

from argosy.contracts.ingress import IngressRoute
from argosy.domain.ingress import Elements, elements, parent
from argosy.kit.errors import BadRequest

Owner = tuple[str, str, str]
"""Cluster, namespace and name of an Ingress."""


class Paths:
    """What one host serves, or one Ingress under its own path."""

    def __init__(self) -> None:
        self._exact: dict[Elements, IngressRoute] = {}
        self._prefixes: dict[Elements, IngressRoute] = {}
        self._default: IngressRoute | None = None

    def add(self, route: IngressRoute) -> None:
        match route.covers:
            case "Exact":
                self._exact.setdefault(_split(route.path), route)
            case "Prefix":
                self._prefixes.setdefault(elements(route.path), route)
            case _:
                self._default = self._default or route

    def find(self, raw_path: str) -> IngressRoute | None:
        """`raw_path` as it came: what is written `%2F` divides nothing."""
        asked = tuple(map(_decoded, _split(raw_path)))
        if (found := self._exact.get(asked)) is not None:
            return found
        within = asked[:-1] if asked[-1] == "" else asked
        for length in range(len(within), -1, -1):
            if (found := self._prefixes.get(within[:length])) is not None:
                return found
        return self._default


class Table:
    def __init__(self, routes: Iterable[IngressRoute] = ()) -> None:
        self._hosts: dict[str, Paths] = {}
        self._own: dict[Owner, Paths] = {}
        for route in routes:
            owner = (route.cluster, route.namespace, route.ingress)
            paths = (
                self._hosts.setdefault(route.host, Paths())
                if route.host
                else self._own.setdefault(owner, Paths())
            )
            paths.add(route)

    def of_host(self, name: str) -> Paths | None:
        return self._hosts.get(name) or self._hosts.get(parent(name))

    def of_ingress(self, owner: Owner) -> Paths | None:
        return self._own.get(owner)


def _split(path: str) -> Elements:
    return tuple(path.removeprefix("/").split("/"))


def _decoded(element: str) -> str:
    try:
        text = unquote(element, errors="strict")
    except UnicodeDecodeError as error:
        raise BadRequest("the path is not UTF-8", code="path.encoding") from error
    if "\x00" in text or text in (".", "..") or "\\" in text:
        raise BadRequest("the path holds `.`, `..`, a backslash or a NUL character", code="path.encoding")
    return text
