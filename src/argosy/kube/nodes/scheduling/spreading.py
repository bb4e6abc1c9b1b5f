"""How evenly pods of a kind must, or would rather, be spread over places: `topologySpreadConstraints`. Pure.

`fitting` asks for each node. Pods are counted once, in the places of the nodes on which this pod might be at all.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from argosy.kube.nodes.scheduling.surroundings import Surroundings
from argosy.kube.objects import Object, labels_of, namespace_of
from argosy.kube.reconcile.placing import selected, tolerates
from argosy.kube.reconcile.selecting import selects

UNEVEN = "node(s) didn't match pod topology spread constraints"
NO_LABEL = f"{UNEVEN} (missing required label)"
_EFFECTS = {"NoSchedule", "NoExecute"}


def is_spread(pod: Object) -> bool:
    return bool(pod["spec"].get("topologySpreadConstraints"))


@dataclass(frozen=True, slots=True)
class _Counted:
    """One constraint, and how many pods it finds in each place."""

    key: str
    skew: int
    least: int
    """In the emptiest place."""
    itself: int
    pods: Counter[str]


class Spreading:
    def __init__(self, pod: Object, around: Surroundings) -> None:
        constraints = pod["spec"].get("topologySpreadConstraints") or ()
        must = [one for one in constraints if one["whenUnsatisfiable"] == "DoNotSchedule"]
        rather = [one for one in constraints if one["whenUnsatisfiable"] != "DoNotSchedule"]
        self._must = [_count(one, must, pod, around) for one in must]
        self._rather = [_count(one, rather, pod, around) for one in rather]

    def refusal(self, node: Object) -> str:
        """Why not on this node; nothing when it may be there."""
        labels = labels_of(node)
        for one in self._must:
            if one.key not in labels:
                return NO_LABEL
            if one.pods[labels[one.key]] + one.itself - one.least > one.skew:
                return UNEVEN
        return ""

    def crowd(self, node: Object) -> int:
        """Of its like, in the places of this node."""
        labels = labels_of(node)
        return sum(one.pods[labels[one.key]] for one in self._rather if one.key in labels)


def _count(constraint: Object, together: list[Object], pod: Object, around: Surroundings) -> _Counted:
    key, selector = constraint["topologyKey"], constraint.get("labelSelector")
    keys = [one["topologyKey"] for one in together]
    homes = {
        name: labels_of(node)[key]
        for name, node in around.nodes.items()
        if all(one in labels_of(node) for one in keys) and _might_be(constraint, pod, node)
    }
    pods = Counter(dict.fromkeys(homes.values(), 0))
    for placed in around.placed:
        if placed.node in homes and _counts(selector, pod, placed.pod):
            pods[homes[placed.node]] += 1
    enough = len(pods) >= (constraint.get("minDomains") or 1)
    return _Counted(
        key=key,
        skew=constraint["maxSkew"],
        least=min(pods.values(), default=0) if enough else 0,
        itself=int(selects(selector, labels_of(pod))),
        pods=pods,
    )


def _might_be(constraint: Object, pod: Object, node: Object) -> bool:
    if constraint.get("nodeAffinityPolicy", "Honor") == "Honor" and not selected(pod, node):
        return False
    return constraint.get("nodeTaintsPolicy", "Ignore") == "Ignore" or all(
        tolerates(pod, taint) for taint in node["spec"].get("taints") or () if taint.get("effect") in _EFFECTS
    )


def _counts(selector: Object | None, pod: Object, other: Object) -> bool:
    return (
        namespace_of(other) == namespace_of(pod)
        and "deletionTimestamp" not in other["metadata"]
        and selects(selector, labels_of(other))
    )
