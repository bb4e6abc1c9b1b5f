"""Which objects of a namespace belong to nobody: the ones on top that no application manages, less what every namespace has."""

from __future__ import annotations

from argosy.argo.cd.projects.rules import kind_permitted
from argosy.contracts.argo.project import Orphans, ProjectSpec
from argosy.domain import globs

_EVERYWHERE = frozenset({("", "ServiceAccount", "default"), ("", "ConfigMap", "kube-root-ca.crt")})


def is_orphan(spec: ProjectSpec, group: str, kind: str, namespace: str, name: str) -> bool:
    """Of an object that nothing manages: whether it counts. `ownerReferences` and other applications are the caller's to look at."""
    watched = spec.orphaned_resources
    if watched is None or not namespace or not kind_permitted(spec, group, kind, name, namespaced=True):
        return False
    if (group, kind, name) in _EVERYWHERE or (group, kind, namespace, name) == (
        "",
        "Service",
        "default",
        "kubernetes",
    ):
        return False
    return not _is_ignored(watched, group, kind, name)


def _is_ignored(watched: Orphans, group: str, kind: str, name: str) -> bool:
    """An entry without a group is for the core group; without a kind or a name it is for all of them."""
    return any(
        (not item.kind or globs.matches(item.kind, kind))
        and globs.matches(item.group, group)
        and (not item.name or globs.matches(item.name, name))
        for item in watched.ignore
    )
