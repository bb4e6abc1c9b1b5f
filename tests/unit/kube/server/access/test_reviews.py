"""What reviews answer, and which of them ask nothing that can be answered."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.kube.errors import ApiError
from argosy.kube.objects import Object
from argosy.kube.server.access import Access, Authority, User
from argosy.kube.server.access.authority import ISSUER
from tests.unit.kube.server.access.cluster import (
    RBAC,
    Clock,
    Cluster,
    binding,
    code_of,
    group,
    made,
    person,
    role,
    rule,
    said,
    user,
)

JANE = person("jane", "dev")
ROBOT = made("ServiceAccount", "robot", "shop")
AUTHORIZATION, AUTHENTICATION = "authorization.k8s.io/v1", "authentication.k8s.io/v1"


@pytest.fixture
def cluster() -> Cluster:
    return Cluster(
        ROBOT,
        role("reader", rule("list", "pods"), rule("get", urls="/healthz")),
        role("namer", rule("get", "configmaps", names="a")),
        binding("b", "reader", user("jane"), group("ops")),
        binding("c", "namer", user("jane"), namespace="shop"),
    )


@pytest.fixture
def access(authority: Authority, cluster: Cluster, clock: Clock) -> Access:
    return Access(authority, cluster, now=clock, tokens={"s3cret": User("part", groups=("system:masters",))})


def review(kind: str, spec: Object | None = None, **metadata: object) -> Object:
    version = AUTHENTICATION if kind in {"TokenReview", "SelfSubjectReview"} else AUTHORIZATION
    made: Object = {"kind": kind, "apiVersion": version, "metadata": metadata}
    return made if spec is None else {**made, "spec": spec}


PODS = {"verb": "list", "resource": "pods", "namespace": "shop"}
ALLOWED = {
    "allowed": True,
    "reason": 'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "reader" to User "jane"',
}


def test_may_i(access: Access) -> None:
    asked = review("SelfSubjectAccessReview", {"resourceAttributes": PODS})
    assert access.review(JANE, asked) == {**asked, "status": ALLOWED}
    other = review("SelfSubjectAccessReview", {"resourceAttributes": {**PODS, "verb": "delete"}})
    assert access.review(JANE, other)["status"] == {"allowed": False}
    boss = person("boss", "system:masters")
    assert access.review(boss, other)["status"] == {"allowed": True}


def test_may_somebody_else(access: Access) -> None:
    for kind, metadata in (("SubjectAccessReview", {}), ("LocalSubjectAccessReview", {"namespace": "shop"})):
        by_name = review(kind, {"resourceAttributes": PODS, "user": "jane"}, **metadata)
        assert access.review(JANE, by_name)["status"] == ALLOWED
        by_group = review(kind, {"resourceAttributes": PODS, "groups": ["ops"]}, **metadata)
        assert access.review(JANE, by_group)["status"]["reason"].endswith('to Group "ops"')
        nobody = review(kind, {"resourceAttributes": PODS, "user": "joe"}, **metadata)
        assert access.review(JANE, nobody)["status"] == {"allowed": False}


def test_may_i_on_a_path(access: Access) -> None:
    for path, yes in (("/healthz", True), ("/metrics", False), ("", False)):
        asked = review("SelfSubjectAccessReview", {"nonResourceAttributes": {"path": path, "verb": "get"}})
        assert access.review(JANE, asked)["status"]["allowed"] is yes


def test_an_answer_tells_which_roles_were_not_found(access: Access, cluster: Cluster) -> None:
    cluster.put(binding("x", "gone", user("joe")))
    asked = review("SubjectAccessReview", {"resourceAttributes": PODS, "user": "joe"})
    assert access.review(JANE, asked)["status"] == {
        "allowed": False,
        "reason": f'RBAC: clusterrole.{RBAC} "gone" not found',
    }


PATH = {"path": "/<x>", "verb": "get"}
ONE_OF = "spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified"
NOBODY = 'spec.user: Invalid value: "": at least one of user or group must be specified'


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        (review("SelfSubjectAccessReview", {}), ONE_OF),
        (review("SelfSubjectAccessReview"), ONE_OF),
        (
            review("SelfSubjectAccessReview", {"resourceAttributes": PODS, "nonResourceAttributes": PATH}),
            (
                'spec.nonResourceAttributes: Invalid value: {"Path":"/\\u003cx\\u003e","Verb":"get"}: cannot be specified '
                "in combination with resourceAttributes"
            ),
        ),
        (
            review("SelfSubjectAccessReview", {"resourceAttributes": PODS}, name="x"),
            'metadata: Invalid value: {"name":"x"}: must be empty',
        ),
        (review("SubjectAccessReview", {"resourceAttributes": PODS}), NOBODY),
        (review("SubjectAccessReview", {}), f"[{ONE_OF}, {NOBODY}]"),
        (
            review(
                "LocalSubjectAccessReview", {"resourceAttributes": PODS, "user": "jane"}, namespace="other"
            ),
            'spec.resourceAttributes.namespace: Invalid value: "shop": must match metadata.namespace',
        ),
        (
            review(
                "LocalSubjectAccessReview", {"nonResourceAttributes": PATH, "user": "jane"}, namespace="shop"
            ),
            (
                'spec.nonResourceAttributes: Invalid value: {"Path":"/\\u003cx\\u003e","Verb":"get"}: disallowed on this '
                "kind of request"
            ),
        ),
        (
            review(
                "LocalSubjectAccessReview",
                {"resourceAttributes": PODS, "user": "j"},
                namespace="shop",
                name="x",
            ),
            'metadata: Invalid value: {"name":"x","namespace":"shop"}: must be empty except for namespace',
        ),
        (
            review("SelfSubjectAccessReview", {"resourceAttributes": {**PODS, "fieldSelector": {}}}),
            (
                "spec.resourceAttributes.fieldSelector.requirements: Required value: when "
                "spec.resourceAttributes.fieldSelector is specified, requirements or rawSelector is required"
            ),
        ),
        (
            review(
                "SelfSubjectAccessReview",
                {
                    "resourceAttributes": {
                        **PODS,
                        "labelSelector": {
                            "rawSelector": "a=b",
                            "requirements": [
                                {"operator": "In"},
                                {"key": "a", "operator": "Exists", "values": ["b"]},
                            ],
                        },
                    }
                },
            ),
            (
                '[spec.resourceAttributes.labelSelector.rawSelector: Invalid value: "a=b": may not specified at the same '
                "time as requirements, spec.resourceAttributes.labelSelector.requirements[0].values: Required value: must "
                "be specified when `operator` is 'In' or 'NotIn', "
                "spec.resourceAttributes.labelSelector.requirements[0].key: Required value: must be specified, "
                "spec.resourceAttributes.labelSelector.requirements[1].values: Forbidden: may not be specified when "
                "`operator` is 'Exists' or 'DoesNotExist']"
            ),
        ),
    ],
)
def test_a_review_that_asks_nothing_or_too_much_is_invalid(access: Access, asked, problem) -> None:
    with pytest.raises(ApiError) as refused:
        access.review(JANE, asked)
    assert said(refused.value) == (422, "Invalid", f'.authorization.k8s.io "" is invalid: {problem}')


def test_managed_fields_on_a_review_are_nothing_to_refuse(access: Access) -> None:
    asked = review(
        "SelfSubjectAccessReview", {"resourceAttributes": PODS}, managedFields=[{"manager": "kubectl"}]
    )
    assert access.review(JANE, asked)["status"] == ALLOWED


def test_what_may_i_do_here(access: Access, cluster: Cluster) -> None:
    asked = review("SelfSubjectRulesReview", {"namespace": "shop"})
    answer = access.review(JANE, asked)
    assert answer == {
        "kind": "SelfSubjectRulesReview",
        "apiVersion": AUTHORIZATION,
        "metadata": {},
        "spec": {},
        "status": {
            "resourceRules": [
                {"verbs": ["list"], "apiGroups": [""], "resources": ["pods"]},
                {"verbs": ["get"], "apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["a"]},
            ],
            "nonResourceRules": [{"verbs": ["get"], "nonResourceURLs": ["/healthz"]}],
            "incomplete": False,
        },
    }
    cluster.put(binding("x", "gone", user("joe")))
    status = access.review(person("joe"), asked)["status"]
    assert status == {
        "resourceRules": [],
        "nonResourceRules": [],
        "incomplete": False,
        "evaluationError": f'clusterrole.{RBAC} "gone" not found',
    }
    with pytest.raises(ApiError) as refused:
        access.review(JANE, review("SelfSubjectRulesReview", {}))
    assert said(refused.value) == (400, "BadRequest", "no namespace on request")


def test_who_am_i(access: Access) -> None:
    somebody = User("jane", "7", ("dev",), {"acme.io/x": ("1", "2")})
    assert access.review(somebody, review("SelfSubjectReview")) == {
        "kind": "SelfSubjectReview",
        "apiVersion": AUTHENTICATION,
        "metadata": {"creationTimestamp": "2026-11-19T12:00:00Z"},
        "status": {
            "userInfo": {
                "username": "jane",
                "uid": "7",
                "groups": ["dev"],
                "extra": {"acme.io/x": ["1", "2"]},
            }
        },
    }


def test_whose_token_is_this(access: Access) -> None:
    token = access.issue({"spec": {"audiences": ["vault", ISSUER]}}, ROBOT)["status"]["token"]
    asked = review("TokenReview", {"token": token})
    answer = access.review(JANE, asked)
    assert answer["spec"] == asked["spec"]
    status = answer["status"]
    assert (status["authenticated"], status["audiences"]) == (True, [ISSUER])
    assert status["user"]["username"] == "system:serviceaccount:shop:robot"
    assert status["user"]["uid"] == "uid-of-robot"
    for_vault = review("TokenReview", {"token": token, "audiences": ["vault", "other"]})
    assert access.review(JANE, for_vault)["status"]["audiences"] == ["vault"]


def test_a_static_token_is_for_the_api_server_only(access: Access) -> None:
    status = access.review(JANE, review("TokenReview", {"token": "s3cret"}))["status"]
    assert status["user"] == {"username": "part", "groups": ["system:masters", "system:authenticated"]}
    other = review("TokenReview", {"token": "s3cret", "audiences": ["vault"]})
    assert access.review(JANE, other)["status"] == {"user": {}, "error": "invalid bearer token"}


@pytest.mark.parametrize("token", ["nobody's", " s3cret", "a.b.c"])
def test_a_token_that_nobody_knows(access: Access, token: str) -> None:
    status = access.review(JANE, review("TokenReview", {"token": token}))["status"]
    assert status == {"user": {}, "error": "invalid bearer token"}


def test_why_a_token_is_not_good(access: Access, cluster: Cluster) -> None:
    token = access.issue({"spec": {}}, ROBOT)["status"]["token"]
    cluster.delete(ROBOT)
    status = access.review(JANE, review("TokenReview", {"token": token}))["status"]
    assert status == {"user": {}, "error": '[invalid bearer token, serviceaccounts "robot" not found]'}


def test_a_token_review_needs_a_token(access: Access) -> None:
    with pytest.raises(ApiError) as refused:
        access.review(JANE, review("TokenReview", {}))
    assert said(refused.value) == (400, "BadRequest", "token is required for TokenReview in authentication")


KINDS = [
    "SelfSubjectAccessReview",
    "SubjectAccessReview",
    "LocalSubjectAccessReview",
    "SelfSubjectRulesReview",
]
NAMES = [
    "resourceAttributes",
    "nonResourceAttributes",
    "user",
    "groups",
    "extra",
    "namespace",
    "token",
    "audiences",
]
MORE = ["verb", "path", "fieldSelector", "labelSelector", "requirements", "rawSelector", "operator", "values"]


@given(
    st.sampled_from([*KINDS, "TokenReview", "SelfSubjectReview"]),
    st.recursive(
        st.none() | st.booleans() | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*NAMES, *MORE]), inner, max_size=4)
        ),
        max_leaves=8,
    ),
)
def test_nonsense_in_a_review_is_answered_or_refused(tmp_path_factory, kind: str, spec) -> None:
    clock = Clock()
    shared = Authority.load(tmp_path_factory.getbasetemp() / "shared", hosts=[], now=clock.date)
    access = Access(shared, Cluster(), now=clock)
    asked = {"kind": kind, "apiVersion": "v1", "metadata": {}, "spec": spec}
    assert code_of(lambda: access.review(JANE, asked)["status"]) in {200, 400, 422}
