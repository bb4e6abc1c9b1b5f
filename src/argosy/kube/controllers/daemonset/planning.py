"""Which nodes should have a pod of a DaemonSet, which pods are made and deleted next, and what the status says. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from argosy.kube.controllers.history import GENERATION, HASH, hash_of
from argosy.kube.controllers.pods.making import from_template
from argosy.kube.controllers.pods.state import (
    created,
    is_active,
    is_available,
    is_going,
    is_ready,
    is_terminal,
    phase,
)
from argosy.kube.controllers.shares import share
from argosy.kube.objects import Object, annotations_of, name_of
from argosy.kube.reconcile.placing import selected, tolerates

_BORNE = (
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
)


@dataclass(slots=True)
class Plan:
    create: list[str] = field(default_factory=list)
    """Names of nodes."""
    delete: list[Object] = field(default_factory=list)
    failed: list[Object] = field(default_factory=list)
    """Deleted too, and told of."""


@dataclass(frozen=True, slots=True)
class Situation:
    owner: Object
    nodes: list[Object]
    by_node: dict[str, list[Object]]
    mark: str
    """Of the newest revision, as pods carry it."""
    now: datetime

    @property
    def min_ready(self) -> int:
        return int(self.owner["spec"].get("minReadySeconds") or 0)

    def wanted(self) -> list[str]:
        return [name_of(node) for node in self.nodes if should_run(self.owner, node)[0]]


def pod_for(owner: Object, node: str, mark: str) -> Object:
    pod = from_template(owner["spec"]["template"], owner)
    pod["metadata"]["labels"][HASH] = mark
    if generation := annotations_of(owner).get(GENERATION):
        pod["metadata"]["labels"]["pod-template-generation"] = generation
    spec = pod["spec"]
    spec["affinity"] = _only_on(node, spec.get("affinity") or {})
    spec["tolerations"] = _bearing(spec)
    return pod


def _only_on(node: str, affinity: Object) -> Object:
    mine = {"key": "metadata.name", "operator": "In", "values": [node]}
    of_nodes = affinity.get("nodeAffinity") or {}
    required = of_nodes.get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    terms = [{**term, "matchFields": [mine]} for term in required.get("nodeSelectorTerms") or [{}]]
    changed = {**of_nodes, "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    return {**affinity, "nodeAffinity": changed}


def _bearing(spec: Object) -> list[Object]:
    """A daemon stays on a node in trouble: it may be what helps."""
    borne = [*_BORNE]
    if spec.get("hostNetwork"):
        borne.append(("node.kubernetes.io/network-unavailable", "NoSchedule"))
    have = list(spec.get("tolerations") or ())
    known = {(one.get("key"), one.get("effect")) for one in have}
    return have + [
        {"key": key, "operator": "Exists", "effect": effect}
        for key, effect in borne
        if (key, effect) not in known
    ]


def should_run(owner: Object, node: Object) -> tuple[bool, bool]:
    """Whether a pod is started there, and whether one that is there may stay."""
    template = owner["spec"]["template"]
    pod = {"spec": {**template["spec"], "tolerations": _bearing(template["spec"])}}
    if template["spec"].get("nodeName", name_of(node)) != name_of(node) or not selected(pod, node):
        return False, False
    taints = [one for one in node["spec"].get("taints") or () if not tolerates(pod, one)]
    effects = {one.get("effect") for one in taints}
    return not effects & {"NoSchedule", "NoExecute"}, "NoExecute" not in effects


def by_node(pods: list[Object]) -> dict[str, list[Object]]:
    """Those not placed yet count for the node that they were made for."""
    found: dict[str, list[Object]] = {}
    for pod in pods:
        found.setdefault(node_of(pod), []).append(pod)
    return found


def node_of(pod: Object) -> str:
    if placed := pod["spec"].get("nodeName"):
        return str(placed)
    affinity = (pod["spec"].get("affinity") or {}).get("nodeAffinity") or {}
    terms = (affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}).get("nodeSelectorTerms")
    for field_ in ((terms or [{}])[0]).get("matchFields") or ():
        if field_.get("key") == "metadata.name" and field_.get("values"):
            return str(field_["values"][0])
    return ""


def plan(seen: Situation) -> Plan:
    found = Plan()
    for node in seen.nodes:
        start, stay = should_run(seen.owner, node)
        pods = seen.by_node.get(name_of(node), [])
        if not stay:
            found.delete.extend(pod for pod in pods if not is_going(pod))
        elif start or pods:
            _on_node(seen, name_of(node), pods, found, start=start)
    there = {name_of(node) for node in seen.nodes}
    for gone in seen.by_node.keys() - there:
        found.delete.extend(pod for pod in seen.by_node[gone] if not is_going(pod))
    if not found.create and not found.delete and not found.failed:
        _roll(seen, found)
    return found


def _on_node(seen: Situation, node: str, pods: list[Object], found: Plan, *, start: bool) -> None:
    found.failed.extend(pod for pod in pods if is_terminal(pod) and not is_going(pod))
    running = [pod for pod in pods if is_active(pod)]
    going = [pod for pod in pods if is_going(pod)]
    if not running:
        if start and not going and not any(is_terminal(pod) for pod in pods):
            found.create.append(node)
        return
    if _surge(seen):
        return
    running.sort(key=lambda pod: (phase(pod) != "Running", created(pod), name_of(pod)))
    found.delete.extend(running[1:])


def _rolling(seen: Situation) -> Object | None:
    strategy = seen.owner["spec"].get("updateStrategy") or {}
    if strategy.get("type", "RollingUpdate") != "RollingUpdate":
        return None
    return strategy.get("rollingUpdate") or {}


def _surge(seen: Situation) -> int:
    rolling = _rolling(seen) or {}
    return share(rolling.get("maxSurge", 0), len(seen.wanted()), up=True)


def _roll(seen: Situation, found: Plan) -> None:
    rolling = _rolling(seen)
    if rolling is None:
        return
    wanted = seen.wanted()
    if _surge(seen):
        _roll_with_surge(seen, wanted, found)
        return
    at_once = max(share(rolling.get("maxUnavailable", 1), len(wanted), up=True), 1)
    unwell = 0
    candidates: list[Object] = []
    for node in wanted:
        pods = [pod for pod in seen.by_node.get(node, ()) if is_active(pod)]
        fine = any(is_available(pod, seen.min_ready, seen.now) for pod in pods)
        unwell += 0 if fine else 1
        for pod in pods:
            if hash_of(pod) != seen.mark:
                if fine:
                    candidates.append(pod)
                else:
                    found.delete.append(pod)
    found.delete.extend(candidates[: max(at_once - unwell, 0)])


def _roll_with_surge(seen: Situation, wanted: list[str], found: Plan) -> None:
    """The new pod first; the old one goes when the new one is there for people."""
    room = _surge(seen)
    for node in wanted:
        pods = [pod for pod in seen.by_node.get(node, ()) if is_active(pod)]
        new = [pod for pod in pods if hash_of(pod) == seen.mark]
        old = [pod for pod in pods if hash_of(pod) != seen.mark]
        if new and any(is_available(pod, seen.min_ready, seen.now) for pod in new):
            found.delete.extend(old)
        elif new:
            room -= 1 if old else 0
        elif old and room > 0:
            found.create.append(node)
            room -= 1


def status(seen: Situation) -> Object:
    wanted = set(seen.wanted())
    names = {name_of(node) for node in seen.nodes}
    found = dict.fromkeys(
        (
            "currentNumberScheduled",
            "numberMisscheduled",
            "desiredNumberScheduled",
            "numberReady",
            "updatedNumberScheduled",
            "numberAvailable",
            "numberUnavailable",
        ),
        0,
    )
    for node in names:
        pods = [pod for pod in seen.by_node.get(node, ()) if is_active(pod)]
        if node not in wanted:
            found["numberMisscheduled"] += 1 if pods else 0
            continue
        found["desiredNumberScheduled"] += 1
        if not pods:
            continue
        found["currentNumberScheduled"] += 1
        best = min(pods, key=lambda pod: (not is_ready(pod), created(pod)))
        if is_ready(best):
            found["numberReady"] += 1
            found["numberAvailable"] += 1 if is_available(best, seen.min_ready, seen.now) else 0
        found["updatedNumberScheduled"] += 1 if any(hash_of(pod) == seen.mark for pod in pods) else 0
    found["numberUnavailable"] = found["desiredNumberScheduled"] - found["numberAvailable"]
    before = seen.owner.get("status") or {}
    kept = {key: before[key] for key in ("collisionCount", "conditions") if before.get(key)}
    return {**found, "observedGeneration": seen.owner["metadata"].get("generation", 0), **kept}
