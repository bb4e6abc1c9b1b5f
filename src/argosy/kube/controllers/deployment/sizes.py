"""How many pods each ReplicaSet of a Deployment shall have, step by step of a rollout. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from argosy.kube.controllers.pods.state import created
from argosy.kube.controllers.shares import share
from argosy.kube.objects import Object, annotations_of, name_of

DESIRED = "deployment.kubernetes.io/desired-replicas"
MOST = "deployment.kubernetes.io/max-replicas"


def replicas(obj: Object) -> int:
    return int(obj["spec"].get("replicas", 1))


def available(replica_set: Object) -> int:
    return int((replica_set.get("status") or {}).get("availableReplicas") or 0)


def total(sets: Iterable[Object]) -> int:
    return sum(replicas(one) for one in sets)


def rolls(deployment: Object) -> bool:
    return str((deployment["spec"].get("strategy") or {}).get("type", "RollingUpdate")) == "RollingUpdate"


def fence(deployment: Object) -> tuple[int, int]:
    """How many pods more, and how many fewer than wanted there may be. Not both none: nothing could move."""
    if not rolls(deployment):
        return 0, 0
    rolling = deployment["spec"].get("strategy", {}).get("rollingUpdate") or {}
    wanted = replicas(deployment)
    surge = share(rolling.get("maxSurge", "25%"), wanted, up=True)
    unavailable = share(rolling.get("maxUnavailable", "25%"), wanted, up=False)
    return surge, unavailable or (0 if surge else 1)


def most(deployment: Object) -> int:
    return replicas(deployment) + fence(deployment)[0]


def least_available(deployment: Object) -> int:
    wanted = replicas(deployment)
    return wanted - min(fence(deployment)[1], wanted)


def new_size(deployment: Object, sets: list[Object], current: int) -> int:
    """Of the new ReplicaSet, which has `current` now and is counted in `sets`."""
    wanted = replicas(deployment)
    if not rolls(deployment) or current > wanted:
        return wanted
    room = most(deployment) - total(sets)
    return current + max(min(room, wanted - current), 0)


def shrunk(deployment: Object, new: Object, old: list[Object]) -> dict[str, int]:
    """Sizes of the old ReplicaSets that may shrink now: first by their pods that do not work, then by as many as the working
    ones allow."""
    spare = total([*old, new]) - least_available(deployment) - (replicas(new) - available(new))
    if spare <= 0:
        return {}
    sizes = {name_of(one): replicas(one) for one in old}
    ordered = sorted(old, key=lambda one: (created(one), name_of(one)))
    _without_broken(ordered, sizes, spare)
    working = sum(available(one) for one in [*old, new])
    _take(ordered, sizes, working - least_available(deployment))
    return {name_of(one): sizes[name_of(one)] for one in old if sizes[name_of(one)] != replicas(one)}


def _without_broken(ordered: list[Object], sizes: dict[str, int], spare: int) -> None:
    for one in ordered:
        gone = min(max(spare, 0), max(sizes[name_of(one)] - available(one), 0))
        sizes[name_of(one)] -= gone
        spare -= gone


def _take(ordered: list[Object], sizes: dict[str, int], count: int) -> None:
    for one in ordered:
        gone = min(max(count, 0), sizes[name_of(one)])
        sizes[name_of(one)] -= gone
        count -= gone


def scaled(deployment: Object, new: Object | None, old: list[Object]) -> dict[str, int]:
    """Sizes after the Deployment itself was scaled, or while it is paused: no step of the rollout is made, each ReplicaSet
    keeps its share."""
    sets = [*old, *([new] if new else [])]
    active = [one for one in sets if replicas(one)]
    if len(active) <= 1:
        newest = active[0] if active else new or max(old, key=created, default=None)
        return {} if newest is None else {name_of(newest): replicas(deployment)}
    if new is not None and _saturated(deployment, new):
        return {name_of(one): 0 for one in active if one is not new}
    return _proportional(deployment, active) if rolls(deployment) else {}


def _saturated(deployment: Object, new: Object) -> bool:
    wanted = replicas(deployment)
    return (
        replicas(new) == wanted
        and annotations_of(new).get(DESIRED) == str(wanted)
        and available(new) == wanted
    )


def _proportional(deployment: Object, active: list[Object]) -> dict[str, int]:
    wanted = replicas(deployment)
    to_add = (most(deployment) if wanted else 0) - total(active)
    newer_first = to_add > 0
    ordered = sorted(active, key=lambda one: (created(one), name_of(one)), reverse=newer_first)
    ordered.sort(key=replicas, reverse=True)
    sizes = {name_of(one): replicas(one) for one in ordered}
    added = 0
    for one in ordered if to_add else ():
        part = _part(deployment, one)
        part = min(part, to_add - added) if to_add > 0 else max(part, to_add - added)
        sizes[name_of(one)] += part
        added += part
    if to_add:
        largest = name_of(ordered[0])
        sizes[largest] = max(sizes[largest] + to_add - added, 0)
    return sizes


def _part(deployment: Object, replica_set: Object) -> int:
    """How much a ReplicaSet grows or shrinks to keep its share of what the Deployment could have at most."""
    size = replicas(replica_set)
    if not replicas(deployment):
        return -size
    before = annotations_of(replica_set).get(MOST, "")
    base = int(before) if before.isdigit() else int((deployment.get("status") or {}).get("replicas") or 0)
    if not base:
        return 0
    return int(size * most(deployment) / base + 0.5) - size
