"""Argo CD's own cases of health: its scripts through our Lua, and our built-in rules beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from argosy.domain.health import Health, Scripts, health_of
from argosy.domain.health.builtin import judge, key_of
from argosy.domain.lua import run
from argosy.kube.objects import Object
from tests.conformance.argo_customizations import corpus

pytestmark = pytest.mark.long

LEAST_CASES = 1397
OTHER_WORDS = {
    # The same health in other words: upstream lists every condition, ours the first one that fails.
    "beat.k8s.elastic.co/Beat", "capsule.clastix.io/ResourcePool", "ceph.rook.io/CephCluster",
    "cluster.x-k8s.io/MachinePool", "elasticsearch.k8s.elastic.co/Elasticsearch", "grafana.integreatly.org/GrafanaFolder",
    "iammanager.keikoproj.io/Iamrole", "operator.knative.dev/KnativeEventing", "operator.knative.dev/KnativeServing",
    "pxc.percona.com/PerconaXtraDBCluster", "route53.aws.crossplane.io/ResourceRecordSet", "serving.knative.dev/Service",
    "serving.kserve.io/InferenceService",
}  # fmt: skip
OTHER_HEALTH = {
    # The sum of all node sets is not asked; Elasticsearch says yellow then.
    "elasticsearch.k8s.elastic.co/Elasticsearch/testdata/progressing.yaml",
    # A condition that does not say of which spec it is counts.
    "kro.run/_/testdata/missing_generation.yaml",
}
LEAST_COVERED = 990


def test_every_script_of_argo_cd_answers_as_argo_cd() -> None:
    cases = list(corpus.health_cases())
    differing = [str(case) for case in cases if scripted(case) != expected(case)]
    assert differing == []
    assert len(cases) >= LEAST_CASES


def test_the_built_in_rules_answer_as_argo_cd_s_scripts(
    record_property: Callable[[str, object], None],
) -> None:
    """A kind without a rule is none of ours; the counts stand in a JUnit report."""
    count: Counter[str] = Counter()
    for case in corpus.health_cases():
        if is_going(case.obj):
            continue  # decided before any rule
        found, wanted = judge(key_of(case.obj), case.obj), expected(case)
        if found is None:
            count["no rule"] += 1
        elif found == wanted:
            count["the same"] += 1
        elif found.status == wanted.status:
            count["other words"] += 1
            assert case.folder in OTHER_WORDS, f"{case}: {found}, not {wanted}"
        else:
            count["other health"] += 1
            assert str(case) in OTHER_HEALTH, f"{case}: {found}, not {wanted}"
    record_property("cases", str(dict(count)))
    assert count.total() - count["no rule"] >= LEAST_COVERED


def scripted(case: corpus.Case) -> Health:
    """Through argocd-cm, as somebody would bring the script along; the script alone for what is going away, as the cases are meant."""
    folder, script = corpus.script_for(case.obj)
    if is_going(case.obj):
        said = run(script, case.obj, name=folder, open_libs=True)
        return (
            Health(said.get("status", ""), said.get("message", "")) if isinstance(said, dict) else Health("")
        )
    kind = key_of(case.obj).replace("/", "_")
    settings = {
        f"resource.customizations.health.{kind}": script,
        f"resource.customizations.useOpenLibs.{kind}": "true",
    }
    return health_of(case.obj, Scripts.read(settings)) or Health("")


def is_going(obj: Object) -> bool:
    return "deletionTimestamp" in obj.get("metadata", {})


def expected(case: corpus.Case) -> Health:
    return Health(case.expected["status"], case.expected["message"])
