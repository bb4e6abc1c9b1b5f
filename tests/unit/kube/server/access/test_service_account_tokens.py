"""Service-account tokens: what they hang on, and everything that may be forged about them."""

from __future__ import annotations

import base64
import hmac
import json
from datetime import timedelta

import pytest
from cryptography.hazmat.primitives import serialization
from hypothesis import given
from hypothesis import strategies as st
from joserfc import jws
from joserfc.jwk import ECKey, OctKey, RSAKey

from argosy.kube.errors import ApiError
from argosy.kube.objects import Object
from argosy.kube.server.access import Access, Authority, legacy_claims
from argosy.kube.server.access.authentication import Authentication
from argosy.kube.server.access.authority import ISSUER
from argosy.kube.server.access.signing import BadToken
from tests.unit.kube.server.access.cluster import Clock, Cluster, made, with_token

ROBOT = made("ServiceAccount", "robot", "shop")
POD = made("Pod", "cart-0", "shop", spec={"serviceAccountName": "robot", "nodeName": "n1"})
NODE = made("Node", "n1")
SECRET = made("Secret", "key", "shop", type="kubernetes.io/service-account-token")


@pytest.fixture
def cluster() -> Cluster:
    return Cluster(ROBOT, POD, NODE, SECRET)


@pytest.fixture
def authentication(authority: Authority, cluster: Cluster, clock: Clock) -> Authentication:
    return Authentication(authority, cluster, tokens={}, now=clock)


def issued(access: Access, kind: str = "", **spec: object) -> str:
    names = {"Pod": "cart-0", "Secret": "key", "Node": "n1"}
    if kind:
        spec["boundObjectRef"] = {"kind": kind, "apiVersion": "v1", "name": names[kind]}
    return str(access.issue({"spec": spec}, ROBOT)["status"]["token"])


def refusal(authentication: Authentication, token: str) -> str:
    with pytest.raises(BadToken) as refused:
        authentication.holder(token, [ISSUER])
    return str(refused.value)


def changed(obj: Object, **metadata: object) -> Object:
    return {**obj, "metadata": {**obj["metadata"], **metadata}}


def test_a_token_is_its_service_account(access: Access) -> None:
    found = access.authenticate(with_token(issued(access)))
    assert (found.name, found.uid) == ("system:serviceaccount:shop:robot", "uid-of-robot")
    assert found.groups == ("system:serviceaccounts", "system:serviceaccounts:shop", "system:authenticated")
    ((key, (value,)),) = found.extra.items()
    assert key == "authentication.kubernetes.io/credential-id"
    assert value.startswith("JTI=")


def test_a_pods_token_tells_the_pod_and_its_node(access: Access) -> None:
    extra = dict(access.authenticate(with_token(issued(access, "Pod"))).extra)
    del extra["authentication.kubernetes.io/credential-id"]
    assert extra == {
        "authentication.kubernetes.io/pod-name": ("cart-0",),
        "authentication.kubernetes.io/pod-uid": ("uid-of-cart-0",),
        "authentication.kubernetes.io/node-name": ("n1",),
        "authentication.kubernetes.io/node-uid": ("uid-of-n1",),
    }


BOUND = [("Pod", POD), ("Secret", SECRET), ("Node", NODE)]


@pytest.mark.parametrize(("kind", "obj"), BOUND)
def test_a_bound_token_ends_with_what_it_is_bound_to(access, authentication, cluster, kind, obj) -> None:
    token = issued(access, kind)
    assert authentication.holder(token, [ISSUER])
    cluster.delete(obj)
    assert refusal(authentication, token) == "service account token has been invalidated"


@pytest.mark.parametrize(("kind", "obj"), BOUND)
def test_a_bound_token_is_not_good_for_a_namesake(access, authentication, cluster, kind, obj) -> None:
    token = issued(access, kind)
    assert authentication.holder(token, [ISSUER])
    cluster.put(changed(obj, uid="another"))
    word, name = kind.lower(), obj["metadata"]["name"]
    assert refusal(authentication, token) == (
        f"{word} UID (another) does not match service account {word} ref claim (uid-of-{name})"
    )


