from __future__ import annotations

import pytest

from argosy.kube.server.tables.ages import between, human

MINUTE, HOUR, DAY = 60, 3600, 86400
YEAR = 365 * DAY


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-2, "<invalid>"),
        (-1.5, "0s"),
        (0, "0s"),
        (119.9, "119s"),
        (2 * MINUTE, "2m"),
        (3 * MINUTE + 10, "3m10s"),
        (10 * MINUTE + 30, "10m"),
        (179 * MINUTE, "179m"),
        (3 * HOUR, "3h"),
        (7 * HOUR + 59 * MINUTE, "7h59m"),
        (8 * HOUR + 59 * MINUTE, "8h"),
        (47 * HOUR, "47h"),
        (2 * DAY, "2d"),
        (2 * DAY + 4 * HOUR, "2d4h"),
        (8 * DAY + 4 * HOUR, "8d"),
        (2 * YEAR - 1, "729d"),
        (2 * YEAR, "2y"),
        (2 * YEAR + 5 * DAY, "2y5d"),
        (9 * YEAR + 5 * DAY, "9y"),
    ],
)
def test_a_duration_is_told_in_two_digits_that_matter(seconds: float, words: str) -> None:
    assert human(seconds) == words


def test_the_time_between_two_moments_heeds_their_zones() -> None:
    assert between("2024-01-01T00:00:00Z", "2024-01-01T03:01:00+01:00") == "121m"
