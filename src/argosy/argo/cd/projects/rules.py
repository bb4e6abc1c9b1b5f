"""What a project permits: sources, destinations, kinds, and the namespaces that Applications may be in. Pure.

A list of sources or destinations permits what one pattern fits and no `!` pattern forbids, whatever their order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import UnsetType

from argosy.argo.cd.projects.patterns import DENY, fits_a_namespace, fits_as_path, fits_or_denies
from argosy.contracts.argo.project import ClusterKind, GroupKind, ProjectDestination, ProjectSpec

_SSH = re.compile(r"^(ssh://)?([^/:]*?)@[^@]+$")


def source_permitted(spec: ProjectSpec, url: str) -> bool:
    """Stars stay between two slashes of a URL."""
    wanted, any_fits = normalised(url), False
    for pattern in spec.source_repos:
        denies = pattern.startswith(DENY)
        plain = normalised(pattern.removeprefix(DENY))
        if fits_or_denies(f"{DENY}{plain}" if denies else plain, wanted, "/"):
            any_fits = True
        elif denies:
            return False
    return any_fits


def normalised(url: str) -> str:
    """One spelling for the ways in which the same repository is written."""
    url = url.strip().lower()
    if _SSH.match(url) and not url.startswith("ssh://"):
        url = url.replace(":", "/", 1)
    return url.removeprefix("ssh://").removesuffix(".git")


def destination_permitted(spec: ProjectSpec, server: str, name: str, namespace: str) -> bool:
    any_fits = False
    for item in spec.destinations:
        found = _destination(item, server, name, namespace)
        if found is False:
            return False
        any_fits |= found is True
    return any_fits


def _destination(item: ProjectDestination, server: str, name: str, namespace: str) -> bool | None:
    """False: it forbids this one."""
    by_name = bool(name) and fits_or_denies(item.name, name)
    by_server = bool(server) and fits_or_denies(item.server, server)
    by_namespace = fits_or_denies(item.namespace, namespace)
    if (by_name or by_server) and by_namespace:
        return True
    forbids_cluster = (not by_name and item.name.startswith(DENY)) or (
        not by_server and item.server.startswith(DENY)
    )
    if forbids_cluster and by_namespace:
        return False
    return False if not by_namespace and item.namespace.startswith(DENY) and by_server else None


def kind_permitted(spec: ProjectSpec, group: str, kind: str, name: str, *, namespaced: bool) -> bool:
    """What is on a black list is forbidden whatever a white one says."""
    if namespaced:
        white = spec.namespace_resource_whitelist
        permitted = white is None or isinstance(white, UnsetType) or _is_listed(white, group, kind)
        return permitted and not _is_listed(spec.namespace_resource_blacklist, group, kind)
    permitted = _is_named(spec.cluster_resource_whitelist, group, kind, name)
    return permitted and not _is_named(spec.cluster_resource_blacklist, group, kind, name)


def _is_listed(items: Sequence[GroupKind | ClusterKind], group: str, kind: str) -> bool:
    return any(fits_as_path(item.kind, kind) and fits_as_path(item.group, group) for item in items)


def _is_named(items: Sequence[ClusterKind], group: str, kind: str, name: str) -> bool:
    return any(
        _is_listed([item], group, kind) and (not item.name or fits_as_path(item.name, name)) for item in items
    )


def application_namespace_permitted(spec: ProjectSpec, namespace: str, control_namespace: str) -> bool:
    """Applications beside the engine always may."""
    if namespace in {"", control_namespace}:
        return True
    return any(fits_a_namespace(pattern, namespace) for pattern in spec.source_namespaces)
