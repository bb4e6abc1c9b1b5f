"""What the level `baseline` forbids: known ways out of a container."""

from __future__ import annotations

from collections.abc import Iterator

from argosy.kube.objects import Object
from argosy.kube.server.admission.pod_security.fault import (
    Fault,
    containers,
    plural,
    quoted,
    security,
    setters,
    told,
    uses_own_users,
)

_APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/"
_SECCOMP_POD, _SECCOMP_CONTAINER = (
    "seccomp.security.alpha.kubernetes.io/pod",
    "container.seccomp.security.alpha.kubernetes.io/",
)
_PROFILES = {"RuntimeDefault", "Localhost"}
_SELINUX_TYPES = {"", "container_t", "container_init_t", "container_kvm_t"}
_CAPABILITIES = {
    *("AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE"),
    *("SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"),
}
SYSCTLS = {
    0: {
        *("kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.tcp_syncookies"),
        *("net.ipv4.ping_group_range", "net.ipv4.ip_unprivileged_port_start"),
    },
    27: {"net.ipv4.ip_local_reserved_ports"},
    29: {
        *("net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_keepalive_intvl"),
        "net.ipv4.tcp_keepalive_probes",
    },
    32: {"net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"},
}
"""Those that are safe, by the minor version since which they are thought so."""


def app_armor(meta: Object, spec: Object) -> Fault | None:
    values: set[str] = set()

    def is_bad(context: Object) -> bool:
        profile = context.get("appArmorProfile")
        if profile is None or profile.get("type") in _PROFILES:
            return False
        values.add(profile.get("type") or "")
        return True

    who = setters(spec, is_bad)
    annotations = sorted(
        f'{key}="{value}"'
        for key, value in (meta.get("annotations") or {}).items()
        if key.startswith(_APP_ARMOR)
        and value not in {"", "runtime/default"}
        and not value.startswith("localhost/")
    )
    shown = sorted(values) + annotations
    if annotations:
        who.append(plural("annotation", annotations))
    if not who:
        return None
    detail = f"{' and '.join(who)} must not set AppArmor profile type to {quoted(shown)}"
    return Fault(plural("forbidden AppArmor profile", shown), detail)


def capabilities(meta: Object, spec: Object) -> Fault | None:
    bad: list[str] = []
    found: set[str] = set()
    for one in containers(spec):
        added = set((security(one).get("capabilities") or {}).get("add") or ()) - _CAPABILITIES
        if added:
            bad.append(one["name"])
            found |= added
    if not bad:
        return None
    detail = f"{told(bad)} must not include {quoted(sorted(found))} in securityContext.capabilities.add"
    return Fault("non-default capabilities", detail)


def host_namespaces(meta: Object, spec: Object) -> Fault | None:
    found = [f"{name}=true" for name in ("hostNetwork", "hostPID", "hostIPC") if spec.get(name)]
    return Fault("host namespaces", ", ".join(found)) if found else None


def host_paths(meta: Object, spec: Object) -> Fault | None:
    found = [one["name"] for one in spec.get("volumes") or () if one.get("hostPath") is not None]
    return Fault("hostPath volumes", told(found, "volume")) if found else None


def host_ports(meta: Object, spec: Object) -> Fault | None:
    bad: list[str] = []
    found: set[str] = set()
    for one in containers(spec):
        ports = {str(port["hostPort"]) for port in one.get("ports") or () if port.get("hostPort")}
        if ports:
            bad.append(one["name"])
            found |= ports
    if not bad:
        return None
    ports_told = f"{plural('hostPort', sorted(found))} {', '.join(sorted(found))}"
    return Fault("hostPort", f"{told(bad)} {_uses(bad)} {ports_told}")


def probe_hosts(meta: Object, spec: Object) -> Fault | None:
    bad: set[str] = set()
    found: set[str] = set()
    for one in containers(spec):
        if hosts := set(_hosts(one)):
            bad.add(one["name"])
            found |= hosts
    if not bad:
        return None
    names, hosts_found = sorted(bad), sorted(found)
    hosts_told = f"{plural('probe or lifecycle host', hosts_found)} {quoted(hosts_found)}"
    return Fault("probe or lifecycle host", f"{told(names)} {_uses(names)} {hosts_told}")


