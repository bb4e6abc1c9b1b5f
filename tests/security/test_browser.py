"""What a page of another site, a page in a frame, or a name that points here could make a signed-in browser do: nothing."""

from __future__ import annotations

import re
from http.cookies import Morsel, SimpleCookie
from urllib.parse import urlsplit

import pytest

from argosy.platform.gateway.headers import CSP
from argosy.platform.gateway.routes import openapi_entries
from argosy.platform.gateway.settings import GatewaySettings
from tests.installation import Client, Installation, Reply
from tests.security.cast import Cast
from tests.security.examples import ABSENT, example
from tests.security.matrix import ROUTES, row_of
from tests.security.wire import Sender, raw, sender, statuses

ENTRIES = {(entry.method, entry.path): entry for entry in openapi_entries()}
WRITES = sorted(route for route in ROUTES if route[0] != "GET" and row_of(*route).least != "anyone")
PUBLIC_WRITES = sorted(route for route in ROUTES if route[0] != "GET" and row_of(*route).least == "anyone")
FOREIGN = ("https://evil.example", "null", "http://127.0.0.1", "http://localhost:1", "https://HOST", "http://HOST.evil.example",
           "http://evil.example@HOST", "http://HOST/", "")  # fmt: skip
KINDS = (
    "/", "/index.html", "/users/deep/link", "/assets/none.js", "/healthz", "/readyz", "/metrics", "/api", "/api/version",
    "/api/me", "/api/nothing", "/api/users/%00", "/api/openapi.json", "/api/reference", "/api/audit/follow",
    "/favicon.ico",
)  # fmt: skip


def host_of(installation: Installation) -> str:
    return urlsplit(installation.url).netloc


def write(client: Client, method: str, path: str, headers: dict[str, str]) -> Reply:
    body = {name: value for name, value in example(ENTRIES[(method, path)].request).items() if name != "id"}
    return client.request(method, path.replace("{id}", ABSENT), body, **headers)


def by_cookie_alone(cast: Cast) -> Sender:
    """What a browser sends by itself: the cookie, and no Origin unless the test says one."""
    client = sender(cast.tenant.admin)
    return Sender(client.url, headers={"Cookie": client.cookie})


@pytest.mark.parametrize(("method", "path"), WRITES)
def test_a_write_by_cookie_without_an_origin_is_refused(cast: Cast, method: str, path: str) -> None:
    reply = write(by_cookie_alone(cast), method, path, {})

    assert (reply.status, reply.code) == (403, "origin.foreign")


@pytest.mark.parametrize("origin", FOREIGN)
@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/api/teams"), ("DELETE", "/api/users/{id}"), ("POST", "/api/auth/logout")]
)
def test_a_write_from_another_origin_is_refused(cast: Cast, method: str, path: str, origin: str) -> None:
    origin = origin.replace("HOST", host_of(cast.installation))

    reply = write(by_cookie_alone(cast), method, path, {"Origin": origin, "Sec-Fetch-Site": "same-origin"})

    assert (reply.status, reply.code) == (403, "origin.foreign")


@pytest.mark.parametrize("site", ["cross-site", "same-site", "", "nonsense"])
def test_a_write_from_another_site_is_refused_where_a_browser_says_so(cast: Cast, site: str) -> None:
    reply = write(by_cookie_alone(cast), "POST", "/api/teams", {"Sec-Fetch-Site": site})

    assert (reply.status, reply.code) == (403, "origin.foreign")


@pytest.mark.parametrize("headers", [{"Origin": "URL"}, {"Sec-Fetch-Site": "same-origin"}])
def test_our_own_pages_may_write(cast: Cast, headers: dict[str, str]) -> None:
    sent = {name: value.replace("URL", cast.installation.url) for name, value in headers.items()}

    assert write(by_cookie_alone(cast), "PATCH", "/api/account", sent).status == 200


