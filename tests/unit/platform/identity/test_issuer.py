"""Signing keys: made once, private, rotated so that no token ever meets a verifier that lacks its key."""

from __future__ import annotations

import base64
import json

import pytest

from argosy.kit.calls import Principal
from argosy.kit.errors import Unauthenticated
from argosy.kit.tokens import FetchedKeys, TokenVerifier
from argosy.platform.identity.issuer import KEPT_AFTER, PUBLISHED_AHEAD, Issuer

WHO = Principal(kind="user", id="a" * 24, name="Member", account="b" * 24, teams=("c" * 24,))


class Now:
    def __init__(self) -> None:
        self.seconds = 1_800_000_000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def now():
    return Now()


def verifier(issuer, now):
    async def fetch():
        return issuer.key_set()

    return TokenVerifier(FetchedKeys(fetch, now), "audit", now)


def names(issuer):
    return [key["kid"] for key in json.loads(issuer.key_set())["keys"]]


async def test_a_token_carries_the_principal_and_lives_a_minute(tmp_path, now):
    issuer = Issuer(tmp_path, clock=now)
    exchanged = issuer.issue(WHO, audience="audit", acting="gateway")

    claims = await verifier(issuer, now).verify(exchanged.token)

    assert claims.p == WHO == exchanged.principal
    assert (claims.iss, claims.sub, claims.aud, claims.acc, claims.act) == (
        "argosy", WHO.id, "audit", WHO.account, "gateway",
    )  # fmt: skip
    assert claims.exp == exchanged.expires == now() + 60


def test_keys_are_private_files_and_only_public_parts_are_published(tmp_path, now):
    issuer = Issuer(tmp_path, clock=now)
    issuer.rotate()
    files = list(tmp_path.iterdir())
    assert len(files) == 2 and all(file.stat().st_mode & 0o777 == 0o600 for file in files)
    for key in json.loads(issuer.key_set())["keys"]:
        assert set(key) == {"kty", "crv", "x", "y", "kid", "use", "alg"}


def test_a_restart_and_a_second_instance_use_the_same_key(tmp_path, now):
    first, second = Issuer(tmp_path, clock=now), Issuer(tmp_path, clock=now)
    assert names(first) == names(second) and len(names(first)) == 1


async def test_rotation_overlaps(tmp_path, now):
    issuer = Issuer(tmp_path, clock=now)
    check = verifier(issuer, now)
    [old] = names(issuer)
    now.seconds += 86400
    new = issuer.rotate()
    assert names(issuer) == [old, new]

    before = issuer.issue(WHO, audience="audit", acting="gateway").token  # still by the old key
    await check.verify(before)
    assert json_header(before)["kid"] == old

    now.seconds += PUBLISHED_AHEAD
    late = issuer.issue(WHO, audience="audit", acting="gateway").token
    assert json_header(late)["kid"] == new
    await check.verify(late)

    now.seconds += KEPT_AFTER
    assert not issuer.rotate_when_older(30 * 86400)
    assert names(issuer) == [new]
    assert issuer.rotate_when_older(60)


async def test_another_instance_notices_a_rotation(tmp_path, now):
    one, two = Issuer(tmp_path, clock=now), Issuer(tmp_path, clock=now)
    now.seconds += 86400
    new = one.rotate()
    now.seconds += PUBLISHED_AHEAD
    token = two.issue(WHO, audience="audit", acting="gateway").token
    assert json_header(token)["kid"] == new
    await verifier(one, now).verify(token)


async def test_a_token_of_another_installation_is_refused(tmp_path, now):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    ours, theirs = Issuer(tmp_path / "a", clock=now), Issuer(tmp_path / "b", clock=now)
    with pytest.raises(Unauthenticated):
        await verifier(ours, now).verify(theirs.issue(WHO, audience="audit", acting="gateway").token)


def json_header(token):
    text = token.partition(".")[0]
    return json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
