"""Whatever the description allows is answered as described: no 5xx, a declared status, the promised type and shape.

schemathesis makes the requests from the document, as an admin of a throw-away account; the `long` run makes many more.
"""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import checks

from tests.conformance.api.described import ENDLESS, FUZZED, SCHEMA
from tests.security.cast import Cast

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


def ask(case: schemathesis.Case, cast: Cast) -> None:
    client = cast.busy()
    case.call_and_validate(
        base_url=client.url,
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
