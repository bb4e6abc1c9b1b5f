"""Whether an application may be looked at at all: it names sources, a cluster that is known, and its project permits them."""

from __future__ import annotations

from argosy.argo.cd.applications.conditions import INVALID, UNSUPPORTED
from argosy.argo.cd.applications.reading import sources_of
from argosy.argo.cd.applications.subject import Subject
from argosy.argo.cd.applications.unsupported import unknown, unsupported
from argosy.argo.cd.clusters.registry import Clusters, Known, UnknownCluster
from argosy.argo.cd.permissions import Permissions
from argosy.contracts.argo.application import Spec
from argosy.contracts.argo.source import Source
from argosy.contracts.argo.status import Condition


def validated(
    subject: Subject, project: Permissions, clusters: Clusters
) -> tuple[Known | None, list[Condition]]:
    """The cluster, when nothing is wrong."""
    spec = subject.app.spec
    wrong = _sources(spec) or [
        f"application repo {source.repo_url} is not permitted in project '{project.name}'"
        for source in sources_of(spec)
        if not project.source_permitted(source.repo_url)
    ]
    wrong += unsupported(spec)
    known: Known | None = None
    try:
        known = clusters.find(spec.destination)
    except UnknownCluster as error:
        wrong.append(str(error))
    if known is not None and not project.destination_permitted(known, spec.destination.namespace):
        server = known.name if spec.destination.name else known.server
        wrong.append(
            f"application destination server '{server}' and namespace '{spec.destination.namespace}' do not match any "
            f"of the allowed destinations in project '{project.name}'"
        )
    found = [Condition(type=INVALID, message=message) for message in wrong]
    found += [Condition(type=UNSUPPORTED, message=message) for message in unknown(subject.object.get("spec"))]
    return (known if not wrong else None), found


def _sources(spec: Spec) -> list[str]:
    sources = sources_of(spec)
    if not sources and not spec.source_hydrator:
        return ["spec.source.repoURL and either spec.source.path or spec.source.chart are required"]
    found = [message for source in sources for message in _source(source, several=bool(spec.sources))]
    referred = {source.ref for source in sources if source.ref}
    if len(referred) != sum(1 for source in sources if source.ref):
        found.append("spec.sources: two of them have the same ref")
    return found


def _source(source: Source, *, several: bool) -> list[str]:
    needs = "spec.source.repoURL and either spec.source.path or spec.source.chart are required"
    if several:
        needs = (
            "spec.source.repoURL and either source.path, source.chart, or source.ref are required for source "
            f"{source.name or source.repo_url}"
        )
    if not source.repo_url:
        return [needs]
    if several and source.ref and source.chart:
        return ["spec.sources: a source with a ref cannot be a chart"]
    if not (source.path or source.chart or source.ref or source.repo_url.startswith("oci://")):
        return [needs]
    if source.chart and not source.target_revision:
        return ["spec.source.targetRevision is required if the manifest source is a helm chart"]
    explicit = [
        name
        for name, block in (
            ("helm", source.helm),
            ("kustomize", source.kustomize),
            ("directory", source.directory),
            ("plugin", source.plugin),
        )
        if block is not None
    ]
    if len(explicit) > 1:
        return [f"multiple application sources defined: {' '.join(explicit)}"]
    return []
