"""Scenes that people meet: what is filled in, what may not be changed, what is warned of."""

from __future__ import annotations

import base64
import copy

import pytest

from argosy.kube.server.rules import rules_for
from argosy.kube.types import pinned

RESOURCES = {one.group_resource: one for one in pinned().resources}


def _created(resource: str, **parts):
    rules = rules_for(RESOURCES[resource])
    obj = {"metadata": {"name": "web", "namespace": "default", "uid": "u-1", "resourceVersion": "1"}, **parts}
    if not RESOURCES[resource].namespaced:
        obj["metadata"].pop("namespace")
    rules.default(obj)
    rules.prepare_create(obj)
    return rules, obj


def _changed(rules, old, change):
    new = copy.deepcopy(old)
    change(new)
    rules.default(new)
    rules.prepare_update(new, old)
    return new, [tuple(cause) for cause in rules.validate_update(new, old)]


def _template(**spec):
    return {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "c", "image": "nginx"}], **spec},
    }


def _deployment(**spec):
    return _created(
        "deployments.apps",
        spec={"selector": {"matchLabels": {"app": "web"}}, "template": _template(), **spec},
    )


def test_a_deployment_gets_its_defaults_and_its_first_generation():
    rules, obj = _deployment()

    assert obj["spec"]["strategy"] == {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"},
    }
    assert (obj["spec"]["replicas"], obj["spec"]["progressDeadlineSeconds"]) == (1, 600)
    assert obj["metadata"]["generation"] == 1
    assert rules.validate(obj) == []


@pytest.mark.parametrize(
    ("image", "policy"),
    [
        ("nginx", "Always"),
        ("nginx:latest", "Always"),
        ("nginx:1.27", "IfNotPresent"),
        ("registry.example.com:5000/a/b", "Always"),
        ("registry.example.com:5000/a/b:v1", "IfNotPresent"),
        (f"nginx@sha256:{'a' * 64}", "IfNotPresent"),
        ("Not An Image", "IfNotPresent"),
    ],
)
def test_the_pull_policy_follows_the_tag(image, policy):
    _, pod = _created("pods", spec={"containers": [{"name": "c", "image": image}]})

    assert pod["spec"]["containers"][0]["imagePullPolicy"] == policy


def test_a_selector_that_does_not_match_its_template_is_told():
    rules, obj = _deployment(selector={"matchLabels": {"app": "api"}})

    assert [tuple(cause) for cause in rules.validate(obj)] == [
        (
            "FieldValueInvalid",
            'Invalid value: {"app":"web"}: `selector` does not match template `labels`',
            "spec.template.metadata.labels",
        )
    ]


def test_the_selector_of_a_deployment_is_immutable():
    rules, old = _deployment()

    def change(new):
        new["spec"]["selector"]["matchLabels"]["app"] = "api"
        new["spec"]["template"]["metadata"]["labels"]["app"] = "api"

    _, causes = _changed(rules, old, change)

    assert causes == [
        (
            "FieldValueInvalid",
            'Invalid value: {"matchLabels":{"app":"api"}}: field is immutable',
            "spec.selector",
        )
    ]


def test_the_generation_rises_with_the_spec_and_with_a_deployments_annotations_only():
    rules, old = _deployment()

    scaled, _ = _changed(rules, old, lambda new: new["spec"].update(replicas=3))
    noted, _ = _changed(rules, old, lambda new: new["metadata"].update(annotations={"a": "b"}))
    labelled, _ = _changed(rules, old, lambda new: new["metadata"].update(labels={"a": "b"}))

    assert [one["metadata"]["generation"] for one in (scaled, noted, labelled)] == [2, 2, 1]


def test_a_running_pod_may_only_change_what_upstream_lists_and_the_difference_is_shown():
    rules, old = _created("pods", spec={"containers": [{"name": "c", "image": "nginx"}]})

    image, fine = _changed(rules, old, lambda new: new["spec"]["containers"][0].update(image="nginx:2"))
    _, [cause] = _changed(rules, old, lambda new: new["spec"].update(nodeName="n1"))

    assert fine == []
    assert image["metadata"]["generation"] == 2
    assert cause[1].startswith(
        "Forbidden: pod updates may not change fields other than `spec.containers[*].image`,"
    )
    assert '- "NodeName": "",\n+ "NodeName": "n1",\n' in cause[1]


def test_a_job_is_given_the_selector_of_its_own_pods():
    rules, job = _created("jobs.batch", spec={"template": _template(restartPolicy="Never")})

    assert job["spec"]["selector"] == {"matchLabels": {"batch.kubernetes.io/controller-uid": "u-1"}}
    assert job["spec"]["template"]["metadata"]["labels"]["job-name"] == "web"
    assert rules.validate(job) == []


def test_the_template_of_a_job_is_immutable():
    rules, old = _created("jobs.batch", spec={"template": _template(restartPolicy="Never")})

    _, causes = _changed(
        rules, old, lambda new: new["spec"]["template"]["spec"]["containers"][0].update(image="x")
    )

    assert [(field, text[-20:]) for _, text, field in causes] == [
        ("spec.template", "}: field is immutable"[-20:])
    ]


