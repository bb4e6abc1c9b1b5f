"""Leaves to the cluster what a comparison overlooks: with `RespectIgnoreDifferences` a sync writes such fields as they are there. Pure."""

from __future__ import annotations

from argosy.kube.objects import Object


def kept(target: Object, live: Object, compared: Object) -> Object:
    """`target`, with all that `live` has more than what is `compared` of it. Shares what it does not change."""
    found = _kept(target, live, compared)
    assert isinstance(found, dict)
    return found


def _kept(target: object, live: object, compared: object) -> object:
    if live == compared:
        return target
    if isinstance(live, dict) and isinstance(compared, dict) and isinstance(target, dict):
        found = dict(target)
        for name, value in live.items():
            if name not in compared:
                found[name] = value
            elif name in target:
                found[name] = _kept(target[name], value, compared[name])
        return found
    if isinstance(live, list) and isinstance(compared, list) and isinstance(target, list):
        return _kept_in_list(target, live, compared)
    return target


def _kept_in_list(target: list[object], live: list[object], compared: list[object]) -> list[object]:
    """Elements are matched by their names. Where there are none, or elements themselves are overlooked, the cluster's list counts."""
    theirs, seen = _by_name(live), _by_name(compared)
    if theirs is None or seen is None or theirs.keys() != seen.keys():
        return live
    wanted = _by_name(target)
    if wanted is None:
        return target
    return [_kept(one, theirs[name], seen[name]) if name in theirs else one for name, one in wanted.items()]


def _by_name(values: list[object]) -> dict[str, object] | None:
    found: dict[str, object] = {
        str(one["name"]): one for one in values if isinstance(one, dict) and "name" in one
    }
    return found if len(found) == len(values) else None
