"""Who sends a request, by what it shows: a good credential, a bad one, or none."""

from __future__ import annotations

import base64

import pytest

from argosy.kube.errors import ApiError
from argosy.kube.server.access import Access, User, bootstrap
from argosy.kube.server.access.vocabulary import Attributes
from tests.unit.kube.server.access.cluster import request, with_token

ANONYMOUS = User("system:anonymous", groups=("system:unauthenticated",))
PART = User("argosy:controllers", groups=("system:masters",))


@pytest.fixture
def access(authority, cluster, clock) -> Access:
    return Access(authority, cluster, now=clock, tokens={"s3cret": PART})


def encoded(token: str) -> str:
    return base64.urlsafe_b64encode(token.encode()).rstrip(b"=").decode()


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": ""},
        {"authorization": "Bearer"},
        {"authorization": "Bearer "},
        {"authorization": "Bearer  s3cret"},
        {"authorization": "Basic czNjcmV0"},
        {"sec-websocket-protocol": f"base64url.bearer.authorization.k8s.io.{encoded('wrong')}, v5"},
        {"upgrade": "websocket", "sec-websocket-protocol": "v5.channel.k8s.io"},
    ],
)
def test_without_a_credential_it_is_anonymous(access: Access, headers) -> None:
    assert access.authenticate(request(headers)) == ANONYMOUS


@pytest.mark.parametrize(
    "header", ["Bearer s3cret", "bearer s3cret", " BEARER s3cret ", "Bearer s3cret extra"]
)
def test_the_hosts_own_parts_have_static_tokens(access: Access, header: str) -> None:
    found = access.authenticate(request({"authorization": header}))
    assert (found.name, found.groups) == (PART.name, ("system:masters", "system:authenticated"))


@pytest.mark.parametrize(
    "token",
    ["wrong", "S3CRET", "s3cre", "s3crets", "a.b.c", "..", ".", "\udc80", "é.é.é", "x" * 100_000, "a.b.c.d"],
)
def test_a_bad_token_is_refused_and_never_taken_for_none(access: Access, token: str) -> None:
    with pytest.raises(ApiError) as refused:
        access.authenticate(with_token(token))
    assert (refused.value.code, refused.value.message) == (401, "Unauthorized")


@pytest.mark.parametrize("depth", [100, 100_000])
def test_claims_that_are_nested_too_deep_are_refused(access: Access, depth: int) -> None:
    payload = encoded('{"x":' + "[" * depth + "]" * depth + "}")
    with pytest.raises(ApiError) as refused:
        access.authenticate(with_token(f"{encoded('{}')}.{payload}.x"))
    assert refused.value.code == 401


def test_a_websocket_may_carry_its_token_as_a_protocol(access: Access) -> None:
    offered = f"base64url.bearer.authorization.k8s.io.{encoded('s3cret')}, v5.channel.k8s.io"
    found = access.authenticate(request({"upgrade": "websocket", "sec-websocket-protocol": offered}))
    assert found.name == PART.name


@pytest.mark.parametrize(
    "offered",
    [
        f"base64url.bearer.authorization.k8s.io.{encoded('s3cret')}",
        f"base64url.bearer.authorization.k8s.io.{encoded('wrong')}, v5",
        (
            f"base64url.bearer.authorization.k8s.io.{encoded('s3cret')}, "
            f"base64url.bearer.authorization.k8s.io.{encoded('s3cret')}, v5"
        ),
        "base64url.bearer.authorization.k8s.io.!!!, v5",
        "base64url.bearer.authorization.k8s.io._w, v5",
    ],
)
def test_a_protocol_that_is_no_good_token_is_refused(access: Access, offered: str) -> None:
    with pytest.raises(ApiError) as refused:
        access.authenticate(request({"upgrade": "WebSocket", "sec-websocket-protocol": offered}))
    assert refused.value.code == 401


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/healthz", True), ("/livez", True), ("/readyz", True), ("/version", True), ("/version/", True),
        ("/api", False), ("/apis", False), ("/openapi/v2", False), ("/metrics", False), ("/", False),
        ("/healthz/etcd", False), ("/.well-known/openid-configuration", False),
    ],
)  # fmt: skip
def test_anonymous_sees_health_and_version_and_nothing_else(access: Access, cluster, path, allowed) -> None:
    cluster.put(*bootstrap())
    assert access.decide(ANONYMOUS, Attributes("get", path=path))[0] is allowed
    assert not access.decide(ANONYMOUS, Attributes("post", path=path))[0]
    assert not access.decide(ANONYMOUS, Attributes("list", resource="pods"))[0]
