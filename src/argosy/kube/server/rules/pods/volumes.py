"""A pod's volumes: each has one source, and the source what it needs. Persistent volumes share most sources (`volume_sources`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from argosy.kube import quantities
from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats, metadata
from argosy.kube.server.rules.claims import check_claim_spec
from argosy.kube.server.rules.pods import volume_sources as sources
from argosy.kube.server.rules.pods.environment import check_field, check_resource_field
from argosy.kube.server.rules.pods.paths import check_descending, check_not_reserved
from argosy.kube.server.rules.pods.projections import check_projected
from argosy.kube.server.rules.wording import (
    duplicate,
    each,
    forbidden,
    invalid,
    not_supported,
    required,
)

MODE: Final = "must be a number between 0 and 0777 (octal), both inclusive"
_FIELDS: Final = (
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
)


def check_volumes(
    volumes: list[Object], path: str, *, owner: str, is_pod: bool
) -> tuple[list[Cause], Object]:
    """And the valid ones by name. `owner` is the pod's name, empty for a template."""
    causes: list[Cause] = []
    valid: Object = {}
    claims = {f"{owner}-{one.get('name')}" for one in volumes if owner and one.get("ephemeral") is not None}
    for index, volume in enumerate(volumes):
        here = f"{path}[{index}]"
        name = volume.get("name") or ""
        found = _check_source(volume, here, name, owner, is_pod)
        found += each(f"{here}.name", name, formats.dns_label(name)) if name else [required(f"{here}.name")]
        if name in valid:
            found.append(duplicate(f"{here}.name", name))
        if found:
            causes += found
        else:
            valid[name] = volume
        claim = (volume.get("persistentVolumeClaim") or {}).get("claimName")
        if claim in claims:
            told = "must not reference a PVC that gets created for an ephemeral volume"
            causes.append(invalid(f"{here}.persistentVolumeClaim.claimName", claim, told))
    return causes, valid


def _check_source(volume: Object, path: str, name: str, owner: str, is_pod: bool) -> list[Cause]:
    causes: list[Cause] = []
    count = 0
    for kind, check in _SOURCES.items():
        if (source := volume.get(kind)) is None:
            continue
        if count and kind != "emptyDir":
            told = sources.OTHER_PATHS.get(kind, (kind, kind))[0]
            causes.append(forbidden(f"{path}.{told}", "may not specify more than 1 volume type"))
            continue
        count += 1
        causes += check(source, f"{path}.{sources.OTHER_PATHS.get(kind, (kind, kind))[1]}")
        if kind == "ephemeral" and owner and name:
            claim = f"{owner}-{name}"
            for message in formats.subdomain(claim):
                causes.append(invalid(f"{path}.name", name, f'PVC name "{claim}": {message}'))
        if kind == "image" and is_pod and not source.get("reference"):
            causes.append(required(f"{path}.image.reference"))
    if count == 0:
        causes.append(required(path, "must specify a volume type"))
    return causes


def _empty_dir(source: Object, path: str) -> list[Cause]:
    if quantities.amount(source.get("sizeLimit")) < 0:
        return [forbidden(f"{path}.sizeLimit", "SizeLimit field must be a valid resource quantity")]
    return []


def _git(source: Object, path: str) -> list[Cause]:
    causes = [] if source.get("repository") else [required(f"{path}.repository")]
    return causes + check_descending(source.get("directory") or "", f"{path}.directory")


def check_mode(mode: object, path: str) -> list[Cause]:
    return [invalid(path, mode, MODE)] if isinstance(mode, int) and not 0 <= mode <= 0o777 else []


def _secret(source: Object, path: str) -> list[Cause]:
    causes = [] if source.get("secretName") else [required(f"{path}.secretName")]
    return causes + check_mode(source.get("defaultMode"), f"{path}.defaultMode") + check_items(source, path)


def _config_map(source: Object, path: str) -> list[Cause]:
    causes = [] if source.get("name") else [required(f"{path}.name")]
    return causes + check_mode(source.get("defaultMode"), f"{path}.defaultMode") + check_items(source, path)


def check_items(source: Object, path: str) -> list[Cause]:
    causes: list[Cause] = []
    for index, item in enumerate(source.get("items") or ()):
        causes += check_item(item, f"{path}.items[{index}]")
    return causes


