"""Near whom a pod may be, and how evenly its kind is spread."""

from __future__ import annotations

from typing import Any

import pytest

from argosy.kube.nodes.scheduling.fitting import Choice, choose
from argosy.kube.nodes.scheduling.neighbours import keeps_others_away
from argosy.kube.nodes.scheduling.surroundings import Placed, Surroundings
from argosy.kube.objects import Object
from tests.unit.kube.controllers.objects import node

HOST, ZONE = "kubernetes.io/hostname", "zone"
NODES = {
    name: node(name, labels={HOST: name, ZONE: zone}) for name, zone in (("a", "1"), ("b", "1"), ("c", "2"))
}
REQUIRED, PREFERRED = (
    "requiredDuringSchedulingIgnoredDuringExecution",
    "preferredDuringSchedulingIgnoredDuringExecution",
)


def pod(app: str = "web", namespace: str = "default", **spec: Any) -> Object:
    containers = [{"name": "main"}]
    labels = {"app": app}
    return {
        "metadata": {"name": "it", "namespace": namespace, "labels": labels},
        "spec": {"containers": containers, **spec},
    }


def near(app: str, key: str = HOST, **more: Any) -> Object:
    return {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": key, **more}


def needing(*terms: Object) -> Object:
    return {"affinity": {"podAffinity": {REQUIRED: list(terms)}}}


def avoiding(*terms: Object) -> Object:
    return {"affinity": {"podAntiAffinity": {REQUIRED: list(terms)}}}


def spread(skew: int = 1, key: str = HOST, **more: Any) -> Object:
    selector = {"matchLabels": {"app": "web"}}
    said = {
        "maxSkew": skew,
        "topologyKey": key,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": selector,
    }
    return {"topologySpreadConstraints": [{**said, **more}]}


def chosen(
    found: Object, *placed: tuple[Object, str], namespaces: dict[str, dict[str, str]] | None = None
) -> Choice:
    stand = [Placed(*one) for one in placed]
    around = Surroundings(
        NODES,
        placed=stand,
        shy=[one for one in stand if keeps_others_away(one.pod)],
        namespaces=lambda name: (namespaces or {}).get(name, {}),
    )
    return choose(found, around, {})


def refusal(reasons: str, *, helpless: int = 0) -> str:
    preemption = ", ".join(
        f"{count} {words}"
        for count, words in (
            (3 - helpless, "No preemption victims found for incoming pod"),
            (helpless, "Preemption is not helpful for scheduling"),
        )
        if count
    )
    return (
        f"0/3 nodes are available: {reasons}. no new claims to deallocate, preemption: "
        f"0/3 nodes are available: {preemption}."
    )


def test_a_pod_stays_away_from_its_like() -> None:
    like = pod(**avoiding(near("web")))

    assert chosen(like, (pod(), "a"), (pod(), "b")).node == "c"
    assert chosen(like, (pod(), "a"), (pod(), "b"), (pod(), "c")).why_none == refusal(
        "3 node(s) didn't match pod anti-affinity rules"
    )


def test_a_whole_zone_may_be_kept_clear() -> None:
    assert chosen(pod(**avoiding(near("web", ZONE))), (pod(), "a")).node == "c"


def test_who_came_first_keeps_others_away() -> None:
    first = pod("database", **avoiding(near("web")))

    assert chosen(pod(), (first, "a"), (first, "b")).node == "c"
    assert chosen(pod(), (first, "a"), (first, "b"), (first, "c")).why_none == refusal(
        "3 node(s) didn't satisfy existing pods anti-affinity rules"
    )


def test_a_pod_goes_where_its_company_is() -> None:
    wants = pod(**needing(near("cache")))

    assert chosen(wants, (pod("cache"), "b")).node == "b"
    assert chosen(wants).why_none == refusal("3 node(s) didn't match pod affinity rules", helpless=3)


def test_company_has_to_be_all_that_is_wanted() -> None:
    wants = pod(**needing(near("cache"), near("queue")))

    assert chosen(wants, (pod("cache"), "b"), (pod("queue"), "b")).node == ""


def test_the_first_of_its_kind_need_not_wait_for_itself() -> None:
    assert chosen(pod(**needing(near("web", ZONE)))).node == "a"


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        (near("web"), "a"),  # its own namespace alone
        (near("web", namespaces=["other"]), "b"),
        (near("web", namespaceSelector={}), "b"),
        (near("web", namespaceSelector={"matchLabels": {"team": "red"}}), "b"),
        (near("web", namespaceSelector={"matchLabels": {"team": "blue"}}), "a"),
    ],
)
def test_a_term_is_about_the_namespaces_it_names(term: Object, expected: str) -> None:
    elsewhere = pod(namespace="other")

    assert (
        chosen(pod(**avoiding(term)), (elsewhere, "a"), namespaces={"other": {"team": "red"}}).node
        == expected
    )


def test_what_a_pod_would_rather_have_decides_between_nodes() -> None:
    weighed = {"weight": 10, "podAffinityTerm": near("cache")}
    rather_not = {"weight": 5, "podAffinityTerm": near("web")}
    company = (pod("cache"), "b"), (pod(), "a")

    assert chosen(pod(affinity={"podAffinity": {PREFERRED: [weighed]}}), *company).node == "b"
    assert chosen(pod(affinity={"podAntiAffinity": {PREFERRED: [rather_not]}}), *company).node == "b"
    fast = {
        "weight": 1,
        "preference": {"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["2"]}]},
    }
    assert chosen(pod(affinity={"nodeAffinity": {PREFERRED: [fast]}}), *company).node == "c"


def test_pods_are_spread_evenly() -> None:
    assert chosen(pod(**spread()), (pod(), "a"), (pod(), "b")).node == "c"
    assert chosen(pod(**spread(key=ZONE)), (pod(), "a")).node == "c"
    assert chosen(pod(**spread(skew=2)), (pod(), "a")).node == "a"


def test_a_place_that_is_closed_counts_and_so_nobody_may_come() -> None:
    """Cordoning is no reason to leave a node out of the count."""
    closed = {**NODES, "c": {**NODES["c"], "spec": {"unschedulable": True}}}
    around = Surroundings(closed, placed=[Placed(pod(), "a"), Placed(pod(), "b")])

    assert choose(pod(**spread()), around, {}).why_none == (
        "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match pod topology spread constraints. "
        "no new claims to deallocate, preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, "
        "2 No preemption victims found for incoming pod."
    )


def test_without_the_label_a_node_is_no_place() -> None:
    assert chosen(pod(**spread(key="rack"))).why_none == refusal(
        "3 node(s) didn't match pod topology spread constraints (missing required label)", helpless=3
    )


def test_fewer_places_than_wanted_count_as_an_empty_one() -> None:
    assert chosen(pod(**spread(minDomains=3)), (pod(), "a"), (pod(), "b"), (pod(), "c")).node
    assert not chosen(pod(**spread(minDomains=4)), (pod(), "a"), (pod(), "b"), (pod(), "c")).node


def test_places_where_it_may_not_be_do_not_count() -> None:
    confined = pod(nodeSelector={ZONE: "1"}, **spread())

    assert chosen(confined, (pod(), "a"), (pod(), "b")).node == "a"


def test_rather_spread_is_no_duty() -> None:
    rather = spread(whenUnsatisfiable="ScheduleAnyway")

    assert chosen(pod(**rather), (pod(), "a"), (pod(), "b")).node == "c"
    assert chosen(pod(**rather, nodeSelector={HOST: "a"}), (pod(), "a")).node == "a"
