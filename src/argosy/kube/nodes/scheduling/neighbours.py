"""Near which pods a pod must be, must not be, or would rather be: affinity and anti-affinity between pods. Pure.

`fitting` asks for each node. Everything is counted once per pod, by what the nodes' labels say of where they stand.
"""

from __future__ import annotations

from collections import Counter

from argosy.kube.nodes.scheduling.surroundings import Labels, Surroundings
from argosy.kube.objects import Object, labels_of

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
AFFINITY = "node(s) didn't match pod affinity rules"
ANTI_AFFINITY = "node(s) didn't match pod anti-affinity rules"
EXISTING = "node(s) didn't satisfy existing pods anti-affinity rules"
Place = tuple[str, str]
"""A label of nodes and its value: everything that has it is one place."""


def keeps_others_away(pod: Object) -> bool:
    return bool(_terms(pod, "podAntiAffinity"))


def looks_around(pod: Object) -> bool:
    """Whether it depends on other pods where this one may be."""
    affinity = pod["spec"].get("affinity") or {}
    return bool(affinity.get("podAffinity") or affinity.get("podAntiAffinity"))


class Neighbours:
    def __init__(self, pod: Object, around: Surroundings) -> None:
        self._wanted = _terms(pod, "podAffinity")
        self._found: set[Place] = set()
        self._avoided: set[Place] = set()
        self._taken: set[Place] = set()
        self._liked: Counter[Place] = Counter()
        self._count_own(pod, around)
        for placed in around.shy:
            labels = around.labels(placed.node)
            for term in _terms(placed.pod, "podAntiAffinity"):
                if (key := term["topologyKey"]) in labels and around.meant(term, placed.pod, pod):
                    self._taken.add((key, labels[key]))
        # The first of its kind wants to be near itself, and would wait for ever.
        self._is_first = not self._found and all(around.meant(term, pod, pod) for term in self._wanted)

    def refusal(self, node: Object) -> str:
        """Why not on this node; nothing when it may be there."""
        labels = labels_of(node)
        here = set(labels.items())
        keys = [term["topologyKey"] for term in self._wanted]
        near = all(key in labels for key in keys) and (
            self._is_first or all((key, labels[key]) in self._found for key in keys)
        )
        if not near:
            return AFFINITY
        if here & self._avoided:
            return ANTI_AFFINITY
        return EXISTING if here & self._taken else ""

    def liking(self, node: Object) -> int:
        return sum(self._liked[place] for place in labels_of(node).items()) if self._liked else 0

    def _count_own(self, pod: Object, around: Surroundings) -> None:
        avoided = _terms(pod, "podAntiAffinity")
        liked = [(term, weight) for term, weight in _preferred(pod) if weight]
        if not (self._wanted or avoided or liked):
            return
        for placed in around.placed:
            labels = around.labels(placed.node)
            if self._wanted and all(around.meant(term, pod, placed.pod) for term in self._wanted):
                self._found |= _places(self._wanted, labels)
            self._avoided |= _places(
                [term for term in avoided if around.meant(term, pod, placed.pod)], labels
            )
            for term, weight in liked:
                if around.meant(term, pod, placed.pod):
                    self._liked.update(dict.fromkeys(_places([term], labels), weight))


def _places(terms: list[Object], labels: Labels) -> set[Place]:
    return {(key, labels[key]) for term in terms if (key := term["topologyKey"]) in labels}


def _terms(pod: Object, kind: str) -> list[Object]:
    affinity = (pod["spec"].get("affinity") or {}).get(kind) or {}
    return affinity.get(_REQUIRED) or []


def _preferred(pod: Object) -> list[tuple[Object, int]]:
    affinity = pod["spec"].get("affinity") or {}
    return [
        (one["podAffinityTerm"], sign * one["weight"])
        for kind, sign in (("podAffinity", 1), ("podAntiAffinity", -1))
        for one in (affinity.get(kind) or {}).get(_PREFERRED) or ()
    ]
