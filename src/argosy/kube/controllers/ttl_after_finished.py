"""Deletes Jobs some time after they ended, if they say how long."""

from __future__ import annotations

from argosy.kit import clock
from argosy.kube.controllers.conditions import condition
from argosy.kube.controllers.pods.state import is_going
from argosy.kube.objects import Object
from argosy.kube.reconcile import Loop, Name, Workplace
from argosy.kube.reconcile.kinds import JOB
from argosy.kube.reconcile.times import seconds_until


def ended_at(job: Object) -> str:
    """When it got the condition that ended it; nothing while it runs."""
    for kind in ("Complete", "Failed"):
        found = condition(job, kind)
        if found is not None and found["status"] == "True":
            return str(found.get("lastTransitionTime", ""))
    return ""


class EndedJobs:
    def __init__(self, place: Workplace) -> None:
        self._place, self._jobs = place, place.copies.of(JOB)
        self.loop = Loop("ttl-after-finished", self._look)
        self.loop.follow(self._jobs)

    async def _look(self, name: Name) -> float | None:
        job = self._jobs.get(name[1], name[0])
        if job is None or is_going(job):
            return None
        seconds, ended = job["spec"].get("ttlSecondsAfterFinished"), ended_at(job)
        if seconds is None or not ended:
            return None
        left = seconds_until(ended, float(seconds), clock.now())
        if left > 0:
            return left
        await self._place.delete(job, propagation="Foreground", unchanged=True)
        return None


def make(place: Workplace) -> Loop:
    return EndedJobs(place).loop
