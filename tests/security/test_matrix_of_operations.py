"""Each operation asked over the internal sockets, past the gateway, with tokens that were stolen or are somebody else's.

A token is got the only way there is: from identity, by a part's own key, as a thief of the data directory could.
"""

from __future__ import annotations

import functools
from typing import Any

import pytest

from argosy.contracts.hosting import Hosted
from argosy.host.registry import GROUPS, group_of
from argosy.kit.operations import operations
from argosy.kit.tokens import ServiceKey
from argosy.platform.gateway.routes import SERVICES
from tests.installation import Client, Reply
from tests.security.cast import Cast
from tests.security.examples import example
from tests.security.matrix import OPERATIONS, Row
from tests.security.test_matrix_is_whole import every_operation
from tests.security.wire import Inside

CALLERS = (
    "nobody",
    "viewer",
    "admin",
    "platform admin",
    "unrelated key",
    "first password",
    "gateway",
    "host",
    "cron",
)
_PEOPLE = {"viewer": 0, "admin": 1, "platform admin": 2, "unrelated key": 2, "first password": 0}
_LEAST = {"signed in": 0, "session": 0, "admin": 1, "platform admin": 2}
DENIED = ("auth.required", "auth.token", "auth.scope", "auth.admin", "auth.platform_admin", "auth.caller",
          "auth.session")  # fmt: skip
TARGETS = [(f"hosted.{name}", service) for name in operations(Hosted) for service in SERVICES] + [
    (name, name.partition(".")[0]) for name in OPERATIONS if not name.startswith("hosted.")
]


class Thief:
    """Holds the keys of parts, and credentials of people, and turns both into tokens."""

    def __init__(self, cast: Cast) -> None:
        self._cast = cast
        self._secrets = cast.installation.data_dir / "secrets"
        self.inside = Inside(cast.installation.data_dir / "run")
        self._people = functools.cache(self._exchanged)
        self._parts = functools.cache(self._service_token)

    def token(self, caller: str, audience: str) -> str:
        if caller == "nobody":
            return ""
        if caller in _PEOPLE:
            return self._people(caller, audience)
        return self._parts(caller, audience)

    def _assertion(self, part: str) -> str:
        return ServiceKey.load(self._secrets, part).assertion()

    def _exchanged(self, caller: str, audience: str) -> str:
        client: Client = self._cast.client(caller, Row("signed in"))  # type: ignore[arg-type]
        kind, secret = ("key", client.key) if client.key else ("session", client.cookie.partition("=")[2])
        return self._told("exchange", "gateway", {"kind": kind, "secret": secret, "audience": audience})

    def _service_token(self, part: str, audience: str) -> str:
        if audience == "identity":
            return self._assertion(part)
        return self._told("service_token", part, {"audience": audience})

    def _told(self, operation: str, part: str, body: dict[str, Any]) -> str:
        reply = self.inside.ask("core", f"/svc/identity/{operation}", body, token=self._assertion(part))
        assert reply.status == 200, reply.body
        return str(reply.json["token"])


@pytest.fixture(scope="module")
def thief(cast: Cast) -> Thief:
    return Thief(cast)


def reaches(row: Row, caller: str) -> bool:
    if row.least == "service":
        return caller not in (*_PEOPLE, "nobody") and ("*" in row.callers or caller in row.callers)
    if caller not in _PEOPLE:
        return False
    if caller == "first password":
        return row.first_password
    if caller == "unrelated key" and (row.scope or row.least == "session"):
        return False
    return _PEOPLE[caller] >= _LEAST[row.least]


def outcome(reply: Reply) -> tuple[int, str]:
    """Status and code; of a stream, those of its first line."""
    if reply.status != 200:
        return reply.status, reply.code
    body = reply.json if reply.body else {}
    error = body.get("error") if isinstance(body, dict) else None
    return (error["status"], error["code"]) if error else (200, "")


