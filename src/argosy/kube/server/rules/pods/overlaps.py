"""Files of volumes that would lie over each other. It is allowed; the pod's author should know."""

from __future__ import annotations

from argosy.kube.objects import Object
from argosy.kube.server.rules.wording import quoted

_Placed = tuple[str, str]
"""A path, and who puts it there."""


def overlapping_paths(volumes: list[Object]) -> list[str]:
    told: list[str] = []
    for volume in volumes:
        name = quoted(volume.get("name") or "")
        for kind, field, what in (("configMap", "name", "ConfigMap "), ("secret", "secretName", "Secret ")):
            if source := volume.get(kind):
                told += _meeting(name, what + quoted(source.get(field) or ""), _paths(source, ""))
        if source := volume.get("downwardAPI"):
            told += _meeting(name, "DownwardAPI", _paths(source, ""))
        if (source := volume.get("projected")) is not None:
            told += _projected(name, source)
    return told


def _projected(name: str, volume: Object) -> list[str]:
    told: list[str] = []
    placed: list[_Placed] = []
    for source in volume.get("sources") or ():
        if not any(value is not None for value in source.values()):
            told.append(f"volume {name} (Projected) has no sources provided")
            continue
        placed += _of_source(source)
    return told + _meeting(name, "Projected", placed)


def _of_source(source: Object) -> list[_Placed]:
    for kind, what in (("configMap", "ConfigMap "), ("secret", "Secret ")):
        found = source.get(kind)
        if found and found.get("items"):
            return _paths(found, what + quoted(found.get("name") or ""))
    if (found := source.get("downwardAPI")) and found.get("items"):
        return _paths(found, "DownwardAPI")
    if (found := source.get("serviceAccountToken")) is not None:
        return [(found.get("path") or "", "ServiceAccountToken")]
    if (found := source.get("podCertificate")) is not None:
        parts = (
            ("certificateChainPath", "chain"),
            ("keyPath", "key"),
            ("credentialBundlePath", "credential bundle"),
        )
        return [(found[field], f"PodCertificate {what}") for field, what in parts if found.get(field)]
    return []


def _paths(source: Object, who: str) -> list[_Placed]:
    return [(item.get("path") or "", who) for item in source.get("items") or ()]


def _meeting(name: str, what: str, placed: list[_Placed]) -> list[str]:
    told: list[str] = []
    before: list[_Placed] = []
    for path, who in placed:
        one = (path.rstrip("/"), who)
        told += [
            f"volume {name} ({what}): overlapping paths: {_shown(one)} with {_shown(other)}"
            for other in before
            if _overlap(one[0], other[0])
        ]
        before.append(one)
    return told


def _overlap(path: str, other: str) -> bool:
    if not path or not other:
        return False
    return f"{other}/".startswith(f"{path}/") or f"{path}/".startswith(f"{other}/")


def _shown(one: _Placed) -> str:
    return f"{quoted(one[0])} ({one[1]})" if one[1] else quoted(one[0])
