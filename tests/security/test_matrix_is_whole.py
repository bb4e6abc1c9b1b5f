"""Every route, operation and probe has a row, every row has one of those, and the page in the docs says the same."""

from __future__ import annotations

import importlib
import pkgutil
import re
from typing import Protocol

import pytest

from argosy import contracts
from argosy.kit.operations import Operation, operations
from argosy.platform.gateway.routes import INGRESS, OWN, SERVICES, forwarded, openapi_entries
from argosy.platform.git_server.serving import VERBS
from tests.security.matrix import GIT, INGRESSES, OPERATIONS, PROBES, ROUTES, Row, row_of
from tools import authorization_matrix

_LEAST = {
    "service": "service",
    "signed_in": "signed in",
    "admin": "admin",
    "platform_admin": "platform admin",
}


def every_operation() -> dict[str, Operation]:
    """All contracts are found by looking, so that a new one is not forgotten here."""
    found = {}
    for module in pkgutil.walk_packages(contracts.__path__, f"{contracts.__name__}."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, type) and issubclass(value, Protocol) and value.__module__ == module.name:  # type: ignore[arg-type]
                for name, operation in operations(value).items():
                    found[f"{_service(value.__name__)}.{name}"] = operation
    return found


def _service(contract: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", contract).lower()


def test_every_verb_of_git_has_a_row_and_every_row_a_verb() -> None:
    asked = {(method, path.partition("service=")[2] or path) for method, path in GIT}

    assert asked == {(method, verb) for method in ("GET", "POST") for verb in VERBS}


def test_every_operation_has_a_row_and_every_row_an_operation() -> None:
    assert sorted(every_operation()) == sorted(OPERATIONS)


def test_every_route_has_a_row_and_every_row_a_route() -> None:
    served = [(entry.method, entry.path) for entry in openapi_entries()]

    assert sorted(served) == sorted(ROUTES)


def test_every_service_that_the_gateway_knows_is_one_of_the_contracts() -> None:
    assert {name.partition(".")[0] for name in OPERATIONS} == {*SERVICES, "hosted"}


def test_every_forwarded_route_reaches_the_operation_that_its_row_names() -> None:
    wired = {(one.route.method, one.route.path): f"{one.service}.{one.operation.name}" for one in forwarded()}

    assert wired == {route: ROUTES[route] for route in wired}


def test_the_gateways_own_answers_name_a_known_operation_or_say_their_need() -> None:
    own = {(one.method, one.path) for one in OWN}
    undecided = [route for route in own if isinstance(ROUTES[route], str) and ROUTES[route] not in OPERATIONS]

    assert undecided == []


def test_ingresses_under_our_name_need_what_their_row_says() -> None:
    row = INGRESSES[f"{INGRESS.path}/…"]

    assert (_LEAST[INGRESS.needs], INGRESS.scope) == (row.least, row.scope)


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_an_operation_declares_no_other_need_than_its_row(name: str) -> None:
    row, declared = OPERATIONS[name], every_operation()[name]
    # "session" and the first password are finer than what a contract can say; the platform itself is asked for those.
    least = "signed in" if row.least == "session" else row.least

    assert (_LEAST[declared.needs], declared.scope, declared.callers) == (least, row.scope, row.callers)


def test_what_a_fresh_user_may_do_before_changing_the_password_is_this_short_list() -> None:
    reachable = {(method, path) for method, path in ROUTES if row_of(method, path).first_password}

    assert reachable == {
        ("GET", "/api/me"), ("POST", "/api/me/password"), ("POST", "/api/auth/login"), ("POST", "/api/auth/link"),
        ("GET", "/api/auth/invitation"), ("POST", "/api/auth/accept-invitation"), ("POST", "/api/auth/logout"),
        ("GET", "/api/user"), ("GET", "/api/version"),
        ("GET", "/api/system/services"), ("GET", "/api/openapi.json"), ("GET", "/api/reference"),
    }  # fmt: skip


def test_whoever_needs_nothing_is_on_a_closed_list() -> None:
    open_doors = {route for route, row in ROUTES.items() if isinstance(row, Row) and row.least == "anyone"}

    assert open_doors == {
        ("POST", "/api/auth/login"), ("POST", "/api/auth/link"), ("GET", "/api/auth/invitation"),
        ("POST", "/api/auth/accept-invitation"), ("GET", "/api/version"), ("GET", "/api/openapi.json"), ("GET", "/api/reference"),
    }  # fmt: skip
    assert {path for path, row in PROBES.items() if row.least == "anyone"} == {"/healthz", "/readyz"}


def test_the_page_in_the_docs_is_what_the_table_says() -> None:
    assert authorization_matrix.PAGE.read_text() == authorization_matrix.page(), (
        "docs/reference/authorization.md is old. Refresh it: python -m tools.authorization_matrix"
    )