def test_a_key_in_a_header_needs_no_origin_for_no_browser_adds_it(cast: Cast) -> None:
    reply = write(sender(cast.tenant.admin_key), "PATCH", "/api/account", {"Origin": "https://evil.example"})

    assert reply.status == 200


@pytest.mark.parametrize("origin", ["https://evil.example", "null"])
@pytest.mark.parametrize(("method", "path"), PUBLIC_WRITES)
def test_nobody_is_signed_in_from_another_sites_page(cast: Cast, method: str, path: str, origin: str) -> None:
    reply = write(Sender(cast.installation.url, source="127.0.10.1"), method, path, {"Origin": origin})

    assert (reply.status, reply.code) == (403, "origin.foreign")
    assert "set-cookie" not in reply.headers


@pytest.mark.parametrize(
    "media", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]
)
@pytest.mark.parametrize(("method", "path"), [*PUBLIC_WRITES, ("POST", "/api/teams")])
def test_what_a_form_can_send_is_not_read(cast: Cast, method: str, path: str, media: str) -> None:
    """A form needs no permission to post across sites; JSON does."""
    client = sender(cast.tenant.admin_key, "127.0.10.2")

    reply = client.send(method, path, b'{"name": "x"}', {"Content-Type": media})

    assert reply.status == 415


