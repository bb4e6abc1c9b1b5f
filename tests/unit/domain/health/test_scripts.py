"""What argocd-cm says of health, and in which order the rules come."""

from __future__ import annotations

import pytest

from argosy.domain.health import Health, Scripts, health_of
from argosy.kube.objects import Object

FINE = "return {status = 'Healthy', message = '%s'}"
CERTIFICATE: Object = {
    "apiVersion": "cert-manager.io/v1",
    "kind": "Certificate",
    "metadata": {"name": "web"},
    "status": {},
}
POD: Object = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "status": {"phase": "Pending"}}


def test_a_key_for_one_kind_goes_before_the_document_and_that_before_what_is_built_in() -> None:
    document = "cert-manager.io/Certificate:\n  health.lua: |\n    " + FINE % "document"
    settings = {"resource.customizations": document}
    assert health_of(CERTIFICATE, Scripts.read(settings)) == Health("Healthy", "document")
    settings["resource.customizations.health.cert-manager.io_Certificate"] = FINE % "key"
    assert health_of(CERTIFICATE, Scripts.read(settings)) == Health("Healthy", "key")
    assert health_of(CERTIFICATE, Scripts.read({})) == Health("Progressing", "Waiting for certificate")


def test_a_kind_of_the_core_group_is_named_without_one() -> None:
    assert health_of(POD, Scripts.read({"resource.customizations.health.Pod": FINE % "pod"})) == Health(
        "Healthy", "pod"
    )


@pytest.mark.parametrize(
    "pattern", ["cert-manager.io/*", "'*.io/*'", "'*/*'", "cert-*/Certificate", "'{cert-manager.io,x}/Cert*'"]
)
def test_patterns_are_for_the_kinds_without_a_key(pattern: str) -> None:
    document = f"{pattern}:\n  health.lua: |\n    {FINE % 'pattern'}"
    assert health_of(CERTIFICATE, Scripts.read({"resource.customizations": document})) == Health(
        "Healthy", "pattern"
    )
    settings = {
        "resource.customizations": document,
        "resource.customizations.health.cert-manager.io_Certificate": FINE % "exact",
    }
    assert health_of(CERTIFICATE, Scripts.read(settings)) == Health("Healthy", "exact")


def test_the_key_all_is_a_pattern_for_every_group() -> None:
    scripts = Scripts.read({"resource.customizations.health.all": FINE % "all"})
    assert health_of(CERTIFICATE, scripts) == Health("Healthy", "all")
    assert health_of(POD, scripts) == Health("Progressing")


def test_libraries_are_open_where_somebody_opens_them() -> None:
    script = "return {status = 'Healthy', message = string.upper('a')}"
    settings = {"resource.customizations.health.Pod": script}
    closed = health_of(POD, Scripts.read(settings))
    assert closed is not None
    assert closed.status == "Unknown"
    assert "global 'string'" in closed.message
    settings["resource.customizations.useOpenLibs.Pod"] = "true"
    assert health_of(POD, Scripts.read(settings)) == Health("Healthy", "A")


@pytest.mark.parametrize(
    "script, health",
    [
        ("return nil", Health("Progressing")),  # the built-in rule
        ("return {}", Health("")),
        ("return {'Healthy'}", Health("")),
        ("return {status = 5}", Health("")),
        ("return {status = 'Fine'}", Health("Unknown", "Lua returned an invalid health status")),
        ("return 'Healthy'", Health("Unknown", "Pod: expect table output from Lua script, not string")),
        ("return obj.a.b", Health("Unknown", "health of Pod:1: attempt to index field 'a' (a nil value)")),
        (
            "while true do end",
            Health("Unknown", "health of Pod: stopped after 500000 steps: it does not come to an end"),
        ),
    ],
)
def test_what_a_script_answers_becomes_health(script: str, health: Health) -> None:
    assert health_of(POD, Scripts.read({"resource.customizations.health.Pod": script})) == health


def test_a_script_does_not_see_who_manages_which_field() -> None:
    pod = POD | {"metadata": {"name": "web", "managedFields": [{}]}}
    script = (
        "return {status = 'Healthy', message = tostring(obj.metadata.managedFields) .. obj.metadata.name}"
    )
    assert health_of(pod, Scripts.read({"resource.customizations.health.Pod": script})) == Health(
        "Healthy", "nilweb"
    )
    assert "managedFields" in pod["metadata"]


def test_what_goes_away_is_progressing_whatever_it_says() -> None:
    going = POD | {"metadata": {"name": "web", "deletionTimestamp": "2026-01-01T00:00:00Z"}}
    assert health_of(going) == Health("Progressing", "Pending deletion")
    going["metadata"]["finalizers"] = ["a.io/one", "a.io/two"]
    assert health_of(going) == Health("Progressing", "Pending deletion: waiting for a.io/one, a.io/two")
    going["metadata"]["finalizers"] = ["argocd.argoproj.io/hook-finalizer"]
    going["status"] = {"phase": "Succeeded"}
    assert health_of(going) == Health("Healthy")


def test_a_script_may_say_what_a_deletion_waits_for() -> None:
    going = POD | {"metadata": {"name": "web", "deletionTimestamp": "2026-01-01T00:00:00Z"}}
    said = Scripts.read(
        {"resource.customizations.health.Pod": "return {status = 'Degraded', deletionMessage = 'stuck'}"}
    )
    silent = Scripts.read(
        {"resource.customizations.health.Pod": "return {status = 'Degraded', message = 'broken'}"}
    )
    assert health_of(going, said) == Health("Degraded", "stuck")
    assert health_of(going, silent) == Health("Progressing", "Pending deletion")


@pytest.mark.parametrize(
    "key, value, problem",
    [
        ("resource.customizations", "a: [", "resource.customizations: "),
        ("resource.customizations", "[]", "resource.customizations: a map is expected"),
        (
            "resource.customizations",
            "apps/Deployment: text",
            "resource.customizations: apps/Deployment is no map of customizations",
        ),
        (
            "resource.customizations.health.a_b_c",
            "x",
            "resource.customizations.health.a_b_c: a kind is written as group_Kind",
        ),
        (
            "resource.customizations.useOpenLibs.Pod",
            "yes",
            "resource.customizations.useOpenLibs.Pod: 'yes' is neither true nor false",
        ),
        (
            "resource.customizations.colour.Pod",
            "red",
            "resource.customizations.colour.Pod: resource customization type colour not supported",
        ),
        ("resource.customizations.actions.Pod", "a: [", "resource.customizations.actions.Pod: actions: "),
    ],
)
def test_what_cannot_be_read_is_a_problem_and_harms_nothing_else(key: str, value: str, problem: str) -> None:
    scripts = Scripts.read({key: value, "resource.customizations.health.Service": FINE % "still"})
    assert [said[: len(problem)] for said in scripts.problems] == [problem]
    assert health_of({"apiVersion": "v1", "kind": "Service"}, scripts) == Health("Healthy", "still")


def test_keys_of_the_comparison_are_no_problem() -> None:
    assert not Scripts.read(
        {
            "resource.customizations.ignoreDifferences.all": "x",
            "resource.customizations.knownTypeFields.a_B": "y",
        }
    ).problems
