"""Decisions by roles and bindings: what rules mean, who is bound, how a refusal reads, and all of it against a plain
evaluator that walks every binding."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.kube.errors import ApiError
from argosy.kube.server.access import Access, Attributes, User
from argosy.kube.server.access.rbac import Rbac
from tests.unit.kube.server.access.cluster import (
    RBAC,
    Cluster,
    account,
    binding,
    group,
    made,
    person,
    role,
    rule,
    said,
    user,
)

JANE = person("jane", "dev")
LIST_PODS = Attributes("list", resource="pods", version="v1", namespace="shop")


def allowed(cluster: Cluster, asked: Attributes, who: User = JANE) -> bool:
    return Rbac(cluster).decide(who, asked)[0]


@pytest.mark.parametrize(
    ("given_rule", "asked", "yes"),
    [
        (rule("list", "pods"), Attributes("list", resource="pods"), True),
        (rule("list", "pods"), Attributes("get", resource="pods"), False),
        (rule("list", "pods"), Attributes("list", resource="secrets"), False),
        (rule("list", "pods"), Attributes("list", "apps", resource="pods"), False),
        (rule("*", "pods"), Attributes("escalate", resource="pods"), True),
        (rule("get", "*"), Attributes("get", resource="pods", subresource="log"), True),
        (rule("get", "*", ["apps"]), Attributes("get", resource="pods"), False),
        (rule("get", "*", ["*"]), Attributes("get", "any.example", resource="things"), True),
        (rule("get", "pods"), Attributes("get", resource="pods", subresource="log"), False),
        (rule("get", "pods/log"), Attributes("get", resource="pods", subresource="log"), True),
        (rule("get", "pods/log"), Attributes("get", resource="pods"), False),
        (rule("get", "*/scale", ["*"]), Attributes("get", "apps", resource="x", subresource="scale"), True),
        (rule("get", "*/scale", ["*"]), Attributes("get", "apps", resource="x", subresource="status"), False),
        (rule("get", "*/scale", ["*"]), Attributes("get", "apps", resource="x"), False),
        (rule("get", "pods/*"), Attributes("get", resource="pods", subresource="log"), False),
        (rule("get", "pods", names="a b"), Attributes("get", resource="pods", name="b"), True),
        (rule("get", "pods", names="a b"), Attributes("get", resource="pods", name="c"), False),
        (rule("list", "pods", names="a"), Attributes("list", resource="pods"), False),
        (rule("get", urls="/healthz"), Attributes("get", path="/healthz"), True),
        (rule("get", urls="/healthz"), Attributes("get", path="/healthz/etcd"), False),
        (rule("get", urls="/healthz/*"), Attributes("get", path="/healthz/etcd"), True),
        (rule("get", urls="/healthz/*"), Attributes("get", path="/healthz"), False),
        (rule("get", urls="*"), Attributes("get", path="/anything"), True),
        (rule("get", urls="*"), Attributes("post", path="/anything"), False),
        (rule("*", "*", ["*"]), Attributes("get", path="/healthz"), False),
        (rule("*", urls="*"), Attributes("get", resource="pods"), False),
    ],
)
def test_what_a_rule_allows(given_rule, asked, yes) -> None:
    cluster = Cluster(role("r", given_rule), binding("b", "r", user("jane")))
    assert allowed(cluster, asked) is yes


READ = role("reader", rule("list", "pods"))


@pytest.mark.parametrize(
    ("bound", "who", "yes"),
    [
        (binding("b", "reader", user("jane")), JANE, True),
        (binding("b", "reader", user("JANE")), JANE, False),
        (binding("b", "reader", user("dev")), JANE, False),
        (binding("b", "reader", group("dev")), JANE, True),
        (binding("b", "reader", group("jane")), JANE, False),
        (binding("b", "reader", group("system:authenticated")), JANE, True),
        (binding("b", "reader", account("robot", "shop")), person("system:serviceaccount:shop:robot"), True),
        (
            binding("b", "reader", account("robot", "shop")),
            person("system:serviceaccount:other:robot"),
            False,
        ),
        (binding("b", "reader", account("robot")), person("system:serviceaccount::robot"), False),
        (
            binding("b", "reader", account("robot"), namespace="shop"),
            person("system:serviceaccount:shop:robot"),
            True,
        ),
        (binding("b", "reader", user("jane"), namespace="shop"), JANE, True),
        (binding("b", "reader", user("jane"), namespace="other"), JANE, False),
        (binding("b", "Role/reader", user("jane"), namespace="shop"), JANE, False),
        (binding("b", "reader"), JANE, False),
        (binding("b", "reader", {"kind": "Robot", "name": "jane"}, "nonsense"), JANE, False),
    ],
)
def test_who_is_bound(bound, who, yes) -> None:
    assert allowed(Cluster(READ, bound), LIST_PODS, who) is yes


def test_a_role_of_a_namespace_counts_there_only() -> None:
    cluster = Cluster(
        role("local", rule("list", "pods"), namespace="shop"),
        binding("b", "Role/local", user("jane"), namespace="shop"),
    )
    assert allowed(cluster, LIST_PODS)
    assert not allowed(cluster, Attributes("list", resource="pods", namespace="other"))
    assert not allowed(cluster, Attributes("list", resource="pods"))


def test_masters_may_do_everything_and_no_binding_says_so() -> None:
    boss = person("boss", "system:masters")
    assert Rbac(Cluster()).decide(boss, LIST_PODS) == (True, "")


def test_the_reason_names_the_first_binding_and_the_subject_that_applies() -> None:
    cluster = Cluster(
        READ,
        binding("b", "reader", group("other"), group("dev"), user("jane")),
        binding("c", "reader", user("jane")),
        binding("local", "reader", account("robot"), namespace="shop"),
    )
    rbac = Rbac(cluster)
    assert rbac.decide(JANE, LIST_PODS)[1] == (
        'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "reader" to Group "dev"'
    )
    assert rbac.decide(person("system:serviceaccount:shop:robot"), LIST_PODS)[1] == (
        'RBAC: allowed by RoleBinding "local/shop" of ClusterRole "reader" to ServiceAccount "robot/shop"'
    )


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (
            Attributes("list", "apps", "v1", "deployments", namespace="y"),
            (
                'deployments.apps is forbidden: User "x" cannot list resource "deployments" in API group "apps" '
                'in the namespace "y"'
            ),
        ),
        (
            Attributes("get", "", "v1", "pods", "log", "y", "web"),
            'pods "web" is forbidden: User "x" cannot get resource "pods/log" in API group "" in the namespace "y"',
        ),
        (
            Attributes("create", "", "v1", "nodes"),
            'nodes is forbidden: User "x" cannot create resource "nodes" in API group "" at the cluster scope',
        ),
        (Attributes("get", path="/metrics"), 'forbidden: User "x" cannot get path "/metrics"'),
        (Attributes("get", path="/<b>&"), 'forbidden: User "x" cannot get path "/&lt;b&gt;&amp;"'),
    ],
)
def test_a_refusal_reads_as_kubernetes_words_it(access: Access, asked, message) -> None:
    with pytest.raises(ApiError) as refused:
        access.require(User("x"), asked)
    assert said(refused.value) == (403, "Forbidden", message)
    assert (refused.value.group, refused.value.kind, refused.value.name) == (
        asked.group,
        asked.resource,
        asked.name,
    )


def test_a_refusal_tells_which_roles_were_not_found(access: Access, cluster: Cluster) -> None:
    cluster.put(binding("b", "gone", user("jane")), binding("c", "gone", group("dev")))
    cluster.put(binding("d", "Role/lost", user("jane"), namespace="shop"))
    cluster.put(binding("e", "Robot/lost", user("jane"), namespace="shop"))
    with pytest.raises(ApiError) as refused:
        access.require(JANE, LIST_PODS)
    assert refused.value.message == (
        'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "shop": '
        f'RBAC: [clusterrole.{RBAC} "gone" not found, role.{RBAC} "lost" not found, '
        'unsupported role reference kind: "Robot"]'
    )


def test_a_change_counts_at_once() -> None:
    cluster = Cluster(READ)
    rbac = Rbac(cluster)
    bound = binding("b", "reader", user("jane"))
    assert not rbac.decide(JANE, LIST_PODS)[0]
    cluster.put(bound)
    assert rbac.decide(JANE, LIST_PODS)[0]
    cluster.put(role("reader", rule("get", "pods")))
    assert not rbac.decide(JANE, LIST_PODS)[0]
    cluster.put(READ)
    assert rbac.decide(JANE, LIST_PODS)[0]
    cluster.delete(bound)
    assert not rbac.decide(JANE, LIST_PODS)[0]
    cluster.put(binding("b", "reader", user("jane"), namespace="shop"))
    assert rbac.decide(JANE, LIST_PODS)[0]


def test_nothing_is_read_again_while_nothing_changes() -> None:
    cluster = Cluster(READ, binding("b", "reader", user("jane")))
    rbac = Rbac(cluster)
    rbac.decide(JANE, LIST_PODS)
    before = cluster.reads
    cluster.put(made("Pod", "web", "shop"))
    rbac.decide(JANE, LIST_PODS)
    rbac.decide(JANE, Attributes("get", resource="pods", namespace="shop"))
    assert cluster.reads == before


def test_what_strangers_make_up_fills_no_memory() -> None:
    rbac = Rbac(Cluster())
    for number in range(5000):
        rbac.decide(person(f"{number}"), Attributes("get", path=f"/{number}"))
        rbac.decide(person("x" * 600, f"{number}"), Attributes("get", path=f"/{number}"))
        rbac.decide(JANE, Attributes("get", path=f"/{number}" + "x" * 600))
        rbac.decide(JANE, Attributes("get", resource=f"{number}" + "x" * 600))
    assert len(rbac._decisions) <= 4096
    assert len(rbac._holdings) <= 4096
    assert max(len(asked.path) + len(asked.resource) for _, _, asked in rbac._decisions) < 600
    assert max(len(name) for name, _, _ in rbac._holdings) < 600


NAMES = st.sampled_from(["a", "b", "c"])
RESOURCES = st.sampled_from(["pods", "pods/log", "nodes", "*", "*/log", "*/scale"])
PATHS = st.sampled_from(["/a", "/a/*", "/a/b", "*", "/"])
GROUPS = st.sampled_from(["", "apps", "*"])
VERBS = st.sampled_from(["get", "list", "*"])


def some(values, most: int = 3, least: int = 0):
    return st.lists(values, min_size=least, max_size=most)


RULES = st.one_of(
    st.fixed_dictionaries(
        {"verbs": some(VERBS), "apiGroups": some(GROUPS), "resources": some(RESOURCES)},
        optional={"resourceNames": some(NAMES), "nonResourceURLs": some(PATHS)},
    ),
    st.fixed_dictionaries({"verbs": some(VERBS), "nonResourceURLs": some(PATHS)}),
)
SCOPES = st.sampled_from(["", "n", "m"])
ROLE_OBJECTS = st.builds(lambda n, r, s: role(n, *r, namespace=s), NAMES, some(RULES), SCOPES)
SUBJECTS = st.one_of(
    st.builds(user, NAMES),
    st.builds(group, NAMES),
    st.builds(account, NAMES, st.sampled_from(["", "n", "m"])),
    st.builds(user, st.just("system:serviceaccount:n:a")),
)
BINDING_OBJECTS = st.builds(
    lambda name, kind, to, subjects, scope: binding(name, f"{kind}/{to}", *subjects, namespace=scope),
    st.sampled_from(["p", "q", "r", "s"]),
    st.sampled_from(["ClusterRole", "Role"]),
    NAMES,
    some(SUBJECTS),
    SCOPES,
)
USERS = st.builds(
    lambda name, groups: User(name, groups=tuple(groups)),
    st.sampled_from(["a", "b", "system:serviceaccount:n:a", "system:serviceaccount:m:b"]),
    some(NAMES),
)
ASKED = st.one_of(
    st.builds(
        Attributes,
        verb=st.sampled_from(["get", "list"]),
        group=st.sampled_from(["", "apps"]),
        resource=st.sampled_from(["pods", "nodes"]),
        subresource=st.sampled_from(["", "log", "scale"]),
        namespace=SCOPES,
        name=st.sampled_from(["", "a", "b"]),
    ),
    st.builds(
        Attributes, verb=st.sampled_from(["get", "list"]), path=st.sampled_from(["/a", "/a/b", "/a/", "/"])
    ),
)


def plainly(cluster: Cluster, who: User, asked: Attributes) -> bool:
    for bound in [*cluster.list(f"clusterrolebindings.{RBAC}"), *cluster.list(f"rolebindings.{RBAC}")]:
        scope = bound["metadata"].get("namespace", "")
        if scope and scope != asked.namespace:
            continue
        if not any(_applies(subject, who, scope) for subject in bound["subjects"]):
            continue
        ref = bound["roleRef"]
        of = scope if ref["kind"] == "Role" else ""
        found = cluster.get(f"{ref['kind'].lower()}s.{RBAC}", of, ref["name"])
        if found and any(_matches(one, asked) for one in found["rules"]):
            return True
    return False


def _applies(subject, who: User, scope: str) -> bool:
    if subject["kind"] == "User":
        return subject["name"] == who.name
    if subject["kind"] == "Group":
        return subject["name"] in who.groups
    namespace = subject.get("namespace") or scope
    return bool(namespace) and who.name == f"system:serviceaccount:{namespace}:{subject['name']}"


def _matches(one, asked: Attributes) -> bool:
    if not {"*", asked.verb} & set(one["verbs"]):
        return False
    if asked.path:
        return any(
            url in {"*", asked.path} or (url.endswith("*") and asked.path.startswith(url[:-1]))
            for url in one.get("nonResourceURLs", ())
        )
    whole = f"{asked.resource}/{asked.subresource}" if asked.subresource else asked.resource
    any_of = {"*", whole} | ({f"*/{asked.subresource}"} if asked.subresource else set())
    return bool(
        {"*", asked.group} & set(one.get("apiGroups", ()))
        and any_of & set(one.get("resources", ()))
        and (not one.get("resourceNames") or asked.name in one["resourceNames"])
    )


@given(some(ROLE_OBJECTS, 5), some(BINDING_OBJECTS, 6), USERS, some(ASKED, 6, 1))
def test_it_decides_as_a_plain_evaluator_does(roles, bindings, who, questions) -> None:
    cluster = Cluster(*roles, *bindings)
    rbac = Rbac(cluster)
    for asked in questions:
        assert rbac.decide(who, asked)[0] is plainly(cluster, who, asked)
    for one in bindings[:2]:  # and still does when some of it changes
        cluster.put({**one, "subjects": []})
        for asked in questions:
            assert rbac.decide(who, asked)[0] is plainly(cluster, who, asked)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=3),
        lambda v: (
            st.lists(v)
            | st.dictionaries(
                st.sampled_from(["rules", "verbs", "subjects", "roleRef", "kind", "name", "metadata"]), v
            )
        ),
    )
)
def test_nonsense_in_stored_objects_allows_nothing_and_breaks_nothing(nonsense) -> None:
    odd_role = {**role("r"), "rules": nonsense}
    odd_binding = {**binding("b", "r", user("jane")), "subjects": nonsense}
    odd_reference = {**binding("c", "r", user("jane")), "roleRef": nonsense}
    bound = binding("d", "r", user("jane"))
    assert not allowed(Cluster(odd_role, odd_binding, odd_reference, bound), LIST_PODS)
