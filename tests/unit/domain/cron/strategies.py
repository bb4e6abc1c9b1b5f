"""Random timetables and instants near changes of the clock, for the property tests of cron."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

zones = st.sampled_from(
    ["UTC", "Europe/Berlin", "Australia/Lord_Howe", "America/New_York", "Africa/Cairo", "Africa/Casablanca",
     "Asia/Kathmandu", "Pacific/Apia"]
)  # fmt: skip

_CHANGES = [
    datetime(2026, *rest, tzinfo=UTC)
    for rest in ((3, 29, 1), (10, 25, 1), (4, 4, 15), (10, 3, 15, 30), (4, 23, 22))
]
instants = st.one_of(
    st.builds(
        lambda base, minutes: base + timedelta(minutes=minutes),
        st.sampled_from(_CHANGES),
        st.integers(-2000, 500),
    ),
    st.integers(1_577_836_800, 2_050_000_000).map(lambda seconds: datetime.fromtimestamp(seconds, UTC)),
)


@st.composite
def expressions(draw: st.DrawFn) -> str:
    minute = draw(st.sampled_from(["*", "*/10", "0", "30", "5,45", "10-50/20"]))
    hour = draw(st.sampled_from(["*", "*/3", "2", "1-3", "0,2,23"]))
    day = draw(st.sampled_from(["*", "*", "1-20", "L"]))
    weekday = draw(st.sampled_from(["*", "*", "MON-FRI", "SUN", "FRI#1"]))
    return f"{minute} {hour} {day} * {weekday}"
