"""The URL that a person opens, for each host, port and public URL."""

from __future__ import annotations

import pytest

from argosy.host.options import UpOptions


@pytest.mark.parametrize(
    ("options", "url"),
    [
        (UpOptions("127.0.0.1", 8080, 3), "http://127.0.0.1:8080"),
        (UpOptions("0.0.0.0", 8080, 3), "http://127.0.0.1:8080"),
        (UpOptions("::", 8080, 3), "http://[::1]:8080"),
        (UpOptions("localhost", 80, 3), "http://localhost"),
        (UpOptions("localhost", 80, 3, tls_cert="c", tls_key="k"), "https://localhost:80"),
        (UpOptions("localhost", 443, 3, tls_cert="c", tls_key="k"), "https://localhost"),
        (UpOptions("0.0.0.0", 8080, 3, public_url="https://a.example"), "https://a.example"),
    ],
)
def test_the_url_is_the_one_to_open(options: UpOptions, url: str) -> None:
    assert options.url == url


@pytest.mark.parametrize(
    ("options", "listens"),
    [
        (UpOptions("127.0.0.1", 43210, 3), ""),
        (UpOptions("127.0.0.1", 43210, 3, public_url="https://a.example"), "127.0.0.1:43210"),
        (UpOptions("::", 43210, 3, public_url="https://a.example"), "[::]:43210"),
    ],
)
def test_behind_a_public_url_the_port_to_pass_requests_to_is_told(options: UpOptions, listens: str) -> None:
    assert options.listens == listens
