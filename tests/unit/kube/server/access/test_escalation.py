"""Nobody gives away rights that they do not hold, and the refusal says which."""

from __future__ import annotations

import pytest
from hypothesis import given

from argosy.kube.errors import ApiError
from argosy.kube.server.access import Access, Attributes
from argosy.kube.server.access.policy import rules_of, uncovered
from tests.unit.kube.server.access.cluster import (
    RBAC,
    Cluster,
    binding,
    group,
    person,
    role,
    rule,
    said,
    user,
)
from tests.unit.kube.server.access.test_rbac import ASKED, RULES, some

JANE = person("jane")
BOSS = person("boss", "system:masters")
HELD = (rule("get list", "pods"), rule("get", "configmaps", names="a"), rule("get", urls="/healthz/*"))


@pytest.fixture
def cluster() -> Cluster:
    return Cluster(
        role("held", *HELD), binding("b", "held", user("jane")), role("strong", rule("*", "secrets"))
    )


def refusal(access: Access, obj, old=None, namespace: str = "", who=JANE) -> str:
    with pytest.raises(ApiError) as refused:
        access.check_rbac_write(who, obj, old, namespace)
    assert refused.value.code == 403
    return refused.value.message


@pytest.mark.parametrize(
    "wanted",
    [
        rule("get", "pods"),
        rule("list get", "pods"),
        rule("get", "pods", names="one"),
        rule("get", "configmaps", names="a"),
        rule("get", urls="/healthz/etcd"),
        rule("get", urls="/healthz/*"),
        {"verbs": ["get"]},
    ],
)
def test_what_one_holds_one_may_give(access: Access, wanted) -> None:
    access.check_rbac_write(JANE, role("new", wanted), None, "")


@pytest.mark.parametrize(
    ("wanted", "missing"),
    [
        (rule("delete", "pods"), '{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}'),
        (
            rule("get delete watch", "pods secrets"),
            (
                '{APIGroups:[""], Resources:["pods"], Verbs:["delete" "watch"]}\n'
                '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "delete" "watch"]}'
            ),
        ),
        (rule("get", "configmaps"), '{APIGroups:[""], Resources:["configmaps"], Verbs:["get"]}'),
        (
            rule("get", "configmaps", names="a b"),
            '{APIGroups:[""], Resources:["configmaps"], ResourceNames:["b"], Verbs:["get"]}',
        ),
        (rule("get", "pods/log"), '{APIGroups:[""], Resources:["pods/log"], Verbs:["get"]}'),
        (rule("get", "*", ["*"]), '{APIGroups:["*"], Resources:["*"], Verbs:["get"]}'),
        (rule("get post", urls="/healthz/*"), '{NonResourceURLs:["/healthz/*"], Verbs:["post"]}'),
        (rule("get", urls="*"), '{NonResourceURLs:["*"], Verbs:["get"]}'),
    ],
)
def test_what_one_does_not_hold_is_listed(access: Access, wanted, missing) -> None:
    assert refusal(access, role("new", wanted)) == (
        f'clusterroles.{RBAC} "new" is forbidden: user "jane" (groups=["system:authenticated"]) is attempting to '
        f"grant RBAC permissions not currently held:\n{missing}"
    )


def test_masters_and_those_who_may_escalate_give_what_they_like(access: Access, cluster: Cluster) -> None:
    strong = role("new", rule("*", "*", ["*"]))
    access.check_rbac_write(BOSS, strong, None, "")
    cluster.put(role("e", rule("escalate", "clusterroles", [RBAC])), binding("e", "e", user("jane")))
    access.check_rbac_write(JANE, strong, None, "")
    local = role("new", rule("*", "*", ["*"]), namespace="shop")
    assert "not currently held" in refusal(access, local, namespace="shop")


def test_escalating_one_role_by_name_is_for_updates_of_it(access: Access, cluster: Cluster) -> None:
    cluster.put(
        role("e", rule("escalate", "clusterroles", [RBAC], names="mine")), binding("e", "e", user("jane"))
    )
    strong = role("mine", rule("*", "*", ["*"]))
    access.check_rbac_write(JANE, strong, role("mine"), "")
    assert refusal(access, strong)


def test_rights_in_a_namespace_may_be_given_there_only(access: Access, cluster: Cluster) -> None:
    cluster.put(binding("local", "strong", user("jane"), namespace="shop"))
    access.check_rbac_write(JANE, role("new", rule("get", "secrets"), namespace="shop"), None, "shop")
    assert refusal(access, role("new", rule("get", "secrets"), namespace="other"), namespace="other")
    assert refusal(access, role("new", rule("get", "secrets")))


