"""Opens a cluster: its store, its rights, what it serves, and on the first start what every new cluster has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from argosy.kube.kubelet import Kubelet
from argosy.kube.server import builtin, founding
from argosy.kube.server.access import Access, Authority, User
from argosy.kube.server.cluster import Cluster
from argosy.kube.server.store import Store
from argosy.kube.server.view import View


async def open_cluster(
    name: str,
    *,
    objects: Path | None,
    keys: Path,
    hosts: Sequence[str],
    tokens: Mapping[str, User],
    kubelet: Kubelet,
) -> Cluster:
    """`objects` None: in memory only, for tests. `tokens` are those of the platform's own parts."""
    store = await Store.open(objects)
    view = View(store)
    authority = Authority.load(keys, hosts=hosts)
    cluster = Cluster(
        name=name,
        store=store,
        registry=builtin.registry(),
        authority=authority,
        access=Access(authority, view, tokens=tokens),
        view=view,
        kubelet=kubelet,
    )
    await founding.found(cluster)
    await cluster.crds.open()
    return cluster
