"""Ingresses and IngressClasses."""

from __future__ import annotations

from typing import ClassVar, Final

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import addresses, formats, metadata
from argosy.kube.server.rules.builtin import Revalidated, same
from argosy.kube.server.rules.load_balancers import check_ingress_point
from argosy.kube.server.rules.wording import (
    each,
    forbidden,
    immutable,
    invalid,
    not_supported,
    required,
    too_long,
)
from argosy.kube.server.rules.workloads.job_spec import check_prefixed_path

_CLASS: Final = "kubernetes.io/ingress.class"
_SEQUENCES: Final = ("//", "/./", "/../", "%2f", "%2F")
_SUFFIXES: Final = ("/..", "/.")
_PATH_TYPES: Final = ("Exact", "ImplementationSpecific", "Prefix")


class IngressRules(Revalidated):
    new_status: ClassVar[Object] = {"loadBalancer": {}}
    generation = True

    def check(self, obj: Object) -> list[Cause]:
        spec = obj.get("spec") or {}
        causes = _check_spec(spec, any_secret=False)
        named = (metadata.of(obj).get("annotations") or {}).get(_CLASS)
        chosen = spec.get("ingressClassName")
        if named is not None and chosen is not None and named != chosen:
            told = "must match `ingressClassName` when both are specified"
            causes.append(invalid(f"annotations.{_CLASS}", named, told))
        return causes

    def check_update(self, new: Object, old: Object) -> list[Cause]:
        secrets = [one.get("secretName") or "" for one in (old.get("spec") or {}).get("tls") or ()]
        loose = any(name and formats.subdomain(name) for name in secrets)
        return [*self.check_metadata(new), *_check_spec(new.get("spec") or {}, any_secret=loose)]

    def check_status(self, new: Object, old: Object) -> list[Cause]:
        points = _points(new)
        known = [one["ip"] for one in _points(old) if one.get("ip")]
        causes: list[Cause] = []
        for index, one in enumerate(points):
            causes += check_ingress_point(one, f"status.loadBalancer.ingress[{index}]", known)
        return causes

    def changed(self, new: Object, old: Object) -> bool:
        return not same(new.get("spec"), old.get("spec"))

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        annotations = metadata.of(obj).get("annotations") or {}
        if old is None and _CLASS in annotations and (obj.get("spec") or {}).get("ingressClassName") is None:
            return [f"annotation \"{_CLASS}\" is deprecated, please use 'spec.ingressClassName' instead"]
        return []


def _points(obj: Object) -> list[Object]:
    return ((obj.get("status") or {}).get("loadBalancer") or {}).get("ingress") or []


def _check_spec(spec: Object, *, any_secret: bool) -> list[Cause]:
    rules, backend, causes = spec.get("rules") or [], spec.get("defaultBackend"), []
    if not rules and backend is None:
        told = "either `defaultBackend` or `rules` must be specified"
        causes.append(invalid("spec", spec.get("rules"), told))
    if backend is not None:
        causes += _check_backend(backend, "spec.defaultBackend")
    for index, rule in enumerate(rules):
        causes += _check_rule(rule, f"spec.rules[{index}]")
    for index, one in enumerate(spec.get("tls") or ()):
        for number, host in enumerate(one.get("hosts") or ()):
            causes += _check_host(host, f"spec.tls[{index}].hosts[{number}]")
        if not any_secret and (name := one.get("secretName")):
            causes += each(f"spec.tls[{index}].secretName", name, formats.subdomain(name))
    if (name := spec.get("ingressClassName")) is not None:
        causes += each("spec.ingressClassName", name, formats.subdomain(name))
    return causes


def _check_host(host: str, path: str) -> list[Cause]:
    return each(path, host, formats.wildcard_subdomain(host) if "*" in host else formats.subdomain(host))


def _check_rule(rule: Object, path: str) -> list[Cause]:
    causes: list[Cause] = []
    if host := rule.get("host"):
        if addresses.parse(host) is not None:
            causes.append(invalid(f"{path}.host", host, "must be a DNS name, not an IP address"))
        causes += _check_host(host, f"{path}.host")
    http = rule.get("http")
    if http is None:
        return causes
    paths = http.get("paths") or []
    if not paths:
        causes.append(required(f"{path}.http.paths"))
    for index, one in enumerate(paths):
        causes += _check_path(one, f"{path}.http.paths[{index}]")
    return causes


