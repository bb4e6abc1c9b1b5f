"""What `argocd-cm` says."""

from __future__ import annotations

from datetime import timedelta

import pytest

from argosy.argo.cd.settings import Settings, read


def test_nothing_said_means_what_argo_cd_does() -> None:
    found = read({})
    assert found.tracking.method == "annotation"
    assert found.is_excluded("discovery.k8s.io", "EndpointSlice", "any")
    assert not found.is_excluded("apps", "Deployment", "any")
    assert not found.problems


def test_the_mark_can_be_a_label_of_ones_own() -> None:
    found = read(
        {
            "application.resourceTrackingMethod": "label",
            "application.instanceLabelKey": "a/b",
            "installationID": "x",
        }
    )
    assert (found.tracking.method, found.tracking.label, found.tracking.installation) == ("label", "a/b", "x")


def test_rules_are_for_a_kind_or_for_all() -> None:
    rules = read(
        {
            "resource.customizations.ignoreDifferences.apps_Deployment": "jsonPointers: [/spec/replicas]",
            "resource.customizations.ignoreDifferences.Secret": "jqPathExpressions: ['.data.x']",
            "resource.customizations.ignoreDifferences.all": "managedFieldsManagers: [hpa]",
        }
    ).rules
    assert [(rule.group, rule.kind, rule.pointers, rule.expressions, rule.managers) for rule in rules] == [
        ("apps", "Deployment", ("/spec/replicas",), (), ()),
        ("", "Secret", (), (".data.x",), ()),
        ("*", "*", (), (), ("hpa",)),
    ]


def test_exclusions_are_globs_and_inclusions_leave_everything_else_out() -> None:
    found = read(
        {
            "resource.exclusions": "- apiGroups: ['*.example.com']\n  kinds: [Noise*]\n  clusters: [https://a]",
            "resource.inclusions": "- apiGroups: [apps, '*.example.com']",
        }
    )
    assert found.is_excluded("x.example.com", "NoiseMaker", "https://a")
    assert not found.is_excluded("x.example.com", "NoiseMaker", "https://b")
    assert found.is_excluded("", "ConfigMap", "https://b")
    assert not found.is_excluded("apps", "Deployment", "https://b")


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ({"application.resourceTrackingMethod": "magic"}, "'magic' is none of"),
        ({"timeout.reconciliation": "soon"}, 'invalid duration string "soon"'),
        ({"resource.exclusions": "- ["}, "resource.exclusions"),
    ],
)
def test_what_cannot_be_read_is_a_problem_and_changes_nothing_else(texts: dict[str, str], words: str) -> None:
    found = read(texts)
    assert any(words in problem for problem in found.problems)
    assert found.tracking == Settings().tracking
    assert found.expires == Settings().expires


@pytest.mark.parametrize(("text", "expires"), [("60s", 60), ("5m", 300)])
def test_how_long_a_comparison_is_believed_can_be_said(text: str, expires: float) -> None:
    assert read({"timeout.reconciliation": text}).expires == timedelta(seconds=expires)
    assert read({"timeout.reconciliation": "0"}).expires > timedelta(days=365)