@pytest.mark.parametrize(("kind", "obj"), [*BOUND, ("", ROBOT)])
def test_a_minute_after_a_deletion_began_the_token_is_over(
    access, authentication, cluster, clock, kind, obj
) -> None:
    token = issued(access, kind)
    cluster.put(changed(obj, deletionTimestamp="2026-11-19T12:00:00Z"))
    clock.moment += timedelta(seconds=60)
    assert authentication.holder(token, [ISSUER])
    clock.moment += timedelta(
        seconds=1
    )  # nothing in the cluster changes: what is remembered must end by itself
    said = refusal(authentication, token)
    assert said in {
        "service account token has been invalidated",
        "service account shop/robot has been deleted",
    }


def test_without_its_account_a_token_is_worth_nothing(access, authentication, cluster) -> None:
    token = issued(access)
    cluster.delete(ROBOT)
    assert refusal(authentication, token) == 'serviceaccounts "robot" not found'
    cluster.put(changed(ROBOT, uid="another"))
    assert (
        refusal(authentication, token) == "service account UID (another) does not match claim (uid-of-robot)"
    )


def test_a_token_ends_a_minute_after_its_time_also_when_it_is_remembered(
    access, authentication, clock
) -> None:
    token = issued(access, expirationSeconds=600)
    clock.moment += timedelta(seconds=660)
    assert authentication.holder(token, [ISSUER])
    clock.moment += timedelta(seconds=1)
    assert refusal(authentication, token) == "service account token has expired"


def test_a_token_of_the_future_is_refused(access, authentication, clock) -> None:
    token = issued(access)
    clock.moment -= timedelta(seconds=61)
    assert refusal(authentication, token) == "service account token is not valid yet"


def test_a_token_for_another_audience_is_refused(access, authentication) -> None:
    token = issued(access, audiences=["vault"])
    said = f'token audiences ["vault"] is invalid for the target audiences ["{ISSUER}"]'
    assert refusal(authentication, token) == said
    assert authentication.holder(token, ["vault", "other"])[1] == ("vault",)
    with pytest.raises(ApiError):
        access.authenticate(with_token(token))


def test_what_was_verified_is_not_looked_up_again_until_something_changes(
    access, authentication, cluster
) -> None:
    token = issued(access, "Secret")
    authentication.holder(token, [ISSUER])
    before = cluster.reads
    authentication.holder(token, [ISSUER])
    cluster.put(made("Pod", "elsewhere", "shop"))
    authentication.holder(token, [ISSUER])
    assert cluster.reads == before
    cluster.put(SECRET)
    authentication.holder(token, [ISSUER])
    assert cluster.reads > before


def test_another_clusters_token_is_refused(access, authentication, tmp_path, cluster, clock) -> None:
    other = Authority.load(tmp_path / "other", hosts=[], now=clock.date)
    foreign = issued(Access(other, cluster, now=clock))
    assert refusal(authentication, foreign) == "invalid signature, no keys found"


CLAIMS = {
    "iss": ISSUER,
    "sub": "system:serviceaccount:shop:robot",
    "aud": [ISSUER],
    "exp": 4_000_000_000,
    "iat": 1_700_000_000,
    "nbf": 1_700_000_000,
    "kubernetes.io": {"namespace": "shop", "serviceaccount": {"name": "robot", "uid": "uid-of-robot"}},
}


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unsigned(header: object, claims: object = CLAIMS) -> str:
    return f"{b64(json.dumps(header).encode())}.{b64(json.dumps(claims).encode())}"


def public_pem(authority: Authority) -> bytes:
    return authority.signing._key.raw_value.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def test_a_well_made_token_is_believed_so_that_the_forgeries_fail_for_their_own_reason(
    authority, authentication
) -> None:
    assert authentication.holder(authority.signing.sign(CLAIMS), [ISSUER])


@pytest.mark.parametrize("algorithm", ["none", "None", "NONE", "", "HS256", "RS256", "ES384", "ES256K"])
def test_no_other_algorithm_is_listened_to(authority, authentication, algorithm) -> None:
    text = unsigned({"alg": algorithm, "kid": authority.signing.kid})
    assert refusal(authentication, f"{text}.") == "go-jose/go-jose: error in cryptographic primitive"
    genuine = authority.signing.sign(CLAIMS).rpartition(".")[2]
    assert "cryptographic" in refusal(authentication, f"{text}.{genuine}")