def privileged(meta: Object, spec: Object) -> Fault | None:
    bad = [one["name"] for one in containers(spec) if security(one).get("privileged")]
    if not bad:
        return None
    return Fault("privileged", f"{told(bad)} must not set securityContext.privileged=true")


def proc_mount(meta: Object, spec: Object) -> Fault | None:
    found = {
        one["name"]: kind
        for one in containers(spec)
        if (kind := security(one).get("procMount")) not in {None, "Default"}
    }
    if not found:
        return None
    kinds = quoted(sorted(set(found.values())))
    return Fault("procMount", f"{told(list(found))} must not set securityContext.procMount to {kinds}")


def proc_mount_of_own_users(meta: Object, spec: Object) -> Fault | None:
    return None if uses_own_users(spec) else proc_mount(meta, spec)


def selinux(meta: Object, spec: Object) -> Fault | None:
    return _selinux(spec, _SELINUX_TYPES)


def selinux_with_engine(meta: Object, spec: Object) -> Fault | None:
    return _selinux(spec, _SELINUX_TYPES | {"container_engine_t"})


def seccomp_annotations(meta: Object, spec: Object) -> Fault | None:
    annotations = meta.get("annotations") or {}
    keys = [_SECCOMP_POD, *(_SECCOMP_CONTAINER + one["name"] for one in containers(spec))]
    bad = sorted(
        {f'{key}="{annotations[key]}"' for key in keys if key in annotations and _is_bad(annotations[key])}
    )
    if not bad:
        return None
    return Fault("seccompProfile", f"forbidden {plural('annotation', bad)} {', '.join(bad)}")


def seccomp(meta: Object, spec: Object) -> Fault | None:
    values: set[str] = set()

    def is_bad(context: Object) -> bool:
        profile = context.get("seccompProfile")
        if profile is None or profile.get("type") in _PROFILES:
            return False
        values.add(profile.get("type") or "")
        return True

    who = setters(spec, is_bad)
    if not who:
        return None
    kinds = quoted(sorted(values))
    detail = f"{' and '.join(who)} must not set securityContext.seccompProfile.type to {kinds}"
    return Fault("seccompProfile", detail)


def sysctls(meta: Object, spec: Object, allowed: set[str]) -> Fault | None:
    asked = [one["name"] for one in security(spec).get("sysctls") or ()]
    bad = [name for name in asked if name not in allowed]
    return Fault("forbidden sysctls", ", ".join(bad)) if bad else None


def windows_host(meta: Object, spec: Object) -> Fault | None:
    who = setters(spec, lambda context: bool((context.get("windowsOptions") or {}).get("hostProcess")))
    if not who:
        return None
    detail = f"{' and '.join(who)} must not set securityContext.windowsOptions.hostProcess=true"
    return Fault("hostProcess", detail)


def _uses(names: list[str]) -> str:
    return "uses" if len(names) == 1 else "use"


def _hosts(container: Object) -> Iterator[str]:
    lifecycle = container.get("lifecycle") or {}
    probes = (container.get(name) for name in ("livenessProbe", "readinessProbe", "startupProbe"))
    for handler in (*probes, lifecycle.get("postStart"), lifecycle.get("preStop")):
        for kind in ("httpGet", "tcpSocket"):
            if host := ((handler or {}).get(kind) or {}).get("host"):
                yield host


def _selinux(spec: Object, allowed: set[str]) -> Fault | None:
    types: set[str] = set()
    parts: set[str] = set()

    def is_bad(context: Object) -> bool:
        options = context.get("seLinuxOptions")
        if options is None:
            return False
        kind = options.get("type") or ""
        here = {part for part in ("user", "role") if options.get(part)}
        parts.update(here)
        if kind not in allowed:
            types.add(kind)
        return bool(here) or kind not in allowed

    who = setters(spec, is_bad)
    if not who:
        return None
    bad = [told(sorted(types), "type")] if types else []
    bad += [f"{part} may not be set" for part in ("user", "role") if part in parts]
    detail = f"{' and '.join(who)} set forbidden securityContext.seLinuxOptions: {'; '.join(bad)}"
    return Fault("seLinuxOptions", detail)


def _is_bad(value: str) -> bool:
    return value not in {"runtime/default", "docker/default"} and not value.startswith("localhost/")
