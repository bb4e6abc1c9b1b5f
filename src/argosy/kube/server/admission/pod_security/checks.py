"""Which checks make up a level, in each version of the standards: a namespace may ask for those of an older Kubernetes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from typing import NamedTuple

from argosy.kube.objects import Object
from argosy.kube.server.admission.pod_security import baseline, restricted
from argosy.kube.server.admission.pod_security.fault import Fault, Look
from argosy.kube.server.admission.pod_security.levels import Level
from argosy.kube.server.admission.pod_security.restricted import but_on_windows, but_with_own_users


class _Check(NamedTuple):
    id: str
    looks: tuple[tuple[int, Look], ...]
    """By the minor version since which it looks that way."""
    instead_of: str = ""
    """A check of `baseline` that this one takes in."""

    def look(self, minor: int) -> Look | None:
        return next((look for since, look in reversed(self.looks) if minor >= since), None)


def _sysctls() -> tuple[tuple[int, Look], ...]:
    allowed: set[str] = set()
    looks: list[tuple[int, Look]] = []
    for minor, added in baseline.SYSCTLS.items():
        allowed = allowed | added
        looks.append((minor, partial(baseline.sysctls, allowed=allowed)))
    return tuple(looks)


_BASELINE = (
    _Check("appArmorProfile", ((0, baseline.app_armor),)),
    _Check("capabilities_baseline", ((0, baseline.capabilities),)),
    _Check("hostNamespaces", ((0, baseline.host_namespaces),)),
    _Check("hostPathVolumes", ((0, baseline.host_paths),)),
    _Check("hostPorts", ((0, baseline.host_ports),)),
    _Check("hostProbesAndHostLifecycle", ((34, baseline.probe_hosts),)),
    _Check("privileged", ((0, baseline.privileged),)),
    _Check("procMount", ((0, baseline.proc_mount), (35, baseline.proc_mount_of_own_users))),
    _Check("seLinuxOptions", ((0, baseline.selinux), (31, baseline.selinux_with_engine))),
    _Check("seccompProfile_baseline", ((0, baseline.seccomp_annotations), (19, baseline.seccomp))),
    _Check("sysctls", _sysctls()),
    _Check("windowsHostProcess", ((0, baseline.windows_host),)),
)
_RESTRICTED = (
    _Check(
        "allowPrivilegeEscalation",
        ((8, restricted.escalation), (25, but_on_windows(restricted.escalation))),
    ),
    _Check(
        "capabilities_restricted",
        ((22, restricted.capabilities), (25, but_on_windows(restricted.capabilities))),
        "capabilities_baseline",
    ),
    _Check("procMount_restricted", ((35, baseline.proc_mount),), "procMount"),
    _Check("restrictedVolumes", ((0, restricted.volumes),), "hostPathVolumes"),
    _Check("runAsNonRoot", ((0, restricted.non_root), (35, but_with_own_users(restricted.non_root)))),
    _Check("runAsUser", ((23, restricted.root_user), (35, but_with_own_users(restricted.root_user)))),
    _Check(
        "seccompProfile_restricted",
        ((19, restricted.seccomp), (25, but_on_windows(restricted.seccomp))),
        "seccompProfile_baseline",
    ),
)


def faults(level: Level, meta: Object, spec: Object) -> list[Fault]:
    if level.name == "privileged":
        return []
    found = (look(meta, spec) for look in _looks(level))
    return [fault for fault in found if fault is not None]


@cache
def _looks(level: Level) -> tuple[Look, ...]:
    return tuple(_chosen(level))


def _chosen(level: Level) -> Iterator[Look]:
    stricter = [] if level.name == "baseline" else [one for one in _RESTRICTED if one.look(level.minor)]
    taken_in = {one.instead_of for one in stricter}
    for check in (*(one for one in _BASELINE if one.id not in taken_in), *stricter):
        if (look := check.look(level.minor)) is not None:
            yield look
