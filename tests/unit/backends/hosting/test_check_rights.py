"""Who may call an operation at all: default deny, then scopes, then roles."""

from __future__ import annotations

import time
from typing import Protocol

import pytest

from argosy.backends.hosting.dispatch import check_rights, scope_covers
from argosy.kit.calls import ANONYMOUS, Call, Principal, service_principal
from argosy.kit.errors import ArgosyError, Forbidden, NotFound, Unauthenticated
from argosy.kit.operations import Needs, Nothing, operation, operations

USER = Principal(kind="user", id="u", account="a")
ADMIN = Principal(kind="user", id="u", account="a", admin=True)
PLATFORM = Principal(kind="user", id="u", account="a", admin=True, platform_admin=True)
KEY = Principal(kind="service_account", id="s", account="a", admin=True, scopes=("teams", "users:read"))


class Things(Protocol):
    @operation(needs=Needs.SIGNED_IN, scope="teams:read")
    async def look(self, *, call: Call, request: Nothing) -> Nothing: ...

    @operation(needs=Needs.ADMIN, scope="users:write")
    async def manage(self, *, call: Call, request: Nothing) -> Nothing: ...

    @operation(needs=Needs.PLATFORM_ADMIN)
    async def install(self, *, call: Call, request: Nothing) -> Nothing: ...

    @operation(needs=Needs.SERVICE, callers=("gateway",))
    async def internal(self, *, call: Call, request: Nothing) -> Nothing: ...


def by(principal: Principal) -> Call:
    return Call(principal=principal, request_id="r", deadline=time.time() + 1)


@pytest.mark.parametrize(
    ("name", "who", "refusal"),
    [
        ("look", USER, None),
        ("look", KEY, None),
        ("look", ANONYMOUS, Unauthenticated),
        ("look", service_principal("audit", "a"), Unauthenticated),
        ("manage", ADMIN, None),
        ("manage", USER, Forbidden),
        ("manage", KEY, Forbidden),  # an admin's key, but with users:read only
        ("install", PLATFORM, None),
        ("install", ADMIN, Forbidden),
        ("internal", service_principal("gateway"), None),
        ("internal", service_principal("cron"), Forbidden),
        ("internal", PLATFORM, NotFound),  # what parts ask each other does not exist for people
        ("internal", ANONYMOUS, NotFound),
    ],
)
def test_an_operation_lets_in_what_it_says_and_no_other(
    name: str, who: Principal, refusal: type[ArgosyError] | None
) -> None:
    wanted = operations(Things)[name]
    if refusal is None:
        check_rights(wanted, by(who))
    else:
        with pytest.raises(refusal):
            check_rights(wanted, by(who))


@pytest.mark.parametrize(
    ("held", "wanted", "covered"),
    [
        (None, "users:write", True),
        (("users",), "users:write", True),
        (("users:write",), "users:write", True),
        (("users:read",), "users:write", False),
        (("user",), "users:write", False),
        ((), "users:read", False),
        ((), "", True),
    ],
)
def test_a_scope_covers_itself_and_what_stands_behind_its_colon(
    held: tuple[str, ...] | None, wanted: str, covered: bool
) -> None:
    assert scope_covers(held, wanted) is covered