def test_an_open_stream_is_not_given_to_another_sites_page(cast: Cast) -> None:
    client = by_cookie_alone(cast)

    for headers in ({}, {"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        assert client.send("GET", "/api/audit/follow", headers=headers).status == 403
    assert client.send("GET", "/api/audit/follow", headers={"Sec-Fetch-Site": "same-origin"}).status == 200


@pytest.mark.parametrize("method", ["OPTIONS", "GET", "POST"])
def test_no_other_origin_is_ever_allowed_to_read(cast: Cast, method: str) -> None:
    headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}

    reply = sender(cast.tenant.admin_key).send(method, "/api/teams", headers=headers)

    assert not [name for name in reply.headers if name.startswith("access-control-")]


@pytest.mark.parametrize("header", ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"])
def test_a_method_cannot_be_smuggled_past_the_checks(cast: Cast, header: str) -> None:
    id = cast.things["/api/teams/{id}"]

    cast.tenant.admin_key.send("GET", f"/api/teams/{id}?_method=DELETE", headers={header: "DELETE"})
    cast.tenant.admin_key.send("GET", f"/api/teams/{id}", headers={header: "DELETE"})

    assert cast.tenant.admin_key.get(f"/api/teams/{id}").status == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example", "evil.example:PORT", "127.0.0.2", "0.0.0.0", "[::2]", "localhost.evil.example",
     "", "127.0.0.1:99999999", "127.0.0.1 evil.example", "127.0.0.1,evil.example", "2130706433", "0x7f000001", "127.1"],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/", "/api/version", "/api/me", "/api/auth/login"])
def test_a_name_that_was_made_to_point_here_is_refused(cast: Cast, host: str, path: str) -> None:
    named = host.replace("PORT", str(urlsplit(cast.installation.url).port))

    reply = Sender(cast.installation.url, source="127.0.10.3").send("GET", path, headers={"Host": named})

    assert reply.status == 400
    assert reply.code in ("host.unknown", "host.invalid")


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST", "localhost."])
def test_this_machines_own_names_are_served(cast: Cast, name: str) -> None:
    port = urlsplit(cast.installation.url).port

    assert (
        Sender(cast.installation.url).send("GET", "/api/version", headers={"Host": f"{name}:{port}"}).status
        == 200
    )


# --- cookies


def test_the_session_cookie_is_out_of_reach_of_scripts_and_other_sites(cast: Cast) -> None:
    tenant = cast.tenant
    body = {"email": tenant.member_email, "password": tenant.password}

    cookie = SimpleCookie(cast.installation.anonymous.post("/api/auth/login", body).headers["set-cookie"])
    (morsel,) = cookie.values()

    assert morsel["httponly"] and morsel["samesite"].lower() == "strict" and morsel["path"] == "/"
    assert not morsel["domain"] and morsel["expires"]
    assert len(morsel.value) >= 43


def test_the_device_cookie_goes_to_the_sign_in_alone_and_opens_nothing(cast: Cast) -> None:
    body = {"email": cast.tenant.admin_email, "password": cast.tenant.password}
    first = device_cookie(cast.installation.anonymous.post("/api/auth/login", body).cookies)

    assert first["httponly"] and first["samesite"] == "strict" and first["path"] == "/api/auth"
    shown = Client(cast.installation.url, cookie=f"{first.key}={first.value}")
    assert shown.get("/api/me").status == shown.get("/api/auth/authenticate").status == 401
    again = device_cookie(shown.post("/api/auth/login", body).cookies)
    assert again.value == first.value
    as_session = cast.tenant.admin.cookie.partition("=")[0]
    assert Client(cast.installation.url, cookie=f"{as_session}={first.value}").get("/api/me").status == 401


def device_cookie(lines: list[str]) -> Morsel[str]:
    (found,) = [one for line in lines for name, one in SimpleCookie(line).items() if "-device-" in name]
    return found


@pytest.mark.parametrize(
    ("settings", "name", "secure"),
    [
        (GatewaySettings(port=8080), "argosy-8080", False),
        (GatewaySettings(port=8443, tls=True), "__Host-argosy-8443", True),
        (GatewaySettings(public_url="https://argosy.example.com/"), "__Host-argosy-443", True),
        (GatewaySettings(public_url="http://argosy.example.com"), "argosy-80", False),
    ],
)
def test_over_tls_the_cookie_is_bound_to_this_very_host(
    settings: GatewaySettings, name: str, secure: bool
) -> None:
    assert (settings.cookie, settings.secure) == (name, secure)


def test_a_session_that_was_planted_is_not_the_one_that_is_signed_in(cast: Cast) -> None:
    tenant = cast.tenant
    planted = "a" * 43
    name = tenant.admin.cookie.partition("=")[0]
    body = {"email": tenant.member_email, "password": tenant.password}

    reply = cast.installation.anonymous.request(
        "POST", "/api/auth/login", body, Cookie=f"{name}={planted}", Origin=cast.installation.url
    )

    assert planted not in reply.headers["set-cookie"]
    assert Client(tenant.admin.url, cookie=f"{name}={planted}").get("/api/me").status == 401


def test_each_sign_in_is_a_session_of_its_own_and_signing_out_ends_just_that(cast: Cast) -> None:
    tenant = cast.other
    one, other = (cast.installation.anonymous.sign_in(tenant.member_email, tenant.password) for _ in range(2))
    assert one.cookie != other.cookie

    reply = one.post("/api/auth/logout")

    assert "max-age=0" in reply.headers["set-cookie"].lower()
    assert (one.get("/api/me").status, other.get("/api/me").status) == (401, 200)


def test_a_credential_in_the_address_is_not_taken(cast: Cast) -> None:
    key = cast.tenant.admin_key.key

    for query in (f"token={key}", f"access_token={key}", f"api_key={key}", f"authorization={key}"):
        assert Sender(cast.installation.url, source="127.0.10.4").get(f"/api/me?{query}").status == 401


# --- headers


@pytest.mark.parametrize("path", KINDS)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_every_answer_carries_the_headers_that_tie_a_browsers_hands(
    cast: Cast, method: str, path: str
) -> None:
    reply = Sender(cast.installation.url, source="127.0.10.5").send(method, path)

    assert reply.headers["content-security-policy"] == CSP
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["x-frame-options"] == "DENY"
    assert reply.headers["referrer-policy"] == "same-origin"
    assert reply.headers["cross-origin-opener-policy"] == "same-origin"
    assert reply.headers["cross-origin-resource-policy"] == "same-origin"
    assert reply.headers["x-request-id"]
    assert "server" not in reply.headers and "x-powered-by" not in reply.headers
    assert reply.status < 500 or (path not in ("/healthz", "/readyz") and not path.startswith("/api"))


def test_the_policy_lets_no_script_in_but_our_files_and_no_frame_around() -> None:
    policy = dict(part.split(" ", 1) for part in CSP.split("; "))

    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'" and policy["base-uri"] == "'none'"
    assert not re.search(r"unsafe-eval|\*|https?:|script-src[^;]*(unsafe-inline|data:|blob:)", CSP)


@pytest.mark.parametrize(
    "path", ["/api/me", "/api/users", "/api/user", "/api/audit/export", "/api/nothing", "/api/audit/verify"]
)
def test_what_is_personal_is_kept_by_no_cache(cast: Cast, path: str) -> None:
    assert cast.tenant.admin.get(path).headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", [path for path in KINDS if path.startswith("/api/")])
def test_nothing_of_the_api_is_told_as_html_but_the_reference_page(cast: Cast, path: str) -> None:
    kind = sender(cast.tenant.admin_key).get(path).headers["content-type"].partition(";")[0]

    assert kind in ("application/json", "text/event-stream") or path == "/api/reference"


def test_markup_in_an_error_stays_text(cast: Cast) -> None:
    reply = cast.tenant.admin_key.get("/api/users?%3Cscript%3Ealert(1)%3C/script%3E=1")

    assert reply.status == 422
    assert reply.headers["content-type"] == "application/json"


def test_an_export_is_a_download_whatever_is_in_it(cast: Cast) -> None:
    cast.tenant.admin.done("POST", "/api/teams", {"name": "<script>alert(1)</script>"})

    for format in ("csv", "jsonl"):
        reply = cast.tenant.admin.get(f"/api/audit/export?format={format}")
        assert reply.headers["content-disposition"].startswith("attachment; filename=")
        assert "html" not in reply.headers["content-type"]


# --- static files and redirects

TRAVERSALS = (
    "/../../../../etc/passwd", "/assets/../../app.py", "/assets/..%2f..%2fapp.py", "/%2e%2e/%2e%2e/app.py",
    "/assets/%2e%2e/%2e%2e/app.py", "/..%5c..%5capp.py", "/assets/..\\..\\app.py", "/assets/%00", "/index.html%00.js",
    "/%252e%252e/app.py", "/assets/%252e%252e%252fapp.py", "//etc/passwd", "/./app.py", "/assets/", "/assets",
    "/%c0%ae%c0%ae/app.py", "/.git/config", "/app.py", "/assets/%2fetc%2fpasswd", "/index.html/../app.py", "/~root",
)  # fmt: skip


@pytest.mark.parametrize("path", TRAVERSALS)
def test_no_path_leads_out_of_the_built_pages(installation: Installation, path: str) -> None:
    data = f"GET {path} HTTP/1.1\r\nHost: {host_of(installation)}\r\nConnection: close\r\n\r\n"
    answer = raw(installation.url, data.encode(), source="127.0.10.6")

    assert statuses(answer)[0] in (200, 400, 404, 503)  # 200 and 503: the page itself, built or not
    assert b"root:" not in answer and b"class Edge" not in answer and b"[core]" not in answer


@pytest.mark.parametrize(
    "path",
    ["//evil.example", "//evil.example/", "/\\evil.example", "/%2f%2fevil.example/", "/login?next=https://evil.example",
     "/api/version/", "/api//version", "//evil.example/api/me", "/?url=//evil.example"],
)  # fmt: skip
def test_nothing_redirects(installation: Installation, path: str) -> None:
    reply = Sender(installation.url, source="127.0.10.7").get(path)

    assert reply.status < 300 or reply.status >= 400
    assert "location" not in reply.headers


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
def test_pages_are_only_read(installation: Installation, method: str) -> None:
    assert Sender(installation.url).send(method, "/").status == 405