def test_a_secret_folds_its_plain_texts_and_keeps_its_type():
    rules, old = _created("secrets", stringData={"password": "hunter2"}, data={"user": "cm9vdA=="})

    _, causes = _changed(rules, old, lambda new: new.update(type="kubernetes.io/tls"))

    assert old["data"] == {"user": "cm9vdA==", "password": base64.b64encode(b"hunter2").decode()}
    assert old["type"] == "Opaque" and "stringData" not in old
    assert causes[0] == (
        "FieldValueInvalid",
        'Invalid value: "kubernetes.io/tls": field is immutable',
        "type",
    )


def test_an_immutable_config_map_stays_what_it_is():
    rules, old = _created("configmaps", data={"a": "b"}, immutable=True)

    _, causes = _changed(rules, old, lambda new: new["data"].update(a="c"))

    told = "Forbidden: field is immutable when `immutable` is set"
    assert causes == [("FieldValueForbidden", told, "data")]


def test_a_config_map_has_a_mebibyte_at_most():
    rules, obj = _created("configmaps", data={"a": "x" * (1024 * 1024 + 1)})

    assert [tuple(cause) for cause in rules.validate(obj)] == [
        ("FieldValueTooLong", "Too long: may not be more than 1048576 bytes", "[]")
    ]


def test_a_namespace_is_labelled_with_its_name_and_waits_for_its_content():
    _, namespace = _created("namespaces")

    assert namespace["metadata"]["labels"] == {"kubernetes.io/metadata.name": "web"}
    assert namespace["spec"]["finalizers"] == ["kubernetes"]
    assert namespace["status"] == {"phase": "Active"}


def test_only_finalize_changes_the_finalizers_of_a_namespace():
    rules, old = _created("namespaces")
    new = copy.deepcopy(old)
    new["spec"] = {"finalizers": []}
    plain, final = copy.deepcopy(new), copy.deepcopy(new)

    rules.prepare_update(plain, old)
    rules.prepare_finalize(final, old)

    assert plain["spec"]["finalizers"] == ["kubernetes"]
    assert final["spec"]["finalizers"] == []


_ONLY = (
    "Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', "
    "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"
)


def test_a_stateful_set_says_which_fields_may_change():
    rules, old = _created(
        "statefulsets.apps",
        spec={"selector": {"matchLabels": {"app": "web"}}, "template": _template(), "serviceName": "web"},
    )

    _, causes = _changed(rules, old, lambda new: new["spec"].update(serviceName="other"))

    assert causes == [("FieldValueForbidden", _ONLY, "spec")]


def test_the_cluster_ip_of_a_service_does_not_change():
    ports = [{"port": 80}]
    rules, old = _created(
        "services", spec={"ports": ports, "clusterIP": "10.0.0.5", "clusterIPs": ["10.0.0.5"]}
    )

    def change(new):
        new["spec"].update(clusterIP="10.0.0.6", clusterIPs=["10.0.0.6"])

    _, causes = _changed(rules, old, change)

    assert causes == [
        ("FieldValueInvalid", 'Invalid value: ["10.0.0.6"]: may not change once set', "spec.clusterIPs[0]")
    ]


def test_a_role_binding_keeps_its_role():
    rules, old = _created("rolebindings.rbac.authorization.k8s.io", roleRef={"kind": "Role", "name": "r"})

    _, causes = _changed(rules, old, lambda new: new["roleRef"].update(name="other"))

    shown = '{"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"other"}'
    assert causes == [("FieldValueInvalid", f"Invalid value: {shown}: cannot change roleRef", "roleRef")]


def test_what_hides_another_is_warned_of():
    env = [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]
    rules, pod = _created("pods", spec={"containers": [{"name": "c", "image": "nginx", "env": env}]})

    assert rules.warnings(pod, None) == [
        'spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply'
    ]


@pytest.mark.parametrize(
    ("resources", "quality"),
    [
        ({}, "BestEffort"),
        ({"requests": {"cpu": "1"}}, "Burstable"),
        ({"limits": {"cpu": "1", "memory": "1Gi"}}, "Guaranteed"),
        ({"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "500m"}}, "Burstable"),
    ],
)
def test_a_pods_quality_of_service_follows_its_resources(resources, quality):
    container = {"name": "c", "image": "nginx", "resources": resources}
    _, pod = _created("pods", spec={"containers": [container]})

    assert pod["status"]["qosClass"] == quality


@pytest.mark.parametrize(
    ("schedule", "told"),
    [
        ("* * * *", "expected exactly 5 fields, found 4: [* * * *]"),
        ("61 * * * *", "end of range (61) above maximum (59): 61"),
        ("@often", "unrecognized descriptor: @often"),
        (
            "TZ=UTC * * * * *",
            "cannot use TZ or CRON_TZ in schedule, use timeZone field instead",
        ),
    ],
)
def test_a_schedule_that_is_none_is_told_why(schedule, told):
    job = {"spec": {"template": _template(restartPolicy="Never")}}
    rules, cron = _created("cronjobs.batch", spec={"schedule": schedule, "jobTemplate": job})

    assert [tuple(cause) for cause in rules.validate(cron)] == [
        ("FieldValueInvalid", f'Invalid value: "{schedule}": {told}', "spec.schedule")
    ]


def test_selectable_fields_of_a_pod():
    rules, pod = _created("pods", spec={"containers": [], "nodeName": "n1"})

    fields = rules.fields(pod)

    assert (fields["spec.nodeName"], fields["status.phase"]) == ("n1", "Pending")
    assert set(fields) == set(rules.fields({}))
