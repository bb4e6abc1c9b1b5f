"""Each request of git's asked by everybody: who is let through, and who is not, is what `matrix` says."""

from __future__ import annotations

import base64
import http.client
import select
import time
from urllib.parse import urlsplit

import pytest

from tests.installation import Client, Reply
from tests.security.cast import NAMES, Cast, Name
from tests.security.matrix import GIT, Row
from tests.security.wire import Sender

KEYED = ("anonymous", "revoked key", "expired key", "unrelated key", "scoped key")


def with_key(cast: Cast, name: Name, row: Row) -> Sender:
    """As git sends it. People who have only a session make a key with it first."""
    client = cast.client(name, row)
    if name not in KEYED:
        made = Client(client.url, cookie=client.cookie).post("/api/api-keys", {"name": "git"})
        client = Sender(client.url, key=made.json["key"]) if made.status == 200 else Sender(client.url)
    return Sender(client.url, headers=basic(client.key) if client.key else {})


def basic(key: str) -> dict[str, str]:
    return {"Authorization": "Basic " + base64.b64encode(f"git:{key}".encode()).decode()}


def ask(client: Sender, path: str, method: str, request: str) -> Reply:
    body = b"0000" if method == "POST" else None
    kind = f"application/x-{request}-request"
    return client.send(method, f"{path}/{request}", body, {"Content-Type": kind} if body else {})


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("method", "request_"), sorted(GIT))
def test_git_is_let_through_as_the_matrix_says(cast: Cast, method: str, request_: str, name: Name) -> None:
    row, path = GIT[(method, request_)], cast.repository["path"]
    reply = ask(with_key(cast, name, row), path, method, request_)

    if name in ("anonymous", "revoked key", "expired key", "first password"):
        assert reply.status == 401, reply.body
        assert reply.headers["www-authenticate"].startswith("Basic ")
    elif name == "admin" or (name in ("viewer", "member") and row.scope == "repositories:read"):
        assert reply.status == 200, reply.body
    elif name in ("viewer", "member"):
        assert (reply.status, b"ask an admin for an access rule" in reply.body) == (403, True)
    else:  # another account's: there is no such repository
        assert reply.status == 404, reply.body
    if reply.status != 200:
        assert reply.headers["content-type"].startswith("text/plain")


def test_a_cookie_opens_nothing_for_git(cast: Cast) -> None:
    admin = cast.tenant.admin
    asked = Client(admin.url, cookie=admin.cookie).get(
        f"{cast.repository['path']}/info/refs?service=git-upload-pack"
    )

    assert asked.status == 401


@pytest.mark.parametrize(
    "path",
    ["/git/", "/git/x", "/git/{account}", "/git/{account}/a-repository.git", "/git/{account}/a-repository.git/HEAD",
     "/git/{account}/a-repository.git/config", "/git/{account}/a-repository.git/objects/info/packs",
     "/git/{account}/../{account}/a-repository.git/HEAD", "/git/{account}/%2e%2e/x.git/info/refs?service=git-upload-pack",
     "/git/{account}/{id}.git/info/refs?service=git-upload-pack",
     "/git/{account}/a-repository.git/../a-repository.git/info/refs?service=git-upload-pack",
     "/git/{account}/a-repository.git%00/info/refs?service=git-upload-pack",
     "/git/../../etc/passwd", "/git/{account}/a-repository.git/info/refs?service=git-upload-archive",
     "/git/{account}/a-repository.git/info/refs?service=-x", "/git/{account}/a-repository.git/info/refs"],
)  # fmt: skip
def test_nothing_but_what_git_asks_for_is_there(cast: Cast, path: str) -> None:
    tenant = cast.tenant
    where = path.replace("{account}", tenant.id).replace("{id}", cast.repository["id"])
    client = Sender(tenant.admin.url, headers=basic(tenant.admin_key.key))

    reply = client.send("GET", where)

    assert reply.status in (400, 404), (reply.status, reply.body)


