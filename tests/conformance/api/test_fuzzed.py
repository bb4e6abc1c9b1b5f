"""Whatever the description allows is answered as described: no 5xx, a declared status, the promised type and shape.

schemathesis makes the requests from the document, as an admin of a throw-away account; the `long` run makes many more.
"""

from __future__ import annotations

from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, settings
from requests.adapters import HTTPAdapter
from schemathesis import checks

from tests.conformance.api.described import ENDLESS, FUZZED, SCHEMA
from tests.installation import Client
from tests.security.cast import Cast
from tests.security.wire import address

CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]
PATIENT = (
    HealthCheck.too_slow,
    HealthCheck.filter_too_much,
    HealthCheck.data_too_large,
    HealthCheck.function_scoped_fixture,
)


class FromElsewhere(HTTPAdapter):
    """From an address of its own: thousands of made-up sign-ins must not lock out the other tests'."""

    def init_poolmanager(self, *args: Any, **more: Any) -> None:
        super().init_poolmanager(*args, source_address=(address(), 0), **more)


def ask(case: schemathesis.Case, cast: Cast) -> None:
    client = cast.busy()
    with requests.Session() as session:
        session.mount("http://", FromElsewhere())
        validated(case, client, session)


def validated(case: schemathesis.Case, client: Client, session: requests.Session) -> None:
    case.call_and_validate(
        base_url=client.url,
        session=session,
        headers={"Authorization": client.key},
        checks=CHECKS,
        timeout=20,
        allow_redirects=False,
    )


@FUZZED.parametrize()
@settings(max_examples=12, derandomize=True, suppress_health_check=PATIENT)
def test_a_request_from_the_description_is_answered_as_described(case: schemathesis.Case, cast: Cast) -> None:
    ask(case, cast)


@pytest.mark.long
@pytest.mark.timeout(600)
@FUZZED.parametrize()
@settings(max_examples=400, suppress_health_check=PATIENT)
def test_many_requests_from_the_description_are_answered_as_described(
    case: schemathesis.Case, cast: Cast
) -> None:
    ask(case, cast)


def test_the_live_stream_is_the_only_one_left_out() -> None:
    left_out = {operation.ok().path for operation in SCHEMA.get_all_operations()} - {
        operation.ok().path for operation in FUZZED.get_all_operations()
    }

    assert left_out == {ENDLESS}
