"""Attacks on the tokens between parts, and on the assertions that ask for them (market reference S7)."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import os

import pytest
from cryptography.hazmat.primitives import serialization
from joserfc.jwk import ECKey

from argosy.kit.calls import Principal
from argosy.kit.errors import Unauthenticated, Unavailable
from argosy.kit.tokens import (
    AssertionVerifier,
    FetchedKeys,
    FixedKeys,
    ServiceKey,
    Signer,
    TokenVerifier,
    claims_for,
    sign_token,
)

NOW = 1_800_000_000.0
MEMBER = Principal(kind="user", id="a" * 24, name="Member", account="b" * 24)
KEY = ECKey.generate_key("P-256", private=True)
SIGNER = Signer("good", KEY)


class Clock:
    def __init__(self, at=NOW):
        self.at = at

    def __call__(self):
        return self.at


def verifier(clock=None, audience="audit", keys=None):
    return TokenVerifier(keys or FixedKeys({"good": KEY}), audience, clock or Clock())


def b64(data) -> str:
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def good_claims(**changed):
    claims = {
        "iss": "argosy", "sub": MEMBER.id, "aud": "audit", "acc": MEMBER.account, "act": "gateway", "iat": NOW,
        "exp": NOW + 60, "jti": "c" * 24, "p": {"kind": "user", "id": MEMBER.id, "account": MEMBER.account},
    }  # fmt: skip
    return {name: value for name, value in {**claims, **changed}.items() if value is not ...}


def handmade(claims=None, signer=SIGNER, **header):
    """A token with any header and claims, really signed by the key."""
    from joserfc import jws

    head = {"alg": "ES256", "kid": "good", "typ": "argosy+jwt", **header}
    head = {name: value for name, value in head.items() if value is not ...}
    real = jws.serialize_compact(
        {"alg": "ES256"}, b"x", signer.key, algorithms=["ES256"]
    )  # proves that the key signs; the real text is made below
    assert real
    text = f"{b64(head)}.{b64(good_claims() if claims is None else claims)}"
    signature = base64.urlsafe_b64encode(raw_signature(signer.key, text.encode())).rstrip(b"=").decode()
    return f"{text}.{signature}"


def raw_signature(key, data: bytes) -> bytes:
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

    r, s = decode_dss_signature(key.private_key.sign(data, ec.ECDSA(hashes.SHA256())))
    return r.to_bytes(32, "big") + s.to_bytes(32, "big")


async def refused(token, check=None):
    with pytest.raises(Unauthenticated) as error:
        await (check or verifier()).verify(token)
    assert error.value.code == "auth.token"
    return error.value.message


async def test_a_good_token_is_accepted_and_so_is_the_handmade_one():
    token = sign_token(SIGNER, claims_for(MEMBER, audience="audit", acting="gateway", now=NOW))
    assert (await verifier().verify(token)).p == MEMBER
    assert (await verifier().verify(handmade())).p.id == MEMBER.id


@pytest.mark.parametrize(
    "alg", ["none", "None", "NONE", "", "HS256", "RS256", "ES384", "ES256K", "EdDSA", None]
)
async def test_no_other_algorithm_is_accepted(alg):
    await refused(handmade(alg=alg))
    unsigned = f"{b64({'alg': alg, 'kid': 'good', 'typ': 'argosy+jwt'})}.{b64(good_claims())}."
    await refused(unsigned)


async def test_the_public_key_is_no_hmac_secret():
    pem = KEY.public_key.public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    jwk = json.dumps(KEY.as_dict(private=False)).encode()
    for secret in (pem, pem.strip(), jwk):
        for alg in ("HS256", "ES256"):
            text = f"{b64({'alg': alg, 'kid': 'good', 'typ': 'argosy+jwt'})}.{b64(good_claims())}"
            mac = hmac.new(secret, text.encode(), hashlib.sha256).digest()
            await refused(f"{text}.{b64(mac)}")
            await refused(f"{text}.{b64(mac + mac)}")


@pytest.mark.parametrize(
    "kid",
    [
        "bad",
        "GOOD",
        "good ",
        "",
        "../good",
        "../../../etc/passwd",
        "good' OR '1'='1",
        "good\0",
        "g" * 65,
        7,
        None,
        ["good"],
    ],
)
async def test_only_the_exact_name_of_a_key_finds_it(kid):
    await refused(handmade(kid=kid))


@pytest.mark.parametrize(
    "extra",
    [
        {"jku": "http://127.0.0.1:1/keys"},
        {"x5u": "http://127.0.0.1:1/cert"},
        {"jwk": KEY.as_dict(private=False)},
        {"x5c": ["AAAA"]},
        {"crit": ["exp"]},
        {"b64": False, "crit": ["b64"]},
        {"zip": "DEF"},
        {"typ": "JWT"},
        {"typ": "argosy-assertion+jwt"},
        {"typ": ...},
        {"kid": ...},
    ],
)
async def test_a_header_says_nothing_but_what_it_must(extra):
    await refused(handmade(**extra))


async def test_a_key_that_the_token_brings_along_is_not_trusted():
    attacker = ECKey.generate_key("P-256", private=True)
    await refused(handmade(signer=Signer("good", attacker)))
    await refused(handmade(signer=Signer("good", attacker), jwk=attacker.as_dict(private=False)))


@pytest.mark.parametrize("claim", ["iss", "sub", "aud", "acc", "act", "iat", "exp", "jti", "p"])
async def test_every_claim_must_be_there(claim):
    await refused(handmade(good_claims(**{claim: ...})))


@pytest.mark.parametrize(
    "wrong",
    [
        {"iss": "attacker"},
        {"iss": ""},
        {"aud": "identity"},
        {"aud": ["audit", "identity"]},
        {"aud": ""},
        {"sub": ""},
        {"sub": "d" * 24},
        {"acc": "d" * 24},
        {"act": ""},
        {"jti": ""},
        {"exp": NOW - 6},
        {"iat": NOW - 66, "exp": NOW - 6},
        {"iat": NOW + 6, "exp": NOW + 60},
        {"nbf": NOW + 6},
        {"exp": NOW + 61},
        {"iat": 0},
        {"exp": "never"},
        {"exp": None},
        {"exp": 1e400},
        {"iat": True},
        {"p": {"kind": "anonymous"}},
        {"p": {"kind": "god", "id": MEMBER.id, "account": MEMBER.account}},
        {"p": {"kind": "user", "id": "d" * 24, "account": MEMBER.account}},
        {"p": {"kind": "user", "id": MEMBER.id, "account": "d" * 24}},
        {"p": None},
    ],
)
async def test_wrong_claims_are_refused(wrong):
    await refused(handmade(good_claims(**wrong)))


@pytest.mark.parametrize("claims", [[], "text", None, {}, 5])
async def test_claims_that_are_no_object_or_empty_are_refused(claims):
    text = b64(claims)
    head = b64({"alg": "ES256", "kid": "good", "typ": "argosy+jwt"})
    signature = b64(raw_signature(KEY, f"{head}.{text}".encode()))
    await refused(f"{head}.{text}.{signature}")


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "..",
        "...",
        "a.b.c",
        "a.b.c.d",
        "é.b.c",
        "\ud800.b.c",
        "argk_" + "A" * 43,
        "x" * 9000,
        "." * 9000,
    ],
)
async def test_what_is_no_token_is_refused(text):
    await refused(text)


async def test_an_oversized_token_is_refused_before_it_is_read():
    assert "longer" in await refused(handmade(good_claims(p={"kind": "user", "name": "x" * 9000})))


async def test_each_changed_byte_breaks_the_signature():
    token = handmade()
    for part in range(3):
        start = sum(len(each) + 1 for each in token.split(".")[:part])
        at = start + 4
        other = "A" if token[at] != "A" else "B"
        await refused(token[:at] + other + token[at + 1 :])


async def test_clocks_may_differ_by_five_seconds():
    clock = Clock(NOW + 64.9)
    await verifier(clock).verify(handmade())
    clock.at = NOW - 4.9
    await verifier(clock).verify(handmade())
    await refused(handmade(), verifier(Clock(NOW + 65.1)))
    await refused(handmade(), verifier(Clock(NOW - 5.1)))


async def test_a_remembered_token_still_expires():
    clock = Clock()
    check = verifier(clock)
    token = handmade()
    await check.verify(token)
    clock.at = NOW + 66
    await refused(token, check)


async def test_what_is_remembered_is_one_audiences():
    token = handmade()
    await verifier().verify(token)
    await refused(token, verifier(audience="identity"))


async def test_false_key_names_do_not_make_a_flood_of_fetches():
    fetches = 0

    async def fetch():
        nonlocal fetches
        fetches += 1
        await asyncio.sleep(0)
        return json.dumps({"keys": [{**KEY.as_dict(private=False), "kid": "good"}]})

    clock = Clock()
    check = verifier(keys=FetchedKeys(fetch, clock))
    results = await asyncio.gather(
        *(check.verify(handmade(kid=f"false{number}")) for number in range(50)), return_exceptions=True
    )
    assert all(isinstance(each, Unauthenticated) for each in results)
    assert fetches == 1
    await check.verify(handmade())
    clock.at += 1.5
    await refused(handmade(kid="another"), check)
    assert fetches == 2


async def test_a_withdrawn_key_is_forgotten():
    published = [{**KEY.as_dict(private=False), "kid": "good"}]

    async def fetch():
        return json.dumps({"keys": published})

    clock = Clock()
    keys = FetchedKeys(fetch, clock)
    assert await keys.named("good") is not None
    published.clear()
    clock.at += 61
    assert await keys.named("good") is None


async def test_tokens_verify_while_identity_restarts_but_unknown_keys_do_not(capsys):
    up = True

    async def fetch():
        if not up:
            raise Unavailable("identity is restarting")
        return json.dumps({"keys": [{**KEY.as_dict(private=False), "kid": "good"}]})

    clock = Clock()
    keys = FetchedKeys(fetch, clock)
    assert await keys.named("good") is not None
    up, clock.at = False, clock.at + 61
    assert await keys.named("good") is not None
    clock.at += 2
    with pytest.raises(Unavailable):
        await keys.named("new")


@pytest.mark.parametrize(
    "jwk",
    [
        {"kty": "oct", "k": "c2VjcmV0"},
        {"kty": "RSA", "n": "AQAB", "e": "AQAB"},
        {"kty": "EC", "crv": "P-384", "x": "AA", "y": "AA"},
        {"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"},
    ],
)
async def test_a_key_of_another_kind_never_enters_the_set(jwk):
    async def fetch():
        return json.dumps({"keys": [{**jwk, "kid": "good"}]})

    check = verifier(keys=FetchedKeys(fetch, Clock()))
    await refused(handmade(), check)


# --- assertions


def test_a_part_proves_its_name_with_a_private_key_of_its_own(tmp_path):
    key = ServiceKey.load(tmp_path, "audit")
    check = AssertionVerifier(tmp_path, Clock())

    assert check.verify(key.assertion(NOW)) == "audit"
    assert (tmp_path / "service-audit.json").stat().st_mode & 0o777 == 0o600
    assert "d" not in json.loads((tmp_path / "service-audit.public.json").read_text())
    again = ServiceKey.load(tmp_path, "audit")
    assert check.verify(again.assertion(NOW)) == "audit"


def test_two_processes_that_start_at_once_get_the_same_key(tmp_path):
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(8) as threads:
        keys = list(threads.map(lambda _: ServiceKey.load(tmp_path, "audit"), range(8)))
    check = AssertionVerifier(tmp_path, Clock())
    assert {check.verify(key.assertion(NOW)) for key in keys} == {"audit"}
    assert sorted(os.listdir(tmp_path)) == ["service-audit.json", "service-audit.public.json"]


def test_an_assertion_lives_a_minute(tmp_path):
    token = ServiceKey.load(tmp_path, "audit").assertion(NOW)
    for at in (NOW + 66, NOW - 6):
        with pytest.raises(Unauthenticated):
            AssertionVerifier(tmp_path, Clock(at)).verify(token)


@pytest.mark.parametrize("name", ["nobody", "../service-audit", "audit.public", "AUDIT", ""])
def test_an_unknown_part_is_refused(tmp_path, name):
    key = ServiceKey.load(tmp_path, "audit")
    forged = handmade(
        {"iss": name, "sub": name, "aud": "identity"}, key._signer, kid=name, typ="argosy-assertion+jwt"
    )
    with pytest.raises(Unauthenticated):
        AssertionVerifier(tmp_path, Clock()).verify(forged)


def test_a_part_cannot_speak_for_another(tmp_path):
    audit = ServiceKey.load(tmp_path, "audit")
    ServiceKey.load(tmp_path, "gateway")
    times = {"iat": NOW, "exp": NOW + 60, "jti": "x"}
    for claims, kid in (
        ({"iss": "gateway", "sub": "gateway", "aud": "identity", **times}, "gateway"),
        ({"iss": "gateway", "sub": "gateway", "aud": "identity", **times}, "audit"),
        ({"iss": "audit", "sub": "gateway", "aud": "identity", **times}, "audit"),
        ({"iss": "audit", "sub": "audit", "aud": "audit", **times}, "audit"),
        ({"iss": "audit", "sub": "audit", "aud": "identity", **times, "exp": NOW + 61}, "audit"),
    ):
        forged = handmade(claims, audit._signer, kid=kid, typ="argosy-assertion+jwt")
        with pytest.raises(Unauthenticated):
            AssertionVerifier(tmp_path, Clock()).verify(forged)


async def test_an_assertion_is_no_token_and_a_token_no_assertion(tmp_path):
    key = ServiceKey.load(tmp_path, "audit")
    await refused(key.assertion(NOW), verifier(keys=FixedKeys({"audit": key._signer.key})))
    token = sign_token(key._signer, claims_for(MEMBER, audience="identity", acting="audit", now=NOW))
    with pytest.raises(Unauthenticated):
        AssertionVerifier(tmp_path, Clock()).verify(token)
