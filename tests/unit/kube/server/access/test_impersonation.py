"""Acting as somebody else: what the headers may ask, which rights that takes, and how a refusal reads."""

from __future__ import annotations

import pytest

from argosy.kube.errors import ApiError
from argosy.kube.server.access import Access, Attributes, User
from tests.unit.kube.server.access.cluster import Cluster, binding, person, request, role, rule, said, user

JANE = person("jane")
BOSS = person("boss", "system:masters")
AUTHENTICATION = "authentication.k8s.io"
ASKED = Attributes("list", "", "v1", "pods", namespace="shop")


def acting(access: Access, who: User = BOSS, asked: Attributes | None = ASKED, **headers: str) -> User:
    sent = {f"impersonate-{name.replace('_', '-')}": value for name, value in headers.items()}
    return access.impersonated(who, request(sent), asked)


def refusal(access: Access, who: User = JANE, asked: Attributes | None = ASKED, **headers: str) -> str:
    with pytest.raises(ApiError) as refused:
        acting(access, who, asked, **headers)
    assert refused.value.code == 403
    return refused.value.message


def test_without_the_headers_one_stays_who_one_is(access: Access) -> None:
    assert access.impersonated(JANE, request({"accept": "*/*"}), ASKED) is JANE


@pytest.mark.parametrize(
    ("headers", "becomes"),
    [
        ({"user": "joe"}, User("joe", groups=("system:authenticated",))),
        ({"user": "joe", "group": "a\nb, c"}, User("joe", groups=("a", "b, c", "system:authenticated"))),
        ({"user": "joe", "group": "system:unauthenticated"}, User("joe", groups=("system:unauthenticated",))),
        ({"user": "system:anonymous"}, User("system:anonymous", groups=("system:unauthenticated",))),
        (
            {"user": "system:anonymous", "group": "a"},
            User("system:anonymous", groups=("a", "system:unauthenticated")),
        ),
        (
            {"user": "system:serviceaccount:shop:robot"},
            User(
                "system:serviceaccount:shop:robot",
                groups=("system:serviceaccounts", "system:serviceaccounts:shop", "system:authenticated"),
            ),
        ),
        (
            {"user": "system:serviceaccount:shop:robot", "group": "a"},
            User("system:serviceaccount:shop:robot", groups=("a", "system:authenticated")),
        ),
        (
            {"user": "system:serviceaccount:shop"},
            User("system:serviceaccount:shop", groups=("system:authenticated",)),
        ),
        ({"user": "system:node:n1"}, User("system:node:n1", groups=("system:nodes", "system:authenticated"))),
        (
            {"user": "joe", "uid": "7", "extra-acme.io%2fproject": "x\ny", "extra-Scopes": "z"},
            User("joe", "7", ("system:authenticated",), {"acme.io/project": ("x", "y"), "Scopes": ("z",)}),
        ),
    ],
)
def test_masters_may_become_anybody(access: Access, headers, becomes) -> None:
    assert acting(access, **headers) == becomes


@pytest.mark.parametrize(
    ("headers", "printed"),
    [
        ({"group": "a"}, 'UID:"", Groups:[]string{"a"}, Extra:map[string][]string(nil)'),
        ({"uid": "7"}, 'UID:"7", Groups:[]string(nil), Extra:map[string][]string(nil)'),
        (
            {"extra-b": "x\ny"},
            'UID:"", Groups:[]string(nil), Extra:map[string][]string{"b":[]string{"x", "y"}}',
        ),
    ],
)
def test_taking_on_groups_without_a_name_is_a_bad_request(access: Access, headers, printed) -> None:
    with pytest.raises(ApiError) as refused:
        acting(access, **headers)
    message = f'requested &user.DefaultInfo{{Name:"", {printed}}} without impersonating a user name'
    assert said(refused.value) == (400, "BadRequest", message)


def test_the_old_right_is_asked_for_each_thing_taken_on(access: Access, cluster: Cluster) -> None:
    cluster.put(
        role(
            "r",
            rule("impersonate", "users", names="joe"),
            rule("impersonate", "groups", names="dev"),
            rule("impersonate", "uids", [AUTHENTICATION], names="7"),
            rule("impersonate", "userextras/scopes", [AUTHENTICATION], names="view"),
        ),
        binding("b", "r", user("jane")),
    )
    assert acting(access, JANE, None, user="joe", group="dev", uid="7", extra_scopes="view").name == "joe"
    cannot = 'is forbidden: User "jane" cannot impersonate resource'
    for headers, message in (
        ({"user": "jim"}, f'users "jim" {cannot} "users" in API group "" at the cluster scope'),
        (
            {"user": "joe", "group": "ops"},
            f'groups "ops" {cannot} "groups" in API group "" at the cluster scope',
        ),
        (
            {"user": "joe", "group": "dev\nops"},
            f'groups "ops" {cannot} "groups" in API group "" at the cluster scope',
        ),
        (
            {"user": "joe", "uid": "8"},
            f'uids.{AUTHENTICATION} "8" {cannot} "uids" in API group "{AUTHENTICATION}" at the cluster scope',
        ),
        (
            {"user": "joe", "extra_scopes": "view\nedit"},
            (
                f'userextras.{AUTHENTICATION} "edit" {cannot} "userextras/scopes" in API group "{AUTHENTICATION}" '
                "at the cluster scope"
            ),
        ),
        (
            {"user": "system:serviceaccount:shop:robot"},
            f'serviceaccounts "robot" {cannot} "serviceaccounts" in API group "" in the namespace "shop"',
        ),
    ):
        assert refusal(access, asked=None, **headers) == message


