"""Job and CronJob: what has ended counts, and of a CronJob only what it says of its last run."""

from __future__ import annotations

from argosy.domain.health.model import DEGRADED, HEALTHY, PROGRESSING, SUSPENDED, Health
from argosy.domain.health.reading import conditions, part, text
from argosy.kube.objects import Object


def job(obj: Object) -> Health:
    """The status of Failed and Complete is not asked: they are only ever written as True. Suspended also becomes False,
    and a job that was resumed counts as healthy then, as it does for Argo CD."""
    found: dict[object, Object] = {one.get("type"): one for one in conditions(obj)}
    if failed := found.get("Failed"):
        return Health(DEGRADED, text(failed, "message"))
    suspended, complete = found.get("Suspended"), found.get("Complete")
    if not suspended and not complete:
        return Health(PROGRESSING)
    last = next(one for one in reversed(conditions(obj)) if one.get("type") in {"Suspended", "Complete"})
    is_suspended = any(
        one.get("type") == "Suspended" and one.get("status") == "True" for one in conditions(obj)
    )
    return Health(SUSPENDED if is_suspended else HEALTHY, text(last, "message"))


def cron_job(obj: Object) -> Health:
    """A run that is missing cannot be seen in the status, so only a last run that failed is a fault."""
    status = obj.get("status")
    if part(obj, "spec").get("suspend") is True:
        return Health(HEALTHY, "CronJob is Suspended")
    if not isinstance(status, dict):
        return Health(PROGRESSING, "Waiting for CronJob")
    scheduled, succeeded = text(status, "lastScheduleTime"), text(status, "lastSuccessfulTime")
    if not scheduled:
        return Health(HEALTHY, "CronJob has not been scheduled yet")
    if not succeeded:
        return Health(HEALTHY, "The CronJob never completed successfully. It may not be healthy")
    if status.get("active"):
        return Health(HEALTHY, "The job is running. Its last execution may not have been successful")
    if succeeded < scheduled:
        return Health(DEGRADED, "CronJob has not completed its last execution successfully")
    return Health(HEALTHY, "CronJob has completed its last execution successfully")
