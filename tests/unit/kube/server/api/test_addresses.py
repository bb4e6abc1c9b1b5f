"""What a path asks for."""

from __future__ import annotations

import pytest

from argosy.kube.server.api.addresses import address
from argosy.kube.wire import Request


def read(method, path, *query):
    return address(Request(method, path, query))


@pytest.mark.parametrize(
    ("method", "path", "verb", "group", "namespace", "plural", "name", "sub"),
    [
        ("GET", "/api/v1/pods", "list", "", "", "pods", "", ""),
        ("GET", "/api/v1/namespaces/a/pods/p", "get", "", "a", "pods", "p", ""),
        ("GET", "/api/v1/namespaces/a", "get", "", "a", "namespaces", "a", ""),
        ("PUT", "/api/v1/namespaces/a/finalize", "update", "", "a", "namespaces", "a", "finalize"),
        ("GET", "/api/v1/namespaces/a/pods/p/log", "get", "", "a", "pods", "p", "log"),
        ("POST", "/apis/apps/v1/namespaces/a/deployments", "create", "apps", "a", "deployments", "", ""),
        (
            "DELETE",
            "/apis/apps/v1/namespaces/a/deployments",
            "deletecollection",
            "apps",
            "a",
            "deployments",
            "",
            "",
        ),
        ("DELETE", "/apis/apps/v1/namespaces/a/deployments/d", "delete", "apps", "a", "deployments", "d", ""),
        ("GET", "/api/v1/watch/namespaces/a/pods", "watch", "", "a", "pods", "", ""),
        (
            "PATCH",
            "/apis/rbac.authorization.k8s.io/v1/clusterroles/x",
            "patch",
            "rbac.authorization.k8s.io",
            "",
            "clusterroles",
            "x",
            "",
        ),
    ],
)
def test_a_path_names_a_resource(method, path, verb, group, namespace, plural, name, sub):
    found = read(method, path)
    assert (found.verb, found.group, found.namespace, found.plural, found.name, found.subresource) == (
        verb,
        group,
        namespace,
        plural,
        name,
        sub,
    )


def test_the_rest_of_a_proxy_path_is_kept():
    found = read("GET", "/api/v1/namespaces/a/services/https:web:443/proxy/a//b/")
    assert (found.name, found.subresource, found.rest) == ("https:web:443", "proxy", "/a//b")


def test_a_get_with_watch_is_a_watch():
    assert read("GET", "/api/v1/pods", ("watch", "1")).verb == "watch"
    assert read("GET", "/api/v1/pods", ("watch", "false")).verb == "list"


@pytest.mark.parametrize(
    "path", ["/", "/version", "/api", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1", "/healthz"]
)
def test_documents_are_no_resources(path):
    assert read("GET", path).plural == ""


@pytest.mark.parametrize(
    "path", ["/api/v1/namespaces//pods", "/api/v1/namespaces/a/pods/p/log/more/still", "/apis/apps/v1//x"]
)
def test_what_can_be_nothing_is_nothing(path):
    assert read("GET", path) is None
