"""Gateway API: a route or a policy has a status from each of its parents, a gateway one for each listener. The first that fails says why.

What a parent said of an older spec does not count yet.
"""

from __future__ import annotations

from argosy.domain.health.model import DEGRADED, HEALTHY, PROGRESSING, Health
from argosy.domain.health.reading import maps, part, text
from argosy.kube.objects import Object


def route(obj: Object) -> Health:
    kind = text(obj, "kind")
    settled = [parent for parent in maps(part(obj, "status").get("parents")) if _is_settled(obj, parent)]
    for parent in settled:
        if health := _refused(
            maps(parent.get("conditions")), f"Parent {text(part(parent, 'parentRef'), 'name')}: ", "Route"
        ):
            return health
    if settled and kind == "TLSRoute" and not any(map(_is_accepted, settled)):
        return Health(
            PROGRESSING,
            f"Parent {text(part(settled[0], 'parentRef'), 'name')}: Waiting for TLSRoute conditions",
        )
    return (
        Health(HEALTHY, f"{kind} is healthy")
        if settled
        else Health(PROGRESSING, f"Waiting for {kind} status")
    )


def _is_accepted(parent: Object) -> bool:
    said = maps(parent.get("conditions"))
    return bool(_with(said, "Accepted", "True") and _with(said, "ResolvedRefs", "True"))


def gateway(obj: Object) -> Health:
    kind, status = text(obj, "kind"), part(obj, "status")
    waiting = Health(PROGRESSING, f"Waiting for {kind} status")
    own, listeners = maps(status.get("conditions")), maps(status.get("listeners"))
    if not own and not listeners:
        return waiting
    if kind == "ListenerSet" and not (_is_settled(obj, status) and listeners):
        return _refused(own, "", kind) or waiting if _is_settled(obj, status) else waiting
    if health := _refused(own, "", kind):
        return health
    for listener in listeners:
        if health := _refused(maps(listener.get("conditions")), "Listener: ", "Listener"):
            return health
    return Health(HEALTHY, f"{kind} is healthy")


def policy(obj: Object) -> Health:
    """As Envoy Gateway's policies are judged."""
    kind = text(obj, "kind")
    settled = [one for one in maps(part(obj, "status").get("ancestors")) if _is_settled(obj, one)]
    for ancestor in settled:
        if refused := _with(maps(ancestor.get("conditions")), "Accepted", "False"):
            return Health(DEGRADED, text(refused, "message"))
    return (
        Health(HEALTHY, f"{kind} is healthy")
        if settled
        else Health(PROGRESSING, f"Waiting for {kind} status")
    )


def backend_tls(obj: Object) -> Health:
    """Every ancestor must have seen the newest spec, and none may refuse it."""
    ancestors = maps(part(obj, "status").get("ancestors"))
    for ancestor in ancestors:
        if not _is_settled(obj, ancestor):
            name = text(part(ancestor, "ancestorRef"), "name")
            return Health(PROGRESSING, f"Waiting for Ancestor {name} to update BackendTLSPolicy status")
    accepted = False
    for ancestor in ancestors:
        for one in maps(ancestor.get("conditions")):
            if one.get("type") in {"Accepted", "ResolvedRefs"} and one.get("status") != "True":
                return Health(
                    DEGRADED,
                    f"Ancestor {text(part(ancestor, 'ancestorRef'), 'name')}: {text(one, 'message')}",
                )
            accepted |= one.get("type") == "Accepted"
    return (
        Health(HEALTHY, "BackendTLSPolicy is healthy")
        if accepted
        else Health(PROGRESSING, "Waiting for BackendTLSPolicy status")
    )


def _is_settled(obj: Object, said: Object) -> bool:
    generation, found = part(obj, "metadata").get("generation"), maps(said.get("conditions"))
    if generation is None:
        return True
    return bool(found) and all(one.get("observedGeneration", generation) == generation for one in found)


def _refused(found: list[Object], who: str, what: str) -> Health | None:
    if conflict := _with(found, "Conflicted", "True"):
        return Health(DEGRADED, f"{who}{text(conflict, 'message') or f'{what} is conflicted'}")
    for kind in ("ResolvedRefs", "Accepted"):
        if refused := _with(found, kind, "False"):
            return Health(DEGRADED, f"{who}{text(refused, 'message') or f'Failed condition: {kind}'}")
    for one in found:
        if one.get("type") == "Programmed" and one.get("status") != "True":
            return Health(PROGRESSING, f"{who}{text(one, 'message') or f'{what} is still being programmed'}")
    return None


def _with(found: list[Object], kind: str, status: str) -> Object | None:
    return next((one for one in found if one.get("type") == kind and one.get("status") == status), None)
