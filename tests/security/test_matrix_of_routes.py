"""Each public route asked by everybody: who is let through, and who is not, is what `matrix` says."""

from __future__ import annotations

import pytest

from argosy.platform.gateway.routes import openapi_entries
from tests.installation import Client, Reply
from tests.security.cast import NAMES, Cast, Name, reaches
from tests.security.examples import ABSENT, example
from tests.security.matrix import PROBES, ROUTES, row_of
from tests.security.wire import Sender

ENTRIES = {(entry.method, entry.path): entry for entry in openapi_entries()}
DENIED = ("auth.required", "auth.scope", "auth.admin", "auth.platform_admin", "auth.session", "auth.person")


def is_denied(reply: Reply) -> bool:
    """The door itself was shut; a 404 or 422 comes from behind it."""
    if (
        reply.status not in (401, 403) or reply.code == "auth.rule"
    ):  # an access rule decided on the single thing
        return False
    assert set(reply.json) >= {"status", "code", "message", "request_id"}
    return True


def ask(client: Client, method: str, path: str, id: str = ABSENT) -> Reply:
    entry = ENTRIES[(method, path)]
    wanted = {name: value for name, value in example(entry.request).items() if f"{{{name}}}" not in path}
    if entry.name == "identity_create_api_key":
        wanted["scopes"] = ["api-keys:write"]  # a limited key may hand on only what it has itself
    where = path.replace("{id}", id)
    if method in ("GET", "DELETE"):
        query = "&".join(f"{name}={value}" for name, value in wanted.items())
        return client.request(method, f"{where}?{query}" if query else where)
    return client.request(method, where, wanted)


# Signing out ends the session of whoever may; a plain user may ask "why" only about themselves. Both are asked below.
APART = (("POST", "/api/auth/logout"), ("POST", "/api/access/why"))
CELLS = [
    (method, path, name)
    for method, path in sorted(ROUTES)
    for name in NAMES
    if (method, path) not in APART or not reaches(row_of(method, path), name)
]


@pytest.mark.parametrize(("method", "path", "name"), CELLS, ids=lambda part: part.removeprefix("/api"))
def test_a_route_lets_through_whom_the_matrix_lets_through(
    cast: Cast, method: str, path: str, name: Name
) -> None:
    row = row_of(method, path)
    client = cast.client(name, row)
    theirs = cast.things.get(path, "")  # so that the stranger aims at what is really there

    reply = ask(client, method, path, (theirs if name == "stranger" else "") or ABSENT)

    if row.least == "anyone":
        assert reply.status in (200, 401, 404, 422), reply.body
        assert reply.status == 200 or reply.code not in DENIED
    elif reaches(row, name):
        assert not is_denied(reply), reply.body
        assert reply.status < 500, reply.body
    else:
        assert is_denied(reply), (reply.status, reply.body)
        assert (reply.status == 401) == (name in ("anonymous", "revoked key", "expired key"))
    if name == "stranger" and theirs:
        assert reply.status == 404


def test_signing_out_needs_a_session_and_ends_it(cast: Cast) -> None:
    tenant = cast.other
    client = Client(tenant.admin.url).sign_in(tenant.member_email, tenant.password)

    assert client.post("/api/auth/logout").status == 200
    assert client.get("/api/me").status == 401


@pytest.mark.parametrize(
    ("name", "about_themselves", "status"),
    [("viewer", True, 200), ("viewer", False, 403), ("admin", False, 200), ("stranger", False, 404)],
)
def test_why_is_told_to_the_person_it_is_about_and_to_their_admins(
    cast: Cast, name: Name, about_themselves: bool, status: int
) -> None:
    client = cast.client(name, row_of("POST", "/api/access/why"))
    someone = cast.tenant.admin.done("GET", "/api/me")["id"]
    user = client.done("GET", "/api/me")["id"] if about_themselves else someone

    reply = client.post("/api/access/why", {"user": user, "action": "VIEW", "entity": "applications"})

    assert reply.status == status, reply.body


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("path", sorted(PROBES))
def test_a_probe_answers_whom_the_matrix_lets_through(cast: Cast, path: str, name: Name) -> None:
    row = PROBES[path]

    reply = cast.client(name, row).get(path)

    assert reply.status == (200 if reaches(row, name) else 401)


def test_the_metrics_token_opens_the_metrics(cast: Cast) -> None:
    token = (cast.installation.data_dir / "secrets" / "metrics-token").read_text()

    reply = Sender(cast.installation.url, headers={"Authorization": f"Bearer {token}"}).get("/metrics")

    assert reply.status == 200
    assert b"argosy_http_request_seconds" in reply.body


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize(
    "path", ["/api", "/api/", "/api/nothing", "/api/users/x/y/z", "/api/internal", "/svc/identity/me"]
)
def test_what_has_no_row_is_not_there(cast: Cast, method: str, path: str) -> None:
    reply = cast.client("platform admin", row_of("GET", "/api/me")).request(method, path, {})

    page = method == "GET" and not path.startswith("/api")
    assert reply.status in ((200, 503) if page else (404, 405)), reply.body
    assert not page or reply.headers["content-type"].startswith("text/html")
