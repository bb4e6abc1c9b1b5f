"""The roles of a new cluster are those of Kubernetes 1.36, to the last rule."""

from __future__ import annotations

import hashlib
import json

from argosy.kube.server.access import Access, Attributes, User, aggregated_rules, bootstrap
from tests.unit.kube.server.access.cluster import Cluster, binding, person, user

# Of the six files in the `testdata` of Kubernetes 1.36's bootstrap policy, read and written as one sorted JSON list.
PUBLISHED = "6708c325acba6cf072005d3853c3d2d15a2fd91da85ca73f0c25c761ec852d94"


def test_they_are_what_kubernetes_publishes() -> None:
    objects = sorted(
        bootstrap(),
        key=lambda one: (one["kind"], one["metadata"].get("namespace", ""), one["metadata"]["name"]),
    )
    assert len(objects) == 133
    assert hashlib.sha256(json.dumps(objects, sort_keys=True).encode()).hexdigest() == PUBLISHED


def test_no_binding_comes_before_its_role() -> None:
    known: set[tuple[str, str]] = set()
    for one in bootstrap():
        if "roleRef" in one:
            assert (one["roleRef"]["kind"], one["roleRef"]["name"]) in known
        known.add((one["kind"], one["metadata"]["name"]))


def test_each_call_makes_its_own_objects() -> None:
    first, second = bootstrap(), bootstrap()
    first[0]["metadata"]["name"] = "changed"
    assert second[0]["metadata"]["name"] != "changed"


def gathered() -> Cluster:
    """As the controller leaves it: until nothing changes any more."""
    objects = {(one["kind"], one["metadata"]["name"]): one for one in bootstrap()}
    while True:
        roles = [one for one in objects.values() if one["kind"] == "ClusterRole"]
        wanted = {one["metadata"]["name"]: aggregated_rules(one, roles) for one in roles}
        stale = [
            one
            for one in roles
            if (rules := wanted[one["metadata"]["name"]]) is not None and rules != one["rules"]
        ]
        if not stale:
            return Cluster(*objects.values())
        for one in stale:
            objects["ClusterRole", one["metadata"]["name"]] = {
                **one,
                "rules": wanted[one["metadata"]["name"]],
            }


def test_admin_edit_and_view_gather_ever_more(authority) -> None:
    cluster = gathered()
    access = Access(authority, cluster)
    asked = {
        "view pods": Attributes("list", resource="pods", namespace="shop"),
        "read secrets": Attributes("get", resource="secrets", namespace="shop"),
        "change deployments": Attributes("update", "apps", resource="deployments", namespace="shop"),
        "bind roles": Attributes(
            "create", "rbac.authorization.k8s.io", resource="rolebindings", namespace="shop"
        ),
        "see nodes": Attributes("list", resource="nodes"),
    }
    for name, rights in (
        ("view", {"view pods"}),
        ("edit", {"view pods", "read secrets", "change deployments"}),
        ("admin", {"view pods", "read secrets", "change deployments", "bind roles"}),
    ):
        cluster.put(binding(f"b-{name}", name, user(name), namespace="shop"))
        assert {what for what, one in asked.items() if access.decide(person(name), one)[0]} == rights


def test_everybody_who_is_somebody_may_ask_about_themselves_and_discover(authority) -> None:
    access = Access(authority, Cluster(*bootstrap()))
    mine = Attributes("create", "authorization.k8s.io", resource="selfsubjectaccessreviews")
    assert access.decide(person("jane"), mine)[0]
    assert access.decide(person("jane"), Attributes("get", path="/apis/apps/v1"))[0]
    nobody = User("system:anonymous", groups=("system:unauthenticated",))
    assert not access.decide(nobody, mine)[0]
    controller = person("system:serviceaccount:kube-system:deployment-controller")
    assert access.decide(controller, Attributes("update", "apps", resource="deployments", namespace="shop"))[
        0
    ]
