"""Whether a pod fits on a node, and which of the fitting ones it gets. Pure; the words are upstream's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from argosy.kube.nodes.scheduling.neighbours import ANTI_AFFINITY, EXISTING, Neighbours
from argosy.kube.nodes.scheduling.spreading import UNEVEN, Spreading
from argosy.kube.nodes.scheduling.surroundings import Surroundings
from argosy.kube.objects import Object, name_of
from argosy.kube.quantities import NANO, amount
from argosy.kube.reconcile.placing import preference, selected, tolerates

_EFFECTS = {"NoSchedule", "NoExecute"}
_UNSCHEDULABLE = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}


class Load(NamedTuple):
    """What the pods of a node take."""

    pods: int
    asked: dict[str, int]
    """In billionths."""


class Choice(NamedTuple):
    node: str
    why_none: str
    """For people, when there is no node."""


def choose(pod: Object, around: Surroundings, loads: dict[str, Load]) -> Choice:
    """Of the fitting nodes the one that is liked best, and then that with the fewest pods."""
    known = list(around.nodes.values())
    if not known:
        return Choice("", "no nodes available to schedule pods")
    asks, spreading, neighbours = requests(pod), Spreading(pod, around), Neighbours(pod, around)
    reasons: Counter[str] = Counter()
    helpless = 0
    fitting: list[Object] = []
    for node in known:
        found = (
            list(_never(pod, node))
            or list(_not_now(asks, node, loads.get(name_of(node))))
            or list(filter(None, [spreading.refusal(node) or neighbours.refusal(node)]))
        )
        reasons.update(found)
        helpless += bool(found) and not _might_end(found[0])
        if not found:
            fitting.append(node)
    if not fitting:
        return Choice("", _told(reasons, len(known), helpless))

    def order(node: Object) -> tuple[int, int, int, int, str]:
        liked = neighbours.liking(node) + preference(pod, node)
        return _misliked(pod, node), -liked, spreading.crowd(node), _pods(loads, node), name_of(node)

    return Choice(name_of(min(fitting, key=order)), "")


def requests(pod: Object) -> dict[str, int]:
    """What its containers need together, or the neediest of those that run before them."""
    spec = pod["spec"]
    together = [_asks(one) for one in spec["containers"]]
    before = [_asks(one) for one in spec.get("initContainers") or ()]
    found: dict[str, int] = {}
    for name in {name for one in together + before for name in one}:
        at_once = sum(one.get(name, 0) for one in together)
        found[name] = max([at_once, *(one.get(name, 0) for one in before)])
    return found


def _asks(container: Object) -> dict[str, int]:
    asked = (container.get("resources") or {}).get("requests") or {}
    return {name: amount(value) for name, value in asked.items()}


def _never(pod: Object, node: Object) -> Iterable[str]:
    """Why no room that is made would help. The first reason is told."""
    if node["spec"].get("unschedulable") and not tolerates(pod, _UNSCHEDULABLE):
        yield "node(s) were unschedulable"
        return
    for taint in node["spec"].get("taints") or ():
        if (
            taint.get("effect") in _EFFECTS
            and taint["key"] != _UNSCHEDULABLE["key"]
            and not tolerates(pod, taint)
        ):
            yield f"node(s) had untolerated taint {{{taint['key']}: {taint.get('value', '')}}}"
            return
    if not selected(pod, node):
        yield "node(s) didn't match Pod's node affinity/selector"


def _not_now(asks: dict[str, int], node: Object, load: Load | None) -> Iterable[str]:
    have = (node.get("status") or {}).get("allocatable") or {}
    if (load.pods if load else 0) + 1 > amount(have.get("pods")) // NANO:
        yield "Too many pods"
    for name, wanted in sorted(asks.items()):
        taken = load.asked.get(name, 0) if load else 0
        if wanted and wanted + taken > amount(have.get(name)):
            yield f"Insufficient {name}"


def _might_end(reason: str) -> bool:
    """Whether it would help to make room."""
    return reason in {ANTI_AFFINITY, EXISTING, UNEVEN} or reason.startswith(("Insufficient", "Too many"))


def _misliked(pod: Object, node: Object) -> int:
    """By how many taints it would rather not have the pod; such a node comes last."""
    taints = [one for one in node["spec"].get("taints") or () if one.get("effect") == "PreferNoSchedule"]
    return sum(1 for one in taints if not tolerates(pod, one))


def _pods(loads: dict[str, Load], node: Object) -> int:
    load = loads.get(name_of(node))
    return load.pods if load else 0


def _told(reasons: Counter[str], nodes: int, helpless: int) -> str:
    listed = ", ".join(sorted(f"{count} {reason}" for reason, count in reasons.items()))
    preemption = ", ".join(
        sorted(
            f"{count} {words}"
            for words, count in (
                ("No preemption victims found for incoming pod", nodes - helpless),
                ("Preemption is not helpful for scheduling", helpless),
            )
            if count
        )
    )
    return (
        f"0/{nodes} nodes are available: {listed}. no new claims to deallocate, preemption: "
        f"0/{nodes} nodes are available: {preemption}."
    )
