"""Looks at a CronJob when it changes, when one of its Jobs ends, and when it is due."""

from __future__ import annotations

from datetime import datetime
from email.utils import format_datetime

from argosy.kit import clock
from argosy.kube.controllers.cronjob import planning
from argosy.kube.controllers.pods import following
from argosy.kube.controllers.pods.making import is_terminating_namespace
from argosy.kube.controllers.pods.state import is_going
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object, controller_of, name_of, namespace_of, revision_of, uid_of
from argosy.kube.reconcile import Loop, Name, Workplace
from argosy.kube.reconcile.kinds import CRON_JOB, JOB
from argosy.kube.reconcile.times import parse, stamp

_A_LITTLE = 0.1
"""Timers may be early by a hair."""
_MANY = 100


class CronJobs:
    def __init__(self, place: Workplace) -> None:
        self._place = place
        self._owners, self._jobs = place.copies.of(CRON_JOB), place.copies.of(JOB)
        self.loop = Loop("cronjob", self._look, reads=(self._owners, self._jobs))
        self.loop.follow(self._owners)
        following.follow_children(self._jobs, self._owners, self.loop, lambda _owner: None)

    async def _look(self, name: Name) -> float | None:
        owner = self._owners.get(name[1], name[0])
        if owner is None or is_going(owner):
            return None
        jobs = self._jobs.owned_by(uid_of(owner))
        status = self._seen(owner, jobs)
        for job in planning.to_clean_up(owner, jobs):
            await self._delete(owner, job)
        now = clock.now()
        started, again = await self._start({**owner, "status": status}, jobs, now)
        await self._place.write_status(owner, started)
        return again

    def _seen(self, owner: Object, jobs: list[Object]) -> Object:
        """The status with what has ended taken out of it."""
        status = dict(owner.get("status") or {})
        by_uid = {uid_of(job): job for job in jobs}
        active: list[Object] = []
        for reference in status.get("active") or ():
            job = by_uid.get(reference["uid"])
            if job is None:
                self._place.events.normal(
                    owner, "MissingJob", f"Active job went missing: {reference['name']}"
                )
            elif (ended := planning.is_finished(job)) and not is_going(job):
                words = f"Saw completed job: {name_of(job)}, condition: {ended}"
                self._place.events.normal(owner, "SawCompletedJob", words)
            elif not ended:
                active.append(reference)
        status["active"] = active
        for job in jobs:
            if planning.is_finished(job) == "Complete":
                end = (job.get("status") or {}).get("completionTime")
                if end and end > (status.get("lastSuccessfulTime") or ""):
                    status["lastSuccessfulTime"] = end
        return status

    async def _start(self, owner: Object, jobs: list[Object], now: datetime) -> tuple[Object, float | None]:
        """The status, and when to look again."""
        status, spec = owner["status"], owner["spec"]
        times = planning.checked(owner)
        if isinstance(times, str):
            words = f'unparseable schedule: "{spec.get("schedule")}" : {times}'
            self._place.events.warning(owner, "UnparseableSchedule", words)
            return status, None
        if spec.get("suspend"):
            return status, None
        found = planning.due(owner, times, now)
        again = None if found.next is None else (found.next - now).total_seconds() + _A_LITTLE
        if found.at is None:
            return status, again
        if found.missed > _MANY:
            words = (
                f"too many missed start times: {found.missed}. Set or decrease .spec.startingDeadlineSeconds "
                "or check clock skew"
            )
            self._place.events.warning(owner, "TooManyMissedTimes", words)
        if planning.too_late(owner, found.at, now):
            words = f"Missed scheduled time to start a job: {format_datetime(found.at)}"
            self._place.events.warning(owner, "MissSchedule", words)
            return status, again
        if parse(status.get("lastScheduleTime")) == found.at:
            return status, again
        if not await self._may_start(owner, jobs):
            return status, again
        return await self._create(owner, found.at), again

    async def _may_start(self, owner: Object, jobs: list[Object]) -> bool:
        active, policy = owner["status"]["active"], owner["spec"].get("concurrencyPolicy", "Allow")
        if policy == "Forbid" and active:
            words = "Not starting job because prior execution is running and concurrency policy is Forbid"
            self._place.events.normal(owner, "JobAlreadyActive", words)
            return False
        if policy == "Replace":
            uids = {one["uid"] for one in active}
            for job in jobs:
                if uid_of(job) in uids:
                    await self._delete(owner, job)
            owner["status"]["active"] = []
        return True

    async def _create(self, owner: Object, at: datetime) -> Object:
        wanted = planning.job_for(owner, at)
        status = {**owner["status"], "lastScheduleTime": stamp(at)}
        try:
            made = await self._place.create(wanted)
        except ApiError as error:
            if is_terminating_namespace(error):
                return status
            if error.reason != "AlreadyExists":
                self._place.events.warning(owner, "FailedCreate", f"Error creating job: {error.message}")
                raise
            made = await self._place.client.get(JOB, name_of(wanted), namespace_of(wanted))
            holder = controller_of(made)
            if holder is None or holder["uid"] != uid_of(owner) or planning.is_finished(made):
                return status
        else:
            self._place.events.normal(owner, "SuccessfulCreate", f"Created job {name_of(made)}")
        status["active"] = [*status["active"], _reference(made)]
        return status

    async def _delete(self, owner: Object, job: Object) -> None:
        if await self._place.delete(job, propagation="Background"):
            self._place.events.normal(owner, "SuccessfulDelete", f"Deleted job {name_of(job)}")


def _reference(job: Object) -> Object:
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "namespace": namespace_of(job),
        "name": name_of(job),
        "uid": uid_of(job),
        "resourceVersion": revision_of(job),
    }


def make(place: Workplace) -> Loop:
    return CronJobs(place).loop
