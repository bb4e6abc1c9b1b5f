"""What a sync leaves as it is in the cluster, when it is told to respect what comparisons ignore."""

from __future__ import annotations

import pytest

from argosy.argo.cd.compare.keeping import kept
from argosy.kube.objects import Object

SPEC = {"replicas": 3, "image": "b"}


@pytest.mark.parametrize(
    ("target", "live", "compared", "expected"),
    [
        pytest.param({"spec": {"replicas": 1, "image": "a"}}, {"spec": SPEC}, {"spec": {"image": "b"}}, {"spec": {"replicas": 3, "image": "a"}}, id="a field"),
        pytest.param({"spec": {"image": "a"}}, {"spec": SPEC}, {"spec": {"image": "b"}}, {"spec": {"replicas": 3, "image": "a"}}, id="a field that Git does not name"),
        pytest.param({"spec": {"image": "a"}}, {"spec": SPEC}, {"spec": SPEC}, {"spec": {"image": "a"}}, id="nothing is ignored"),
        pytest.param({"data": {"k": "git"}}, {}, {}, {"data": {"k": "git"}}, id="nothing is there"),
        pytest.param(
            {"c": [{"name": "new", "image": "n"}, {"name": "main", "image": "git"}]},
            {"c": [{"name": "main", "image": "cluster", "tty": True}]},
            {"c": [{"name": "main", "tty": True}]},
            {"c": [{"name": "new", "image": "n"}, {"name": "main", "image": "cluster"}]},
            id="a field of a named element",
        ),
        pytest.param({"c": ["git"]}, {"c": ["a", "b"]}, {"c": ["a"]}, {"c": ["a", "b"]}, id="an element without a name"),
    ],
)  # fmt: skip
def test_ignored_fields_are_kept_as_the_cluster_has_them(
    target: Object, live: Object, compared: Object, expected: Object
) -> None:
    assert kept(target, live, compared) == expected
