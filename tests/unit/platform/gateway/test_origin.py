"""Requests meant for another host, or sent by another site, are refused; and where they come from is not theirs to say."""

from __future__ import annotations

import pytest

from argosy.kit.errors import BadRequest, Forbidden
from argosy.platform.gateway.origin import check_host, check_origin, client_address
from argosy.platform.gateway.settings import GatewaySettings

LOCAL = GatewaySettings(port=8080)
PUBLIC = GatewaySettings(host="0.0.0.0", port=8080, public_url="https://argosy.example.com")
OPEN = GatewaySettings(host="0.0.0.0", port=8080)


@pytest.mark.parametrize(
    ("settings", "host", "good"),
    [
        (LOCAL, "127.0.0.1:8080", True),
        (LOCAL, "localhost:8080", True),
        (LOCAL, "[::1]:8080", True),
        (LOCAL, "evil.example", False),
        (LOCAL, "127.0.0.1.evil.example", False),
        (LOCAL, "", False),
        (LOCAL, "[::1", False),
        (PUBLIC, "argosy.example.com", True),
        (PUBLIC, "ARGOSY.example.com.", True),
        (PUBLIC, "10.1.2.3:8080", False),
        (OPEN, "10.1.2.3:8080", True),
        (OPEN, "evil.example", False),
    ],
)
def test_only_our_own_names_are_answered(settings: GatewaySettings, host: str, good: bool) -> None:
    if good:
        check_host(settings, host)
    else:
        with pytest.raises(BadRequest):
            check_host(settings, host)


@pytest.mark.parametrize(
    ("settings", "origin", "site", "good"),
    [
        (LOCAL, "http://127.0.0.1:8080", None, True),
        (LOCAL, "http://127.0.0.1:9090", None, False),
        (LOCAL, "null", "same-origin", False),
        (LOCAL, None, "same-origin", True),
        (LOCAL, None, "cross-site", False),
        (LOCAL, None, None, False),
        (PUBLIC, "https://argosy.example.com", None, True),
        (PUBLIC, "http://argosy.example.com", None, False),
        (PUBLIC, "https://argosy.example.com.evil.example", "same-origin", False),
    ],
)
def test_only_our_own_pages_may_write_with_a_cookie(
    settings: GatewaySettings, origin: str | None, site: str | None, good: bool
) -> None:
    host = "127.0.0.1:8080" if settings is LOCAL else "argosy.example.com"
    if good:
        check_origin(settings, host, origin, site)
    else:
        with pytest.raises(Forbidden):
            check_origin(settings, host, origin, site)


def test_installations_on_one_host_have_cookies_of_their_own() -> None:
    assert LOCAL.cookie == "argosy-8080"
    assert GatewaySettings(port=9090).cookie == "argosy-9090"
    assert PUBLIC.cookie == "__Host-argosy-443"


@pytest.mark.parametrize(
    "forwarded_for, address",
    [
        ([], "10.0.0.9"),
        (["192.0.2.1"], "192.0.2.1"),
        (["198.51.100.9, 192.0.2.1"], "192.0.2.1"),
        (["198.51.100.9", "192.0.2.1"], "192.0.2.1"),  # the client's own line, then the proxy's
        (["192.0.2.1:51515"], "192.0.2.1"),
        (["[2001:db8::1]:51515"], "2001:db8::1"),
        (["2001:db8::1"], "2001:db8::1"),
        (["unknown"], "10.0.0.9"),
        (["192.0.2.1, "], "10.0.0.9"),
        (["<script>"], "10.0.0.9"),
    ],
)
def test_only_what_a_trusted_proxy_wrote_last_tells_where_a_request_comes_from(
    forwarded_for: list[str], address: str
) -> None:
    assert client_address("10.0.0.9", forwarded_for, ["10.0.0.9"]) == address
    assert client_address("10.0.0.8", forwarded_for, ["10.0.0.9"]) == "10.0.0.8"
