"""What a project permits, as tables: the lists of the project, what is asked, the answer."""

from __future__ import annotations

import pytest

from argosy.argo.cd.clusters.registry import Known
from argosy.argo.cd.projects import BadProject, Project, default_project
from argosy.argo.cd.projects.roles import BadRole, Policy, policies_of
from argosy.contracts.argo.project import Role
from argosy.kube.objects import Object

HERE = Known(server="https://kubernetes.default.svc", name="in-cluster")


def project(**spec: object) -> Project:
    return Project.of({"metadata": {"name": "shop"}, "spec": spec})


@pytest.mark.parametrize(
    "patterns, url, permitted",
    [
        ([], "https://git/a/b", False),
        (["*"], "https://git/a/b", True),
        (["https://git/a/b"], "https://git/a/b.git", True),
        (["https://GIT/a/b.git"], "https://git/A/b", True),
        (["https://git/*"], "https://git/a/b", False),
        (["https://git/*/*"], "https://git/a/b", True),
        (["https://git/**"], "https://git/a/b", True),
        (["git@git:a/*"], "ssh://git@git/a/b", True),
        (["ssh://git@git/a/b"], "git@git:a/b.git", True),
        (["*", "!https://git/a/**"], "https://git/a/b", False),
        (["!https://git/a/**", "*"], "https://git/a/b", False),
        (["*", "!https://git/a/**"], "https://git/c/b", True),
        (["!https://git/a/**"], "https://git/c/b", True),
        (["https://git/{a,c}/b"], "https://git/c/b", True),
        (["https://git/[a-c]/b"], "https://git/d/b", False),
        (["https://git/a/b"], "https://git/a/b\n", True),
        (["https://git/a/b"], "https://git/a/\tb", False),
    ],
)
def test_sources(patterns: list[str], url: str, permitted: bool) -> None:
    assert project(sourceRepos=patterns).source_permitted(url) is permitted


PROD = Known(server="https://prod", name="prod")


@pytest.mark.parametrize(
    "destinations, cluster, namespace, permitted",
    [
        ([], PROD, "web", False),
        ([("https://prod", "", "web")], PROD, "web", True),
        ([("https://prod", "", "web")], PROD, "other", False),
        ([("", "prod", "web-*")], PROD, "web-1", True),
        ([("*", "", "*")], PROD, "", True),
        ([("https://*", "", "*")], PROD, "web", True),
        ([("*", "", "*"), ("!https://prod", "", "*")], PROD, "web", False),
        ([("!https://prod", "", "*"), ("*", "", "*")], PROD, "web", False),
        ([("*", "", "*"), ("*", "", "!kube-*")], PROD, "kube-system", False),
        ([("*", "", "*"), ("*", "", "!kube-*")], PROD, "web", True),
        ([("*", "", "*"), ("", "!prod", "*")], PROD, "web", False),
        ([("*", "", "*"), ("!https://prod", "", "kube-*")], PROD, "web", True),
        ([("https://other", "", "!web"), ("*", "", "*")], PROD, "web", True),
    ],
)
def test_destinations(
    destinations: list[tuple[str, str, str]], cluster: Known, namespace: str, permitted: bool
) -> None:
    listed = [
        {"server": server, "name": name, "namespace": namespace} for server, name, namespace in destinations
    ]
    assert project(destinations=listed).destination_permitted(cluster, namespace) is permitted


def test_only_clusters_of_the_project_where_it_says_so() -> None:
    own, other = (
        Known(server="https://a", name="a", project="shop"),
        Known(server="https://b", name="b", project="bank"),
    )
    scoped = project(destinations=[{"server": "*", "namespace": "*"}], permitOnlyProjectScopedClusters=True)
    assert [scoped.destination_permitted(cluster, "web") for cluster in (own, other, HERE)] == [
        True,
        False,
        False,
    ]


ALL = {"group": "*", "kind": "*"}


