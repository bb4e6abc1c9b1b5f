"""What volumes get when they are silent: an empty directory where nothing is named, file modes, and old drivers' settings."""

from __future__ import annotations

from typing import Final

from argosy.kube import quantities
from argosy.kube.objects import Object
from argosy.kube.server.rules.pods import images

_MODE: Final = 0o644
_WITH_MODE: Final = ("secret", "configMap", "downwardAPI", "projected")
_DRIVERS: Final[dict[str, dict[str, object]]] = {
    "iscsi": {"iscsiInterface": "default"},
    "rbd": {"pool": "rbd", "user": "admin", "keyring": "/etc/ceph/keyring"},
    "azureDisk": {"cachingMode": "ReadWrite", "fsType": "ext4", "readOnly": False, "kind": "Shared"},
    "scaleIO": {"storageMode": "ThinProvisioned", "fsType": "xfs"},
}


def default_volume(volume: Object) -> None:
    if not any(value is not None for key, value in volume.items() if key != "name"):
        volume["emptyDir"] = {}
    for source in _WITH_MODE:
        if (found := volume.get(source)) is not None and found.get("defaultMode") is None:
            found["defaultMode"] = _MODE
    default_source(volume)
    if (empty := volume.get("emptyDir")) and empty.get("sizeLimit") is not None:
        empty["sizeLimit"] = quantities.canonical(empty["sizeLimit"])
    if (image := volume.get("image")) is not None and not image.get("pullPolicy"):
        image["pullPolicy"] = "Always" if images.is_latest(image.get("reference") or "") else "IfNotPresent"
    _default_files(volume)
    claim = (volume.get("ephemeral") or {}).get("volumeClaimTemplate")
    if claim is not None:
        default_claim_spec(claim.setdefault("spec", {}))


def default_source(source: Object) -> None:
    """What volumes and persistent volumes have in common."""
    if (path := source.get("hostPath")) is not None and path.get("type") is None:
        path["type"] = ""
    for driver, settings in _DRIVERS.items():
        if (found := source.get(driver)) is None:
            continue
        for name, value in settings.items():
            if found.get(name) is None or (found[name] == "" and driver != "azureDisk"):
                found[name] = value


def default_claim_spec(spec: Object) -> None:
    if spec.get("volumeMode") is None:
        spec["volumeMode"] = "Filesystem"
    resources = spec.get("resources") or {}
    for part in ("limits", "requests"):
        for name, written in (resources.get(part) or {}).items():
            resources[part][name] = quantities.in_milli(written)


def _default_files(volume: Object) -> None:
    _default_downward(volume.get("downwardAPI"))
    for source in (volume.get("projected") or {}).get("sources") or ():
        _default_downward(source.get("downwardAPI"))
        token = source.get("serviceAccountToken")
        if token is not None and token.get("expirationSeconds") is None:
            token["expirationSeconds"] = 3600


def _default_downward(source: Object | None) -> None:
    for file in (source or {}).get("items") or ():
        if (field := file.get("fieldRef")) is not None and not field.get("apiVersion"):
            field["apiVersion"] = "v1"
        if (resource := file.get("resourceFieldRef")) is not None:
            divisor = resource.get("divisor")
            resource["divisor"] = quantities.canonical(divisor) if divisor is not None else "0"
