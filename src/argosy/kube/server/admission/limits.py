"""LimitRanges: what a container that says nothing asks for, and how much containers, pods and claims may ask for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from argosy.kube.objects import Object
from argosy.kube.quantities import amount, canonical, written
from argosy.kube.server.admission.write import Write

Amounts: TypeAlias = Mapping[str, str]
_CLAIM = "PersistentVolumeClaim"
_POD_LEVEL = {"cpu", "memory"}
_ANNOTATION = "kubernetes.io/limit-ranger"


def admit(write: Write) -> None:
    """Fills in."""
    if write.creates("pods"):
        for limit_range in write.reader.list("limitranges", write.namespace):
            _fill(write, [one for one in _limits(limit_range) if one.get("type") == "Container"])


def check(write: Write) -> None:
    """Refuses."""
    resized = write.operation == "UPDATE" and write.subresource == "resize"
    for limit_range in write.reader.list("limitranges", write.namespace) if _is_about(write, resized) else ():
        found: list[str] = []
        for limit in _limits(limit_range):
            if write.resource.group_resource == "persistentvolumeclaims":
                found += _of_claim(write.obj, limit)
            else:
                found += _of_pod(write.obj, limit)
        if found:
            # As often as it is wrong, it is said once.
            unique = list(dict.fromkeys(found))
            raise write.forbidden(unique[0] if len(unique) == 1 else f"[{', '.join(unique)}]")


def _is_about(write: Write, resized: bool) -> bool:
    if write.old is not None and write.old["metadata"].get("deletionTimestamp"):
        return False
    claims = write.creates("persistentvolumeclaims") or write.updates("persistentvolumeclaims")
    return claims or write.creates("pods") or resized


def _limits(limit_range: Object) -> list[Object]:
    return (limit_range.get("spec") or {}).get("limits") or []


def _fill(write: Write, limits: list[Object]) -> None:
    defaults = {
        part: {key: value for limit in limits for key, value in (limit.get(source) or {}).items()}
        for part, source in (("requests", "defaultRequest"), ("limits", "default"))
    }
    told: list[str] = []
    for kind, what in (("containers", "container"), ("initContainers", "init container")):
        for container in write.obj["spec"].get(kind) or ():
            resources = container.setdefault("resources", {})
            for part, word in (("requests", "request"), ("limits", "limit")):
                have = resources.get(part) or {}
                missing = {key: value for key, value in defaults[part].items() if key not in have}
                if missing:
                    resources[part] = {**have, **missing}
                    told.append(f"{', '.join(sorted(missing))} {word} for {what} {container['name']}")
    if told:
        annotations = write.obj["metadata"].get("annotations") or {}
        said = {_ANNOTATION: f"LimitRanger plugin set: {'; '.join(told)}"}
        write.obj["metadata"]["annotations"] = {**annotations, **said}


def _of_claim(claim: Object, limit: Object) -> Iterator[str]:
    if limit.get("type") != _CLAIM:
        return
    asked = ((claim.get("spec") or {}).get("resources") or {}).get("requests") or {}
    yield from _below(_CLAIM, limit, asked, {})
    for key, most in (limit.get("max") or {}).items():
        told = f"maximum {key} usage per {_CLAIM} is {most}"
        if key not in asked:
            yield f"{told}.  No request is specified"
        elif amount(asked[key]) > amount(most):
            yield f"{told}, but request is {asked[key]}"


def _of_pod(pod: Object, limit: Object) -> Iterator[str]:
    spec = pod["spec"]
    if limit.get("type") == "Container":
        for container in (*(spec.get("containers") or ()), *(spec.get("initContainers") or ())):
            resources = container.get("resources") or {}
            requests, limits = resources.get("requests") or {}, resources.get("limits") or {}
            yield from _problems("Container", limit, requests, limits)
    elif limit.get("type") == "Pod":
        yield from _problems("Pod", limit, _whole(spec, "requests"), _whole(spec, "limits"))


def _problems(kind: str, limit: Object, requests: Amounts, limits: Amounts) -> Iterator[str]:
    yield from _below(kind, limit, requests, limits)
    for key, most in (limit.get("max") or {}).items():
        told = f"maximum {key} usage per {kind} is {most}"
        if key not in limits:
            yield f"{told}.  No limit is specified"
        elif amount(limits[key]) > amount(most):
            yield f"{told}, but limit is {limits[key]}"
        elif key in requests and amount(requests[key]) > amount(most):
            yield f"{told}, but request is {requests[key]}"
    for key, most in (limit.get("maxLimitRequestRatio") or {}).items():
        told = f"{key} max limit to request ratio per {kind} is {most}, but"
        if not amount(requests.get(key)):
            yield f"{told} no request is specified or request is 0"
        elif not amount(limits.get(key)):
            yield f"{told} no limit is specified or limit is 0"
        elif (ratio := amount(limits[key]) / amount(requests[key])) * 1e9 > amount(most):
            yield f"{told} provided ratio is {ratio:.6f}"


def _below(kind: str, limit: Object, requests: Amounts, limits: Amounts) -> Iterator[str]:
    for key, least in (limit.get("min") or {}).items():
        told = f"minimum {key} usage per {kind} is {least}"
        if key not in requests:
            yield f"{told}.  No request is specified"
        elif amount(requests[key]) < amount(least):
            yield f"{told}, but request is {requests[key]}"
        elif key in limits and amount(limits[key]) < amount(least):
            yield f"{told}, but limit is {limits[key]}"


def _whole(spec: Object, part: str) -> dict[str, str]:
    """Of all containers together: those that run first need not fit beside the others, those that stay (sidecars) do."""
    together: dict[str, int] = {}
    staying: dict[str, int] = {}
    first: dict[str, int] = {}
    for container in spec.get("containers") or ():
        _add(together, container, part)
    for container in spec.get("initContainers") or ():
        if container.get("restartPolicy") == "Always":
            _add(together, container, part)
            _add(staying, container, part)
            beside = dict(staying)
        else:
            beside = dict(staying)
            _add(beside, container, part)
        first = {key: max(first.get(key, 0), beside.get(key, 0)) for key in first | beside}
    found = {key: written(max(together.get(key, 0), first.get(key, 0))) for key in together | first}
    own = ((spec.get("resources") or {}).get(part) or {}).items()
    return found | {key: canonical(value) for key, value in own if key in _POD_LEVEL}


def _add(total: dict[str, int], container: Object, part: str) -> None:
    for key, value in ((container.get("resources") or {}).get(part) or {}).items():
        total[key] = total.get(key, 0) + amount(value)