@pytest.mark.parametrize(
    "spec, asked, permitted",
    [
        ({}, ("apps", "Deployment", "web", True), True),
        ({"namespaceResourceWhitelist": []}, ("apps", "Deployment", "web", True), False),
        ({"namespaceResourceWhitelist": None}, ("apps", "Deployment", "web", True), True),
        ({"namespaceResourceWhitelist": [{"group": "apps", "kind": "*"}]}, ("apps", "Deployment", "web", True), True),
        ({"namespaceResourceWhitelist": [{"group": "apps", "kind": "*"}]}, ("", "Secret", "web", True), False),
        ({"namespaceResourceWhitelist": [ALL], "namespaceResourceBlacklist": [{"group": "", "kind": "Secret"}]}, ("", "Secret", "web", True), False),
        ({"namespaceResourceBlacklist": [{"group": "*", "kind": "[RS]*"}]}, ("", "Role", "web", True), False),
        ({"namespaceResourceBlacklist": [{"group": "", "kind": "{Secret}"}]}, ("", "Secret", "web", True), True),
        ({"namespaceResourceBlacklist": [{"group": "", "kind": "[^S]*"}]}, ("", "Secret", "web", True), True),
        ({}, ("", "Namespace", "web", False), False),
        ({"clusterResourceWhitelist": []}, ("", "Namespace", "web", False), False),
        ({"clusterResourceWhitelist": [ALL]}, ("", "Namespace", "web", False), True),
        ({"clusterResourceWhitelist": [{"group": "", "kind": "Namespace", "name": "web-*"}]}, ("", "Namespace", "web-1", False), True),
        ({"clusterResourceWhitelist": [{"group": "", "kind": "Namespace", "name": "web-*"}]}, ("", "Namespace", "other", False), False),
        ({"clusterResourceWhitelist": [ALL], "clusterResourceBlacklist": [{"group": "", "kind": "Namespace", "name": "kube-*"}]},
         ("", "Namespace", "kube-system", False), False),
        ({"clusterResourceWhitelist": [ALL], "clusterResourceBlacklist": [{"group": "", "kind": "Namespace", "name": "kube-*"}]},
         ("", "Namespace", "web", False), True),
    ],
)  # fmt: skip
def test_kinds(spec: Object, asked: tuple[str, str, str, bool], permitted: bool) -> None:
    group, kind, name, namespaced = asked
    assert project(**spec).kind_permitted(group, kind, name, namespaced=namespaced) is permitted


@pytest.mark.parametrize(
    "patterns, namespace, permitted",
    [
        ([], "argocd", True), ([], "", True), ([], "team", False), (["team-*"], "team-a", True), (["team-*"], "other", False), (["*"], "any", True),
        (["/^team-[0-9]+$/"], "team-12", True), (["/^team-[0-9]+$/"], "team-x", False), (["/am/"], "team", True), (["/(a+)+$/"], "aaaa", False),
        (["/(/"], "(", False),
    ],
)  # fmt: skip
def test_namespaces_of_applications(patterns: list[str], namespace: str, permitted: bool) -> None:
    assert project(sourceNamespaces=patterns).application_permitted(namespace, "argocd") is permitted


@pytest.mark.parametrize(
    "key, counts",
    [
        (("", "ConfigMap", "web", "settings"), True),
        (("", "ConfigMap", "web", "kube-root-ca.crt"), False),
        (("", "ServiceAccount", "web", "default"), False),
        (("", "ServiceAccount", "web", "other"), True),
        (("", "Service", "default", "kubernetes"), False),
        (("", "Service", "web", "kubernetes"), True),
        (("", "Secret", "web", "token-1"), False),
        (("", "Secret", "web", "password"), True),
        (("apps", "Deployment", "web", "any"), False),
        (("batch", "Job", "web", "any"), False),
        (("", "Namespace", "", "web"), False),
    ],
)
def test_orphans(key: tuple[str, str, str, str], counts: bool) -> None:
    ignored = [{"kind": "Secret", "name": "token-*"}, {"group": "apps", "kind": "Deployment"}]
    shop = project(
        orphanedResources={"warn": True, "ignore": ignored},
        namespaceResourceBlacklist=[{"group": "batch", "kind": "*"}],
    )
    assert shop.is_orphan(*key) is counts
    assert not project().is_orphan(*key)


def test_orphans_are_warned_of_where_somebody_asks() -> None:
    keys = [("", "ConfigMap", "a"), ("", "ConfigMap", "b")]
    assert project(orphanedResources={"warn": True}).warned_of_orphans(keys) == [
        "Application has 2 orphaned resources"
    ]
    assert project(orphanedResources={"warn": True}).warned_of_orphans([]) == []
    assert project(orphanedResources={}).warned_of_orphans(keys) == []
    assert project(orphanedResources={}).orphans_watched()
    assert not project().orphans_watched()


