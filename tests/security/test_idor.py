"""Two accounts whose things have the same names: neither sees, counts, finds or changes anything of the other's."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pytest

from argosy.platform.gateway.routes import openapi_entries
from tests.installation import Client, Reply, Tenant
from tests.security.cast import Cast
from tests.security.examples import ABSENT, example
from tests.security.matrix import row_of

ENTRIES = {(entry.method, entry.path): entry for entry in openapi_entries()}
# What belongs to the installation, not to an account, is refused by role: the matrix has it.
WITH_ID = sorted(
    route for route in ENTRIES if "{id}" in route[1] and row_of(*route).least != "platform admin"
)
LISTS = ("/api/users", "/api/teams", "/api/service-accounts", "/api/api-keys?all=true", "/api/invitations",
         "/api/access-rules", "/api/me/sessions", "/api/audit", "/api/schedules")  # fmt: skip
SORTS = {
    "/api/users": ("name", "-name", "email", "created", "-last_seen"),
    "/api/teams": ("name", "-name", "created"),
    "/api/access-rules": ("name", "-updated"),
}
COMMON = "Twin"


@dataclass(frozen=True)
class Twins:
    one: Tenant
    other: Tenant
    ids: dict[str, set[str]]  # of the other's things, by list


@pytest.fixture(scope="module")
def twins(cast: Cast) -> Twins:
    one, other = cast.installation.new_account(), cast.installation.new_account()
    for tenant in (one, other):
        fill(tenant.admin)
    cast.sealed_change(other)
    return Twins(one, other, {path: ids_of(other.admin, path) for path in LISTS})


def fill(admin: Client) -> None:
    for number in range(3):
        name = f"{COMMON} {number}"
        team = admin.done("POST", "/api/teams", {"name": name})["id"]
        admin.done("POST", "/api/service-accounts", {"name": name})
        admin.done("POST", "/api/api-keys", {"name": name})
        rule = {"name": name, "entity": "applications", "teams": [team], "actions": ["VIEW"]}
        admin.done("POST", "/api/access-rules", rule)
        # The very same e-mail is invited by both.
        admin.done("POST", "/api/invitations", {"email": f"twin-{number}@example.com"})
        admin.done("POST", "/api/users", {"email": f"{secrets.token_hex(6)}@example.com", "name": name})


def pages(client: Client, path: str, **query: Any) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    after = ""
    while True:
        asked = "&".join(
            f"{name}={value}" for name, value in {**query, "after": after}.items() if value != ""
        )
        page = client.done("GET", f"{path}{'&' if '?' in path else '?'}{asked}".rstrip("?&"))
        items += page["items"]
        if not (after := page["next"]):
            return items


def ids_of(client: Client, path: str) -> set[str]:
    return {item["id"] for item in pages(client, path, limit=200)}


def comparable(reply: Reply, id: str) -> tuple[int, str]:
    body = dict(reply.json)
    body.pop("request_id")
    return reply.status, json.dumps(body, sort_keys=True).replace(id, "ID")


def ask(client: Client, method: str, path: str, id: str) -> Reply:
    body = {name: value for name, value in example(ENTRIES[(method, path)].request).items() if name != "id"}
    return client.request(method, path.replace("{id}", id), None if method in ("GET", "DELETE") else body)


@pytest.mark.parametrize(("method", "path"), WITH_ID)
def test_what_belongs_to_somebody_else_answers_like_what_does_not_exist(
    cast: Cast, method: str, path: str
) -> None:
    theirs = cast.things[path]

    foreign = ask(cast.other.admin, method, path, theirs)
    absent = ask(cast.other.admin, method, path, ABSENT)

    assert foreign.status == 404
    assert comparable(foreign, theirs) == comparable(absent, ABSENT)
    assert {name for name in foreign.headers if name != "date"} == {
        name for name in absent.headers if name != "date"
    }


@pytest.mark.parametrize(("method", "path"), WITH_ID)
def test_an_administrator_of_the_installation_is_a_stranger_in_accounts_too(
    cast: Cast, method: str, path: str
) -> None:
    theirs = cast.things[path]

    foreign = ask(cast.installation.admin, method, path, theirs)

    assert comparable(foreign, theirs) == comparable(
        ask(cast.installation.admin, method, path, ABSENT), ABSENT
    )


@pytest.mark.parametrize("member", ["a key of the admin", "the admin's session"])
def test_a_plain_member_cannot_end_what_is_anothers_in_the_same_account(cast: Cast, member: str) -> None:
    path = "/api/api-keys/{id}" if "key" in member else "/api/me/sessions/{id}"
    client, theirs = cast.tenant.member, cast.things[path]

    assert comparable(ask(client, "DELETE", path, theirs), theirs) == comparable(
        ask(client, "DELETE", path, ABSENT), ABSENT
    )


@pytest.mark.parametrize("path", LISTS)
def test_a_list_holds_and_counts_ones_own_only(twins: Twins, path: str) -> None:
    first = twins.one.admin.get(f"{path}{'&' if '?' in path else '?'}limit=1").json
    seen = ids_of(twins.one.admin, path)

    assert not seen & twins.ids[path]
    assert first.get("total") in (None, len(seen))


@pytest.mark.parametrize("path", LISTS)
def test_a_search_finds_ones_own_only(twins: Twins, path: str) -> None:
    found = {item["id"] for item in pages(twins.one.admin, path, search=COMMON)}

    assert not found & twins.ids[path]


@pytest.mark.parametrize(("path", "sort"), [(path, sort) for path, sorts in SORTS.items() for sort in sorts])
def test_a_sorted_list_pages_through_ones_own_only(twins: Twins, path: str, sort: str) -> None:
    seen = [item["id"] for item in pages(twins.one.admin, path, sort=sort, limit=1)]

    assert len(seen) == len(set(seen))
    assert set(seen) == ids_of(twins.one.admin, path)


@pytest.mark.parametrize(
    "path", [path for path in LISTS if path not in ("/api/schedules", "/api/me/sessions")]
)
def test_a_cursor_of_another_account_shows_ones_own_or_is_refused(twins: Twins, path: str) -> None:
    mark = "&" if "?" in path else "?"
    cursor = twins.other.admin.done("GET", f"{path}{mark}limit=1")["next"]
    assert cursor

    reply = twins.one.admin.get(f"{path}{mark}after={cursor}")

    assert reply.status in (200, 400, 422), reply.body
    if reply.status == 200:
        assert not {item["id"] for item in reply.json["items"]} & twins.ids[path]


@pytest.mark.parametrize(
    "cursor", ["x", "AAAA", "eyJhIjoxfQ", "-7WuW7HJ", "%00", "' OR 1=1 --", "9" * 900, "é"]
)
@pytest.mark.parametrize("path", LISTS)
def test_a_made_up_cursor_is_refused_or_pages_through_ones_own(twins: Twins, path: str, cursor: str) -> None:
    reply = twins.one.admin.get(f"{path}{'&' if '?' in path else '?'}after={quote(cursor, safe='%')}")

    assert reply.status in (400, 422), reply.body


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/teams", {"name": "x", "members": ["USER"]}),
        ("/api/users", {"email": "x@example.com", "teams": ["TEAM"]}),
        ("/api/service-accounts", {"name": "x", "teams": ["TEAM"]}),
        ("/api/invitations", {"email": "x@example.com", "teams": ["TEAM"]}),
        ("/api/api-keys", {"name": "x", "service_account": "ROBOT"}),
        ("/api/access-rules", {"name": "x", "entity": "applications", "teams": ["TEAM"], "actions": ["VIEW"]}),
        ("/api/me/account", {"account": "ACCOUNT"}),
        ("/api/access/why", {"user": "USER", "action": "VIEW", "entity": "applications"}),
    ],
)  # fmt: skip
def test_foreign_ids_inside_a_body_are_as_unknown_as_absent_ones(
    cast: Cast, path: str, body: dict[str, Any]
) -> None:
    theirs = {
        "USER": cast.things["/api/users/{id}"],
        "TEAM": cast.things["/api/teams/{id}"],
        "ROBOT": cast.things["/api/service-accounts/{id}"],
        "ACCOUNT": cast.tenant.id,
    }
    word = next(name for name in theirs if name in json.dumps(body))

    def asked(id: str) -> tuple[int, str]:
        reply = cast.other.admin.post(path, json.loads(json.dumps(body).replace(word, id)))
        return comparable(reply, id)

    foreign, absent = asked(theirs[word]), asked(ABSENT)

    assert foreign[0] in (404, 422)
    assert foreign == absent


@pytest.mark.parametrize("query", ["team=TEAM", "team=TEAM&role=user", "search=member-"])
def test_a_filter_by_a_foreign_team_or_word_finds_nothing_of_theirs(cast: Cast, query: str) -> None:
    query = query.replace("TEAM", cast.things["/api/teams/{id}"])

    page = cast.other.admin.done("GET", f"/api/users?{query}")

    assert not {item["id"] for item in page["items"]} & ids_of(cast.tenant.admin, "/api/users")


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_an_export_holds_ones_own_entries_only(twins: Twins, format: str) -> None:
    body = twins.one.admin.get(f"/api/audit/export?format={format}").body.decode()

    assert twins.one.id in body or COMMON in body
    assert twins.other.id not in body
    assert not [id for id in twins.ids["/api/audit"] if id in body]


def test_verifying_ones_chain_counts_ones_own_entries(twins: Twins) -> None:
    one, other = (tenant.admin.done("GET", "/api/audit/verify") for tenant in (twins.one, twins.other))

    assert one["whole"] and other["whole"]
    assert one["head"] != other["head"]


@pytest.mark.parametrize("path", ["/api/audit", "/api/audit/export", "/api/audit/verify"])
def test_the_installations_own_log_is_for_its_administrators(cast: Cast, path: str) -> None:
    asked = f"{path}?installation=true"

    assert cast.tenant.admin.get(asked).status == 403
    assert cast.installation.admin.get(asked).status == 200


def test_equal_names_in_two_accounts_do_not_collide(twins: Twins) -> None:
    """A conflict would tell that the other has such a name."""
    name = f"only-{secrets.token_hex(6)}"

    assert twins.one.admin.post("/api/teams", {"name": name}).status == 200
    assert twins.other.admin.post("/api/teams", {"name": name}).status == 200
    assert twins.other.admin.post("/api/teams", {"name": name}).status == 409


def test_an_idempotency_key_of_one_account_is_nobody_elses(twins: Twins) -> None:
    name, headers = f"only-{secrets.token_hex(6)}", {"Idempotency-Key": secrets.token_hex(8)}

    one, other = (
        tenant.admin.request("POST", "/api/teams", {"name": name}, **headers).json
        for tenant in (twins.one, twins.other)
    )

    assert one["id"] != other["id"]