def test_a_refusal_is_that_of_the_first_way_that_could_apply(access: Access) -> None:
    assert refusal(access, user="joe") == (
        'pods is forbidden: User "jane" cannot impersonate-on:user-info:list resource "pods" in API group "" '
        'in the namespace "shop"'
    )
    assert "impersonate-on:serviceaccount:list" in refusal(access, user="system:serviceaccount:shop:robot")
    assert "impersonate-on:arbitrary-node:list" in refusal(access, user="system:node:n1")
    assert "impersonate-on:user-info:get path" in refusal(
        access, asked=Attributes("get", path="/healthz"), user="joe"
    )
    assert refusal(access, user="system:node:n1", group="a").startswith('users "system:node:n1" is forbidden')


def test_the_way_that_worked_last_is_tried_first(access: Access, cluster: Cluster) -> None:
    cluster.put(role("r", rule("impersonate", "users", names="joe")), binding("b", "r", user("jane")))
    assert acting(access, JANE, user="joe").name == "joe"
    assert refusal(access, user="jim").startswith(
        'users "jim" is forbidden: User "jane" cannot impersonate resource'
    )


USER_INFO = (
    rule("impersonate:user-info", "users groups uids userextras/acme.io/x", [AUTHENTICATION]),
    rule("impersonate-on:user-info:list", "pods"),
)


def test_a_right_may_be_for_some_requests_only(access: Access, cluster: Cluster) -> None:
    cluster.put(role("r", *USER_INFO), binding("b", "r", user("jane")))
    headers = {"user": "joe", "group": "dev", "uid": "7", "extra_acme.io%2fx": "y"}
    headers["extra-acme.io%2fx"] = headers.pop("extra_acme.io%2fx")
    assert acting(access, JANE, **headers) == User(
        "joe", "7", ("dev", "system:authenticated"), {"acme.io/x": ("y",)}
    )
    other = Attributes("get", "", "v1", "pods", namespace="shop", name="web")
    assert 'pods "web" is forbidden: User "jane" cannot impersonate-on:user-info:get' in refusal(
        access, asked=other, **headers
    )
    assert "impersonate-on:serviceaccount:list" in refusal(access, user="system:serviceaccount:shop:robot")


@pytest.mark.parametrize(
    ("headers", "why"),
    [
        ({"group": "system:masters"}, "impersonating the system:masters group is not allowed"),
        ({"group": ""}, "impersonating the empty string group is not allowed"),
        ({"group": "dev\n"}, "impersonating the empty string group is not allowed"),
        ({"extra-": "x"}, "impersonating the empty string key in extra is not allowed"),
        ({"extra-scopes": "x"}, "must be a domain-prefixed path"),
        (
            {"extra-acme.io%2fX": "x"},
            'impersonating a non-lowercase key in extra is not allowed: "acme.io/X"',
        ),
        ({"extra-acme.io%2fx": ""}, "impersonating the empty string value in extra is not allowed"),
        ({"extra-acme.io%2fother": "x"}, "cannot impersonate:user-info resource"),
    ],
)
def test_the_narrow_right_never_reaches_beyond_itself(access: Access, cluster: Cluster, headers, why) -> None:
    cluster.put(role("r", *USER_INFO), binding("b", "r", user("jane")))
    assert why in refusal(access, user="joe", **headers)


def test_many_groups_or_values_may_be_allowed_by_one_right_on_all(access: Access, cluster: Cluster) -> None:
    everything = (
        rule("impersonate:user-info", "users", [AUTHENTICATION]),
        rule("impersonate:user-info", "groups userextras/*", [AUTHENTICATION], names="*"),
        rule("impersonate-on:user-info:list", "pods"),
    )
    cluster.put(role("r", *everything), binding("b", "r", user("jane")))
    assert acting(access, JANE, user="joe", group="a\nb\nc\nd").groups == (
        "a",
        "b",
        "c",
        "d",
        "system:authenticated",
    )
    assert 'groups.authentication.k8s.io "a" is forbidden' in refusal(access, user="joe", group="a\nb\nc")
    extra = {"extra-acme.io%2fx": "1\n2\n3\n4"}
    assert acting(access, JANE, user="joe", **extra).extra == {"acme.io/x": ("1", "2", "3", "4")}
    assert "system:masters group is not allowed" in refusal(
        access, user="joe", group="a\nb\nc\nsystem:masters"
    )


def test_a_pods_account_may_be_allowed_to_become_its_own_node(access: Access, cluster: Cluster) -> None:
    robot = "system:serviceaccount:shop:robot"
    cluster.put(
        role(
            "r",
            rule("impersonate:associated-node", "nodes", [AUTHENTICATION]),
            rule("impersonate-on:associated-node:list", "pods"),
        ),
        binding("b", "r", user(robot)),
    )
    on_node = User(
        robot, groups=("system:authenticated",), extra={"authentication.kubernetes.io/node-name": ("n1",)}
    )
    assert acting(access, on_node, user="system:node:n1").groups == ("system:nodes", "system:authenticated")
    assert "impersonate-on:arbitrary-node:list" in refusal(access, on_node, user="system:node:n2")
    nowhere = User(robot, groups=("system:authenticated",))
    assert refusal(access, nowhere, user="system:node:n1")
