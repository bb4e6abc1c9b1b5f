"""Service, Ingress, PersistentVolumeClaim: what waits for something from outside the cluster."""

from __future__ import annotations

from argosy.domain.health.model import DEGRADED, HEALTHY, PROGRESSING, UNKNOWN, Health
from argosy.domain.health.reading import part
from argosy.kube.objects import Object

_CLAIMS = {"Bound": HEALTHY, "Pending": PROGRESSING, "Lost": DEGRADED}


def service(obj: Object) -> Health:
    return ingress(obj) if part(obj, "spec").get("type") == "LoadBalancer" else Health(HEALTHY)


def ingress(obj: Object) -> Health:
    """An address must have been given to it, also where no controller ever will."""
    given = part(obj, "status", "loadBalancer").get("ingress")
    return Health(HEALTHY if isinstance(given, list) and given else PROGRESSING)


def claim(obj: Object) -> Health:
    phase = part(obj, "status").get("phase")
    return Health(_CLAIMS.get(phase, UNKNOWN) if isinstance(phase, str) else UNKNOWN)
