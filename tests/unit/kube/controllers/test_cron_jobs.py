"""When a CronJob is due."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from argosy.kube.controllers.cronjob import planning
from argosy.kube.objects import Object, name_of
from tests.unit.kube.controllers.objects import NOW, ago, owner


def cron_job(schedule: str = "*/5 * * * *", *, last: str = "", **spec: object) -> Object:
    made = owner("CronJob", status={"lastScheduleTime": last} if last else {})
    made["spec"] = {"schedule": schedule, "jobTemplate": {"spec": {}}, **spec}
    return made


def due(it: Object, now: datetime = NOW) -> planning.Due:
    times = planning.checked(it)
    assert not isinstance(times, str)
    return planning.due(it, times, now)


def test_the_newest_missed_time_is_served() -> None:
    found = due(cron_job(last=ago(1000)))
    assert (found.at, found.missed, found.next) == (NOW, 3 + 1, NOW + timedelta(minutes=5))


def test_nothing_is_due_twice() -> None:
    assert due(cron_job(last=ago(0))).at is None


def test_a_deadline_forgets_what_is_too_long_ago() -> None:
    late = cron_job("0 0 * * *", last=ago(5 * 86400), startingDeadlineSeconds=600)
    assert due(late).at is None
    assert planning.too_late(late, NOW - timedelta(seconds=601), NOW)


@pytest.mark.parametrize(
    ("schedule", "zone", "expected"),
    [
        ("@hourly", None, datetime(2026, 5, 4, 13, tzinfo=UTC)),
        ("0 18 * * *", "Europe/Berlin", datetime(2026, 5, 4, 16, tzinfo=UTC)),
        ("TZ=Europe/Berlin 0 18 * * *", None, datetime(2026, 5, 4, 16, tzinfo=UTC)),
        ("@every 1h30m", None, datetime(2026, 5, 4, 13, 30, tzinfo=UTC)),
        ("0 13 ? * *", None, datetime(2026, 5, 4, 13, tzinfo=UTC)),
    ],
)
def test_schedules_are_read_as_kubernetes_does(schedule: str, zone: str | None, expected: datetime) -> None:
    assert due(cron_job(schedule, last=ago(0), timeZone=zone)).next == expected


@pytest.mark.parametrize("schedule", ["", "nonsense", "61 * * * *", "* * * *"])
def test_what_is_no_schedule_is_said(schedule: str) -> None:
    assert isinstance(planning.checked(cron_job(schedule)), str)


def test_a_job_is_named_by_its_minute() -> None:
    one = planning.job_for(cron_job(), NOW)
    assert name_of(one) == f"it-{int(NOW.timestamp()) // 60}"
    assert one["metadata"]["annotations"][planning.SCHEDULED] == "2026-05-04T12:00:00Z"
    assert planning.job_for(cron_job(timeZone="Asia/Tokyo"), NOW)["metadata"]["annotations"][
        planning.SCHEDULED
    ].endswith("T21:00:00+09:00")


def test_only_so_many_ended_jobs_are_kept() -> None:
    it = cron_job(successfulJobsHistoryLimit=1, failedJobsHistoryLimit=0)
    jobs = []
    for name, kind in (("a", "Complete"), ("b", "Complete"), ("c", "Failed"), ("d", "")):
        one = owner("Job", name)
        one["metadata"]["creationTimestamp"] = ago(100 - ord(name[0]) % 10)
        one["status"] = {"conditions": [{"type": kind, "status": "True"}]} if kind else {}
        jobs.append(one)
    assert {name_of(one) for one in planning.to_clean_up(it, jobs)} == {"a", "c"}
