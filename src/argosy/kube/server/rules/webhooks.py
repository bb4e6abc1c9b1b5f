"""Admission webhooks and policies. They are stored and served, and never called."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats, label_selectors, metadata
from argosy.kube.server.rules.builtin import Builtin, Revalidated, same
from argosy.kube.server.rules.wording import (
    duplicate,
    each,
    invalid,
    not_supported,
    quoted,
    repeats,
    required,
    too_many,
)

_OPERATIONS: Final = ("*", "CONNECT", "CREATE", "DELETE", "UPDATE")
_SCOPES: Final = ("*", "Cluster", "Namespaced")
_EFFECTS: Final = ("None", "NoneOnDryRun")
_VERSIONS: Final = ("v1", "v1beta1")
_CHOICES: Final = (
    ("failurePolicy", ("Fail", "Ignore")),
    ("matchPolicy", ("Equivalent", "Exact")),
)


class WebhookRules(Revalidated):
    """Of a ValidatingWebhookConfiguration or a MutatingWebhookConfiguration."""

    unconditional_update = False
    standard_finalizers = False
    repeats_metadata = False

    def default(self, obj: Object) -> None:
        for hook in obj.get("webhooks") or ():
            values: Object = {"failurePolicy": "Fail", "matchPolicy": "Equivalent", "timeoutSeconds": 10}
            if self._mutating:
                values["reinvocationPolicy"] = "Never"
            values |= {"namespaceSelector": {}, "objectSelector": {}}
            for field, value in values.items():
                if hook.get(field) is None:
                    hook[field] = value
            for rule in hook.get("rules") or ():
                if rule.get("scope") is None:
                    rule["scope"] = "*"
            service = (hook.get("clientConfig") or {}).get("service")
            if service is not None and service.get("port") is None:
                service["port"] = 443

    @property
    def _mutating(self) -> bool:
        return self.resource.plural.startswith("mutating")

    def prepare_create(self, obj: Object) -> None:
        obj["metadata"]["generation"] = 1

    def prepare_update(self, new: Object, old: Object) -> None:
        self.keep_generation(new, old)
        if not same(new.get("webhooks"), old.get("webhooks")):
            new["metadata"]["generation"] = int(old["metadata"].get("generation") or 0) + 1

    def check(self, obj: Object) -> list[Cause]:
        causes: list[Cause] = []
        names: set[str] = set()
        for index, hook in enumerate(obj.get("webhooks") or ()):
            path, name = f"webhooks[{index}]", hook.get("name") or ""
            causes += _check_hook(hook, name, path, mutating=self._mutating)
            causes += _check_versions(
                hook.get("admissionReviewVersions") or [], f"{path}.admissionReviewVersions"
            )
            if name in names:
                causes.append(duplicate(f"{path}.name", name))
            if name:
                names.add(name)
        return causes


class AdmissionPolicyRules(Builtin):
    """Of policies and their bindings: their expressions are kept and never compiled."""

    generation = True
    unconditional_update = False

    def check_metadata(self, obj: Object) -> list[Cause]:
        """Any finalizer may be one of theirs."""
        return metadata.check(metadata.of(obj), namespaced=False, names=self.check_name)

    def check(self, obj: Object) -> list[Cause]:
        spec = obj.get("spec") or {}
        match self.resource.plural:
            case "validatingadmissionpolicies":
                return _check_policy(spec)
            case "validatingadmissionpolicybindings":
                causes = [] if spec.get("policyName") else [required("spec.policyName")]
                if not spec.get("validationActions"):
                    told = "at least one validation action is required"
                    causes.append(required("spec.validationActions", told))
                return causes
            case _:
                return []

    def default(self, obj: Object) -> None:
        spec = obj.setdefault("spec", {})
        if self.resource.plural.endswith("policies") and spec.get("failurePolicy") is None:
            spec["failurePolicy"] = "Fail"
        for field in ("matchConstraints", "matchResources"):
            match = spec.get(field)
            if match is None:
                continue
            for name, value in (
                ("matchPolicy", "Equivalent"),
                ("namespaceSelector", {}),
                ("objectSelector", {}),
            ):
                if match.get(name) is None:
                    match[name] = value
            for part in ("resourceRules", "excludeResourceRules"):
                for rule in match.get(part) or ():
                    if rule.get("scope") is None:
                        rule["scope"] = "*"


def _check_hook(hook: Object, name: str, path: str, *, mutating: bool) -> list[Cause]:
    causes = _check_full_name(name, f"{path}.name")
    for index, rule in enumerate(hook.get("rules") or ()):
        causes += _check_rule(rule, f"{path}.rules[{index}]")
    for field, known in _CHOICES:
        if hook.get(field) is not None and hook[field] not in known:
            causes.append(not_supported(f"{path}.{field}", hook[field], known))
    effects = hook.get("sideEffects")
    if effects is None:
        causes.append(required(f"{path}.sideEffects", f"must specify one of {', '.join(_EFFECTS)}"))
    elif effects not in _EFFECTS:
        causes.append(not_supported(f"{path}.sideEffects", effects, _EFFECTS))
    seconds = hook.get("timeoutSeconds")
    if seconds is not None and not 1 <= seconds <= 30:
        told = "the timeout value must be between 1 and 30 seconds"
        causes.append(invalid(f"{path}.timeoutSeconds", seconds, told))
    for part in ("namespaceSelector", "objectSelector"):
        causes += label_selectors.check(hook.get(part), f"{path}.{part}")
    again = hook.get("reinvocationPolicy")
    if mutating and again is not None and again not in {"IfNeeded", "Never"}:
        causes.append(not_supported(f"{path}.reinvocationPolicy", again, ("IfNeeded", "Never")))
    causes += _check_client(hook.get("clientConfig") or {}, f"{path}.clientConfig")
    return causes + _check_conditions(hook.get("matchConditions") or [], f"{path}.matchConditions")


def _check_conditions(conditions: list[Object], path: str) -> list[Cause]:
    """Their names; the expressions are not compiled."""
    causes = [too_many(path, len(conditions), 64)] if len(conditions) > 64 else []
    names: set[str] = set()
    for index, one in enumerate(conditions):
        name = one.get("name") or ""
        if not (one.get("expression") or "").strip():
            causes.append(required(f"{path}[{index}].expression"))
        causes += (
            each(f"{path}[{index}].name", name, formats.qualified_name(name))
            if name
            else [required(f"{path}[{index}].name")]
        )
        if name in names:
            causes.append(duplicate(f"{path}[{index}].name", name))
        names.add(name)
    return causes


def _check_full_name(name: str, path: str) -> list[Cause]:
    if not name:
        return [required(path)]
    if told := formats.subdomain(name):
        return [invalid(path, name, ",".join(told))]
    if name.count(".") < 2:
        return [invalid(path, name, "should be a domain with at least three segments separated by dots")]
    return []


def _check_client(config: Object, path: str) -> list[Cause]:
    address, service = config.get("url"), config.get("service")
    if (address is None) == (service is None):
        return [required(path, "exactly one of url or service is required")]
    if service is not None:
        return _check_service(service, f"{path}.service")
    return _check_address(address or "", f"{path}.url")


def _check_address(address: str, path: str) -> list[Cause]:
    form = "; desired format: https://host[/path]"
    try:
        parts = urlsplit(address)
    except ValueError:
        return [required(path, f"url must be a valid URL: parse {quoted(address)}{form}")]
    causes: list[Cause] = []
    if parts.scheme != "https":
        causes.append(invalid(path, parts.scheme, f"'https' is the only allowed URL scheme{form}"))
    if not parts.netloc:
        causes.append(invalid(path, parts.netloc, f"host must be specified{form}"))
    if "@" in parts.netloc:
        causes.append(
            invalid(path, parts.netloc.rpartition("@")[0], "user information is not permitted in the URL")
        )
    if parts.fragment:
        causes.append(invalid(path, parts.fragment, "fragments are not permitted in the URL"))
    if parts.query:
        causes.append(invalid(path, parts.query, "query parameters are not permitted in the URL"))
    return causes


def _check_service(service: Object, path: str) -> list[Cause]:
    # Upstream hands both names over in the wrong order, and so complains of the other one.
    causes = [] if service.get("namespace") else [required(f"{path}.name")]
    if not service.get("name"):
        causes.append(required(f"{path}.namespace"))
    port = service.get("port") or 0
    if told := formats.port_number(port):
        causes.append(invalid(f"{path}.port", port, f"port is not valid: {','.join(told)}"))
    target = service.get("path")
    return causes if target is None else causes + _check_target(target, f"{path}.path")


def _check_target(target: str, path: str) -> list[Cause]:
    if target in {"", "/"}:
        return []
    if target == "//":
        return [invalid(path, target, "segment[0] may not be empty")]
    causes = [] if target.startswith("/") else [invalid(path, target, "must start with a '/'")]
    for index, step in enumerate(target[1:].removesuffix("/").split("/")):
        if not step:
            causes.append(invalid(path, target, f"segment[{index}] may not be empty"))
        else:
            causes += [invalid(path, target, f"segment[{index}]: {one}") for one in formats.subdomain(step)]
    return causes


def _check_rule(rule: Object, path: str) -> list[Cause]:
    operations, causes = rule.get("operations") or [], []
    if not operations:
        causes.append(required(f"{path}.operations"))
    if len(operations) > 1 and "*" in operations:
        told = "if '*' is present, must not specify other operations"
        causes.append(invalid(f"{path}.operations", operations, told))
    for index, one in enumerate(operations):
        if one not in _OPERATIONS:
            causes.append(not_supported(f"{path}.operations[{index}]", one, _OPERATIONS))
    for field, what in (("apiGroups", "API groups"), ("apiVersions", "API versions")):
        listed = rule.get(field) or []
        if not listed:
            causes.append(required(f"{path}.{field}"))
        if len(listed) > 1 and "*" in listed:
            told = f"if '*' is present, must not specify other {what}"
            causes.append(invalid(f"{path}.{field}", listed, told))
    for index, version in enumerate(rule.get("apiVersions") or ()):
        if not version:
            causes.append(required(f"{path}.apiVersions[{index}]"))
    causes += _check_resources(rule.get("resources") or [], f"{path}.resources")
    scope = rule.get("scope")
    return (
        causes
        if scope is None or scope in _SCOPES
        else [*causes, not_supported(f"{path}.scope", scope, _SCOPES)]
    )


def _check_resources(resources: list[str], path: str) -> list[Cause]:
    causes = [] if resources else [required(path)]
    wild_parts: set[str] = set()
    wild_resources: set[str] = set()
    plain = False
    for index, one in enumerate(resources):
        here = f"{path}[{index}]"
        if not one:
            causes.append(required(here))
            continue
        name, slash, part = one.partition("/")
        if not slash:
            plain = one != "*"
            continue
        if name in wild_parts:
            causes.append(invalid(here, one, f"if '{name}/*' is present, must not specify {one}"))
        if part in wild_resources:
            causes.append(invalid(here, one, f"if '*/{part}' is present, must not specify {one}"))
        if part == "*":
            wild_parts.add(name)
        if name == "*":
            wild_resources.add(part)
    if len(resources) > 1 and "*/*" in resources:
        causes.append(invalid(path, resources, "if '*/*' is present, must not specify other resources"))
    if "*" in resources and plain:
        told = "if '*' is present, must not specify other resources without subresources"
        causes.append(invalid(path, resources, told))
    return causes


def _check_versions(versions: list[str], path: str) -> list[Cause]:
    if not versions:
        return [required(path, f"must specify one of {', '.join(_VERSIONS)}")]
    causes: list[Cause] = []
    repeated = dict(repeats(versions))
    for index, version in enumerate(versions):
        if index in repeated:
            causes.append(invalid(f"{path}[{index}]", version, "duplicate version"))
        else:
            causes += each(f"{path}[{index}]", version, formats.dns_1035_label(version))
    if not set(versions) & set(_VERSIONS):
        causes.append(invalid(path, versions, f"must include at least one of {', '.join(_VERSIONS)}"))
    return causes


def _check_policy(spec: Object) -> list[Cause]:
    causes = [] if spec.get("matchConstraints") is not None else [required("spec.matchConstraints")]
    if not spec.get("validations") and not spec.get("auditAnnotations"):
        told = "validations or auditAnnotations must contain at least one item"
        causes += [required("spec.validations", told), required("spec.auditAnnotations", told)]
    return causes