def test_the_public_key_is_no_secret_to_sign_with(authority, authentication) -> None:
    secret = public_pem(authority)
    for algorithm in ("HS256", "ES256"):
        text = unsigned({"alg": algorithm, "kid": authority.signing.kid})
        forged = f"{text}.{b64(hmac.digest(secret, text.encode(), 'sha256'))}"
        assert "cryptographic" in refusal(authentication, forged)
    made_so = jws.serialize_compact(
        {"alg": "HS256", "kid": authority.signing.kid}, json.dumps(CLAIMS), OctKey.import_key(b"x" * 32)
    )
    assert "cryptographic" in refusal(authentication, made_so)


@pytest.mark.parametrize("kid", ["other", "../../../../dev/null", "a' OR '1'='1", "x" * 5000, "\x00"])
def test_a_key_name_finds_only_the_one_key(authentication, kid) -> None:
    own = ECKey.generate_key("P-256", private=True)
    forged = jws.serialize_compact({"alg": "ES256", "kid": kid}, json.dumps(CLAIMS), own)
    assert refusal(authentication, forged) == "invalid signature, no keys found"


def test_ones_own_key_under_the_clusters_name_signs_nothing(authority, authentication) -> None:
    for key, algorithm in (
        (ECKey.generate_key("P-256", private=True), "ES256"),
        (RSAKey.generate_key(2048), "RS256"),
    ):
        forged = jws.serialize_compact(
            {"alg": algorithm, "kid": authority.signing.kid}, json.dumps(CLAIMS), key, algorithms=[algorithm]
        )
        assert "cryptographic" in refusal(authentication, forged)


def test_a_header_that_brings_its_own_key_or_conditions_is_refused(authority, authentication) -> None:
    own = ECKey.generate_key("P-256", private=True)
    for more in (
        {"jwk": own.as_dict(private=False)},
        {"jku": "https://evil.example/jwks"},
        {"x5u": "https://evil.example/x5u"},
        {"x5c": ["MA=="]},
        {"crit": ["exp"]},
        {"b64": False},
        {"kid": 7},
        {"alg": None},
    ):
        text = unsigned({"alg": "ES256", "kid": authority.signing.kid, **more})
        assert refusal(authentication, f"{text}.{b64(b'x' * 64)}") == "invalid bearer token"


@pytest.mark.parametrize("signature", [b"", b"\x00" * 64, b"\x00" * 63 + b"\x01", b"\xff" * 64, b"x" * 1000])
def test_a_signature_that_is_none_is_refused(authority, authentication, signature) -> None:
    text = authority.signing.sign(CLAIMS).rpartition(".")[0]
    assert "cryptographic" in refusal(authentication, f"{text}.{b64(signature)}")


@given(st.data())
def test_a_token_with_one_changed_character_is_refused(tmp_path_factory, data) -> None:
    clock = Clock()
    authority = Authority.load(tmp_path_factory.getbasetemp() / "shared", hosts=[], now=clock.date)
    authentication = Authentication(authority, Cluster(ROBOT), tokens={}, now=clock)
    token = authority.signing.sign(CLAIMS)
    at = data.draw(st.integers(0, len(token) - 2))  # the last character has bits that mean nothing
    character = data.draw(st.sampled_from("ABCxyz019-_.=! é"))
    forged = token[:at] + character + token[at + 1 :]
    if forged == token:
        return
    with pytest.raises(BadToken):
        authentication.holder(forged, [ISSUER])


@pytest.mark.parametrize(
    "claims",
    [
        {**CLAIMS, "exp": "never"},
        {**CLAIMS, "exp": None},
        {key: value for key, value in CLAIMS.items() if key != "exp"},
        {**CLAIMS, "aud": {"a": 1}},
        {**CLAIMS, "aud": [1]},
        {**CLAIMS, "kubernetes.io": "shop"},
        {**CLAIMS, "kubernetes.io": {"namespace": 1}},
        {**CLAIMS, "exp": 10**400},
        {**CLAIMS, "iss": "https://elsewhere.example"},
        {**CLAIMS, "iss": ["a"]},
        {**CLAIMS, "iat": 4_000_000_000},
        {**CLAIMS, "kubernetes.io": {}},
        [],
        "text",
    ],
)
def test_even_signed_claims_must_make_sense(authority, authentication, claims) -> None:
    with pytest.raises(BadToken):
        authentication.holder(authority.signing.sign(claims), [ISSUER])


