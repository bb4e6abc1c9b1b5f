"""The cluster generator: one set of parameters for each cluster that has a Secret, and one for the cluster where the engine is."""

from __future__ import annotations

from collections.abc import Sequence

from argosy.argo.cd.application_sets.facts import IN_CLUSTER, IN_CLUSTER_SERVER, Cluster
from argosy.argo.cd.application_sets.failing import GenerationFailed
from argosy.argo.cd.application_sets.generators.templated_values import with_values
from argosy.argo.cd.application_sets.selecting import matches
from argosy.argo.cd.application_sets.tags import Params, Tags
from argosy.contracts.argo.application_set import ClusterGenerator
from argosy.domain.templates.sprig.names import normalize
from argosy.domain.templates.values import Maps, StringMap

_NOT_PARAMETERS = frozenset(
    [
        "argocd.argoproj.io/refresh",
        "argocd.argoproj.io/refresh-timestamp",
        "argocd.argoproj.io/hydrate",
        "argocd.argoproj.io/hydrate-timestamp",
        "argocd.argoproj.io/tracking-id",
        "argocd.argoproj.io/installation-id",
        "kubectl.kubernetes.io/last-applied-configuration",
    ]
)
"""Annotations of the Secret that are the engine's or kubectl's own; the last one would tell the Secret's values."""


def params_of(generator: ClusterGenerator, clusters: Sequence[Cluster], tags: Tags) -> list[Params]:
    selector = generator.selector
    chosen = {
        one.name: one for one in clusters if selector is None or matches(selector, {**one.labels})
    }  # of several with one name the last counts
    found = [_valued(_params(chosen[name], tags), generator, tags, "cluster") for name in sorted(chosen)]
    filters = selector is not None and bool(selector.match_labels or selector.match_expressions)
    if not filters and not any(one.server == IN_CLUSTER_SERVER for one in chosen.values()):
        local: Params = {
            "name": IN_CLUSTER,
            "nameNormalized": IN_CLUSTER,
            "server": IN_CLUSTER_SERVER,
            "project": "",
        }
        found.append(_valued(local, generator, tags, "local cluster"))
    return [{"clusters": Maps(found)}] if generator.flat_list else found


def _valued(params: Params, generator: ClusterGenerator, tags: Tags, what: str) -> Params:
    try:
        return with_values(params, generator.values, tags)
    except GenerationFailed as error:
        raise error.within(f"error appending templated values for {what}") from error


def _params(cluster: Cluster, tags: Tags) -> Params:
    annotations = {key: text for key, text in cluster.annotations.items() if key not in _NOT_PARAMETERS}
    found: Params = {
        "name": cluster.name,
        "nameNormalized": normalize(cluster.name),
        "server": cluster.server,
        "project": cluster.project,
    }
    if not tags.go:
        found |= {f"metadata.annotations.{key}": text for key, text in annotations.items()}
        return found | {f"metadata.labels.{key}": text for key, text in cluster.labels.items()}
    metadata: Params = {}
    if cluster.annotations:
        metadata["annotations"] = StringMap(annotations)
    if cluster.labels:
        metadata["labels"] = StringMap(cluster.labels)
    return {**found, "metadata": metadata}
