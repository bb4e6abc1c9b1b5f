"""Which rules a ClusterRole gathers from others."""

from __future__ import annotations

import pytest

from argosy.kube.objects import Object
from argosy.kube.server.access import aggregated_rules
from tests.unit.kube.server.access.cluster import role, rule

GET, LIST, PUT = rule("get", "pods"), rule("list", "pods"), rule("put", "pods")


def labelled(name: str, *rules: Object, **labels: str) -> Object:
    found = role(name, *rules)
    found["metadata"]["labels"] = labels
    return found


def gathering(*selectors: Object) -> Object:
    return {**labelled("all", PUT, to="x"), "aggregationRule": {"clusterRoleSelectors": list(selectors)}}


OTHERS = [
    labelled("b", LIST, GET, to="x"),
    labelled("a", GET, to="x", more="1"),
    labelled("c", PUT, to="y"),
    role("d"),
]


@pytest.mark.parametrize(
    ("selectors", "rules"),
    [
        ([{"matchLabels": {"to": "x"}}], [GET, LIST]),
        ([{"matchLabels": {"to": "y"}}, {"matchLabels": {"to": "x"}}], [PUT, GET, LIST]),
        ([{"matchLabels": {"to": "x", "more": "1"}}], [GET]),
        ([{"matchLabels": {"to": "z"}}], []),
        ([], []),
        ([{}], [GET, LIST, PUT]),
        ([{"matchExpressions": [{"key": "to", "operator": "In", "values": ["y", "z"]}]}], [PUT]),
        ([{"matchExpressions": [{"key": "to", "operator": "NotIn", "values": ["x"]}]}], [PUT]),
        ([{"matchExpressions": [{"key": "more", "operator": "Exists"}]}], [GET]),
        ([{"matchExpressions": [{"key": "more", "operator": "DoesNotExist"}]}], [LIST, GET, PUT]),
        ([{"matchExpressions": [{"key": "more", "operator": "Sideways"}]}], []),
    ],
)
def test_rules_are_gathered_once_by_selector_and_name_and_never_from_oneself(selectors, rules) -> None:
    me = gathering(*selectors)
    assert aggregated_rules(me, [*OTHERS, me]) == rules


def test_a_role_that_gathers_none_keeps_its_own() -> None:
    assert aggregated_rules(role("plain", GET), OTHERS) is None
