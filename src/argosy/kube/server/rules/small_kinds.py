"""Kinds with little to say: leases, priority classes, runtime classes, API services."""

from __future__ import annotations

from typing import Final

from argosy.kube import quantities
from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats, metadata, resources
from argosy.kube.server.rules.builtin import Builtin, Revalidated
from argosy.kube.server.rules.formats import Messages
from argosy.kube.server.rules.metadata import check_labels
from argosy.kube.server.rules.node_labels import DEPRECATED
from argosy.kube.server.rules.pods.scheduling import check_tolerations
from argosy.kube.server.rules.pods.spec import check_preemption
from argosy.kube.server.rules.printing import printed
from argosy.kube.server.rules.wording import (
    NEGATIVE,
    duplicate,
    each,
    forbidden,
    immutable,
    invalid,
    not_supported,
    quoted,
    required,
)

_HIGHEST: Final = 1_000_000_000
_SYSTEM: Final = {"system-node-critical": 2_000_001_000, "system-cluster-critical": 2_000_000_000}
_RESERVED: Final = "priority class names with 'system-' prefix are reserved for system use only. error: "


class LeaseRules(Builtin):
    standard_finalizers = False
    create_on_update = True
    unconditional_update = False

    def prepare_create(self, obj: Object) -> None:
        super().prepare_create(obj)
        _drop_coordination(obj, {})

    def prepare_update(self, new: Object, old: Object) -> None:
        super().prepare_update(new, old)
        _drop_coordination(new, old.get("spec") or {})

    def check(self, obj: Object) -> list[Cause]:
        spec, causes = obj.get("spec") or {}, []
        seconds, transitions = spec.get("leaseDurationSeconds"), spec.get("leaseTransitions")
        if seconds is not None and seconds <= 0:
            causes.append(invalid("spec.leaseDurationSeconds", seconds, "must be greater than 0"))
        if transitions is not None and transitions < 0:
            causes.append(invalid("spec.leaseTransitions", transitions, NEGATIVE))
        strategy = spec.get("strategy")
        if strategy is not None:
            path = "spec.strategy.strategy"
            if "/" in strategy:
                causes += each(path, strategy, formats.qualified_name(strategy))
            elif strategy != "OldestEmulationVersion":
                causes.append(not_supported(path, strategy, ("OldestEmulationVersion",)))
        if spec.get("preferredHolder") and not strategy:
            told = "may only be specified if `strategy` is defined"
            causes.append(forbidden("spec.preferredHolder", told))
        return causes


def _drop_coordination(lease: Object, old: Object) -> None:
    """Coordinated leader election is off."""
    for field in ("strategy", "preferredHolder"):
        if old.get(field) is None:
            (lease.get("spec") or {}).pop(field, None)


class PriorityClassRules(Builtin):
    def default(self, obj: Object) -> None:
        if obj.get("value") is None:
            obj["value"] = 0
        if obj.get("preemptionPolicy") is None:
            obj["preemptionPolicy"] = "PreemptLowerPriority"

    def prepare_create(self, obj: Object) -> None:
        obj["metadata"]["generation"] = 1

    def check(self, obj: Object) -> list[Cause]:
        name, value = str(metadata.of(obj).get("name") or ""), obj.get("value") or 0
        causes: list[Cause] = []
        if name.startswith("system-"):
            if told := _wrong_system_class(name, value, bool(obj.get("globalDefault"))):
                causes.append(forbidden("metadata.name", _RESERVED + told))
        elif value > _HIGHEST:
            told = f"maximum allowed value of a user defined priority is {_HIGHEST}"
            causes.append(forbidden("value", told))
        if (policy := obj.get("preemptionPolicy")) is not None:
            causes += check_preemption(policy, "preemptionPolicy")
        return causes

    def check_update(self, new: Object, old: Object) -> list[Cause]:
        causes: list[Cause] = []
        if (new.get("value") or 0) != (old.get("value") or 0):
            causes.append(forbidden("value", "may not be changed in an update."))
        policy = "preemptionPolicy"
        return causes + immutable(policy, new.get(policy), old.get(policy))


def _wrong_system_class(name: str, value: int, default: bool) -> str:
    if name not in _SYSTEM:
        return f"{name} is not a known system priority class"
    if value != _SYSTEM[name]:
        return f"value of {name} PriorityClass must be {_SYSTEM[name]}"
    return f"globalDefault of {name} PriorityClass must be false" if default else ""


