"""Security contexts of pods and of containers."""

from __future__ import annotations

import re
from typing import Final

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats
from argosy.kube.server.rules.pods.paths import check_descending
from argosy.kube.server.rules.printing import printed
from argosy.kube.server.rules.wording import (
    duplicate,
    each,
    invalid,
    not_supported,
    required,
    too_long,
)

_PROFILES: Final = ("Localhost", "RuntimeDefault", "Unconfined")
_SYSCTL: Final = r"([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
_is_sysctl = re.compile(_SYSCTL).fullmatch
_IPC: Final = ("kernel.shm", "kernel.msg", "fs.mqueue.")


def check_pod_context(context: Object, spec: Object, path: str) -> list[Cause]:
    causes: list[Cause] = []
    for field in ("fsGroup", "runAsUser", "runAsGroup"):
        if (value := context.get(field)) is not None:
            causes += each(f"{path}.{field}", value, formats.user_or_group(value))
    for index, group in enumerate(context.get("supplementalGroups") or ()):
        causes += each(f"{path}.supplementalGroups[{index}]", group, formats.user_or_group(group))
    if spec.get("shareProcessNamespace") and spec.get("hostPID"):
        told = "ShareProcessNamespace and HostPID cannot both be enabled"
        causes.append(invalid(f"{path}.shareProcessNamespace", True, told))
    if sysctls := context.get("sysctls"):
        causes += _check_sysctls(sysctls, spec, f"{path}.sysctls")
    change = context.get("fsGroupChangePolicy")
    if change is not None and change not in {"Always", "OnRootMismatch"}:
        causes.append(not_supported(f"{path}.fsGroupChangePolicy", change, ("Always", "OnRootMismatch")))
    causes += _check_seccomp(context.get("seccompProfile"), f"{path}.seccompProfile")
    causes += _check_windows(context.get("windowsOptions"), f"{path}.windowsOptions")
    causes += check_app_armor(context.get("appArmorProfile"), f"{path}.appArmorProfile")
    groups = context.get("supplementalGroupsPolicy")
    if groups is not None and groups not in {"Merge", "Strict"}:
        causes.append(not_supported(f"{path}.supplementalGroupsPolicy", groups, ("Merge", "Strict")))
    linux = context.get("seLinuxChangePolicy")
    if linux is not None and linux != "Recursive":
        causes.append(not_supported(f"{path}.seLinuxChangePolicy", linux, ("Recursive",)))
    return causes


def check_container_context(context: Object | None, path: str, *, host_users: bool) -> list[Cause]:
    if context is None:
        return []
    causes: list[Cause] = []
    for field in ("runAsUser", "runAsGroup"):
        if (value := context.get(field)) is not None:
            causes += each(f"{path}.{field}", value, formats.user_or_group(value))
    if (mount := context.get("procMount")) is not None:
        if mount not in {"Default", "Unmasked"}:
            causes.append(not_supported(f"{path}.procMount", mount, ("Default", "Unmasked")))
        if host_users and mount == "Unmasked":
            told = "`hostUsers` must be false to use `Unmasked`"
            causes.append(invalid(f"{path}.procMount", mount, told))
    causes += _check_seccomp(context.get("seccompProfile"), f"{path}.seccompProfile")
    if context.get("allowPrivilegeEscalation") is False:
        causes += _check_no_escalation(context, path)
    causes += _check_windows(context.get("windowsOptions"), f"{path}.windowsOptions")
    return causes + check_app_armor(context.get("appArmorProfile"), f"{path}.appArmorProfile")


def _check_no_escalation(context: Object, path: str) -> list[Cause]:
    causes: list[Cause] = []
    if context.get("privileged"):
        told = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"
        causes.append(invalid(path, printed("core.SecurityContext", context), told))
    for one in (context.get("capabilities") or {}).get("add") or ():
        if one == "CAP_SYS_ADMIN":
            told = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"
            causes.append(invalid(path, printed("core.SecurityContext", context), told))
    return causes


def _check_seccomp(profile: Object | None, path: str) -> list[Cause]:
    if profile is None:
        return []
    kind, local = profile.get("type") or "", profile.get("localhostProfile")
    causes: list[Cause] = []
    if not kind:
        causes.append(required(f"{path}.type", "type is required when seccompProfile is set"))
    elif kind not in _PROFILES:
        causes.append(not_supported(f"{path}.type", kind, _PROFILES))
    here = f"{path}.localhostProfile"
    if kind == "Localhost":
        if local is None:
            causes.append(required(here, "must be set when seccomp type is Localhost"))
        else:
            causes += check_descending(local, here)
    elif local is not None:
        shown = printed("core.SeccompProfile", profile)
        causes.append(invalid(here, shown, "can only be set when seccomp type is Localhost"))
    return causes


