"""The Pod Security Standards: what each level forbids, in which version, and what a namespace's labels do with it."""

from __future__ import annotations

import pytest

from argosy.kube.errors import ApiError
from argosy.kube.server.admission.pod_security import check
from tests.unit.kube.server.admission.reading import Reader, creating, namespace, pod, updating

GOOD = {
    "allowPrivilegeEscalation": False,
    "runAsNonRoot": True,
    "capabilities": {"drop": ["ALL"]},
    "seccompProfile": {"type": "RuntimeDefault"},
}


def checked(obj, kind="pods", **labels):
    write = creating(Reader(namespaces=[namespace(**labels)]), kind, obj)
    check(write)
    return write.warnings


def container(**context):
    return {"name": "web", "image": "i", "securityContext": context}


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"hostNetwork": True, "hostPID": True}, "host namespaces (hostNetwork=true, hostPID=true)"),
        (
            {"containers": [container(privileged=True)]},
            'privileged (container "web" must not set securityContext.privileged=true)',
        ),
        (
            {"containers": [container(capabilities={"add": ["SYS_ADMIN", "CHOWN"]})]},
            'non-default capabilities (container "web" must not include "SYS_ADMIN" in securityContext.capabilities.add)',
        ),
        (
            {"volumes": [{"name": "v", "hostPath": {"path": "/"}}]},
            'hostPath volumes (volume "v")',
        ),
        (
            {"containers": [{"name": "web", "ports": [{"containerPort": 1, "hostPort": 80}]}]},
            'hostPort (container "web" uses hostPort 80)',
        ),
        (
            {"containers": [{"name": "web", "livenessProbe": {"httpGet": {"host": "10.0.0.1"}}}]},
            'probe or lifecycle host (container "web" uses probe or lifecycle host "10.0.0.1")',
        ),
        (
            {"securityContext": {"seLinuxOptions": {"type": "spc_t", "user": "x"}}},
            'seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "spc_t"; user may not be set)',
        ),
        (
            {"securityContext": {"seccompProfile": {"type": "Unconfined"}}},
            'seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")',
        ),
        ({"securityContext": {"sysctls": [{"name": "kernel.msgmax"}]}}, "forbidden sysctls (kernel.msgmax)"),
        (
            {"securityContext": {"windowsOptions": {"hostProcess": True}}},
            "hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)",
        ),
        (
            {"containers": [container(appArmorProfile={"type": "Unconfined"})]},
            'forbidden AppArmor profile (container "web" must not set AppArmor profile type to "Unconfined")',
        ),
        (
            {"containers": [container(procMount="Unmasked")]},
            'procMount (container "web" must not set securityContext.procMount to "Unmasked")',
        ),
    ],
)
def test_what_the_baseline_forbids_is_refused_where_it_is_enforced(spec, words):
    with pytest.raises(ApiError) as raised:
        checked(pod(**spec), enforce="baseline")
    told = f'pods "one" is forbidden: violates PodSecurity "baseline:latest": {words}'
    assert (raised.value.code, raised.value.message) == (403, told)


def test_the_restricted_level_wants_everything_said():
    warnings = checked(pod(), warn="restricted")
    assert warnings == [
        (
            'would violate PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "web" must set '
            'securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "web" must set '
            'securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "web" must set '
            'securityContext.runAsNonRoot=true), seccompProfile (pod or container "web" must set '
            'securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")'
        )
    ]
    assert checked(pod(containers=[container(**GOOD)]), enforce="restricted") == []


@pytest.mark.parametrize(
    ("context", "spec", "words"),
    [
        ({"runAsUser": 0}, {}, 'runAsUser=0 (container "web" must not set runAsUser=0)'),
        (
            {},
            {"volumes": [{"name": "v", "nfs": {}}]},
            'restricted volume types (volume "v" uses restricted volume type "nfs")',
        ),
        (
            {"capabilities": {"drop": ["ALL"], "add": ["CHOWN"]}},
            {},
            'unrestricted capabilities (container "web" must not include "CHOWN" in securityContext.capabilities.add)',
        ),
        (
            {"runAsNonRoot": False},
            {},
            'runAsNonRoot != true (container "web" must not set securityContext.runAsNonRoot=false)',
        ),
    ],
)
def test_what_the_restricted_level_forbids_beside(context, spec, words):
    with pytest.raises(ApiError) as raised:
        checked(pod(containers=[container(**{**GOOD, **context})], **spec), enforce="restricted")
    assert raised.value.message.endswith(f'"restricted:latest": {words}')


def test_an_older_version_of_a_level_allows_what_was_not_thought_of_then():
    probed = pod(containers=[{"name": "web", "livenessProbe": {"tcpSocket": {"host": "x"}}}])
    assert checked(probed, enforce="baseline", enforce_version="v1.33") == []
    with pytest.raises(ApiError, match=r"baseline:v1\.34"):
        checked(probed, enforce="baseline", enforce_version="v1.34")


def test_root_among_users_of_its_own_is_nobody_outside():
    context = {**GOOD, "runAsUser": 0, "runAsNonRoot": False}
    assert checked(pod(containers=[container(**context)], hostUsers=False), enforce="restricted") == []


def test_what_is_enforced_is_warned_of_where_pods_are_made_from_a_template():
    deployment = {
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"template": {"metadata": {}, "spec": pod(hostPID=True)["spec"]}},
    }
    told = 'would violate PodSecurity "baseline:latest": host namespaces (hostPID=true)'
    assert checked(deployment, "deployments.apps", enforce="baseline") == [told]
    assert checked(deployment, "deployments.apps", enforce="baseline", warn="privileged") == []


def test_a_change_that_brings_no_other_image_is_let_through():
    old, new = pod(hostPID=True), pod(hostPID=True)
    reader = Reader(namespaces=[namespace(enforce="baseline")])
    new["metadata"]["labels"] = {"a": "b"}
    check(updating(reader, "pods", new, old))
    new["spec"]["containers"] = [{"name": "web", "image": "other"}]
    with pytest.raises(ApiError, match="violates PodSecurity"):
        check(updating(reader, "pods", new, old))


def test_a_namespace_with_labels_that_mean_nothing_is_refused():
    write = creating(Reader(), "namespaces", namespace(enforce="strictest", warn_version="2"))
    with pytest.raises(ApiError) as raised:
        check(write)
    assert [cause.field for cause in raised.value.causes] == [
        "metadata.labels[pod-security.kubernetes.io/enforce]",
        "metadata.labels[pod-security.kubernetes.io/warn-version]",
    ]


def test_a_namespace_that_becomes_stricter_is_told_of_its_pods():
    pods = [{**pod(hostPID=True), "metadata": {"name": name, "namespace": "shop"}} for name in "abc"]
    write = updating(Reader(pods=pods), "namespaces", namespace(enforce="baseline"), namespace())
    check(write)
    assert write.warnings == [
        'existing pods in namespace "shop" violate the new PodSecurity enforce level "baseline:latest"',
        "a (and 2 other pods): host namespaces",
    ]
