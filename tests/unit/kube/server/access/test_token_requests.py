"""Tokens on request: what is filled in, what is refused in which words, and what a verifier outside can make of them."""

from __future__ import annotations

import json

import pytest
from joserfc import jwt
from joserfc.jwk import KeySet

from argosy.kube.errors import ApiError
from argosy.kube.objects import Object
from argosy.kube.server.access import Access
from argosy.kube.server.access.authority import ISSUER
from argosy.kube.server.access.signing import part
from tests.unit.kube.server.access.cluster import NOON, Cluster, code_of, made, said

ROBOT = made("ServiceAccount", "robot", "shop")
POD = made("Pod", "cart-0", "shop", spec={"serviceAccountName": "robot", "nodeName": "n1"})
NOW = int(NOON.timestamp())


@pytest.fixture
def cluster() -> Cluster:
    return Cluster(ROBOT, POD, made("Node", "n1"), made("Secret", "key", "shop"))


def claims(answer: Object) -> Object:
    found = json.loads(part(answer["status"]["token"], 1))
    assert found.pop("jti")
    return found


def refusal(access: Access, request: Object) -> tuple[int, str, str]:
    with pytest.raises(ApiError) as refused:
        access.issue(request, ROBOT)
    return said(refused.value)


def bound_to(kind: str, name: str, **more: object) -> Object:
    return {"spec": {"boundObjectRef": {"kind": kind, "apiVersion": "v1", "name": name, **more}}}


def test_what_was_left_out_is_filled_in(access: Access) -> None:
    answer = access.issue({"metadata": {}, "spec": {}}, ROBOT)
    assert answer["status"].pop("token")
    assert answer == {
        "kind": "TokenRequest",
        "apiVersion": "authentication.k8s.io/v1",
        "metadata": {
            "name": "robot",
            "namespace": "shop",
            "uid": "uid-of-robot",
            "creationTimestamp": "2026-11-19T12:00:00Z",
        },
        "spec": {"audiences": [ISSUER], "expirationSeconds": 3600, "boundObjectRef": None},
        "status": {"expirationTimestamp": "2026-11-19T13:00:00Z"},
    }


def test_what_a_token_says(access: Access) -> None:
    answer = access.issue({"spec": {"audiences": ["vault"], "expirationSeconds": 600}}, ROBOT)
    assert claims(answer) == {
        "iss": ISSUER,
        "sub": "system:serviceaccount:shop:robot",
        "aud": ["vault"],
        "iat": NOW,
        "nbf": NOW,
        "exp": NOW + 600,
        "kubernetes.io": {"namespace": "shop", "serviceaccount": {"name": "robot", "uid": "uid-of-robot"}},
    }


def test_the_published_keys_verify_it(access: Access, authority) -> None:
    token = access.issue({"spec": {}}, ROBOT)["status"]["token"]
    document = authority.signing.key_set()
    assert [sorted(key) for key in document["keys"]] == [["alg", "crv", "kid", "kty", "use", "x", "y"]]
    assert (
        jwt.decode(token, KeySet.import_key_set(document)).claims["sub"] == "system:serviceaccount:shop:robot"
    )
    assert json.loads(part(token, 0)) == {"alg": "ES256", "kid": document["keys"][0]["kid"]}
    assert authority.signing.discovery(issuer=authority.issuer, url="https://127.0.0.1:6443/") == {
        "issuer": ISSUER,
        "jwks_uri": "https://127.0.0.1:6443/openid/v1/jwks",
        "response_types_supported": ["id_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256"],
    }


def test_each_token_has_a_name_of_its_own(access: Access) -> None:
    tokens = [
        json.loads(part(access.issue({"spec": {}}, ROBOT)["status"]["token"], 1))["jti"] for _ in range(3)
    ]
    assert len(set(tokens)) == 3


@pytest.mark.parametrize(
    ("kind", "name", "written"),
    [
        (
            "Pod",
            "cart-0",
            {"pod": {"name": "cart-0", "uid": "uid-of-cart-0"}, "node": {"name": "n1", "uid": "uid-of-n1"}},
        ),
        ("Secret", "key", {"secret": {"name": "key", "uid": "uid-of-key"}}),
        ("Node", "n1", {"node": {"name": "n1", "uid": "uid-of-n1"}}),
    ],
)
def test_a_bound_token_names_what_it_is_bound_to(access: Access, kind, name, written) -> None:
    answer = access.issue(bound_to(kind, name, uid=f"uid-of-{name}"), ROBOT)
    assert claims(answer)["kubernetes.io"] == {
        "namespace": "shop",
        "serviceaccount": {"name": "robot", "uid": "uid-of-robot"},
        **written,
    }
    assert answer["spec"]["boundObjectRef"]["name"] == name