def check_app_armor(profile: Object | None, path: str) -> list[Cause]:
    if profile is None:
        return []
    kind, local = profile.get("type") or "", profile.get("localhostProfile")
    here = f"{path}.localhostProfile"
    if not kind:
        return [required(f"{path}.type", "type is required when appArmorProfile is set")]
    if kind not in _PROFILES:
        return [not_supported(f"{path}.type", kind, _PROFILES)]
    if kind != "Localhost":
        told = "can only be set when AppArmor type is Localhost"
        return [] if local is None else [invalid(here, local, told)]
    if local is None:
        return [required(here, "must be set when AppArmor type is Localhost")]
    causes: list[Cause] = []
    if local.strip() != local:
        causes.append(invalid(here, local, "must not be padded with whitespace"))
    elif not local:
        causes.append(required(here, "must be set when AppArmor type is Localhost"))
    if formats.size(local) > 4095:
        causes.append(too_long(here, 4095))
    return causes


def _check_sysctls(sysctls: list[Object], spec: Object, path: str) -> list[Cause]:
    causes: list[Cause] = []
    seen: set[str] = set()
    for index, one in enumerate(sysctls):
        here, name = f"{path}[{index}].name", one.get("name") or ""
        if not name:
            causes.append(required(here))
        elif len(name) > 253 or not _is_sysctl(name):
            told = f"must have at most 253 characters and match regex ^{_SYSCTL}$"
            causes.append(invalid(here, name, told))
        elif name in seen:
            causes.append(duplicate(here, name))
        dotted = _dotted(name)
        if spec.get("hostNetwork") and dotted.startswith("net."):
            causes.append(invalid(here, name, "may not be specified when 'hostNetwork' is true"))
        elif spec.get("hostIPC") and (dotted == "kernel.sem" or dotted.startswith(_IPC)):
            causes.append(invalid(here, name, "may not be specified when 'hostIPC' is true"))
        seen.add(name)
    return causes


def _dotted(name: str) -> str:
    """With whichever separator comes first as the dot."""
    first = re.search(r"[./]", name)
    return name.replace("/", ".") if first and first[0] == "/" else name


_control = re.compile(r"[\x00-\x1f\x7f]").search
_is_net_bios = re.compile(r'[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}').fullmatch
_LABEL: Final = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_is_domain = re.compile(rf"{_LABEL}(?:\.{_LABEL})*").fullmatch
_bad_user = re.compile(r'["/\\:;|=,+*?<>@\[\]]').search
_only_dots = re.compile(r"[. ]+").fullmatch


def _check_windows(options: Object | None, path: str) -> list[Cause]:
    if options is None:
        return []
    causes: list[Cause] = []
    if (name := options.get("gmsaCredentialSpecName")) is not None:
        causes += each(f"{path}.gmsaCredentialSpecName", name, formats.subdomain(name))
    if (spec := options.get("gmsaCredentialSpec")) is not None:
        here = f"{path}.gmsaCredentialSpec"
        if not spec:
            causes.append(invalid(here, spec, "gmsaCredentialSpec cannot be an empty string"))
        elif formats.size(spec) > 64 * 1024:
            causes.append(invalid(here, spec, "gmsaCredentialSpec size must be under 64 KiB"))
    if (user := options.get("runAsUserName")) is not None:
        here = f"{path}.runAsUserName"
        causes += [invalid(here, user, f"runAsUserName{told}") for told in _wrong_user(user)]
    return causes


def _wrong_user(whole: str) -> list[str]:
    if not whole:
        return [" cannot be an empty string"]
    if _control(whole):
        return [" cannot contain control characters"]
    if whole.count("\\") > 1:
        return [" cannot contain more than one backslash"]
    domain, slash, user = whole.rpartition("\\")
    told: list[str] = []
    if len(domain) >= 256:
        told.append("'s Domain length must be under 256 characters")
    if slash and not (_is_net_bios(domain) or _is_domain(domain)):
        told.append("'s Domain doesn't match the NetBios nor the DNS format")
    if not user:
        told.append("'s User cannot be empty")
    elif len(user) > 104:
        told.append("'s User length must not be longer than 104 characters")
    if _only_dots(user):
        told.append("'s User cannot contain only periods or spaces")
    if _bad_user(user):
        told.append("'s User cannot contain the following characters: \"/\\:;|=,+*?<>@[]")
    return told
