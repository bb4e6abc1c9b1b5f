"""What a set asks of the world, read from its generators as they are written: on whose changes it has to be looked at again."""

from __future__ import annotations

from collections.abc import Iterator

from argosy.kube.objects import Object

_NESTING = ("matrix", "merge")


def reads_clusters(application_set: Object) -> bool:
    return any(one.get("clusters") is not None for one in _generators(_top(application_set)))


def requeue_seconds(application_set: Object) -> float | None:
    """The shortest that its Git generators say. Without any they are looked at when a repository changes."""
    found = [
        int(seconds)
        for one in _generators(_top(application_set))
        if isinstance(git := one.get("git"), dict)
        and isinstance(seconds := git.get("requeueAfterSeconds"), int)
        and seconds > 0
    ]
    return min(found, default=None)


def _top(application_set: Object) -> object:
    return (application_set.get("spec") or {}).get("generators")


def _generators(raw: object) -> Iterator[Object]:
    for one in raw if isinstance(raw, list) else ():
        if isinstance(one, dict):
            yield one
            for name in _NESTING:
                if isinstance(inner := one.get(name), dict):
                    yield from _generators(inner.get("generators"))