@pytest.mark.parametrize(
    ("scopes", "may"),
    [
        ([], ()),
        (["users:read"], ()),
        (["repositories:read"], ("git-upload-pack",)),
        (["repositories:write"], ("git-upload-pack", "git-receive-pack")),
        (["repositories"], ("git-upload-pack", "git-receive-pack")),
    ],
)
def test_a_limited_key_may_what_its_scopes_say(cast: Cast, scopes: list[str], may: tuple[str, ...]) -> None:
    key = cast.tenant.admin.done("POST", "/api/api-keys", {"name": "limited", "scopes": scopes})["key"]
    client = Sender(cast.tenant.admin.url, headers=basic(key))

    for verb in ("git-upload-pack", "git-receive-pack"):
        reply = client.send("GET", f"{cast.repository['path']}/info/refs?service={verb}")
        assert reply.status == (200 if verb in may else 403), reply.body


def test_a_key_for_agents_reads_only_what_its_rules_show(cast: Cast) -> None:
    """A runtime's agent has a service account of its own, in no other team than everyone's, and a key that may only read."""
    tenant = cast.installation.new_account()
    shown, hidden = (
        tenant.admin.done("POST", "/api/git/repositories", {"name": name}) for name in ("shown", "hidden")
    )
    rules = tenant.admin.done("GET", "/api/access-rules?entity=repositories")["items"]
    tenant.admin.done("DELETE", f"/api/access-rules/{rules[0]['id']}")
    team = tenant.admin.done("POST", "/api/teams", {"name": "agents"})["id"]
    agent = tenant.admin.done("POST", "/api/service-accounts", {"name": "agent", "teams": [team]})["id"]
    condition = {"attribute": "REPOSITORY_NAME", "values": ["shown"]}
    rule = {
        "name": "agents read",
        "entity": "repositories",
        "teams": [team],
        "actions": ["read"],
        "conditions": [condition],
    }
    tenant.admin.done("POST", "/api/access-rules", rule)
    wanted = {"name": "agent", "service_account": agent, "scopes": ["repositories:read"]}
    client = Sender(
        tenant.admin.url, headers=basic(tenant.admin.done("POST", "/api/api-keys", wanted)["key"])
    )

    def status(repository: dict[str, str], verb: str) -> int:
        return client.send("GET", f"{repository['path']}/info/refs?service={verb}").status

    assert status(shown, "git-upload-pack") == 200
    assert status(shown, "git-receive-pack") == 403
    assert status(hidden, "git-upload-pack") == 404
    assert [
        one["name"]
        for one in Client(client.url, key=_key_of(client)).done("GET", "/api/git/repositories")["items"]
    ] == ["shown"]


def _key_of(client: Sender) -> str:
    return base64.b64decode(client.headers["Authorization"].partition(" ")[2]).decode().partition(":")[2]


def test_a_push_under_way_breaks_off_when_its_key_ends(cast: Cast) -> None:
    made = cast.tenant.admin.done("POST", "/api/api-keys", {"name": "short-lived"})
    parts = urlsplit(cast.tenant.admin.url)
    link = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=20)
    link.putrequest("POST", f"{cast.repository['path']}/git-receive-pack")
    for name, value in {**basic(made["key"]), "Transfer-Encoding": "chunked"}.items():
        link.putheader(name, value)
    link.endheaders()
    head = f"{'0' * 40} {'1' * 40} refs/heads/main\0report-status side-band-64k".encode()
    _chunk(link, f"{len(head) + 4:04x}".encode() + head + b"0000PACK\0\0\0\2")
    cast.tenant.admin.done("DELETE", f"/api/api-keys/{made['api_key']['id']}")

    until = time.monotonic() + 6
    with pytest.raises((OSError, http.client.HTTPException)):
        while time.monotonic() < until:
            _chunk(link, b"\0" * 10)
            if select.select([link.sock], [], [], 0.1)[0]:
                assert link.sock.recv(4096).startswith(b"HTTP/1.1 503")
                raise ConnectionResetError
    link.close()


def _chunk(link: http.client.HTTPConnection, data: bytes) -> None:
    link.send(f"{len(data):x}\r\n".encode() + data + b"\r\n")
