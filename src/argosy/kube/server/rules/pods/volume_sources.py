"""The sources that volumes of pods and persistent volumes share."""

from __future__ import annotations

import re
from typing import Final

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats
from argosy.kube.server.rules.pods.paths import check_no_backsteps
from argosy.kube.server.rules.wording import each, invalid, not_supported, required, too_long

OTHER_PATHS: Final = {
    "cephfs": ("cephFS", "cephfs"),
    "gcePersistentDisk": ("gcePersistentDisk", "persistentDisk"),
    "downwardAPI": ("downwarAPI", "downwardAPI"),
}
"""Where upstream names a source differently from its field: when it is one too many, and in its own causes."""
_HOST_PATHS: Final = (
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
)
_PARTITION: Final = formats.between(1, 255)
_is_iqn = re.compile(r"iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\s]+)$", re.ASCII).search
_is_eui = re.compile(r"eui.[A-Za-z0-9]{16}").fullmatch
_is_naa = re.compile(r"naa.[A-Za-z0-9]{32}").fullmatch
_MANAGED: Final = (
    "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"
)
_BLOB: Final = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"


def _needed(source: Object, path: str, *fields: str) -> list[Cause]:
    return [required(f"{path}.{field}") for field in fields if not source.get(field)]


def host_path(source: Object, path: str) -> list[Cause]:
    if not source.get("path"):
        return [required(f"{path}.path")]
    causes = check_no_backsteps(source["path"], f"{path}.path")
    kind = source.get("type")
    if kind is not None and kind not in _HOST_PATHS:
        causes.append(not_supported(f"{path}.type", kind, _HOST_PATHS))
    return causes


def _partition(source: Object, path: str) -> list[Cause]:
    partition = source.get("partition") or 0
    return [] if 0 <= partition <= 255 else [invalid(f"{path}.partition", partition, _PARTITION)]


def gce(source: Object, path: str) -> list[Cause]:
    return _needed(source, path, "pdName") + _partition(source, path)


def aws(source: Object, path: str) -> list[Cause]:
    return _needed(source, path, "volumeID") + _partition(source, path)


def nfs(source: Object, path: str) -> list[Cause]:
    causes = _needed(source, path, "server", "path")
    where = source.get("path") or ""
    return (
        causes
        if where.startswith("/")
        else [*causes, invalid(f"{path}.path", where, "must be an absolute path")]
    )


def iscsi(source: Object, path: str) -> list[Cause]:
    causes = _needed(source, path, "targetPortal")
    if iqn := source.get("iqn"):
        causes += _initiator(iqn, f"{path}.iqn")
    else:
        causes.append(required(f"{path}.iqn"))
    lun = source.get("lun") or 0
    if not 0 <= lun <= 255:
        causes.append(invalid(f"{path}.lun", lun, formats.between(0, 255)))
    if (source.get("chapAuthDiscovery") or source.get("chapAuthSession")) and source.get("secretRef") is None:
        causes.append(required(f"{path}.secretRef"))
    if (name := source.get("initiatorName")) is not None:
        causes += _initiator(name, f"{path}.initiatorname")
    return causes


def is_initiator(name: str) -> bool:
    return not _initiator(name, "")


def _initiator(name: str, path: str) -> list[Cause]:
    checks = {"iqn": _is_iqn, "eui": _is_eui, "naa": _is_naa}
    check = checks.get(name[:3])
    if check is None:
        return [invalid(path, name, "must be valid format starting with iqn, eui, or naa")]
    return [] if check(name) else [invalid(path, name, "must be valid format")]


def glusterfs(source: Object, path: str) -> list[Cause]:
    return _needed(source, path, "endpoints", "path")


def flocker(source: Object, path: str) -> list[Cause]:
    name, uuid = source.get("datasetName") or "", source.get("datasetUUID")
    causes: list[Cause] = []
    if not name and not uuid:
        causes.append(required(path, "one of datasetName and datasetUUID is required"))
    if name and uuid:
        told = "datasetName and datasetUUID can not be specified simultaneously"
        causes.append(invalid(path, "resource", told))
    if "/" in name:
        causes.append(invalid(f"{path}.datasetName", name, "must not contain '/'"))
    return causes


def rbd(source: Object, path: str) -> list[Cause]:
    return _needed(source, path, "monitors", "image")


