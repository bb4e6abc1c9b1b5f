"""What may change of a pod that runs, each by a subresource of its own: containers to look at it with (`ephemeralcontainers`), and how
much its containers may use (`resize`).
"""

from __future__ import annotations

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import metadata
from argosy.kube.server.rules.builtin import same
from argosy.kube.server.rules.pods.quality import quality_of_service
from argosy.kube.server.rules.wording import forbidden, invalid

_MIRROR = "kubernetes.io/config.mirror"
_RESIZED = ("resources", "resizePolicy")
_MUTABLE = ("cpu", "memory")


def keep_ephemeral(new: Object, old: Object) -> None:
    """Nothing else changes."""
    wanted = (new.get("spec") or {}).get("ephemeralContainers")
    _keep_rest(new, old, {**old["spec"], "ephemeralContainers": wanted})
    if not wanted:
        new["spec"].pop("ephemeralContainers")


def check_ephemeral(new: Object, old: Object) -> list[Cause]:
    if _MIRROR in (metadata.of(old).get("annotations") or {}):
        return [forbidden("", "static pods do not support ephemeral containers")]
    now = {one["name"]: one for one in new["spec"].get("ephemeralContainers") or ()}
    causes: list[Cause] = []
    for before in old["spec"].get("ephemeralContainers") or ():
        name = before["name"]
        told = f'existing ephemeral containers "{name}" may not be'
        if name not in now:
            causes.append(forbidden("spec.ephemeralContainers", f"{told} removed\n"))
        elif not same(now[name], before):
            causes.append(forbidden("spec.ephemeralContainers", f"{told} changed\n"))
    return causes


def keep_resized(new: Object, old: Object) -> None:
    spec, before = new.get("spec") or {}, old["spec"]
    parts = {part: _resized(spec.get(part) or [], before.get(part) or []) for part in _PARTS}
    if any(found is None for found in parts.values()):
        return  # containers that come, go or change places are refused below
    kept = {**before, **{part: found for part, found in parts.items() if found}}
    if "resources" in spec:
        kept["resources"] = spec["resources"]
    else:
        kept.pop("resources", None)
    _keep_rest(new, old, kept)


_PARTS = ("containers", "initContainers")


def _resized(new: list[Object], old: list[Object]) -> list[Object] | None:
    if [one.get("name") for one in new] != [one["name"] for one in old]:
        return None
    return [
        {
            **{key: value for key, value in before.items() if key not in _RESIZED},
            **{key: now[key] for key in _RESIZED if key in now},
        }
        for now, before in zip(new, old, strict=True)
    ]


def check_resized(new: Object, old: Object) -> list[Cause]:
    if _MIRROR in (metadata.of(old).get("annotations") or {}):
        return [forbidden("", "static pods cannot be resized")]
    spec, before = new["spec"], old["spec"]
    causes: list[Cause] = []
    quality = (old.get("status") or {}).get("qosClass") or quality_of_service(before)
    if quality != quality_of_service(spec):
        told = "Pod QOS Class may not change as a result of resizing"
        causes.append(invalid("spec", (new.get("status") or {}).get("qosClass") or "", told))
    if not _can_resize(old):
        causes.append(forbidden("spec", "Pod running on node without support for resize"))
    moved = [cause for part in _PARTS for cause in _check_order(spec, before, part)]
    if moved:
        return causes + moved
    for part in _PARTS:
        pairs = zip(spec.get(part) or (), before.get(part) or (), strict=True)
        for at, (now, was) in enumerate(pairs):
            if part == "initContainers" and was.get("restartPolicy") != "Always":
                if not same(now, was):
                    told = "resources for non-sidecar init containers are immutable"
                    causes.append(forbidden("spec", told))
                continue
            causes += _check_container(now, was, f"spec.{part}[{at}]")
    if not same(_immutable(spec.get("resources")), _immutable(before.get("resources"))):
        causes.append(forbidden("spec", "only cpu and memory resources are mutable at pod-level"))
    return causes


def _can_resize(pod: Object) -> bool:
    for one in (pod.get("status") or {}).get("containerStatuses") or ():
        if (one.get("state") or {}).get("running") is not None:
            return one.get("resources") is not None
    return True


def _check_order(spec: Object, before: Object, part: str) -> list[Cause]:
    new, old = spec.get(part) or [], before.get(part) or []
    if len(new) != len(old):
        return [forbidden(f"spec.{part}", f"{part} may not be added or removed on resize")]
    return [
        forbidden(f"spec.{part}[{at}].name", f"{part} may not be renamed or reordered on resize")
        for at, (now, was) in enumerate(zip(new, old, strict=True))
        if now["name"] != was["name"]
    ]


def _check_container(new: Object, old: Object, path: str) -> list[Cause]:
    causes: list[Cause] = []
    for part in ("requests", "limits"):
        now, was = ((one.get("resources") or {}).get(part) or {} for one in (new, old))
        if was.keys() - now.keys():
            causes.append(forbidden(f"{path}.resources.{part}", f"resource {part} cannot be removed"))
    if not same(_immutable(new.get("resources")), _immutable(old.get("resources"))):
        sidecar = "initContainers" in path
        told = "only cpu and memory resources " + (
            "for init or sidecar containers are mutable" if sidecar else "are mutable"
        )
        causes.append(forbidden(path if sidecar else "spec", told))
    return causes


def _immutable(resources: Object | None) -> Object:
    """What of them a resize may not touch."""
    found = resources or {}
    lists = {
        part: {key: value for key, value in (found.get(part) or {}).items() if key not in _MUTABLE}
        for part in ("requests", "limits")
    }
    return {**lists, "claims": found.get("claims")}


def _keep_rest(new: Object, old: Object, spec: Object) -> None:
    new["spec"] = spec
    if "status" in old:
        new["status"] = old["status"]
    for field in ("labels", "annotations", "finalizers", "ownerReferences", "deletionTimestamp"):
        if field in old["metadata"]:
            new["metadata"][field] = old["metadata"][field]
        else:
            new["metadata"].pop(field, None)