def _check_path(one: Object, path: str) -> list[Cause]:
    kind, target = one.get("pathType"), one.get("path") or ""
    if kind is None:
        return [required(f"{path}.pathType", "pathType must be specified")]
    causes: list[Cause] = []
    here = f"{path}.path"
    if kind not in _PATH_TYPES:
        causes.append(not_supported(f"{path}.pathType", kind, _PATH_TYPES))
    elif not target.startswith("/") and (target or kind != "ImplementationSpecific"):
        causes.append(invalid(here, target, "must be an absolute path"))
    if kind in {"Exact", "Prefix"}:
        causes += [
            invalid(here, target, f"must not contain '{part}'") for part in _SEQUENCES if part in target
        ]
        causes += [
            invalid(here, target, f"cannot end with '{end}'") for end in _SUFFIXES if target.endswith(end)
        ]
    return causes + _check_backend(one.get("backend") or {}, f"{path}.backend")


def _check_backend(backend: Object, path: str) -> list[Cause]:
    service, resource = backend.get("service"), backend.get("resource")
    if service is not None and resource is not None:
        return [invalid(path, "", "cannot set both resource and service backends")]
    if resource is not None:
        return _check_reference(resource, f"{path}.resource")
    if service is None:
        return [invalid(path, "", "resource or service backend is required")]
    here = f"{path}.service.name"
    name = service.get("name") or ""
    causes = each(here, name, formats.dns_label(name)) if name else [required(here)]
    port = service.get("port") or {}
    port_name, number = port.get("name"), port.get("number")
    if port_name and number:
        causes.append(invalid(path, "", "cannot set both port name & port number"))
    elif port_name:
        causes += each(f"{path}.service.port.name", port_name, formats.port_name(port_name))
    elif number:
        causes += each(f"{path}.service.port.number", number, formats.port_number(number))
    else:
        causes.append(required(path, "port name or number is required"))
    return causes


def _check_reference(reference: Object, path: str) -> list[Cause]:
    causes: list[Cause] = []
    if (group := reference.get("apiGroup")) is not None:
        causes += each(f"{path}.apiGroup", group, formats.subdomain(group))
    for field in ("kind", "name"):
        if value := reference.get(field):
            causes += each(f"{path}.{field}", value, formats.segment_name(value))
        else:
            causes.append(required(f"{path}.{field}"))
    return causes


class IngressClassRules(Revalidated):
    generation = True

    def default(self, obj: Object) -> None:
        parameters = (obj.get("spec") or {}).get("parameters")
        if parameters is not None and parameters.get("scope") is None:
            parameters["scope"] = "Cluster"

    def check(self, obj: Object) -> list[Cause]:
        spec = obj.get("spec") or {}
        controller = spec.get("controller") or ""
        causes = [too_long("spec.controller", 250)] if formats.size(controller) > 250 else []
        causes += check_prefixed_path(controller, "spec.controller")
        parameters = spec.get("parameters")
        return causes if parameters is None else causes + _check_parameters(parameters, "spec.parameters")

    def check_change(self, new: Object, old: Object) -> list[Cause]:
        controllers = [(obj.get("spec") or {}).get("controller") or "" for obj in (new, old)]
        return immutable("spec.controller", *controllers)


def _check_parameters(parameters: Object, path: str) -> list[Cause]:
    causes = _check_reference(parameters, path)
    scope, namespace = parameters.get("scope") or "", parameters.get("namespace")
    here = f"{path}.namespace"
    if scope not in {"Cluster", "Namespace"}:
        causes.append(not_supported(f"{path}.scope", scope, ("Cluster", "Namespace")))
    elif scope == "Namespace" and namespace is None:
        causes.append(required(here, "`parameters.scope` is set to 'Namespace'"))
    elif scope == "Namespace":
        causes += each(here, namespace or "", formats.dns_label(namespace or ""))
    elif namespace is not None:
        causes.append(forbidden(here, "`parameters.scope` is set to 'Cluster'"))
    return causes
