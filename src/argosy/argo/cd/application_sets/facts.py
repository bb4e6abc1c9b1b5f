"""What generators know of the world: the clusters, and the files of repositories.

Generation is pure and may run in a thread: a tree that is not there yet is written down (`wanted`), and whoever generates
fetches it and asks again.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from argosy.kube.objects import Object, annotations_of, labels_of
from argosy.manifests.tree import SourceError, Tree

IN_CLUSTER, IN_CLUSTER_SERVER = "in-cluster", "https://kubernetes.default.svc"
SECRET_TYPE, CLUSTER_SECRET = "argocd.argoproj.io/secret-type", "cluster"


class Wanted(NamedTuple):
    url: str
    revision: str


@dataclass(frozen=True, slots=True)
class Cluster:
    """As its Secret tells it; nothing of the Secret's credentials."""

    name: str
    server: str
    project: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, secret: Object) -> Cluster:
        data = secret.get("data") or {}
        name, server, project = (_decoded(data.get(key)) for key in ("name", "server", "project"))
        return cls(name, server, project, labels_of(secret), annotations_of(secret))


def _decoded(value: object) -> str:
    try:
        return base64.b64decode(str(value or "")).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return ""


@dataclass(slots=True)
class Facts:
    """`clusters`: those that have a Secret."""

    clusters: Sequence[Cluster] = ()
    trees: Mapping[Wanted, Tree | SourceError] = field(default_factory=dict)
    wanted: set[Wanted] = field(default_factory=set)
    used: set[Wanted] = field(default_factory=set)

    def tree(self, url: str, revision: str) -> Tree | None:
        """None: it has to be fetched first. Raises why it cannot be had."""
        one = Wanted(url, revision)
        self.used.add(one)
        found = self.trees.get(one)
        if found is None:
            self.wanted.add(one)
            return None
        if isinstance(found, SourceError):
            raise found
        return found