def cinder(source: Object, path: str) -> list[Cause]:
    causes = _needed(source, path, "volumeID")
    secret = source.get("secretRef")
    return causes if secret is None else causes + _needed(secret, f"{path}.secretRef", "name")


def cephfs(source: Object, path: str) -> list[Cause]:
    return _needed(source, path, "monitors")


def quobyte(source: Object, path: str) -> list[Cause]:
    registry = source.get("registry") or ""
    told = "must be a host:port pair or multiple pairs separated by commas"
    causes: list[Cause] = []
    if not registry:
        causes.append(required(f"{path}.registry", told))
    elif len(source.get("tenant") or "") >= 65:
        causes.append(
            required(f"{path}.tenant", "must be a UUID and may not exceed a length of 64 characters")
        )
    else:
        wrong = [pair for pair in registry.split(",") if pair.count(":") != 1]
        causes += [invalid(f"{path}.registry", registry, told) for _ in wrong]
    return causes + _needed(source, path, "volume")


def fc(source: Object, path: str) -> list[Cause]:
    names, ids = source.get("targetWWNs") or [], source.get("wwids") or []
    causes: list[Cause] = []
    if not names and not ids:
        told = "must specify either targetWWNs or wwids, but not both"
        causes.append(required(f"{path}.targetWWNs", told))
    if names and ids:
        told = "targetWWNs and wwids can not be specified simultaneously"
        causes.append(invalid(f"{path}.targetWWNs", names, told))
    lun = source.get("lun")
    if names and lun is None:
        causes.append(required(f"{path}.lun", "lun is required if targetWWNs is specified"))
    elif names and lun is not None and not 0 <= lun <= 255:
        causes.append(invalid(f"{path}.lun", lun, formats.between(0, 255)))
    return causes


def flex(source: Object, path: str) -> list[Cause]:
    causes = _needed(source, path, "driver")
    for key in source.get("options") or {}:
        domain = "." + key.partition("/")[0].lower()
        if domain.endswith((".kubernetes.io", ".k8s.io")):
            told = "kubernetes.io and k8s.io namespaces are reserved"
            causes.append(invalid(f"{path}.options[{key}]", key, told))
    return causes


def azure_file(source: Object, path: str) -> list[Cause]:
    return _needed(source, path, "secretName", "shareName")


def azure_disk(source: Object, path: str) -> list[Cause]:
    causes = _needed(source, path, "diskName", "diskURI")
    caching, kind, address = source.get("cachingMode"), source.get("kind"), source.get("diskURI") or ""
    if caching is not None and caching not in {"None", "ReadOnly", "ReadWrite"}:
        causes.append(not_supported(f"{path}.cachingMode", caching, ("None", "ReadOnly", "ReadWrite")))
    if kind is not None and kind not in {"Dedicated", "Managed", "Shared"}:
        causes.append(not_supported(f"{path}.kind", kind, ("Dedicated", "Managed", "Shared")))
    if kind == "Managed" and not address.startswith("/subscriptions/"):
        causes.append(not_supported(f"{path}.diskURI", address, (_MANAGED,)))
    if kind is not None and kind != "Managed" and not address.startswith("https://"):
        causes.append(not_supported(f"{path}.diskURI", address, (_BLOB,)))
    return causes


def vsphere(source: Object, path: str) -> list[Cause]:
    return _needed(source, path, "volumePath")


def photon(source: Object, path: str) -> list[Cause]:
    return _needed(source, path, "pdID")


def portworx(source: Object, path: str) -> list[Cause]:
    return _needed(source, path, "volumeID")


def scale_io(source: Object, path: str) -> list[Cause]:
    return _needed(source, path, "gateway", "system", "volumeName")


def storageos(source: Object, path: str) -> list[Cause]:
    causes: list[Cause] = []
    if name := source.get("volumeName"):
        causes += each(f"{path}.volumeName", name, formats.dns_label(name))
    else:
        causes.append(required(f"{path}.volumeName"))
    if namespace := source.get("volumeNamespace"):
        causes += each(f"{path}.volumeNamespace", namespace, formats.dns_label(namespace))
    secret = source.get("secretRef")
    return causes if secret is None else causes + _needed(secret, f"{path}.secretRef", "name")


def check_driver_name(name: str, path: str) -> list[Cause]:
    if not name:
        return [required(path)]
    causes = [too_long(path, 63)] if formats.size(name) > 63 else []
    return causes + each(path, name, formats.subdomain(name.lower()))
