"""A wrong expression says which field is wrong, and what would be right."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.domain.cron import timetable
from argosy.kit.errors import Invalid


@pytest.mark.parametrize(
    "expression, part, words",
    [
        ("61 * * * *", "minute", "minute: '61' is not possible"),
        ("0,99 * * * *", "minute", "'99'"),
        ("0 24 * * *", "hour", "hour: '24'"),
        ("0 0 0 * *", "day-of-month", "'0'"),
        ("0 0 * 13 *", "month", "'13'"),
        ("0 0 * FOO *", "month", "'FOO'"),
        ("0 0 * * 8", "day-of-week", "'8'"),
        ("0 0 * * MON#6", "day-of-week", "'MON#6'"),
        ("*/0 * * * *", "minute", "'*/0'"),
        ("5-1 * * * *", "minute", "'5-1'"),
        ("0 0 * * L", "day-of-week", "'L'"),
        ("٣ * * * *", "minute", "'٣'"),
        ("0 0 31 2 *", "day-of-month", "never comes due"),
        ("0 0 31 4,6 *", "day-of-month", "never comes due"),
        ("* * * *", "", "has 4 fields"),
        ("0 * * * * *", "", "has 6 fields"),
        ("", "", "has 0 fields"),
        ("@daily", "", "shorthand"),
    ],
)
def test_a_wrong_field_is_named(expression: str, part: str, words: str) -> None:
    with pytest.raises(Invalid) as caught:
        timetable(expression, "UTC")

    assert caught.value.code == "cron.expression"
    assert caught.value.context["part"] == part
    assert words in caught.value.message
    assert caught.value.cure


@pytest.mark.parametrize(
    "zone", ["", "Mars/Olympus", "../etc/passwd", "/etc/passwd", "Europe", "Europe/Berlin\0"]
)
def test_an_unknown_time_zone_is_refused(zone: str) -> None:
    with pytest.raises(Invalid) as caught:
        timetable("0 0 * * *", zone)

    assert caught.value.code == "cron.time_zone"


@pytest.mark.parametrize(
    "expression",
    [
        "*/5 * * * *",
        "0 9 * * mon-fri",
        "0 0 L * *",
        "0 0 LW * *",
        "0 0 * * 5L",
        "0 0 * * 1#2",
        " 1  2 3 4  5 ",
        "0 0 29 2 *",
    ],
)
def test_what_cron_knows_is_accepted(expression: str) -> None:
    assert timetable(expression, "Europe/Berlin").expression == " ".join(expression.split())


@given(st.text(alphabet="0123456789*/,-#LWMONJAl @", max_size=30) | st.text(max_size=30))
def test_any_text_is_either_a_timetable_or_a_clear_refusal(text: str) -> None:
    refusal: Invalid | None = None
    try:
        timetable(text, "UTC")
    except Invalid as error:
        refusal = error

    assert refusal is None or (refusal.message and refusal.cure)
