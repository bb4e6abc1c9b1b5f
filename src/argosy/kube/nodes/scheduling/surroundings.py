"""What stands around a pod that looks for a node: the nodes, and the pods on them. `neighbours` and `spreading` count in it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from argosy.kube.objects import Object, labels_of, namespace_of
from argosy.kube.reconcile.selecting import selects

Labels = Mapping[str, str]


class Placed(NamedTuple):
    pod: Object
    node: str


def _no_labels(_: str) -> Labels:
    return {}


@dataclass(frozen=True, slots=True)
class Surroundings:
    nodes: Mapping[str, Object]
    placed: Collection[Placed] = ()
    shy: Collection[Placed] = ()
    """Those of them that want certain pods to stay away."""
    namespaces: Callable[[str], Labels] = _no_labels
    """The labels of a namespace."""

    def labels(self, node: str) -> Labels:
        found = self.nodes.get(node)
        return {} if found is None else labels_of(found)

    def meant(self, term: Object, holder: Object, other: Object) -> bool:
        """Whether a term that `holder` has about pods is about this one."""
        return selects(term.get("labelSelector"), labels_of(other)) and self._in_reach(
            term, namespace_of(holder), namespace_of(other)
        )

    def _in_reach(self, term: Object, own: str, namespace: str) -> bool:
        named, selector = term.get("namespaces") or (), term.get("namespaceSelector")
        if not named and selector is None:
            return namespace == own
        return namespace in named or selects(selector, self.namespaces(namespace))
