"""What extends the API or restrains it: APIService, CustomResourceDefinition, PodDisruptionBudget."""

from __future__ import annotations

from argosy.domain.health.model import DEGRADED, HEALTHY, PROGRESSING, Health
from argosy.domain.health.reading import condition, conditions, part, text
from argosy.kube.objects import Object

_REFUSED = {
    ("Terminating", "True"): (PROGRESSING, "CRD is terminating: "),
    ("NamesAccepted", "False"): (DEGRADED, "CRD names have not been accepted: "),
    ("NonStructuralSchema", "True"): (DEGRADED, "Schema violations found: "),
}


def api_service(obj: Object) -> Health:
    available = condition(obj, "Available")
    if not available:
        return Health(PROGRESSING, "Waiting to be processed")
    status = HEALTHY if available.get("status") == "True" else PROGRESSING
    return Health(status, f"{text(available, 'reason')}: {text(available, 'message')}")


def definition(obj: Object) -> Health:
    if part(obj, "metadata").get("deletionTimestamp") is not None:
        return Health(PROGRESSING, "CRD is terminating")
    found = conditions(obj)
    if not found:
        return Health(PROGRESSING, "Status conditions not found")
    for one in found:
        if refused := _REFUSED.get((text(one, "type"), text(one, "status"))):
            return Health(refused[0], refused[1] + text(one, "message"))
        if (
            one.get("type") == "Established"
            and one.get("status") != "True"
            and (waiting := _not_established(one))
        ):
            return waiting
    if condition(obj, "Established").get("status") == "True":
        return Health(HEALTHY, "CRD is healthy")
    return Health(PROGRESSING, "CRD is not established")


def _not_established(one: Object) -> Health | None:
    if one.get("reason") == "InvalidCABundle":
        return Health(DEGRADED, f"CRD is not established: {text(one, 'message')}")
    return Health(PROGRESSING, "CRD is being installed") if one.get("reason") == "Installing" else None


def disruption_budget(obj: Object) -> Health:
    """Too few pods is no fault of the budget: somebody may mean it so."""
    found = conditions(obj)
    if not found:
        return Health(PROGRESSING, "Waiting for status")
    bad = [one for one in found if one.get("status") == "False" and one.get("reason") != "InsufficientPods"]
    one = (bad or found[-1:])[0]
    return Health(DEGRADED if bad else HEALTHY, f"PodDisruptionBudget has {text(one, 'reason')}")
