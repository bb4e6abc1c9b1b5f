"""What is wrong with a project as it is written: each sentence in Argo CD's words, so that people find it. What is right still counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from argosy.argo.cd.projects.patterns import is_too_slow, regular_expression
from argosy.argo.cd.projects.roles import BadRole, policies_of
from argosy.argo.cd.projects.windows import BadWindow, span
from argosy.contracts.argo.project import AppProject, ProjectSpec, Role, SyncWindow
from argosy.domain import globs
from argosy.kube.objects import Object

_EVERYTHING: Final = "!*"
_UNSUPPORTED: Final = {
    "destination_service_accounts": "destinationServiceAccounts",
    "signature_keys": "signatureKeys",
    "source_integrity": "sourceIntegrity",
}


def problems(project: AppProject, name: str) -> list[str]:
    spec = project.spec
    return [
        *_destinations(spec),
        *(f"source namespace '{one}' already added" for one in _twice(spec.source_namespaces)),
        *_namespaces(spec),
        *_repositories(spec),
        *(f"role '{one}' already exists" for one in _twice(role.name for role in spec.roles)),
        *(problem for role in spec.roles for problem in _role(name, role)),
        *(problem for window in spec.sync_windows for problem in _window(window)),
    ]


def unsupported(project: AppProject) -> list[str]:
    """Fields that the engine does not follow yet: they are named, never passed over."""
    return [
        f"spec.{wire} is not supported by this engine"
        for field, wire in _UNSUPPORTED.items()
        if getattr(project.spec, field)
    ]


def _destinations(spec: ProjectSpec) -> Iterator[str]:
    for item in spec.destinations:
        for field in ("name", "server", "namespace"):
            if getattr(item, field) == _EVERYTHING:
                yield f"{field} has an invalid format, '!*'"
            yield from _unreadable(getattr(item, field).removeprefix("!"))
    keys = (f"{item.server or item.name}/{item.namespace}" for item in spec.destinations)
    yield from (f"destination '{key}' already added" for key in _twice(keys))


def _repositories(spec: ProjectSpec) -> Iterator[str]:
    for pattern in spec.source_repos:
        if pattern == _EVERYTHING:
            yield "source repository has an invalid format, '!*'"
        yield from _unreadable(pattern.removeprefix("!"))
    yield from (f"source repository '{pattern}' already added" for pattern in _twice(spec.source_repos))


def _namespaces(spec: ProjectSpec) -> Iterator[str]:
    for pattern in spec.source_namespaces:
        if is_too_slow(regular_expression(pattern)):
            yield f"source namespace '{pattern}' repeats groups or repeats too often: it matches nothing"


def _unreadable(pattern: str) -> Iterator[str]:
    try:
        globs.compiled(pattern)
    except globs.BadGlob as error:
        yield f"the pattern '{pattern}' matches nothing: {error}"


def _role(project: str, role: Role) -> Iterator[str]:
    yield from (f"policy '{line}' already exists for role '{role.name}'" for line in _twice(role.policies))
    yield from (f"group '{group}' already exists for role '{role.name}'" for group in _twice(role.groups))
    try:
        policies_of(project, role)
    except BadRole as error:
        yield str(error)


def _window(window: SyncWindow) -> Iterator[str]:
    if window.kind not in {"allow", "deny"}:
        yield f"kind '{window.kind}' mismatch: can only be allow or deny"
    if not (window.applications or window.namespaces or window.clusters):
        yield f"window '{window.kind}':'{window.schedule}':'{window.duration}' requires one of application, cluster or namespace"
    try:
        span(window)
    except BadWindow as error:
        yield str(error)


def _twice(items: Iterable[str]) -> list[str]:
    return [item for item, count in Counter(items).items() if count > 1]


def unknown(obj: Object, known: frozenset[str]) -> list[str]:
    spec = obj.get("spec")
    return (
        sorted(f"spec.{field} is not known to this engine" for field in spec if field not in known)
        if isinstance(spec, dict)
        else []
    )
