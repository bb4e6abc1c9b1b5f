"""Sync windows: whose they are, whether they are open, what that means for a sync, and until when."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argosy.argo.cd.clusters.registry import Known
from argosy.argo.cd.projects import Project
from argosy.argo.cd.projects.windows import matching, next_change, permitted, span
from argosy.contracts.argo.application import Application, Destination, Spec
from argosy.contracts.argo.project import SyncWindow

HERE = Known(server="https://prod", name="prod")


def window(
    kind: str = "deny", schedule: str = "0 22 * * *", duration: str = "1h", **more: object
) -> SyncWindow:
    return SyncWindow(kind=kind, schedule=schedule, duration=duration, **({"applications": ["*"]} | more))


def at(text: str) -> datetime:
    return datetime.fromisoformat(f"2026-{text}").replace(tzinfo=UTC)


@pytest.mark.parametrize(
    "instant, is_open",
    [
        ("03-02T21:59:59", False),
        ("03-02T22:00:00", True),
        ("03-02T22:59:59", True),
        ("03-02T23:00:00", False),
    ],
)
def test_a_window_is_open_from_its_time_until_its_duration_is_over(instant: str, is_open: bool) -> None:
    assert span(window()).is_open(at(instant)) is is_open


@pytest.mark.parametrize(
    "schedule, zone, instant, is_open",
    [
        ("0 22 * * *", "Europe/Berlin", "01-15T21:30", True),  # winter: one hour ahead of UTC
        ("0 22 * * *", "Europe/Berlin", "07-15T20:30", True),  # summer: two
        ("0 22 * * *", "Europe/Berlin", "07-15T22:30", False),
        ("0 22 * * *", "No/Where", "07-15T22:30", None),
        ("CRON_TZ=America/New_York 0 22 * * *", "", "01-16T03:30", True),
        ("0 22 ? * *", "", "01-15T22:30", True),
        (
            "30 2 * * *",
            "Europe/Berlin",
            "03-29T01:10",
            True,
        ),  # 02:30 is skipped that night: it opens when the gap is over, at 03:00
        ("0 22 * * MON-FRI", "", "03-01T22:30", False),  # a Sunday
        ("@daily", "", "03-01T00:30", None),
        ("0 25 * * *", "", "03-01T00:30", None),
    ],
)
def test_schedules_and_time_zones(schedule: str, zone: str, instant: str, is_open: bool | None) -> None:
    shop = Project.of({"metadata": {"name": "shop"}, "spec": {"syncWindows": [
        {"kind": "deny", "schedule": schedule, "duration": "1h", "timeZone": zone, "applications": ["*"]}
    ]}})  # fmt: skip
    said = shop.sync_permitted(app(), HERE, manual=False, now=at(instant), started=None)
    if is_open is None:
        assert said.startswith(
            f"Sync operation blocked by sync window: invalid sync windows: cannot parse schedule '{schedule}'"
        )
        assert shop.complaints
    else:
        assert said == ("Sync operation blocked by sync window" if is_open else "")


def app(name: str = "web", **destination: str) -> Application:
    return Application(
        metadata={"name": name}, spec=Spec(project="shop", destination=Destination(**destination))
    )


@pytest.mark.parametrize(
    "lists, matches",
    [
        ({"applications": ["web-*"]}, True),
        ({"applications": ["api-*"]}, False),
        ({"applications": ["api-*"], "namespaces": ["shop"]}, True),
        ({"clusters": ["prod"]}, True),
        ({"clusters": ["https://prod"]}, False),  # the application names its cluster by name
        ({"namespaces": ["sh?p"]}, True),
        ({"applications": ["web-*"], "namespaces": ["bank"], "and_operator": True}, False),
        ({"applications": ["web-*"], "namespaces": ["shop"], "and_operator": True}, True),
        ({"applications": ["web-*"], "clusters": ["*"], "namespaces": ["shop"], "and_operator": True}, True),
        (
            {"applications": ["web-*"], "clusters": ["dev"], "namespaces": ["shop"], "and_operator": True},
            False,
        ),
        ({"applications": ["!web-*"]}, False),
        ({}, False),
    ],
)
def test_a_window_is_for_what_its_lists_fit(lists: dict[str, object], matches: bool) -> None:
    one = SyncWindow(kind="deny", **lists)
    assert bool(matching([one], "web-1", Destination(name="prod", namespace="shop"))) is matches


DENY, ALLOW = window("deny"), window("allow")
IN, OUT = at("03-02T22:30"), at("03-02T12:00")
MANUAL = {"manual_sync": True}


@pytest.mark.parametrize(
    "windows, now, automatic, manual",
    [
        ([], IN, True, True),
        ([DENY], IN, False, False),
        ([DENY], OUT, True, True),
        ([window("deny", **MANUAL)], IN, False, True),
        ([window("deny", **MANUAL), DENY], IN, False, False),
        ([ALLOW], IN, True, True),
        ([ALLOW], OUT, False, False),
        ([window("allow", **MANUAL)], OUT, False, True),
        ([window("allow", **MANUAL), ALLOW], OUT, False, False),
        ([ALLOW, window("allow", "0 12 * * *")], OUT, True, True),
        ([DENY, ALLOW], IN, False, False),
        ([DENY, ALLOW], OUT, False, False),
        ([window("deny", "0 12 * * *", **MANUAL), ALLOW], OUT, False, True),
    ],
)
def test_an_open_deny_forbids_then_an_open_allow_permits_then_a_closed_one_forbids(
    windows: list[SyncWindow], now: datetime, automatic: bool, manual: bool
) -> None:
    assert permitted(windows, manual=False, now=now, started=None) is automatic
    assert permitted(windows, manual=True, now=now, started=None) is manual


OVERRUN = {"sync_overrun": True}


@pytest.mark.parametrize(
    "windows, started, now, goes_on",
    [
        ([window("deny", **OVERRUN)], OUT, IN, True),
        ([window("deny", **OVERRUN)], IN, IN, False),  # it began when it might not
        ([window("deny", **OVERRUN), DENY], OUT, IN, False),
        ([DENY], OUT, IN, False),
        ([window("allow", **OVERRUN)], IN, IN + timedelta(hours=1), True),
        ([ALLOW], IN, IN + timedelta(hours=1), False),
        ([window("allow", **OVERRUN), window("allow", "0 1 * * *")], IN, IN + timedelta(hours=1), False),
    ],
)
def test_a_sync_that_runs_may_go_on_where_every_window_that_would_stop_it_lets_it(
    windows: list[SyncWindow], started: datetime, now: datetime, goes_on: bool
) -> None:
    assert permitted(windows, manual=False, now=now, started=started) is goes_on


@pytest.mark.parametrize(
    "windows, now, change",
    [
        ([], IN, None),
        ([DENY], OUT, at("03-02T22:00")),
        ([DENY], IN, at("03-02T23:00")),
        ([ALLOW], IN, at("03-02T23:00")),
        ([DENY, window("deny", "30 22 * * *", "2h")], IN, at("03-03T00:30")),
        ([window("deny", "0 0 29 2 *", "24h")], OUT, None),  # in two years
        ([window("deny", "0 0 * * *", "24h")], OUT, None),  # always open
        ([window("deny", "* * * * *", "1m"), ALLOW], OUT, None),
    ],
)
def test_when_the_answer_changes_next(
    windows: list[SyncWindow], now: datetime, change: datetime | None
) -> None:
    assert next_change(windows, manual=False, now=now) == change


def test_a_project_says_when_its_windows_change() -> None:
    spec = {
        "syncWindows": [{"kind": "deny", "schedule": "0 22 * * *", "duration": "1h", "applications": ["web"]}]
    }
    shop = Project.of({"metadata": {"name": "shop"}, "spec": spec})
    assert shop.next_window(app(), HERE, now=IN) == at("03-02T23:00")
    assert shop.next_window(app("other"), HERE, now=IN) is None
    assert shop.sync_permitted(app("other"), HERE, manual=False, now=IN, started=None) == ""


schedules = st.one_of(
    st.builds("{} {} * * *".format, st.integers(0, 59), st.integers(0, 23)),
    st.builds("{} {} * * {}".format, st.integers(0, 59), st.integers(0, 23), st.integers(0, 6)),
    st.builds("*/{} * * * *".format, st.sampled_from([7, 20, 30])),
    st.builds("{} */{} * * *".format, st.integers(0, 59), st.sampled_from([5, 8])),
)
some_windows = st.builds(
    lambda kind, schedule, minutes, manual: window(kind, schedule, f"{minutes}m", manual_sync=manual),
    st.sampled_from(["allow", "deny"]), schedules, st.integers(1, 600), st.booleans(),
)  # fmt: skip


def fires(schedule: str, minute: datetime) -> bool:
    """The five fields, looked at one by one, in UTC."""
    now = (minute.minute, minute.hour, minute.day, minute.month, minute.isoweekday() % 7)
    for field, value in zip(schedule.split(), now, strict=True):
        if field != "*" and (value % int(field[2:]) if field.startswith("*/") else value != int(field)):
            return False
    return True


def slowly(windows: list[SyncWindow], minute: datetime, *, manual: bool) -> bool:
    """Every minute before is asked whether the window opened then and is open still."""
    opened = [
        any(fires(one.schedule, minute - timedelta(minutes=ago)) for ago in range(int(one.duration[:-1])))
        for one in windows
    ]
    denies = [one for one, is_open in zip(windows, opened, strict=True) if is_open and one.kind == "deny"]
    allows = [(one, is_open) for one, is_open in zip(windows, opened, strict=True) if one.kind == "allow"]
    if denies:
        return manual and all(one.manual_sync for one in denies)
    if not allows or any(is_open for _, is_open in allows):
        return True
    return manual and all(one.manual_sync for one, _ in allows)


@settings(max_examples=20, deadline=None)
@given(st.lists(some_windows, min_size=1, max_size=3), st.integers(0, 20_000), st.booleans())
def test_it_agrees_with_looking_at_every_minute(windows: list[SyncWindow], start: int, manual: bool) -> None:
    first = at("01-01T00:00") + timedelta(minutes=start)
    answers = [slowly(windows, first + timedelta(minutes=minute), manual=manual) for minute in range(90)]
    assert answers == [
        permitted(windows, manual=manual, now=first + timedelta(minutes=minute), started=None)
        for minute in range(90)
    ]
    changes = next_change(windows, manual=manual, now=first)
    expected = next((minute for minute, answer in enumerate(answers) if answer != answers[0]), None)
    if expected is not None:
        assert changes == first + timedelta(minutes=expected)
    else:
        assert changes is None or changes >= first + timedelta(minutes=90)