def test_a_node_that_is_gone_is_named_all_the_same(access: Access, cluster: Cluster) -> None:
    cluster.delete(made("Node", "n1"))
    assert claims(access.issue(bound_to("Pod", "cart-0"), ROBOT))["kubernetes.io"]["node"] == {"name": "n1"}


def test_a_mounted_token_lives_a_year_and_warns_after_an_hour(access: Access) -> None:
    request = bound_to("Pod", "cart-0")
    request["spec"]["expirationSeconds"] = 3607
    answer = access.issue(request, ROBOT)
    assert answer["status"]["expirationTimestamp"] == "2026-11-19T13:00:07Z"
    found = claims(answer)
    assert (found["exp"], found["kubernetes.io"]["warnafter"]) == (NOW + 365 * 24 * 3600, NOW + 3607)
    request["spec"]["audiences"] = ["vault"]
    assert claims(access.issue(request, ROBOT))["exp"] == NOW + 3607
    assert claims(access.issue({"spec": {"expirationSeconds": 3607}}, ROBOT))["exp"] == NOW + 3607


def invalid(seconds: int, why: str) -> tuple[int, str, str]:
    message = f'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: {seconds}: {why}'
    return 422, "Invalid", message


@pytest.mark.parametrize(
    ("seconds", "why"),
    [
        (599, "may not specify a duration less than 10 minutes"),
        (0, "may not specify a duration less than 10 minutes"),
        (-1, "may not specify a duration less than 10 minutes"),
        (2**32 + 1, "may not specify a duration larger than 2^32 seconds"),
        (10**30, "may not specify a duration larger than 2^32 seconds"),
    ],
)
def test_a_token_lives_between_ten_minutes_and_two_to_the_32_seconds(access: Access, seconds, why) -> None:
    assert refusal(access, {"spec": {"expirationSeconds": seconds}}) == invalid(seconds, why)


@pytest.mark.parametrize("seconds", [600, 2**32])
def test_the_ends_of_that_range_are_in_it(access: Access, seconds: int) -> None:
    assert claims(access.issue({"spec": {"expirationSeconds": seconds}}, ROBOT))["exp"] == NOW + seconds


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        (
            {"metadata": {"name": "other"}},
            (
                422,
                "Invalid",
                (
                    'TokenRequest.authentication.k8s.io "robot" is invalid: metadata.name: Invalid value: "other": must '
                    "match the service account name if specified"
                ),
            ),
        ),
        (
            {"metadata": {"namespace": "other"}},
            (
                400,
                "BadRequest",
                "the namespace of the provided object does not match the namespace sent on the request",
            ),
        ),
        (
            {"metadata": {"uid": "other"}},
            (
                409,
                "Conflict",
                (
                    'Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "robot": the UID in the token '
                    "request (other) does not match the UID of the service account (uid-of-robot)"
                ),
            ),
        ),
        (bound_to("Pod", "gone"), (404, "NotFound", 'pods "gone" not found')),
        (bound_to("Secret", "gone"), (404, "NotFound", 'secrets "gone" not found')),
        (bound_to("Node", "gone"), (404, "NotFound", 'nodes "gone" not found')),
        (
            bound_to("ConfigMap", "x"),
            (400, "BadRequest", "cannot bind token to object of type /v1, Kind=ConfigMap"),
        ),
        (
            bound_to("Pod", "cart-0", apiVersion="apps/v1"),
            (400, "BadRequest", "cannot bind token to object of type apps/v1, Kind=Pod"),
        ),
        (
            bound_to("Secret", "key", uid="other"),
            (
                409,
                "Conflict",
                (
                    'Operation cannot be fulfilled on Secret "key": the UID in the bound object reference (other) does '
                    "not match the UID in record. The object might have been deleted and then recreated"
                ),
            ),
        ),
    ],
)
def test_what_cannot_be_is_refused(access: Access, request_, answer) -> None:
    assert refusal(access, request_) == answer


def test_a_pod_of_another_account_is_refused(access: Access, cluster: Cluster) -> None:
    cluster.put({**POD, "spec": {"serviceAccountName": "other"}})
    why = 'cannot bind token for serviceaccount "robot" to pod running with different serviceaccount name.'
    assert refusal(access, bound_to("Pod", "cart-0")) == (400, "BadRequest", why)


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        (None, 200),
        ([], 200),
        ("x", 200),
        ({"boundObjectRef": "x"}, 200),
        ({"audiences": {}}, 200),
        ({"expirationSeconds": "x"}, 422),
        ({"expirationSeconds": True}, 422),
        ({"boundObjectRef": {}}, 400),
        ({"boundObjectRef": {"kind": [], "apiVersion": 1}}, 400),
    ],
)
def test_nonsense_is_refused_or_left_out(access: Access, spec, code) -> None:
    assert code_of(lambda: access.issue({"spec": spec}, ROBOT)) == code
