"""The whole spec of a pod, in the order in which upstream looks at it."""

from __future__ import annotations

from typing import Final

from argosy.kube import quantities
from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import addresses, formats, metadata, resources
from argosy.kube.server.rules.pods import containers, scheduling
from argosy.kube.server.rules.pods.containers import Surroundings
from argosy.kube.server.rules.pods.defaults import aggregate
from argosy.kube.server.rules.pods.options import Options
from argosy.kube.server.rules.pods.security import check_pod_context
from argosy.kube.server.rules.pods.systems import check_hosts, check_system
from argosy.kube.server.rules.pods.volumes import check_volumes
from argosy.kube.server.rules.printing import printed
from argosy.kube.server.rules.wording import (
    duplicate,
    each,
    forbidden,
    invalid,
    not_supported,
    required,
)

_DNS: Final = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_RESTARTS: Final = ("Always", "OnFailure", "Never")
_LARGEST: Final = 2**31 - 1


def check_spec(spec: Object, path: str, options: Options, *, meta: Object | None = None) -> list[Cause]:
    """`meta`: of a pod; a template has none that counts here."""
    causes: list[Cause] = []
    if spec.get("terminationGracePeriodSeconds") is None:
        causes.append(required(f"{path}.terminationGracePeriodSeconds"))
    volumes: Object = {}
    if listed := spec.get("volumes"):
        owner = str((meta or {}).get("name") or "")
        found, volumes = check_volumes(listed, f"{path}.volumes", owner=owner, is_pod=options.is_pod)
        causes += found
    if claims := spec.get("resourceClaims"):
        causes += _check_claims(claims, f"{path}.resourceClaims")
    around = Surroundings(spec, volumes)
    running, starting = spec.get("containers") or [], spec.get("initContainers") or []
    causes += containers.check_containers(running, around, f"{path}.containers")
    if starting:
        causes += containers.check_init_containers(starting, running, around, f"{path}.initContainers")
    if added := spec.get("ephemeralContainers"):
        here = f"{path}.ephemeralContainers"
        causes += containers.check_ephemeral_containers(added, spec, around, here)
    if spec.get("resources") is not None:
        causes += _check_resources(spec, around, f"{path}.resources")
    if spec.get("hostNetwork"):
        causes += _check_host_network(running, options, f"{path}.containers")
    return causes + _check_policies(spec, path) + _check_rest(spec, path, options)


def _check_policies(spec: Object, path: str) -> list[Cause]:
    causes: list[Cause] = []
    for field, known in (("restartPolicy", _RESTARTS), ("dnsPolicy", _DNS)):
        policy = spec.get(field) or ""
        if policy not in known:
            here = f"{path}.{field}"
            causes.append(not_supported(here, policy, known) if policy else required(here))
    if selector := spec.get("nodeSelector"):
        causes += metadata.check_labels(selector, f"{path}.nodeSelector")
    if context := spec.get("securityContext"):
        causes += check_pod_context(context, spec, f"{path}.securityContext")
    return causes


def _check_rest(spec: Object, path: str, options: Options) -> list[Cause]:
    causes: list[Cause] = []
    if (affinity := spec.get("affinity")) is not None:
        causes += scheduling.check_affinity(affinity, options, f"{path}.affinity")
    if spec.get("dnsConfig") is not None or spec.get("dnsPolicy") == "None":
        causes += _check_dns(spec, f"{path}.dnsConfig")
    for index, gate in enumerate(spec.get("readinessGates") or ()):
        kind = gate.get("conditionType") or ""
        causes += each(f"{path}.readinessGates[{index}].conditionType", kind, formats.qualified_name(kind))
    causes += _check_gates(spec.get("schedulingGates") or [], f"{path}.schedulingGates")
    if constraints := spec.get("topologySpreadConstraints"):
        causes += scheduling.check_spread(constraints, options, f"{path}.topologySpreadConstraints")
    causes += check_hosts(spec, path)
    causes += _check_names(spec, path)
    if tolerations := spec.get("tolerations"):
        causes += scheduling.check_tolerations(tolerations, f"{path}.tolerations")
    for index, alias in enumerate(spec.get("hostAliases") or ()):
        causes += _check_alias(alias, f"{path}.hostAliases[{index}]")
    causes += _check_classes(spec, path)
    return causes + check_system(spec, path)


def _check_names(spec: Object, path: str) -> list[Cause]:
    causes: list[Cause] = []
    for field in ("serviceAccountName", "nodeName"):
        if name := spec.get(field):
            causes += each(f"{path}.{field}", name, formats.subdomain(name))
    seconds = spec.get("activeDeadlineSeconds")
    if seconds is not None and not 1 <= seconds <= _LARGEST:
        causes.append(invalid(f"{path}.activeDeadlineSeconds", seconds, formats.between(1, _LARGEST)))
    for field in ("hostname", "subdomain"):
        if name := spec.get(field):
            causes += each(f"{path}.{field}", name, formats.dns_label(name))
    return causes


def _check_alias(alias: Object, path: str) -> list[Cause]:
    causes = addresses.check(alias.get("ip") or "", f"{path}.ip")
    for index, name in enumerate(alias.get("hostnames") or ()):
        causes += each(f"{path}.hostnames[{index}]", name, formats.subdomain(name))
    return causes