def test_gathering_rules_is_for_those_who_hold_everything(access: Access, cluster: Cluster) -> None:
    gathering = {**role("new"), "aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}}
    said_so = f'clusterroles.{RBAC} "new" is forbidden: must have cluster-admin privileges to use the aggregationRule'
    assert refusal(access, gathering) == said_so
    assert refusal(access, role("new"), gathering) == said_so
    cluster.put(role("all", rule("*", "*", ["*"]), rule("*", urls="*")), binding("all", "all", user("jane")))
    access.check_rbac_write(JANE, gathering, None, "")


def test_binding_needs_the_roles_rights_or_the_right_to_bind_it(access: Access, cluster: Cluster) -> None:
    access.check_rbac_write(JANE, binding("new", "held", user("joe")), None, "")
    assert refusal(access, binding("new", "strong", user("joe"))) == (
        f'clusterrolebindings.{RBAC} "new" is forbidden: user "jane" (groups=["system:authenticated"]) is attempting '
        'to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["*"]}'
    )
    local = binding("new", "strong", user("joe"), namespace="shop")
    assert refusal(access, local, namespace="shop").startswith(f'rolebindings.{RBAC} "new" is forbidden')
    cluster.put(role("binder", rule("bind", "clusterroles", [RBAC], names="strong")))
    cluster.put(binding("binder", "binder", user("jane"), namespace="shop"))
    access.check_rbac_write(JANE, local, None, "shop")
    assert refusal(access, binding("new", "strong", user("joe")))
    cluster.put(binding("binder", "binder", user("jane")))
    access.check_rbac_write(JANE, binding("new", "strong", user("joe")), None, "")


def test_a_rule_that_stands_for_millions_of_rights_is_not_compared_one_by_one(
    access: Access, cluster
) -> None:
    many = " ".join(f"x{number}" for number in range(300))
    huge = role("new", rule(many, many, ["", *many.split()], names=many))
    assert "more than 20000 single RBAC permissions at once" in refusal(access, huge)
    cluster.put(role("all", rule("*", "*", ["*"])), binding("all", "all", user("jane")))
    access.check_rbac_write(JANE, huge, None, "")


def test_a_role_that_is_not_there_cannot_be_looked_at(access: Access) -> None:
    with pytest.raises(ApiError) as refused:
        access.check_rbac_write(JANE, binding("new", "gone", user("joe")), None, "")
    assert said(refused.value) == (404, "NotFound", f'clusterrolebindings.{RBAC} "gone" not found')
    with pytest.raises(ApiError) as refused:
        access.check_rbac_write(
            JANE, binding("new", "Role/gone", user("joe"), namespace="shop"), None, "shop"
        )
    assert said(refused.value) == (404, "NotFound", f'rolebindings.{RBAC} "gone" not found')
    access.check_rbac_write(BOSS, binding("new", "gone", user("joe")), None, "")


@pytest.mark.parametrize("reference", [None, {}, {"kind": "Robot", "name": "x"}, [], "ClusterRole"])
def test_a_reference_to_no_kind_of_role_is_refused(access: Access, reference) -> None:
    odd = {**binding("new", "held", user("joe")), "roleRef": reference}
    assert "unsupported role reference kind" in refusal(access, odd)


def test_the_garbage_collectors_changes_need_no_rights(access: Access) -> None:
    old = role("mine", rule("*", "secrets"))
    new = {
        **old,
        "metadata": {**old["metadata"], "finalizers": ["x"], "ownerReferences": [{}], "managedFields": []},
    }
    access.check_rbac_write(JANE, new, old, "")
    labelled = {**old, "metadata": {**old["metadata"], "labels": {"a": "b"}}}
    assert refusal(access, labelled, old)


def test_roles_that_were_not_found_are_told_along(access: Access, cluster: Cluster) -> None:
    cluster.put(binding("x", "gone", group("system:authenticated")))
    message = refusal(access, role("new", rule("get", "secrets")))
    assert message.endswith(f'Verbs:["get"]}}; resolution errors: [clusterroles.{RBAC} "gone" not found]')


@given(some(RULES), some(RULES), some(ASKED, 8, 1))
def test_whoever_covers_a_rule_may_do_all_that_it_allows(held, wanted, questions) -> None:
    holding, giving = rules_of({"rules": held}), rules_of({"rules": wanted})
    if uncovered(holding, giving):
        return
    for asked in questions:
        if any(one.allows(asked) for one in giving):
            assert any(one.allows(asked) for one in holding), asked


def test_covering_is_not_vacuous() -> None:
    asked = Attributes("get", resource="pods")
    (one,) = rules_of({"rules": [rule("get", "pods")]})
    assert one.allows(asked)
    assert not uncovered([one], [one])
    assert uncovered([], [one]) == [one]
