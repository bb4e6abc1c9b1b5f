"""What an Ingress asks for."""

from __future__ import annotations

import pytest

from argosy.kube.controllers.ingress.wishes import CONTROLLER, Wish, is_ours, wishes, without_secrets
from argosy.kube.objects import Object
from tests.unit.kube.controllers.ingress.objects import backend, ingress, path, rule

OURS = {"metadata": {"name": "argosy"}, "spec": {"controller": CONTROLLER}}
THEIRS = {"metadata": {"name": "nginx"}, "spec": {"controller": "k8s.io/ingress-nginx"}}
CLASSES = {"argosy": OURS, "nginx": THEIRS}


@pytest.mark.parametrize(
    ("spec", "annotations", "ours"),
    [
        ({"ingressClassName": "argosy"}, {}, True),
        ({"ingressClassName": "nginx"}, {}, False),
        ({"ingressClassName": "gone"}, {}, False),
        ({}, {"kubernetes.io/ingress.class": "argosy"}, True),
        ({}, {"kubernetes.io/ingress.class": "nginx"}, False),
        ({}, {}, False),
    ],
)
def test_an_ingress_is_ours_by_the_controller_of_its_class(
    spec: Object, annotations: Object, ours: bool
) -> None:
    it = ingress(rule(path()), **spec)
    it["metadata"]["annotations"] = annotations

    assert is_ours(it, CLASSES) is ours


def test_each_path_is_a_wish_with_the_port_by_name_or_number() -> None:
    it = ingress(rule(path("/a", "Exact"), path("/b", port="http"), host="a.localhost"), rule(path("/c")))

    assert wishes(it) == (
        [
            Wish("a.localhost", "/a", "Exact", "web", "80"),
            Wish("a.localhost", "/b", "Prefix", "web", "http"),
            Wish("", "/c", "Prefix", "web", "80"),
        ],
        [],
    )


def test_what_the_implementation_decides_is_a_prefix_and_gives_way_to_one_that_says_so() -> None:
    found, _ = wishes(
        ingress(rule(path("/a", "ImplementationSpecific", "loose"), path("/a/", "Prefix", "firm")))
    )

    assert [(one.covers, one.service) for one in found] == [("Prefix", "firm"), ("Prefix", "loose")]
    assert found[0].place == found[1].place


def test_an_empty_path_of_the_implementation_s_own_kind_is_everything() -> None:
    it = ingress(rule({"pathType": "ImplementationSpecific", "backend": backend()}))

    assert [one.path for one in wishes(it)[0]] == ["/"]


def test_every_host_and_the_path_of_its_own_fall_back_to_the_default_backend() -> None:
    found, _ = wishes(
        ingress(rule(host="a.localhost"), rule(path("/x"), host="b.localhost"), default=backend("rest"))
    )

    assert {(one.host, one.service) for one in found if one.covers == "Default"} == {
        ("a.localhost", "rest"),
        ("b.localhost", "rest"),
        ("", "rest"),
    }


def test_a_backend_that_is_no_service_is_told_and_not_served() -> None:
    resource = {"resource": {"apiGroup": "example.com", "kind": "Bucket", "name": "files"}}
    it = ingress(
        rule({"path": "/files", "pathType": "Prefix", "backend": resource}, path("/a"), host="a.localhost")
    )

    found, refused = wishes(it)

    assert [one.path for one in found] == ["/a"]
    assert [(one.reason, one.words) for one in refused] == [
        ("BackendNotServed", "the backend of a.localhost/files is no Service")
    ]


def test_missing_tls_secrets_are_named_once_each() -> None:
    tls = [
        {"hosts": ["a"], "secretName": "here"},
        {"secretName": "gone"},
        {"secretName": "gone"},
        {"hosts": ["b"]},
    ]

    told = without_secrets(ingress(rule(path()), tls=tls), {"here": {}})

    assert [one.reason for one in told] == ["TLSSecretMissing", "TLSNotServed"]
    assert "'gone'" in told[0].words
    assert without_secrets(ingress(rule(path())), {}) == []