class RuntimeClassRules(Builtin):
    standard_finalizers = False
    create_on_update = True
    unconditional_update = False

    def default(self, obj: Object) -> None:
        fixed = (obj.get("overhead") or {}).get("podFixed") or {}
        for name, written in fixed.items():
            fixed[name] = quantities.canonical(written)

    def check(self, obj: Object) -> list[Cause]:
        handler = obj.get("handler") or ""
        causes = each("handler", handler, formats.dns_label(handler)) if handler else [required("handler")]
        if (overhead := obj.get("overhead")) is not None:
            causes += resources.check_container({"limits": overhead.get("podFixed") or {}}, "overhead")
        scheduling = obj.get("scheduling")
        if scheduling is None:
            return causes
        causes += check_labels(scheduling.get("nodeSelector") or {}, "scheduling.nodeSelector")
        tolerations, path = scheduling.get("tolerations") or [], "scheduling.tolerations"
        causes += check_tolerations(tolerations, path)
        seen: set[tuple[str, ...]] = set()
        for index, one in enumerate(tolerations):
            key = tuple(one.get(part) or "" for part in ("key", "operator", "value", "effect"))
            if key in seen:
                causes.append(duplicate(f"{path}[{index}]", printed("core.Toleration", one)))
            seen.add(key)
        return causes

    def validate_update(self, new: Object, old: Object) -> list[Cause]:
        changed = metadata.check_update(metadata.of(new), metadata.of(old))
        causes = [*self.check_plain_metadata(new), *changed, *self.check_metadata(new), *self.check(new)]
        return [*causes, *changed, *immutable("handler", new.get("handler") or "", old.get("handler") or "")]

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        selector = (obj.get("scheduling") or {}).get("nodeSelector") or ()
        return [f"scheduling.nodeSelector: {DEPRECATED[key]}" for key in selector if key in DEPRECATED]


class ApiServiceRules(Revalidated):
    standard_finalizers = False
    unconditional_update = False

    def default(self, obj: Object) -> None:
        service = (obj.get("spec") or {}).get("service")
        if service is not None and service.get("port") is None:
            service["port"] = 443

    def check_metadata(self, obj: Object) -> list[Cause]:
        spec = obj.get("spec") or {}
        wanted = f"{spec.get('version') or ''}.{spec.get('group') or ''}"

        def names(name: str, prefix: bool) -> Messages:
            if wrong := formats.segment_name(name):
                return wrong
            return () if name == wanted else (f'must be `spec.version+"."+spec.group`: {quoted(wanted)}',)

        return metadata.check(metadata.of(obj), namespaced=False, names=names)

    def check(self, obj: Object) -> list[Cause]:
        spec = obj.get("spec") or {}
        group, version, service = spec.get("group") or "", spec.get("version") or "", spec.get("service")
        causes: list[Cause] = []
        if not group and version != "v1":
            told = "only v1 may have an empty group and it better be legacy kube"
            causes.append(required("spec.group", told))
        if group:
            causes += each("spec.group", group, formats.subdomain(group))
        causes += each("spec.version", version, formats.dns_1035_label(version))
        for field, most in (("groupPriorityMinimum", 20000), ("versionPriority", 1000)):
            value = spec.get(field) or 0
            if not 0 < value <= most:
                causes.append(invalid(f"spec.{field}", value, f"must be positive and less than {most}"))
        return causes + (_check_local(spec) if service is None else _check_service(spec, service))


def _check_local(spec: Object) -> list[Cause]:
    causes: list[Cause] = []
    if bundle := spec.get("caBundle"):
        size = len(bundle) * 3 // 4 - bundle[-2:].count("=")
        causes.append(invalid("spec.caBundle", f"{size} bytes", "local APIServices may not have a caBundle"))
    if spec.get("insecureSkipTLSVerify"):
        told = "local APIServices may not have insecureSkipTLSVerify"
        causes.append(invalid("spec.insecureSkipTLSVerify", True, told))
    return causes


def _check_service(spec: Object, service: Object) -> list[Cause]:
    causes = [required(f"spec.service.{field}") for field in ("namespace", "name") if not service.get(field)]
    port = service.get("port") or 0
    if told := formats.port_number(port):
        causes.append(invalid("spec.service.port", port, f"port is not valid: {', '.join(told)}"))
    if spec.get("insecureSkipTLSVerify") and spec.get("caBundle"):
        told_both = "may not be true if caBundle is present"
        causes.append(invalid("spec.insecureSkipTLSVerify", True, told_both))
    return causes
