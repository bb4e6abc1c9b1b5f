"""What an API server does to a write beside its kind's own rules: fills in from other objects, allocates, refuses.

`api.writing` and `api.deleting` call `admit` before a write is validated and `check` after. One module is one of upstream's plug-ins
or a family of them; each looks at the objects it cares about and leaves the rest alone.
"""

from __future__ import annotations

from argosy.kube.server.admission import (
    ingresses,
    limits,
    namespaces,
    nodes,
    pod_security,
    pods,
    priority_classes,
    quota,
    requests,
    runtime_classes,
    services,
    volumes,
)
from argosy.kube.server.admission.write import Write

_ADMIT = (
    namespaces.admit,
    limits.admit,
    pods.admit,
    runtime_classes.admit,
    services.admit,
    volumes.admit,
    ingresses.admit,
    nodes.admit,
    requests.admit,
)
_CHECK = (
    limits.check,
    pod_security.check,
    priority_classes.check,
    runtime_classes.check,
    volumes.check,
    quota.check,
)

__all__ = ["Write", "admit", "check"]


def admit(write: Write) -> None:
    """Changes the object in place, raises `ApiError`, adds warnings."""
    for plugin in _ADMIT:
        plugin(write)


def check(write: Write) -> None:
    """Raises `ApiError`, adds warnings."""
    for plugin in _CHECK:
        plugin(write)
