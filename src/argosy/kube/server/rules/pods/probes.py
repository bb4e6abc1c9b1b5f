"""Probes and life-cycle hooks: each does one thing, and does it right."""

from __future__ import annotations

from typing import Final

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats
from argosy.kube.server.rules.wording import (
    each,
    forbidden,
    invalid,
    nonnegative,
    not_supported,
    required,
)

_COUNTS: Final = (
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
)


def check_probes(container: Object, grace: int | None, path: str) -> list[Cause]:
    causes: list[Cause] = []
    if (probe := container.get("livenessProbe")) is not None:
        causes += _check_probe(probe, grace, f"{path}.livenessProbe")
        causes += _check_success(probe, f"{path}.livenessProbe")
    if (probe := container.get("readinessProbe")) is not None:
        causes += _check_probe(probe, grace, f"{path}.readinessProbe")
        if (period := probe.get("terminationGracePeriodSeconds")) is not None:
            here = f"{path}.readinessProbe.terminationGracePeriodSeconds"
            causes.append(invalid(here, period, "must not be set for readinessProbes"))
    if (probe := container.get("startupProbe")) is not None:
        causes += _check_probe(probe, grace, f"{path}.startupProbe")
        causes += _check_success(probe, f"{path}.startupProbe")
    return causes


def _check_success(probe: Object, path: str) -> list[Cause]:
    threshold = probe.get("successThreshold") or 0
    return [] if threshold == 1 else [invalid(f"{path}.successThreshold", threshold, "must be 1")]


def _check_probe(probe: Object, grace: int | None, path: str) -> list[Cause]:
    causes = check_handler(probe, grace, path)
    for count in _COUNTS:
        causes += nonnegative(f"{path}.{count}", probe.get(count))
    period = probe.get("terminationGracePeriodSeconds")
    if period is not None and period <= 0:
        causes.append(invalid(f"{path}.terminationGracePeriodSeconds", period, "must be greater than 0"))
    return causes


def check_lifecycle(lifecycle: Object, grace: int | None, path: str) -> list[Cause]:
    causes: list[Cause] = []
    for hook in ("postStart", "preStop"):
        if (handler := lifecycle.get(hook)) is not None:
            causes += check_handler(handler, grace, f"{path}.{hook}")
    return causes


def check_handler(handler: Object, grace: int | None, path: str) -> list[Cause]:
    causes: list[Cause] = []
    count = 0
    for kind in ("exec", "httpGet", "tcpSocket", "grpc", "sleep"):
        if (action := handler.get(kind)) is None:
            continue
        here = f"{path}.{kind}"
        if count:
            causes.append(forbidden(here, "may not specify more than 1 handler type"))
            continue
        count += 1
        match kind:
            case "exec":
                causes += [] if action.get("command") else [required(f"{here}.command")]
            case "httpGet":
                causes += _check_http(action, here)
            case "sleep":
                causes += _check_sleep(action, grace, here)
            case _:
                causes += check_port(action.get("port", 0), f"{here}.port")
    if count == 0:
        causes.append(required(path, "must specify a handler type"))
    return causes


def _check_http(action: Object, path: str) -> list[Cause]:
    causes = [] if action.get("path") else [required(f"{path}.path")]
    causes += check_port(action.get("port", 0), f"{path}.port")
    scheme = action.get("scheme") or ""
    if scheme not in {"HTTP", "HTTPS"}:
        causes.append(not_supported(f"{path}.scheme", scheme, ("HTTP", "HTTPS")))
    for header in action.get("httpHeaders") or ():
        name = header.get("name") or ""
        causes += each(f"{path}.httpHeaders", name, formats.http_header(name))
    return causes


def check_port(port: object, path: str) -> list[Cause]:
    """A number or a name."""
    if isinstance(port, str):
        return each(path, port, formats.port_name(port))
    return each(path, port, formats.port_number(port))


def _check_sleep(action: Object, grace: int | None, path: str) -> list[Cause]:
    seconds = action.get("seconds") or 0
    if grace is None or 0 <= seconds <= grace:
        return []
    told = f"must be non-negative and less than terminationGracePeriodSeconds ({grace})"
    return [invalid(path, seconds, told)]
