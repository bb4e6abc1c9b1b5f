"""Which of the generated applications cannot be. Nothing is done for them, and nothing of theirs is deleted. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import msgspec

from argosy.argo.cd.application_sets.facts import IN_CLUSTER, IN_CLUSTER_SERVER, Cluster
from argosy.contracts.argo.application import Spec
from argosy.kube.objects import Object, name_of


def invalid(
    name: str, apps: Sequence[Object], clusters: Sequence[Cluster], projects: Collection[str] | None
) -> dict[str, str]:
    """By the application's name, why. `projects`: those that there are; None where that is not known."""
    names = Counter(map(name_of, apps))
    found: dict[str, str] = {}
    for app in apps:
        why = _why(name, app, names, clusters, projects)
        if why:
            found.setdefault(name_of(app), why)
    return found


def _why(
    name: str,
    app: Object,
    names: Mapping[str, int],
    clusters: Sequence[Cluster],
    projects: Collection[str] | None,
) -> str:
    if not name_of(app):
        return (
            f"ApplicationSet {name} contains an application with no name; a name must be set in the template's "
            "metadata.name or via a templatePatch (generateName is not supported)"
        )
    if names[name_of(app)] > 1:
        return f"ApplicationSet {name} contains applications with duplicate name: {name_of(app)}"
    try:
        spec = msgspec.convert(app["spec"], Spec)
    except msgspec.ValidationError as error:
        return f"application {name_of(app)} has an invalid spec: {error}"
    if projects is not None and spec.project not in projects:
        return f"application references project {spec.project} which does not exist"
    why = destination(spec.destination.server, spec.destination.name, clusters)
    return f"application destination spec is invalid: {why}" if why else ""


def destination(server: str, name: str, clusters: Sequence[Cluster]) -> str:
    """Why it leads nowhere; empty when it is fine."""
    if server and name:
        return f"application destination can't have both name and server defined: {name} {server}"
    if server:
        wanted = server.rstrip("/")
        if wanted == IN_CLUSTER_SERVER or any(one.server.rstrip("/") == wanted for one in clusters):
            return ""
        return f'error getting cluster by server "{server}": cluster "{wanted}" not found'
    if not name:
        return "Destination server missing from app spec"
    found = sorted({one.server for one in clusters if one.name == name})
    if name == IN_CLUSTER and not found:
        found = [IN_CLUSTER_SERVER]
    if not found:
        return f"there are no clusters with this name: {name}"
    if len(found) > 1:
        return f"there are {len(found)} clusters with the same name: [{' '.join(found)}]"
    return ""


def summary(errors: Mapping[str, str]) -> str:
    """The last one, and how many more: a status is no log."""
    last = errors[max(errors)]
    return f"{last} (and {len(errors) - 1} more)" if len(errors) > 1 else last
