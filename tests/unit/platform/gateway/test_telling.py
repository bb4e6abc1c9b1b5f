"""Who learns where a database is: the log and administrators of the installation."""

from __future__ import annotations

import msgspec
import pytest

from argosy.kit.calls import ANONYMOUS, Principal
from argosy.kit.errors import Unavailable, from_body
from argosy.platform.gateway.telling import body_for

AWAY = Unavailable(
    "the database of identity cannot be reached", detail="connect to 10.1.2.3 as argosy_identity"
)
ROOT = Principal("user", "u", "root", "a" * 24, admin=True, platform_admin=True)


@pytest.mark.parametrize(
    ("who", "told"),
    [
        (ANONYMOUS, False),
        (Principal("user", "u", "admin", "a" * 24, admin=True), False),
        (ROOT, True),
        (msgspec.structs.replace(ROOT, scopes=("users",)), False),
        (msgspec.structs.replace(ROOT, scopes=("system",)), True),
    ],
)
def test_the_detail_is_for_administrators_of_the_installation(who: Principal, told: bool) -> None:
    answer = msgspec.json.encode(body_for(AWAY, "r" * 24, who))

    assert (b"10.1.2.3" in answer) is told
    assert b"the database of identity cannot be reached" in answer


def test_between_the_parts_and_in_the_log_nothing_is_lost() -> None:
    again = from_body(AWAY.body())
    assert again.told == AWAY.told == str(AWAY)
    assert again.told.endswith("cannot be reached: connect to 10.1.2.3 as argosy_identity")
