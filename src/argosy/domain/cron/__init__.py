"""When a schedule is due, and which ticks to fire after a time in which nothing ran. Pure: no clock, no database.

`platform/cron` asks on every wake-up; `contracts/cron.py` says what the outside sees.
"""

from argosy.domain.cron.expression import EXPRESSION, TIME_ZONE, Timetable, timetable
from argosy.domain.cron.occurrences import latest_times, next_times
from argosy.domain.cron.ticks import Fire, Missed, Plan, plan_ticks

__all__ = [
    "EXPRESSION",
    "TIME_ZONE",
    "Fire",
    "Missed",
    "Plan",
    "Timetable",
    "latest_times",
    "next_times",
    "plan_ticks",
    "timetable",
]
