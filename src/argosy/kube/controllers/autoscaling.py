"""HorizontalPodAutoscalers without metrics: they keep their target between its bounds and say that they cannot measure."""

from __future__ import annotations

from argosy.kit import clock
from argosy.kube.controllers import conditions
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object, group_version, name_of, namespace_of
from argosy.kube.reconcile import Loop, Name, Workplace
from argosy.kube.reconcile.kinds import AUTOSCALER, DEPLOYMENT, REPLICA_SET, STATEFUL_SET
from argosy.kube.reconcile.times import stamp
from argosy.kube.types import Kind

_NO_METRICS = (
    "unable to fetch metrics from resource metrics API: the server could not find the requested resource "
    "(get pods.metrics.k8s.io)"
)
_UNABLE = "the HPA was unable to compute the replica count: "
_SCALE = "the HPA controller was able to get the target's current scale"


def bounded(autoscaler: Object, current: int) -> int:
    """Pure. Nothing is scaled that somebody scaled to nothing."""
    least = int(autoscaler["spec"].get("minReplicas", 1))
    return current if current == 0 else max(min(current, int(autoscaler["spec"]["maxReplicas"])), least)


def unmeasured(autoscaler: Object) -> str:
    """Pure. Why the first of its metrics has no value."""
    metrics = autoscaler["spec"].get("metrics") or [{}]
    name = (metrics[0].get("resource") or {}).get("name", "cpu")
    return f"failed to get {name} utilization: unable to get metrics for resource {name}: {_NO_METRICS}"


def status(autoscaler: Object, current: int | None, trouble: str) -> Object:
    """Pure but for the times. `current` None: the target cannot be scaled, as `trouble` tells."""
    before = autoscaler.get("status") or {}
    found = list(before.get("conditions") or ())
    if current is None:
        said = [("AbleToScale", "False", "FailedGetScale", trouble)]
    elif current == 0:
        words = "scaling is disabled since the replica count of the target is zero"
        said = [
            ("AbleToScale", "True", "SucceededGetScale", _SCALE),
            ("ScalingActive", "False", "ScalingDisabled", words),
        ]
    else:
        said = [
            ("AbleToScale", "True", "SucceededGetScale", _SCALE),
            ("ScalingActive", "False", "FailedGetResourceMetric", _UNABLE + unmeasured(autoscaler)),
        ]
    for one in said:
        found = conditions.with_condition(found, conditions.made(*one), words_count=True)
    result: Object = {**before, "conditions": found, "currentMetrics": None}
    if current is not None:
        wanted = bounded(autoscaler, current)
        result |= {"currentReplicas": current, "desiredReplicas": wanted if wanted != current else 0}
    return result


class Autoscalers:
    def __init__(self, place: Workplace) -> None:
        self._place, self._autoscalers = place, place.copies.of(AUTOSCALER)
        self.loop = Loop("horizontal-pod-autoscaler", self._look, reads=(self._autoscalers,))
        self.loop.follow(self._autoscalers)
        for kind in (DEPLOYMENT, REPLICA_SET, STATEFUL_SET):
            place.copies.of(kind).on_change(self._target_changed)

    def _target_changed(self, before: Object | None, after: Object | None) -> None:
        target = after or before or {}
        for autoscaler in self._autoscalers.in_namespace(namespace_of(target)):
            reference = autoscaler["spec"]["scaleTargetRef"]
            if (reference["kind"], reference["name"]) == (target["kind"], name_of(target)):
                self.loop.add_object(autoscaler)

    async def _look(self, name: Name) -> None:
        autoscaler = self._autoscalers.get(name[1], name[0])
        if autoscaler is None:
            return
        reference = autoscaler["spec"]["scaleTargetRef"]
        kind = Kind(*group_version(reference), reference["kind"])
        try:
            scale = await self._place.client.get(kind, reference["name"], name[0], subresource="scale")
        except ApiError as error:
            words = f"the HPA controller was unable to get the target's current scale: {error.message}"
            self._place.events.warning(autoscaler, "FailedGetScale", error.message)
            await self._place.write_status(autoscaler, status(autoscaler, None, words))
            return
        current = int((scale.get("spec") or {}).get("replicas") or 0)
        wanted = bounded(autoscaler, current)
        found = status(autoscaler, current, "")
        if wanted != current:
            change = {"spec": {"replicas": wanted}}
            await self._place.client.patch(
                kind, reference["name"], change, namespace=name[0], subresource="scale"
            )
            least = "below" if wanted > current else "above"
            bound = "Spec.MinReplicas" if wanted > current else "Spec.MaxReplicas"
            words = f"New size: {wanted}; reason: Current number of replicas {least} {bound}"
            self._place.events.normal(autoscaler, "SuccessfulRescale", words)
            found["lastScaleTime"] = stamp(clock.now())
        elif current and not (autoscaler.get("status") or {}).get("conditions"):
            why = unmeasured(autoscaler)
            words = f"invalid metrics (1 invalid out of 1), first error is: failed to get resource metric value: {why}"
            self._place.events.warning(autoscaler, "FailedGetResourceMetric", why)
            self._place.events.warning(autoscaler, "FailedComputeMetricsReplicas", words)
        await self._place.write_status(autoscaler, found)


def make(place: Workplace) -> Loop:
    return Autoscalers(place).loop
