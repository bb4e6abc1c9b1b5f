"""Pairs what is desired with what is live."""

from __future__ import annotations

from collections.abc import Iterable

from argosy.argo.cd import marks
from argosy.argo.cd.compare.targets import Desired
from argosy.argo.cd.resources import Pair, ResourceKey
from argosy.kube.objects import Object, uid_of

_MOVED = {"extensions", "apps", "networking.k8s.io", "policy", "events.k8s.io", ""}
"""Groups under which the same object was, or is, served twice."""


def matched(desired: Iterable[Desired], live: dict[ResourceKey, Object]) -> tuple[list[Pair], list[Object]]:
    """The pairs, with what is live and not desired at the end; and the hooks, which are not compared."""
    hooks: list[Object] = []
    pairs: list[Pair] = []
    left = dict(live)
    for one in desired:
        if marks.is_hook(one.object):
            if not marks.is_ignored(one.object):
                hooks.append(one.object)
        elif not marks.is_skipped(one.object):
            pairs.append(Pair(one.key, one.object, left.pop(one.key, None)))
    seen = {uid_of(pair.live) for pair in pairs if pair.live is not None}
    for key, obj in left.items():
        if not (key.group in _MOVED and uid_of(obj) in seen):
            pairs.append(Pair(key, None, obj))
    return pairs, hooks
