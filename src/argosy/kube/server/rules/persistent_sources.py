"""The sources of persistent volumes: those of pods' volumes, with secrets in namespaces that they must name, and a few of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats
from argosy.kube.server.rules.pods import volume_sources as sources
from argosy.kube.server.rules.pods.paths import check_no_backsteps
from argosy.kube.server.rules.wording import each, invalid, required


def _local(source: Object, path: str) -> list[Cause]:
    if not source.get("path"):
        return [required(f"{path}.path")]
    return check_no_backsteps(source["path"], f"{path}.path")


def _whole_reference(source: Object, path: str) -> list[Cause]:
    """A persistent volume's secret is in a namespace that it must name."""
    secret = source.get("secretRef")
    return [] if secret is None or secret.get("namespace") else [required(f"{path}.secretRef.namespace")]


def _cinder(source: Object, path: str) -> list[Cause]:
    return sources.cinder(source, path) + _whole_reference(source, path)


def _storageos(source: Object, path: str) -> list[Cause]:
    return sources.storageos(source, path) + _whole_reference(source, path)


def _iscsi(source: Object, path: str) -> list[Cause]:
    found = sources.iscsi({key: value for key, value in source.items() if key != "initiatorName"}, path)
    secret, name = source.get("secretRef"), source.get("initiatorName")
    if secret is not None and not secret.get("name"):
        found.append(required(f"{path}.secretRef.name"))
    if name is not None and not sources.is_initiator(name):
        found.append(invalid(f"{path}.initiatorname", name, "must be valid format"))
    return found


def _azure_file(source: Object, path: str) -> list[Cause]:
    empty = source.get("secretNamespace") == ""
    return sources.azure_file(source, path) + ([required(f"{path}.secretNamespace")] if empty else [])


def _glusterfs(source: Object, path: str) -> list[Cause]:
    found, namespace = sources.glusterfs(source, path), source.get("endpointsNamespace")
    if namespace is None:
        return found
    told = ("if the endpointnamespace is set, it must be a valid namespace name",)
    return found + each(
        f"{path}.endpointsNamespace", namespace, formats.dns_label(namespace) if namespace else told
    )


def _secret(reference: Object | None, path: str) -> list[Cause]:
    if reference is None:
        return []
    causes: list[Cause] = []
    for field, check in (("name", formats.subdomain), ("namespace", formats.dns_label)):
        value = reference.get(field) or ""
        causes += each(f"{path}.{field}", value, check(value)) if value else [required(f"{path}.{field}")]
    return causes


def _csi(source: Object, path: str) -> list[Cause]:
    causes = sources.check_driver_name(source.get("driver") or "", f"{path}.driver")
    if not source.get("volumeHandle"):
        causes.append(required(f"{path}.volumeHandle"))
    for what in ("controllerPublish", "controllerExpand", "nodePublish", "nodeExpand"):
        causes += _secret(source.get(f"{what}SecretRef"), f"{path}.{what}SecretRef")
    return causes


SOURCES: Final[dict[str, Callable[[Object, str], list[Cause]]]] = {
    "hostPath": sources.host_path,
    "gcePersistentDisk": sources.gce,
    "awsElasticBlockStore": sources.aws,
    "glusterfs": _glusterfs,
    "flocker": sources.flocker,
    "nfs": sources.nfs,
    "rbd": sources.rbd,
    "quobyte": sources.quobyte,
    "cephfs": sources.cephfs,
    "iscsi": _iscsi,
    "cinder": _cinder,
    "fc": sources.fc,
    "flexVolume": sources.flex,
    "azureFile": _azure_file,
    "vsphereVolume": sources.vsphere,
    "photonPersistentDisk": sources.photon,
    "portworxVolume": sources.portworx,
    "azureDisk": sources.azure_disk,
    "scaleIO": sources.scale_io,
    "local": _local,
    "storageos": _storageos,
    "csi": _csi,
}
