"""Looks at a Job: makes and deletes pods as planned, and counts those that ended, each exactly once.

An ended pod is first noted in the status, then loses the finalizer that kept it, then is counted. Whatever is killed between these
steps, the next look goes on where it stopped.
"""

from __future__ import annotations

from argosy.kit import clock
from argosy.kube.controllers import conditions
from argosy.kube.controllers.conditions import is_true
from argosy.kube.controllers.job import indexes, planning
from argosy.kube.controllers.job.pods import TRACKING, failed, is_indexed, is_tracked, pod_for, succeeded
from argosy.kube.controllers.pods import following, making, owning
from argosy.kube.controllers.pods.making import all_of
from argosy.kube.controllers.pods.state import is_going, is_ready
from argosy.kube.errors import ApiError
from argosy.kube.objects import Object, controller_of, uid_of
from argosy.kube.reconcile import Loop, Name, Workplace
from argosy.kube.reconcile.kinds import JOB, POD
from argosy.kube.reconcile.times import stamp

_OURS = "kubernetes.io/job-controller"


class Jobs:
    def __init__(self, place: Workplace) -> None:
        self._place = place
        self._jobs, self._pods = place.copies.of(JOB), place.copies.of(POD)
        self.loop = Loop("job", self._look, reads=(self._jobs, self._pods))
        self.loop.follow(self._jobs)
        following.follow_children(self._pods, self._jobs, self.loop)

    async def _look(self, name: Name) -> float | None:
        job = self._jobs.get(name[1], name[0])
        if job is None:
            await self._let_go(self._left_behind(name))
            return None
        if job["spec"].get("managedBy") not in {None, _OURS}:
            return None
        pods = await owning.claim(self._place, job, job["spec"].get("selector"), self._pods)
        if is_true(job, "Complete") or is_true(job, "Failed"):
            await self._let_go(pods)
            return None
        seen = planning.Standing(job, pods, clock.now())
        planned = planning.plan(seen)
        trouble = await self._do(job, planned)
        job = await self._note(seen)
        await self._let_go([pod for pod in pods if succeeded(pod) or failed(job, pod)])
        await self._count(job, seen)
        if trouble is not None:
            raise trouble
        return planned.again

    def _left_behind(self, name: Name) -> list[Object]:
        """Pods of a Job that is gone."""
        return [
            pod
            for pod in self._pods.in_namespace(name[0])
            if (owner := controller_of(pod)) is not None
            and (owner["kind"], owner["name"]) == ("Job", name[1])
        ]

    async def _do(self, job: Object, planned: planning.Plan) -> ApiError | None:
        try:
            await making.delete_pods(self._place, job, planned.delete)
            made = [pod_for(job, index) for index in planned.create[: making.BURST]]
            await making.create_pods(self._place, job, made)
        except ApiError as error:
            return error
        return None

    async def _note(self, seen: planning.Standing) -> Object:
        """Which pods have ended and are not counted yet."""
        old_succeeded, old_failed = seen.uncounted
        new_succeeded = {uid_of(pod) for pod in seen.newly_succeeded}
        new_failed = {uid_of(pod) for pod in seen.counted_failures}
        if not new_succeeded and not new_failed:
            return seen.job
        held = {
            "succeeded": sorted(old_succeeded | new_succeeded),
            "failed": sorted(old_failed | new_failed),
        }
        return await self._place.write_status(
            seen.job,
            {**seen.status, "uncountedTerminatedPods": {key: one for key, one in held.items() if one}},
        )

    async def _let_go(self, pods: list[Object]) -> None:
        await all_of([self._untrack(pod) for pod in pods if is_tracked(pod)])

    async def _untrack(self, pod: Object) -> None:
        change = {"metadata": {"uid": uid_of(pod), "$deleteFromPrimitiveList/finalizers": [TRACKING]}}
        try:
            await self._place.patch(pod, change, form="strategic")
        except ApiError as error:
            if error.code not in {404, 409}:
                raise

    async def _count(self, job: Object, seen: planning.Standing) -> None:
        wanted = status(job, seen)
        before = {one["type"] for one in _true(job)}
        written = await self._place.write_status(job, wanted)
        for one in _true(written):
            if one["type"] not in before:
                self._tell(job, one)
        if not seen.suspended and _suspended(seen.job):
            self._place.events.normal(job, "Resumed", "Job resumed")

    def _tell(self, job: Object, condition: Object) -> None:
        match condition["type"]:
            case "Complete":
                self._place.events.normal(job, "Completed", "Job completed")
            case "Failed":
                self._place.events.warning(job, condition["reason"], condition["message"])
            case "Suspended":
                self._place.events.normal(job, "Suspended", "Job suspended")


def status(job: Object, seen: planning.Standing) -> Object:
    """After the ended pods were let go. Pure but for the times in conditions."""
    stopped = seen.failure is not None or seen.success or seen.suspended
    active = [] if stopped and not is_going(job) else seen.active
    terminating = len(seen.terminating) + len(seen.active) - len(active)
    found: Object = {
        **(job.get("status") or {}),
        "active": len(active),
        "ready": sum(1 for pod in active if is_ready(pod)),
        "terminating": terminating,
        "succeeded": seen.succeeded,
        "failed": seen.failed,
        "uncountedTerminatedPods": {},
    }
    if is_indexed(job):
        found["completedIndexes"] = indexes.write(seen.completed)
    if not seen.suspended and not found.get("startTime"):
        found["startTime"] = stamp(seen.now)
    found["conditions"] = _conditions(
        found.get("conditions") or [], seen, done=not active and not terminating
    )
    if seen.suspended and seen.failure is None and not seen.success:
        found.pop("startTime", None)
    if any(one["type"] == "Complete" for one in found["conditions"]) and not found.get("completionTime"):
        found["completionTime"] = stamp(seen.now)
    return found


def _conditions(old: list[Object], seen: planning.Standing, *, done: bool) -> list[Object]:
    """First that its end is decided, then, when its last pod has stopped, that it has ended."""
    found = list(old)
    if seen.failure is not None:
        found = _with(found, "FailureTarget", *seen.failure)
        return _with(found, "Failed", *seen.failure) if done else found
    if seen.success:
        words = ("CompletionsReached", "Reached expected number of succeeded pods")
        found = _with(found, "SuccessCriteriaMet", *words)
        return _with(found, "Complete", *words) if done else found
    if seen.suspended:
        return _with(found, "Suspended", "JobSuspended", "Job suspended")
    if conditions.find(found, "Suspended") is not None:
        return _with(found, "Suspended", "JobResumed", "Job resumed", state="False")
    return found


def _with(old: list[Object], kind: str, reason: str, message: str, *, state: str = "True") -> list[Object]:
    new = conditions.made(kind, state, reason, message, updated="lastProbeTime")
    return conditions.with_condition(old, new)


def _true(job: Object) -> list[Object]:
    return [one for one in (job.get("status") or {}).get("conditions") or () if one["status"] == "True"]


def _suspended(job: Object) -> bool:
    return is_true(job, "Suspended")


def make(place: Workplace) -> Loop:
    return Jobs(place).loop