def test_the_default_project_permits_everything() -> None:
    everything = default_project()
    assert everything.source_permitted("https://git/a/b")
    assert everything.destination_permitted(PROD, "web")
    assert everything.kind_permitted("", "Namespace", "web", namespaced=False)
    assert everything.complaints == []


def test_the_policies_of_a_role_are_read() -> None:
    role = Role(
        name="deployer",
        policies=[
            "p, proj:shop:deployer, applications, sync, shop/*, allow",
            "p,proj:shop:deployer,logs,get,shop/ns/web,deny",
        ],
    )
    assert policies_of("shop", role) == [
        Policy("deployer", "applications", "sync", "shop/*", True),
        Policy("deployer", "logs", "get", "shop/ns/web", False),
    ]


@pytest.mark.parametrize(
    "line, words",
    [
        ("p, a", "must be of the form: 'p, sub, res, act, obj, eft'"),
        (
            "p, proj:bank:deployer, applications, sync, shop/*, allow",
            "policy subject must be: 'proj:shop:deployer', not 'proj:bank:deployer'",
        ),
        ("p, proj:shop:deployer, projects, get, shop/*, allow", "not 'projects'"),
        ("p, proj:shop:deployer, applications, fly, shop/*, allow", "invalid action 'fly'"),
        ("p, proj:shop:deployer, applications, get, bank/*, allow", "object must be of form 'shop/*'"),
        ("p, proj:shop:deployer, applications, get, shop/*, maybe", "effect must be: 'allow' or 'deny'"),
    ],
)
def test_a_policy_that_is_wrong_is_refused(line: str, words: str) -> None:
    with pytest.raises(BadRole, match=r"invalid policy rule '.*': ") as refused:
        policies_of("shop", Role(name="deployer", policies=[line]))
    assert words in str(refused.value)


@pytest.mark.parametrize(
    "spec, complaint",
    [
        ({"sourceRepos": ["!*"]}, "source repository has an invalid format, '!*'"),
        ({"sourceRepos": ["a", "a"]}, "source repository 'a' already added"),
        ({"sourceRepos": ["{a"]}, "the pattern '{a' matches nothing: the brace at 1 is not closed"),
        ({"destinations": [{"server": "!*", "namespace": "a"}]}, "server has an invalid format, '!*'"),
        ({"destinations": [{"server": "s", "namespace": "a"}] * 2}, "destination 's/a' already added"),
        ({"sourceNamespaces": ["a", "a"]}, "source namespace 'a' already added"),
        ({"sourceNamespaces": ["/(a+)+/"]}, "source namespace '/(a+)+/' repeats groups or repeats too often: it matches nothing"),
        ({"roles": [{"name": "a"}, {"name": "a"}]}, "role 'a' already exists"),
        ({"roles": [{"name": "-a"}]},
         "invalid role name '-a'. Must consist of alphanumeric characters, '-' or '_', and must start and end with an alphanumeric character"),
        ({"roles": [{"name": "a", "groups": ["g", "g"]}]}, "group 'g' already exists for role 'a'"),
        ({"syncWindows": [{"kind": "ask", "schedule": "* * * * *", "duration": "1h", "applications": ["*"]}]},
         "kind 'ask' mismatch: can only be allow or deny"),
        ({"syncWindows": [{"kind": "deny", "schedule": "* * * * *", "duration": "1h"}]},
         "window 'deny':'* * * * *':'1h' requires one of application, cluster or namespace"),
        ({"syncWindows": [{"kind": "deny", "schedule": "* * * * *", "duration": "10", "applications": ["*"]}]},
         "cannot parse duration '10': time: missing unit in duration \"10\""),
        ({"destinationServiceAccounts": [{"server": "*"}]}, "spec.destinationServiceAccounts is not supported by this engine"),
        ({"colour": "red"}, "spec.colour is not known to this engine"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_project_is_said_and_the_rest_counts(spec: Object, complaint: str) -> None:
    shop = project(**({"destinations": [{"server": "https://prod", "namespace": "web"}]} | spec))
    assert shop.complaints == [complaint]
    assert "destinations" in spec or shop.destination_permitted(PROD, "web")


def test_what_is_no_project_is_refused() -> None:
    with pytest.raises(BadProject, match=r"project 'shop': Expected `array`"):
        project(sourceRepos="all")
