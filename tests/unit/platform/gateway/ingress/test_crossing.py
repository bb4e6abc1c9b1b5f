"""What of a head passes to a pod and back: no credential of ours goes there, nothing of theirs acts in our name."""

from __future__ import annotations

import pytest

from argosy.kit.errors import Unavailable
from argosy.platform.gateway.ingress.crossing import (
    SANDBOX,
    moved,
    own_cookie,
    towards_browser,
    towards_browser_by_path,
    towards_pod,
)
from argosy.platform.gateway.settings import GatewaySettings

KEY = "argk_" + "x" * 43
ASKED = [
    ("Host", "h"), ("Cookie", f"mine=1; argosy-8080={KEY}; __Host-argosy-443=s"), ("Authorization", KEY),
    ("Referer", "http://h/users"), ("X-Forwarded-For", "6.6.6.6"), ("Forwarded", "for=6.6.6.6"), ("X-Real-IP", "6.6.6.6"),
    ("X-Argosy-Passage", "guessed"), ("Connection", "keep-alive, X-Secret"), ("X-Secret", "1"), ("Upgrade", "h2c"),
    ("TE", "trailers"), ("Expect", "100-continue"), ("Accept", "text/html"), ("X-Of-The-App", "kept"),
]  # fmt: skip


def test_under_our_name_a_pod_sees_no_cookie_and_no_credential_at_all() -> None:
    sent = towards_pod(ASKED, {"x-forwarded-for": "127.0.0.1"}, by_path=True)

    assert sent == [
        ("host", "h"),
        ("accept", "text/html"),
        ("x-of-the-app", "kept"),
        ("x-forwarded-for", "127.0.0.1"),
    ]


def test_under_its_own_host_a_pod_keeps_its_cookies_and_never_sees_ours() -> None:
    sent = dict(towards_pod(ASKED, {}, by_path=False))

    assert sent["cookie"] == "mine=1"
    assert "authorization" not in sent
    assert sent["referer"] == "http://h/users"
    assert not {"x-forwarded-for", "forwarded", "x-real-ip", "x-argosy-passage", "x-secret", "upgrade"} & set(
        sent
    )


@pytest.mark.parametrize("value", [KEY, f"Bearer {KEY}"])
def test_a_key_of_ours_is_for_no_pod(value: str) -> None:
    assert towards_pod([("authorization", value)], {}, by_path=False) == []
    assert towards_pod([("authorization", "Bearer theirs")], {}, by_path=False) == [
        ("authorization", "Bearer theirs")
    ]


@pytest.mark.parametrize(
    "settings", [GatewaySettings(), GatewaySettings(public_url="https://argosy.example.test")]
)
def test_the_cookies_that_we_set_are_the_ones_that_are_held_back(settings: GatewaySettings) -> None:
    cookies = f"{settings.cookie}=a; {settings.device_cookie}=b; theirs=c"

    assert towards_pod([("cookie", cookies)], {}, by_path=False) == [("cookie", "theirs=c")]
    assert own_cookie(f"{settings.cookie}=stolen; Path=/") == ""


@pytest.mark.parametrize(
    ("set_cookie", "kept"),
    [
        ("a=1", "a=1"),
        ("a=1; Path=/; HttpOnly", "a=1; Path=/; HttpOnly"),
        ("a=1; Domain=example.test; Path=/", "a=1; Path=/"),
        ("a=1;DOMAIN = .localhost", "a=1"),
        ("argosy-8080=stolen; Domain=localhost", ""),
    ],
)
def test_a_cookie_stays_with_the_host_that_set_it(set_cookie: str, kept: str) -> None:
    assert own_cookie(set_cookie) == kept


def test_under_its_own_host_an_answer_keeps_its_head_but_for_what_reaches_beyond_it() -> None:
    answered = [
        ("Content-Type", "text/html"), ("Set-Cookie", "a=1; Domain=test"), ("Set-Cookie", "b=2"),
        ("Clear-Site-Data", '"cookies"'), ("Strict-Transport-Security", "max-age=1; includeSubDomains"),
        ("Content-Security-Policy", "default-src 'self'"), ("Transfer-Encoding", "chunked"), ("X-Request-Id", "theirs"),
    ]  # fmt: skip

    assert towards_browser(answered) == [
        ("content-type", "text/html"),
        ("set-cookie", "a=1"),
        ("set-cookie", "b=2"),
        ("content-security-policy", "default-src 'self'"),
    ]


