"""Environment variables: their names, and where their values come from."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from argosy.kube import quantities
from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats
from argosy.kube.server.rules.pods.paths import check_no_backsteps
from argosy.kube.server.rules.wording import each, invalid, not_supported, required

_FIELDS: Final = (
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
)
_POD_FIELDS: Final = {
    *_FIELDS,
    "metadata.annotations",
    "metadata.labels",
    "spec.restartPolicy",
    "spec.schedulerName",
    "status.phase",
}
_RESOURCES: Final = (
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
)
_SIZES: Final = (
    *("1", "1k", "1M", "1G", "1T", "1P", "1E"),
    *("1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"),
)
_subscripted = re.compile(r"(.+?)\['(.*)'\]", re.DOTALL).fullmatch


def check_environment(variables: list[Object], path: str) -> list[Cause]:
    causes: list[Cause] = []
    for index, variable in enumerate(variables):
        if name := variable.get("name"):
            if told := formats.environment_name(name):
                causes += each(f"{path}[{index}].name", name, told)
        else:
            causes.append(required(f"{path}[{index}].name"))
        if (source := variable.get("valueFrom")) is not None:
            causes += _check_source(source, variable.get("value") or "", f"{path}[{index}].valueFrom")
    return causes


def _check_source(source: Object, value: str, path: str) -> list[Cause]:
    causes: list[Cause] = []
    count = 0
    if (field := source.get("fieldRef")) is not None:
        count += 1
        causes += check_field(field, _FIELDS, f"{path}.fieldRef")
    if (resource := source.get("resourceFieldRef")) is not None:
        count += 1
        causes += check_resource_field(resource, f"{path}.resourceFieldRef", volume=False)
    for kind in ("configMapKeyRef", "secretKeyRef"):
        if (key := source.get(kind)) is not None:
            count += 1
            causes += _check_key(key, f"{path}.{kind}")
    if (file := source.get("fileKeyRef")) is not None:
        count += 1
        causes += _check_file(file, f"{path}.fileKeyRef")
    if count == 0:
        told = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
        causes.append(invalid(path, "", told))
    elif value:
        causes.append(invalid(path, "", "may not be specified when `value` is not empty"))
    elif count > 1:
        causes.append(invalid(path, "", "may not have more than one field specified at a time"))
    return causes


def check_environment_sources(sources: list[Object], path: str) -> list[Cause]:
    """`envFrom`."""
    causes: list[Cause] = []
    for index, source in enumerate(sources):
        here = f"{path}[{index}]"
        if prefix := source.get("prefix"):
            causes += each(f"{here}.prefix", prefix, formats.environment_name(prefix))
        count = 0
        for kind in ("configMapRef", "secretRef"):
            if (found := source.get(kind)) is None:
                continue
            count += 1
            name = found.get("name") or ""
            if name:
                causes += each(f"{here}.{kind}.name", name, formats.subdomain_name(name, True))
            else:
                causes.append(required(f"{here}.{kind}.name"))
        if count == 0:
            causes.append(invalid(path, "", "must specify one of: `configMapRef` or `secretRef`"))
        elif count > 1:
            causes.append(invalid(path, "", "may not have more than one field specified at a time"))
    return causes


def check_field(field: Object, fields: Collection[str], path: str) -> list[Cause]:
    """A reference to a field of the pod itself."""
    version, asked = field.get("apiVersion") or "", field.get("fieldPath") or ""
    if not version:
        return [required(f"{path}.apiVersion")]
    if not asked:
        return [required(f"{path}.fieldPath")]
    told = _unknown(version, asked)
    if told:
        return [invalid(f"{path}.fieldPath", asked, f"error converting fieldPath: {told}")]
    if found := _subscripted(asked):
        key = found[2].lower() if found[1] == "metadata.annotations" else found[2]
        return each(path, key, formats.qualified_name(key))
    asked = "spec.nodeName" if asked == "spec.host" else asked
    if asked not in fields:
        return [not_supported(f"{path}.fieldPath", asked, sorted(fields))]
    return []


def _unknown(version: str, asked: str) -> str:
    if version != "v1":
        return f"unsupported pod version: {version}"
    if found := _subscripted(asked):
        known = found[1] in {"metadata.annotations", "metadata.labels"}
        return "" if known else f"field label does not support subscript: {asked}"
    return "" if asked in _POD_FIELDS or asked == "spec.host" else f"field label not supported: {asked}"


def check_resource_field(field: Object, path: str, *, volume: bool) -> list[Cause]:
    causes: list[Cause] = []
    resource = field.get("resource") or ""
    huge = resource.startswith(("limits.hugepages-", "requests.hugepages-"))
    if volume and not field.get("containerName"):
        causes.append(required(f"{path}.containerName"))
    elif not resource:
        causes.append(required(f"{path}.resource"))
    elif resource not in _RESOURCES and not huge:
        causes.append(not_supported(f"{path}.resource", resource, _RESOURCES))
    divisor = quantities.parse(field.get("divisor") or "0")
    if divisor.nano:
        causes += _check_divisor(resource, divisor.text, f"{path}.divisor", huge)
    return causes


def _check_divisor(resource: str, divisor: str, path: str, huge: bool) -> list[Cause]:
    kind = resource.partition(".")[2] if resource in _RESOURCES else ""
    if kind == "cpu":
        told = "only divisor's values 1m and 1 are supported with the cpu resource"
        return [] if divisor in {"1m", "1"} else [invalid(path, resource, told)]
    names = {"memory": "memory", "ephemeral-storage": "local ephemeral storage"}
    named = "hugepages" if huge else names.get(kind)
    if named is None or divisor in _SIZES:
        return []
    told = f"only divisor's values {', '.join(_SIZES)} are supported with the {named} resource"
    return [invalid(path, resource, told)]


def _check_key(key: Object, path: str) -> list[Cause]:
    name = key.get("name") or ""
    causes = each(f"{path}.name", name, formats.subdomain(name))
    if asked := key.get("key"):
        return causes + each(f"{path}.key", asked, formats.config_key(asked))
    return [*causes, required(f"{path}.key")]


def _check_file(file: Object, path: str) -> list[Cause]:
    causes: list[Cause] = []
    if key := file.get("key"):
        causes += each(f"{path}.key", key, formats.environment_name(key))
    else:
        causes.append(required(f"{path}.key"))
    if volume := file.get("volumeName"):
        causes += each(f"{path}.volumeName", volume, formats.dns_label(volume))
    else:
        causes.append(required(f"{path}.volumeName"))
    if where := file.get("path"):
        causes += check_no_backsteps(where, f"{path}.path")
    else:
        causes.append(required(f"{path}.path"))
    return causes
