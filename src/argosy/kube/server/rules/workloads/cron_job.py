"""CronJobs."""

from __future__ import annotations

from typing import Final

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import label_selectors, metadata
from argosy.kube.server.rules.pods import options
from argosy.kube.server.rules.pods.defaults import default_template
from argosy.kube.server.rules.pods.options import Options
from argosy.kube.server.rules.pods.pod import name_warnings
from argosy.kube.server.rules.pods.template import spec_of
from argosy.kube.server.rules.wording import invalid, nonnegative, not_supported, required
from argosy.kube.server.rules.workloads.job_spec import check_job_spec, default_failure_policy, job_warnings
from argosy.kube.server.rules.workloads.replicated import POD_NAMES, Workload
from argosy.kube.server.rules.workloads.schedules import check_schedule, check_zone

_CONCURRENCY: Final = ("Allow", "Forbid", "Replace")
_ZONE: Final = (
    "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see "
    "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
)


def _job_of(obj: Object) -> Object:
    return ((obj.get("spec") or {}).get("jobTemplate") or {}).get("spec") or {}


class CronJobRules(Workload):
    def template(self, obj: Object) -> Object:
        return _job_of(obj).get("template") or {}

    def default(self, obj: Object) -> None:
        spec = obj.setdefault("spec", {})
        job = spec.setdefault("jobTemplate", {}).setdefault("spec", {})
        default_template(job.setdefault("template", {}))
        default_failure_policy(job)
        if not spec.get("concurrencyPolicy"):
            spec["concurrencyPolicy"] = "Allow"
        if spec.get("suspend") is None:
            spec["suspend"] = False
        if spec.get("successfulJobsHistoryLimit") is None:
            spec["successfulJobsHistoryLimit"] = 3
        if spec.get("failedJobsHistoryLimit") is None:
            spec["failedJobsHistoryLimit"] = 1

    def check(self, obj: Object) -> list[Cause]:
        causes = _check_spec(obj.get("spec") or {}, None, options.TEMPLATE)
        name = str(metadata.of(obj).get("name") or "")
        if len(name) > 52:
            causes.append(invalid("metadata.name", name, "must be no more than 52 characters"))
        return causes

    def check_update(self, new: Object, old: Object) -> list[Cause]:
        how = options.after(spec_of(self.template(old)))
        return _check_spec(new.get("spec") or {}, old.get("spec") or {}, how)

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        told: list[str] = []
        if old is None:
            told += name_warnings(obj, POD_NAMES)
        if old is None or obj["metadata"].get("generation") != old["metadata"].get("generation"):
            told += job_warnings(_job_of(obj), "spec.jobTemplate.spec")
        if old is not None and "TZ" in ((obj.get("spec") or {}).get("schedule") or ""):
            told.append(_ZONE)
        return told


def _check_spec(spec: Object, old: Object | None, how: Options) -> list[Cause]:
    schedule, zone = spec.get("schedule") or "", spec.get("timeZone")
    causes: list[Cause] = []
    if schedule:
        before = (old or {}).get("schedule") or ""
        causes += check_schedule(schedule, zone, "spec.schedule", zone_allowed="TZ" in before)
    else:
        causes.append(required("spec.schedule"))
    causes += nonnegative("spec.startingDeadlineSeconds", spec.get("startingDeadlineSeconds"))
    if old is None or old.get("timeZone") != zone:
        causes += check_zone(zone, "spec.timeZone")
    policy = spec.get("concurrencyPolicy") or ""
    if policy not in _CONCURRENCY:
        path = "spec.concurrencyPolicy"
        causes.append(not_supported(path, policy, _CONCURRENCY) if policy else required(path))
    causes += _check_job((spec.get("jobTemplate") or {}).get("spec") or {}, how)
    for field in ("successfulJobsHistoryLimit", "failedJobsHistoryLimit"):
        causes += nonnegative(f"spec.{field}", spec.get(field))
    return causes


def _check_job(job: Object, how: Options) -> list[Cause]:
    path = "spec.jobTemplate.spec"
    causes = check_job_spec(job, path, how)
    if (selector := job.get("selector")) is not None:
        told = "`selector` will be auto-generated"
        causes.append(invalid(f"{path}.selector", label_selectors.printed(selector), told))
    if job.get("manualSelector"):
        causes.append(not_supported(f"{path}.manualSelector", True, ("nil", "false")))
    return causes