def ask(
    thief: Thief, name: str, service: str, token: str, body: dict[str, Any] | None = None
) -> tuple[int, str]:
    operation = every_operation()[name]
    wanted = example(operation.request) if body is None else body
    if name == "identity.create_api_key":
        wanted["scopes"] = ["api-keys:write"]
    path = f"/svc/{service}/{operation.name}"
    try:
        return outcome(
            thief.inside.ask(
                group_of(service), path, wanted, token=token, seconds=1.0 if operation.streams else 20.0
            )
        )
    except TimeoutError:
        assert operation.streams
        return 200, ""  # it was let in, and there is nothing to tell yet


@pytest.mark.parametrize("caller", CALLERS)
@pytest.mark.parametrize(("name", "service"), TARGETS)
def test_an_operation_lets_through_whom_the_matrix_lets_through(
    thief: Thief, name: str, service: str, caller: str
) -> None:
    if (name, caller) in ENDS_OR_ASKS_FOR_MORE:
        return
    row = OPERATIONS[name]

    status, code = ask(thief, name, service, thief.token(caller, service))

    if reaches(row, caller):
        assert code not in DENIED and status < 500, (status, code)
    elif row.least == "service" and caller in _PEOPLE:
        assert (status, code) == (404, "not_found")  # people do not even learn that it is there
    else:
        assert status in (401, 403) and code in DENIED, (status, code)


# Signing out would end the session that the other cells use; "why" about somebody else is an admin's only.
ENDS_OR_ASKS_FOR_MORE = {
    ("identity.sign_out", caller) for caller in ("viewer", "admin", "platform admin", "first password")
} | {("identity.why", "viewer")}


@pytest.mark.parametrize(("name", "service"), TARGETS)
@pytest.mark.parametrize("caller", ["admin", "cron"])
def test_a_token_for_another_part_opens_nothing(thief: Thief, name: str, service: str, caller: str) -> None:
    other = "cron" if service != "cron" else "audit"

    assert ask(thief, name, service, thief.token(caller, other)) == (401, "auth.token")


@pytest.mark.parametrize("service", [name for name in SERVICES if name != "identity"])
def test_a_parts_own_assertion_opens_identity_alone(thief: Thief, service: str) -> None:
    assertion = thief.token("gateway", "identity")

    assert ask(thief, "hosted.health", service, assertion) == (401, "auth.token")


@pytest.mark.parametrize("token", ["x", "a.b.c", "Bearer", "é", "argk_" + "a" * 43, "." * 5000])
@pytest.mark.parametrize("service", SERVICES)
def test_what_is_no_token_opens_nothing(thief: Thief, service: str, token: str) -> None:
    assert ask(thief, "hosted.health", service, token) == (401, "auth.token")


@pytest.mark.parametrize("credential", ["key", "session"])
def test_a_persons_credential_is_no_token(thief: Thief, cast: Cast, credential: str) -> None:
    tenant = cast.tenant
    secret = tenant.admin_key.key if credential == "key" else tenant.admin.cookie.partition("=")[2]

    assert ask(thief, "identity.me", "identity", secret) == (401, "auth.token")


@pytest.mark.parametrize("process", sorted(GROUPS))
def test_every_internal_socket_is_closed_to_other_users_of_the_machine(cast: Cast, process: str) -> None:
    run = cast.installation.data_dir / "run"

    assert (run / f"{process}.sock").stat().st_mode & 0o077 == 0
    assert run.stat().st_mode & 0o007 == 0


@pytest.mark.parametrize("service", SERVICES)
def test_probes_of_a_service_tell_whether_it_is_well_and_keep_the_metrics(thief: Thief, service: str) -> None:
    answers = {
        probe: thief.inside.ask(group_of(service), f"/svc/{service}/{probe}", method="GET").status
        for probe in ("healthz", "readyz", "metrics")
    }

    assert answers == {"healthz": 200, "readyz": 200, "metrics": 401}


@pytest.mark.parametrize(
    "path", ["/", "/svc", "/svc/identity", "/svc/nothing/me", "/svc/identity/__init__", "/svc/identity/me/x",
             "/svc/cron/me", "/svc/gateway/me", "/api/me"],
)  # fmt: skip
def test_nothing_else_is_served_inside(thief: Thief, path: str) -> None:
    token = thief.token("gateway", "identity")

    assert thief.inside.ask("core", path, {}, token=token).status in (401, 404)
