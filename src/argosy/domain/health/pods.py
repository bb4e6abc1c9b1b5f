"""Pod. One that is meant to run for ever is healthy when it is ready; one that is meant to end is so when it has succeeded.

Sync hooks are often pods of the second kind: they must not count as failed while an image may still come.
"""

from __future__ import annotations

from argosy.domain.health.hooks import is_hook
from argosy.domain.health.model import DEGRADED, HEALTHY, PROGRESSING, UNKNOWN, Health
from argosy.domain.health.reading import condition, maps, number, part, text
from argosy.kube.objects import Object

IGNORE_RESTART_POLICY = "argocd.argoproj.io/ignore-restart-policy"
_PHASES = {"Pending": PROGRESSING, "Succeeded": HEALTHY}


def pod(obj: Object) -> Health:
    status = part(obj, "status")
    lasting = _is_lasting(obj)
    if lasting and (stuck := _stuck(status)) is not None:
        return Health(DEGRADED, stuck)
    phase, message = text(status, "phase"), text(status, "message")
    if phase in _PHASES:
        return Health(_PHASES[phase], message)
    if phase == "Failed":
        return Health(DEGRADED, message or _why_failed(status))
    if phase == "Running" and lasting:
        return Health(_running(obj, status), message)
    if phase == "Running" and part(obj, "spec").get("restartPolicy") in {"OnFailure", "Never"}:
        return Health(PROGRESSING, message)
    return Health(UNKNOWN, message)


def _is_lasting(obj: Object) -> bool:
    if part(obj, "spec").get("restartPolicy") == "Always":
        return True
    return part(obj, "metadata", "annotations").get(IGNORE_RESTART_POLICY) == "true" and not is_hook(obj)


def _stuck(status: Object) -> str | None:
    """What is said of the containers that cannot start; None if there are none."""
    waiting = [part(container, "state", "waiting") for container in maps(status.get("containerStatuses"))]
    failing = [text(one, "message") for one in waiting if _is_failure(text(one, "reason"))]
    return ", ".join(failing) if failing else None


def _is_failure(reason: str) -> bool:
    return reason.startswith("Err") or reason.endswith(("Error", "BackOff"))


def _running(obj: Object, status: Object) -> str:
    if condition(obj, "Ready").get("status") == "True":
        return HEALTHY
    ended_before = any(
        isinstance(part(container, "lastState").get("terminated"), dict)
        for container in maps(status.get("containerStatuses"))
    )
    return DEGRADED if ended_before else PROGRESSING


def _why_failed(status: Object) -> str:
    containers = maps(status.get("initContainerStatuses")) + maps(status.get("containerStatuses"))
    return next(filter(None, map(_ending, containers)), "")


def _ending(container: Object) -> str:
    terminated = part(container, "state", "terminated")
    if message := text(terminated, "message"):
        return message
    if terminated.get("reason") == "OOMKilled":
        return "OOMKilled"
    if code := number(terminated, "exitCode"):
        return f'container "{text(container, "name")}" failed with exit code {code}'
    return ""
