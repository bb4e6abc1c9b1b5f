"""What the level `restricted` forbids beside: whatever a well-behaved container can do without, and must say so."""

from __future__ import annotations

from argosy.kube.objects import Object
from argosy.kube.server.admission.pod_security.baseline import seccomp as bad_seccomp
from argosy.kube.server.admission.pod_security.fault import (
    Fault,
    Look,
    containers,
    plural,
    quoted,
    security,
    setters,
    told,
    uses_own_users,
)

_VOLUMES = {
    *("configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image", "persistentVolumeClaim"),
    *("projected", "secret"),
}


def escalation(meta: Object, spec: Object) -> Fault | None:
    bad = [
        one["name"] for one in containers(spec) if security(one).get("allowPrivilegeEscalation") is not False
    ]
    if not bad:
        return None
    detail = f"{told(bad)} must set securityContext.allowPrivilegeEscalation=false"
    return Fault("allowPrivilegeEscalation != false", detail)


def capabilities(meta: Object, spec: Object) -> Fault | None:
    keeping: list[str] = []
    adding: list[str] = []
    added: set[str] = set()
    for one in containers(spec):
        found = security(one).get("capabilities") or {}
        if "ALL" not in (found.get("drop") or ()):
            keeping.append(one["name"])
        if more := set(found.get("add") or ()) - {"NET_BIND_SERVICE"}:
            adding.append(one["name"])
            added |= more
    details: list[str] = []
    if keeping:
        details.append(f'{told(keeping)} must set securityContext.capabilities.drop=["ALL"]')
    if adding:
        names = quoted(sorted(added))
        details.append(f"{told(adding)} must not include {names} in securityContext.capabilities.add")
    return Fault("unrestricted capabilities", "; ".join(details)) if details else None


def volumes(meta: Object, spec: Object) -> Fault | None:
    bad: list[str] = []
    kinds: set[str] = set()
    for volume in spec.get("volumes") or ():
        sources = volume.keys() - {"name"}
        if not sources & _VOLUMES:
            bad.append(volume["name"])
            kinds.add(min(sources, default="unknown"))
    if not bad:
        return None
    uses, types = "uses" if len(bad) == 1 else "use", plural("restricted volume type", sorted(kinds))
    return Fault("restricted volume types", f"{told(bad, 'volume')} {uses} {types} {quoted(sorted(kinds))}")


def non_root(meta: Object, spec: Object) -> Fault | None:
    reason = "runAsNonRoot != true"
    who = setters(spec, lambda context: context.get("runAsNonRoot") is False)
    if who:
        return Fault(reason, f"{' and '.join(who)} must not set securityContext.runAsNonRoot=false")
    silent = [one["name"] for one in containers(spec) if security(one).get("runAsNonRoot") is None]
    if security(spec).get("runAsNonRoot") or not silent:
        return None
    return Fault(reason, f"pod or {told(silent)} must set securityContext.runAsNonRoot=true")


def root_user(meta: Object, spec: Object) -> Fault | None:
    who = setters(spec, lambda context: context.get("runAsUser") == 0)
    return Fault("runAsUser=0", f"{' and '.join(who)} must not set runAsUser=0") if who else None


def seccomp(meta: Object, spec: Object) -> Fault | None:
    if (bad := bad_seccomp(meta, spec)) is not None:
        return bad
    silent = [one["name"] for one in containers(spec) if security(one).get("seccompProfile") is None]
    if security(spec).get("seccompProfile") is not None or not silent:
        return None
    wanted = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"'
    return Fault("seccompProfile", f"pod or {told(silent)} {wanted}")


def but_on_windows(look: Look) -> Look:
    """Where some things cannot be set at all."""

    def looked(meta: Object, spec: Object) -> Fault | None:
        return None if (spec.get("os") or {}).get("name") == "windows" else look(meta, spec)

    return looked


def but_with_own_users(look: Look) -> Look:
    def looked(meta: Object, spec: Object) -> Fault | None:
        return None if uses_own_users(spec) else look(meta, spec)

    return looked