def by_path(*headers: tuple[str, str]) -> dict[str, str]:
    prefix, host = "/ingress/local/default/web", "127.0.0.1:8080"
    return dict(towards_browser_by_path(headers, prefix=prefix, host=host, path="/"))


@pytest.mark.parametrize(
    "header",
    [
        ("Set-Cookie", "a=1"), ("Clear-Site-Data", "*"), ("Access-Control-Allow-Origin", "*"), ("Refresh", "0;url=/"),
        ("Link", "</x>; rel=preload"), ("Service-Worker-Allowed", "/"), ("WWW-Authenticate", "Basic"),
        ("Content-Location", "/api"), ("X-Anything", "1"), ("Report-To", "{}"), ("SourceMap", "/x"),
    ],
)  # fmt: skip
def test_under_our_name_only_harmless_headers_come_back(header: tuple[str, str]) -> None:
    assert header[0].lower() not in by_path(("Content-Type", "application/json"), header)


@pytest.mark.parametrize(
    "kind", ["application/json", "application/json; charset=utf-8", "application/problem+json"]
)
def test_json_comes_back_as_it_is(kind: str) -> None:
    found = by_path(("Content-Type", kind), ("Content-Length", "2"), ("Cache-Control", "public"))

    assert found["content-type"] == kind
    assert "content-security-policy" not in found
    assert (found["x-content-type-options"], found["cache-control"]) == ("nosniff", "private, no-cache")


@pytest.mark.parametrize("kind", ["text/html; charset=utf-8", "text/plain", "image/svg+xml", "TEXT/HTML"])
def test_what_is_not_json_is_shown_in_a_sandbox(kind: str) -> None:
    found = by_path(("Content-Type", kind), ("Content-Security-Policy", "sandbox allow-scripts"))

    assert (found["content-type"], found["content-security-policy"]) == (kind, SANDBOX)


@pytest.mark.parametrize(
    "kind",
    [
        "", "text/javascript", "application/javascript", "application/xhtml+xml", "text/xml", "application/wasm",
        "text/html, application/json", "application/x-shockwave-flash", "multipart/x-mixed-replace", "nonsense",
    ],
)  # fmt: skip
def test_what_a_browser_might_run_is_a_file_to_be_saved(kind: str) -> None:
    found = by_path(("Content-Type", kind), ("Content-Disposition", "inline"))

    assert (found["content-type"], found["content-disposition"]) == ("application/octet-stream", "attachment")
    assert found["content-security-policy"] == SANDBOX


@pytest.mark.parametrize(
    ("location", "leads_to"),
    [
        ("/login?next=%2F", "/P/login?next=%2F"),
        ("/", "/P/"),
        ("next", "/P/deep/next"),
        ("?page=2", "/P/deep/here?page=2"),
        ("..", "/P/"),
        ("../../../../api/me", "/P/api/me"),
        ("/../../../api/me", "/P/api/me"),
        ("http://h:1/x#part", "/P/x#part"),
        ("//h:1/x", "/P/x"),
    ],
)
def test_a_redirect_stays_inside_the_ingress(location: str, leads_to: str) -> None:
    assert moved(location, "/P", "h:1", "/deep/here") == leads_to


@pytest.mark.parametrize(
    "location",
    [
        "http://evil.test/", "//evil.test", "https:/evil.test", "https:evil.test", "javascript:alert(1)", "\\\\evil.test",
        "/\\evil.test", "\t//evil.test", " //evil.test", "ftp://h:1/", "data:text/html,x", "%2e%2e/%2E%2e/api", "/%2e%2e/api",
    ],
)  # fmt: skip
def test_a_redirect_elsewhere_is_not_made_in_our_name(location: str) -> None:
    with pytest.raises(Unavailable) as refused:
        moved(location, "/P", "h:1", "/deep/here")

    assert refused.value.code == "ingress.redirect"