def check_item(item: Object, path: str) -> list[Cause]:
    causes = [] if item.get("key") else [required(f"{path}.key")]
    if not item.get("path"):
        causes.append(required(f"{path}.path"))
    causes += check_not_reserved(item.get("path") or "", f"{path}.path")
    return causes + check_mode(item.get("mode"), f"{path}.mode")


def _downward(source: Object, path: str) -> list[Cause]:
    causes = check_mode(source.get("defaultMode"), f"{path}.defaultMode")
    for file in source.get("items") or ():
        causes += check_downward_file(file, path)
    return causes


def check_downward_file(file: Object, path: str) -> list[Cause]:
    causes = [] if file.get("path") else [required(f"{path}.path")]
    causes += check_not_reserved(file.get("path") or "", f"{path}.path")
    field, resource = file.get("fieldRef"), file.get("resourceFieldRef")
    if field is not None:
        causes += check_field(field, _FIELDS, f"{path}.fieldRef")
        if resource is not None:
            told = "fieldRef and resourceFieldRef can not be specified simultaneously"
            causes.append(invalid(path, "resource", told))
    elif resource is not None:
        causes += check_resource_field(resource, f"{path}.resourceFieldRef", volume=True)
    else:
        causes.append(required(path, "one of fieldRef and resourceFieldRef is required"))
    return causes + check_mode(file.get("mode"), f"{path}.mode")


def _claim(source: Object, path: str) -> list[Cause]:
    return [] if source.get("claimName") else [required(f"{path}.claimName")]


def _csi(source: Object, path: str) -> list[Cause]:
    causes = sources.check_driver_name(source.get("driver") or "", f"{path}.driver")
    secret = source.get("nodePublishSecretRef")
    if secret is not None:
        name = secret.get("name") or ""
        if name:
            causes += each(f"{path}.name", name, formats.subdomain(name))
        else:
            causes.append(required(f"{path}.nodePublishSecretRef.name"))
    return causes


def _ephemeral(source: Object, path: str) -> list[Cause]:
    template = source.get("volumeClaimTemplate")
    path = f"{path}.volumeClaimTemplate"
    if template is None:
        return [required(path)]
    meta = metadata.of(template)
    causes = metadata.check_annotations(meta.get("annotations") or {}, f"{path}.metadata.annotations")
    causes += metadata.check_labels(meta.get("labels") or {}, f"{path}.metadata.labels")
    causes += [
        forbidden(f"{path}.metadata.{field}", "cannot be set")
        for field, value in meta.items()
        if field not in {"annotations", "labels"} and value
    ]
    return causes + check_claim_spec(template.get("spec") or {}, f"{path}.spec")


def check_pull_policy(policy: str, path: str) -> list[Cause]:
    if policy in {"Always", "IfNotPresent", "Never"}:
        return []
    if not policy:
        return [required(path)]
    return [not_supported(path, policy, ("Always", "IfNotPresent", "Never"))]


def _image(source: Object, path: str) -> list[Cause]:
    return check_pull_policy(source.get("pullPolicy") or "", f"{path}.pullPolicy")


def _projected(source: Object, path: str) -> list[Cause]:
    return check_mode(source.get("defaultMode"), f"{path}.defaultMode") + check_projected(
        source, path, check_item, check_downward_file
    )


_SOURCES: Final[dict[str, Callable[[Object, str], list[Cause]]]] = {
    "emptyDir": _empty_dir,
    "hostPath": sources.host_path,
    "gitRepo": _git,
    "gcePersistentDisk": sources.gce,
    "awsElasticBlockStore": sources.aws,
    "secret": _secret,
    "nfs": sources.nfs,
    "iscsi": sources.iscsi,
    "glusterfs": sources.glusterfs,
    "flocker": sources.flocker,
    "persistentVolumeClaim": _claim,
    "rbd": sources.rbd,
    "cinder": sources.cinder,
    "cephfs": sources.cephfs,
    "quobyte": sources.quobyte,
    "downwardAPI": _downward,
    "fc": sources.fc,
    "flexVolume": sources.flex,
    "configMap": _config_map,
    "azureFile": sources.azure_file,
    "vsphereVolume": sources.vsphere,
    "photonPersistentDisk": sources.photon,
    "portworxVolume": sources.portworx,
    "azureDisk": sources.azure_disk,
    "storageos": sources.storageos,
    "projected": _projected,
    "scaleIO": sources.scale_io,
    "csi": _csi,
    "ephemeral": _ephemeral,
    "image": _image,
}