def _check_classes(spec: Object, path: str) -> list[Cause]:
    causes: list[Cause] = []
    if name := spec.get("priorityClassName"):
        causes += each(f"{path}.priorityClassName", name, formats.subdomain(name))
    if (name := spec.get("runtimeClassName")) is not None:
        causes += each(f"{path}.runtimeClassName", name, formats.subdomain(name))
    if (policy := spec.get("preemptionPolicy")) is not None:
        causes += check_preemption(policy, f"{path}.preemptionPolicy")
    if overhead := spec.get("overhead"):
        causes += resources.check_container({"limits": overhead}, f"{path}.overhead")
    return causes


def check_preemption(policy: str, path: str) -> list[Cause]:
    if policy in {"PreemptLowerPriority", "Never"}:
        return []
    known = ("PreemptLowerPriority", "Never")
    return [not_supported(path, policy, known) if policy else required(path)]


def _check_gates(gates: list[Object], path: str) -> list[Cause]:
    causes: list[Cause] = []
    seen: set[str] = set()
    for index, gate in enumerate(gates):
        name = gate.get("name") or ""
        causes += each(f"{path}[{index}]", name, formats.qualified_name(name))
        if name in seen:
            causes.append(duplicate(f"{path}[{index}]", name))
        seen.add(name)
    return causes


def _check_dns(spec: Object, path: str) -> list[Cause]:
    config = spec.get("dnsConfig")
    servers = (config or {}).get("nameservers") or []
    if spec.get("dnsPolicy") == "None":
        if config is None:
            return [required(path, "must provide `dnsConfig` when `dnsPolicy` is None")]
        if not servers:
            told = "must provide at least one DNS nameserver when `dnsPolicy` is None"
            return [required(f"{path}.nameservers", told)]
    config = config or {}
    causes: list[Cause] = []
    if len(servers) > 3:
        causes.append(invalid(f"{path}.nameservers", servers, "must not have more than 3 nameservers"))
    for index, server in enumerate(servers):
        causes += addresses.check(server, f"{path}.nameservers[{index}]")
    searches = config.get("searches") or []
    if len(searches) > 32:
        causes.append(invalid(f"{path}.searches", searches, "must not have more than 32 search paths"))
    if len(" ".join(searches)) > 2048:
        told = "must not have more than 2048 characters (including spaces) in the search list"
        causes.append(invalid(f"{path}.searches", searches, told))
    for index, search in enumerate(searches):
        if search != ".":
            plain = search.removesuffix(".")
            causes += each(f"{path}.searches[{index}]", plain, formats.underscored_subdomain(plain))
    for index, option in enumerate(config.get("options") or ()):
        if not option.get("name"):
            causes.append(required(f"{path}.options[{index}]", "must not be empty"))
    return causes


def _check_host_network(listed: list[Object], options: Options, path: str) -> list[Cause]:
    causes: list[Cause] = []
    for index, container in enumerate(listed):
        for number, port in enumerate(container.get("ports") or ()):
            host, inside = port.get("hostPort") or 0, port.get("containerPort") or 0
            if (options.is_pod or host) and host != inside:
                told = "must match `containerPort` when `hostNetwork` is true"
                causes.append(invalid(f"{path}[{index}].ports[{number}].hostPort", host, told))
    return causes


def _check_claims(claims: list[Object], path: str) -> list[Cause]:
    causes: list[Cause] = []
    seen: set[str] = set()
    for index, claim in enumerate(claims):
        here, name = f"{path}[{index}]", claim.get("name") or ""
        if not name:
            causes.append(required(f"{here}.name"))
        elif name in seen:
            causes.append(duplicate(f"{here}.name", name))
        else:
            causes += each(f"{here}.name", name, formats.dns_label(name))
            seen.add(name)
        named = [
            part for part in ("resourceClaimName", "resourceClaimTemplateName") if claim.get(part) is not None
        ]
        shown = printed("core.PodResourceClaim", claim)
        if len(named) == 2:
            told = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
            causes.append(invalid(here, shown, told))
        if not named:
            told = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
            causes.append(invalid(here, shown, told))
        for part in named:
            causes += each(f"{here}.{part}", claim[part], formats.subdomain(claim[part]))
    return causes


def _check_resources(spec: Object, around: Surroundings, path: str) -> list[Cause]:
    wanted = spec["resources"]
    if (spec.get("os") or {}).get("name") == "windows":
        return [forbidden(path, "may not be set for a windows pod")]
    causes: list[Cause] = []
    if wanted.get("claims"):
        causes.append(forbidden(f"{path}.claims", "claims may not be set for Resources at pod-level"))
    causes += resources.check_pod(wanted, path, around.claims)
    limits, requests = wanted.get("limits") or {}, wanted.get("requests") or {}
    for name, together in aggregate(spec, "requests").items():
        if name in requests and quantities.amount(together) > quantities.amount(requests[name]):
            told = f"must be greater than or equal to aggregate container requests of {together}"
            causes.append(invalid(f"{path}.requests[{name}]", requests[name], told))
    for name, together in aggregate(spec, "limits").items():
        if not resources.is_huge_page(name) or name not in limits:
            continue
        if quantities.amount(together) > quantities.amount(limits[name]):
            told = f"must be greater than or equal to aggregate container limits of {together}"
            causes.append(invalid(f"{path}.limits[{name}]", limits[name], told))
    for index, container in enumerate(spec.get("containers") or ()):
        for name, limit in ((container.get("resources") or {}).get("limits") or {}).items():
            if name in limits and quantities.amount(limit) > quantities.amount(limits[name]):
                told = f"must be less than or equal to pod limits of {limits[name]}"
                causes.append(invalid(f"{path}.containers[{index}][{name}].limits", limit, told))
    return causes