def test_a_token_without_audience_is_for_the_api_server(authority, authentication) -> None:
    token = authority.signing.sign({**CLAIMS, "aud": ISSUER})
    assert authentication.holder(token, [ISSUER])[1] == (ISSUER,)
    token = authority.signing.sign({key: value for key, value in CLAIMS.items() if key != "aud"})
    assert authentication.holder(token, [ISSUER])[1] == (ISSUER,)
    with pytest.raises(BadToken):
        authentication.holder(token, ["vault"])


@pytest.fixture
def legacy(authority, cluster) -> str:
    token = authority.signing.sign(legacy_claims(ROBOT, SECRET))
    cluster.put({**SECRET, "data": {"token": base64.b64encode(token.encode()).decode()}})
    return token


def test_the_token_of_a_secret_is_its_service_account(authentication, legacy) -> None:
    found, audiences = authentication.holder(legacy, [ISSUER])
    assert (found.name, found.uid, dict(found.extra)) == (
        "system:serviceaccount:shop:robot",
        "uid-of-robot",
        {},
    )
    assert audiences == (ISSUER,)


@pytest.mark.parametrize(
    ("secret", "why"),
    [
        (None, "Token has been invalidated"),
        (changed(SECRET, deletionTimestamp="2026-11-19T12:00:00Z"), "Token has been invalidated"),
        (SECRET, "Token does not match server's copy"),
        ({**SECRET, "data": {"token": "!!"}}, "Token does not match server's copy"),
        ({**SECRET, "data": {"token": "b3RoZXI="}}, "Token does not match server's copy"),
        ({**SECRET, "data": ["token"]}, "Token does not match server's copy"),
    ],
)
def test_it_is_good_only_while_it_lies_in_the_secret(authentication, cluster, legacy, secret, why) -> None:
    assert authentication.holder(legacy, [ISSUER])
    cluster.put(secret) if secret else cluster.delete(SECRET)
    assert refusal(authentication, legacy) == why


def test_it_is_good_only_while_its_account_is_there(authentication, cluster, legacy) -> None:
    cluster.put(changed(ROBOT, deletionTimestamp="2026-11-19T12:00:00Z"))
    assert refusal(authentication, legacy) == "ServiceAccount shop/robot has been deleted"
    cluster.put(changed(ROBOT, uid="another"))
    assert (
        refusal(authentication, legacy) == "ServiceAccount UID (another) does not match claim (uid-of-robot)"
    )
    cluster.delete(ROBOT)
    assert refusal(authentication, legacy) == 'serviceaccounts "robot" not found'


def test_it_may_be_marked_as_invalid(authentication, cluster, legacy) -> None:
    secret = cluster.get("secrets", "shop", "key")
    cluster.put(changed(secret, labels={"kubernetes.io/legacy-token-invalid-since": "2026-01-01"}))
    assert "has been marked invalid" in refusal(authentication, legacy)


@pytest.mark.parametrize(
    ("claim", "value", "why"),
    [
        ("sub", "", "sub claim is missing"),
        ("sub", "system:serviceaccount:kube-system:robot", "sub claim is invalid"),
        ("kubernetes.io/serviceaccount/namespace", "", "namespace claim is missing"),
        ("kubernetes.io/serviceaccount/secret.name", "", "secretName claim is missing"),
        ("kubernetes.io/serviceaccount/service-account.name", "", "serviceAccountName claim is missing"),
        ("kubernetes.io/serviceaccount/service-account.uid", "", "serviceAccountUID claim is missing"),
    ],
)
def test_its_claims_must_be_whole(authority, authentication, claim, value, why) -> None:
    token = authority.signing.sign({**legacy_claims(ROBOT, SECRET), claim: value})
    assert refusal(authentication, token) == why
