"""`/healthz`, `/livez` and `/readyz`: "ok" for machines, check by check for people, and each check by itself.

The names are upstream's, as far as a server like ours has something to check under them. What must be done before a cluster is ready
is done before its port opens, so that only the disk can fail later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from argosy.kube.server.access.quoting import quoted
from argosy.kube.server.api.plain import text_answer
from argosy.kube.server.cluster import Cluster
from argosy.kube.wire import Request, Response


class _Check(NamedTuple):
    name: str
    trouble: Callable[[Cluster], str]
    """Why it fails; empty while it does not."""


def _never(_: Cluster) -> str:
    return ""


def _store(cluster: Cluster) -> str:
    return "the disk did not take the last write" if cluster.store.refusing else ""


_DONE_BEFORE = (
    "poststarthook/start-apiextensions-controllers",
    "poststarthook/crd-informer-synced",
    "poststarthook/start-system-namespaces-controller",
    "poststarthook/start-cluster-authentication-info-controller",
    "poststarthook/rbac/bootstrap-roles",
    "poststarthook/scheduling/bootstrap-system-priority-classes",
    "poststarthook/bootstrap-controller",
)
_FIRST, _STORE = (_Check("ping", _never), _Check("log", _never)), _Check("etcd", _store)
_READY = (_Check("etcd-readiness", _store), _Check("informer-sync", _never))
_HOOKS = tuple(_Check(name, _never) for name in _DONE_BEFORE)
_LIVE = (*_FIRST, _STORE, *_HOOKS)
PATHS = {
    "/healthz": _LIVE,
    "/livez": _LIVE,
    "/readyz": (*_FIRST, _STORE, *_READY, *_HOOKS, _Check("shutdown", _never)),
}


def answer(cluster: Cluster, request: Request) -> Response | None:
    if checks := PATHS.get(request.path):
        return _all(cluster, request, checks)
    found = _single(request.path)
    if found is None:
        return None
    if trouble := found.trouble(cluster):
        return _failed(f"internal server error: {trouble}")
    return text_answer("ok")


def is_about(path: str) -> bool:
    return path in PATHS or _single(path) is not None


def _single(path: str) -> _Check | None:
    root, _, name = path.removeprefix("/").partition("/")
    return next((one for one in PATHS.get(f"/{root}", ()) if one.name == name), None)


def _all(cluster: Cluster, request: Request, checks: tuple[_Check, ...]) -> Response:
    name = request.path.removeprefix("/")
    excluded = {value for key, value in request.query if key == "exclude"}
    failed = any(one.trouble(cluster) for one in checks if one.name not in excluded)
    lines = "".join(f"{line}\n" for line in _lines(cluster, checks, excluded))
    if failed:
        return _failed(f"{lines}{name} check failed")
    if any(key == "verbose" for key, _ in request.query):
        return _sure(text_answer(f"{lines}{name} check passed\n"))
    return _sure(text_answer("ok"))


def _lines(cluster: Cluster, checks: tuple[_Check, ...], excluded: set[str]) -> Iterator[str]:
    """Everybody may read these, so the reason stays with the single check, for which one needs a right."""
    for one in checks:
        if one.name in excluded:
            yield f"[+]{one.name} excluded: ok"
        elif one.trouble(cluster):
            yield f"[-]{one.name} failed: reason withheld"
        else:
            yield f"[+]{one.name} ok"
    if unknown := sorted(excluded - {one.name for one in checks}):
        yield f"warn: some health checks cannot be excluded: no matches for {','.join(map(quoted, unknown))}"


def _failed(text: str) -> Response:
    return _sure(Response(500, text_answer("").headers, f"{text}\n".encode()))


def _sure(response: Response) -> Response:
    return Response(response.status, {**response.headers, "x-content-type-options": "nosniff"}, response.body)
