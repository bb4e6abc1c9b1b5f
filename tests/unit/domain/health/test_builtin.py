"""The built-in rules, kind by kind: what stands in the object, what its health is."""

from __future__ import annotations

import json

import pytest

from argosy.domain.health import Health, health_of
from argosy.kube.objects import Object


def deployment(spec: Object | None = None, status: Object | None = None, **metadata: object) -> Object:
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "generation": 2, **metadata},
        "spec": {"replicas": 3, **(spec or {})},
        "status": {
            "observedGeneration": 2,
            "replicas": 3,
            "updatedReplicas": 3,
            "availableReplicas": 3,
            **(status or {}),
        },
    }


WAIT = "Waiting for rollout to finish:"


@pytest.mark.parametrize(
    "obj, status, message",
    [
        (deployment(), "Healthy", ""),
        (deployment({"paused": True}), "Suspended", "Deployment is paused"),
        (deployment(status={"observedGeneration": 1}), "Progressing", f"{WAIT} observed deployment generation less than desired generation"),
        (deployment(status={"conditions": [{"type": "Progressing", "reason": "ProgressDeadlineExceeded"}]}), "Degraded",
         'Deployment "web" exceeded its progress deadline'),
        (deployment(status={"updatedReplicas": 1}), "Progressing", f"{WAIT} 1 out of 3 new replicas have been updated..."),
        (deployment(status={"replicas": 5}), "Progressing", f"{WAIT} 2 old replicas are pending termination..."),
        (deployment(status={"availableReplicas": 2}), "Progressing", f"{WAIT} 2 of 3 updated replicas are available..."),
        (deployment({"replicas": None}, {"updatedReplicas": 0, "replicas": 0, "availableReplicas": 0}), "Healthy", ""),
        (deployment() | {"apiVersion": "apps/v1beta1"}, "Unknown", "unsupported Deployment GVK: apps/v1beta1, Kind=Deployment"),
    ],
)  # fmt: skip
def test_a_deployment_is_healthy_when_all_its_replicas_follow_the_newest_spec(
    obj: Object, status: str, message: str
) -> None:
    assert health_of(obj) == Health(status, message)


def of(kind: str, status: Object, spec: Object | None = None, metadata: Object | None = None) -> Object:
    version, _, name = kind.rpartition("/")
    return {
        "apiVersion": version,
        "kind": name,
        "metadata": {"name": "it", **(metadata or {})},
        "spec": spec or {},
        "status": status,
    }


def conditions(*listed: str) -> list[Object]:
    """`Type=Status/Reason:message`"""
    made = []
    for one in listed:
        head, _, message = one.partition(":")
        head, _, reason = head.partition("/")
        kind, _, status = head.partition("=")
        made.append(
            {"type": kind, "status": status}
            | ({"reason": reason} if reason else {})
            | ({"message": message} if message else {})
        )
    return made


@pytest.mark.parametrize(
    "status, spec, expected",
    [
        ({}, {}, ("Progressing", "Waiting for statefulset spec update to be observed...")),
        ({"observedGeneration": 1, "readyReplicas": 1}, {"replicas": 3}, ("Progressing", "Waiting for 2 pods to be ready...")),
        ({"observedGeneration": 1, "updatedReplicas": 1}, {"replicas": 0, "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {}}},
         ("Healthy", "partitioned roll out complete: 1 new pods have been updated...")),
        ({"observedGeneration": 1, "readyReplicas": 3, "updatedReplicas": 1},
         {"replicas": 3, "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}}},
         ("Progressing", "Waiting for partitioned roll out to finish: 1 out of 2 new pods have been updated...")),
        ({"observedGeneration": 1, "readyReplicas": 2}, {"replicas": 2, "updateStrategy": {"type": "OnDelete"}},
         ("Healthy", "statefulset has 2 ready pods")),
        ({"observedGeneration": 1, "readyReplicas": 2, "updatedReplicas": 1, "updateRevision": "b", "currentRevision": "a"}, {"replicas": 2},
         ("Progressing", "waiting for statefulset rolling update to complete 1 pods at revision b...")),
        ({"observedGeneration": 1, "readyReplicas": 2, "currentReplicas": 2, "updateRevision": "b", "currentRevision": "b"}, {"replicas": 2},
         ("Healthy", "statefulset rolling update complete 2 pods at revision b...")),
    ],
)  # fmt: skip
def test_a_stateful_set(status: Object, spec: Object, expected: tuple[str, str]) -> None:
    assert health_of(of("apps/v1/StatefulSet", status, spec)) == Health(*expected)


@pytest.mark.parametrize(
    "status, spec, expected",
    [
        ({"desiredNumberScheduled": 2, "updatedNumberScheduled": 2, "numberAvailable": 2}, {}, ("Healthy", "")),
        ({"desiredNumberScheduled": 2, "updatedNumberScheduled": 1}, {},
         ("Progressing", 'Waiting for daemon set "it" rollout to finish: 1 out of 2 new pods have been updated...')),
        ({"desiredNumberScheduled": 2, "updatedNumberScheduled": 2, "numberAvailable": 1}, {},
         ("Progressing", 'Waiting for daemon set "it" rollout to finish: 1 of 2 updated pods are available...')),
        ({"desiredNumberScheduled": 2, "updatedNumberScheduled": 1}, {"updateStrategy": {"type": "OnDelete"}},
         ("Healthy", "daemon set 1 out of 2 new pods have been updated")),
    ],
)  # fmt: skip
def test_a_daemon_set(status: Object, spec: Object, expected: tuple[str, str]) -> None:
    assert health_of(of("apps/v1/DaemonSet", status, spec)) == Health(*expected)


@pytest.mark.parametrize(
    "status, expected",
    [
        ({"availableReplicas": 1}, ("Progressing", f"{WAIT} 1 out of 2 new replicas are available...")),
        ({"availableReplicas": 2}, ("Healthy", "")),
        (
            {"availableReplicas": 2, "conditions": conditions("ReplicaFailure=True/FailedCreate:quota")},
            ("Degraded", "quota"),
        ),
    ],
)
def test_a_replica_set(status: Object, expected: tuple[str, str]) -> None:
    assert health_of(of("apps/v1/ReplicaSet", status, {"replicas": 2})) == Health(*expected)


WAITING = {"state": {"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}}}
ENDED = {"name": "main", "state": {"terminated": {"exitCode": 3}}}
READY = conditions("Ready=True")


@pytest.mark.parametrize(
    "policy, status, expected",
    [
        ("Always", {"phase": "Pending"}, ("Progressing", "")),
        ("Always", {"phase": "Running", "conditions": READY}, ("Healthy", "")),
        ("Always", {"phase": "Running"}, ("Progressing", "")),
        ("Always", {"phase": "Running", "containerStatuses": [{"lastState": {"terminated": {}}}]}, ("Degraded", "")),
        ("Always", {"phase": "Pending", "containerStatuses": [WAITING, WAITING]}, ("Degraded", "no such image, no such image")),
        ("Never", {"phase": "Pending", "containerStatuses": [WAITING]}, ("Progressing", "")),
        ("Never", {"phase": "Running", "conditions": READY}, ("Progressing", "")),
        ("OnFailure", {"phase": "Running"}, ("Progressing", "")),
        ("Never", {"phase": "Succeeded"}, ("Healthy", "")),
        ("Never", {"phase": "Failed", "message": "evicted"}, ("Degraded", "evicted")),
        ("Never", {"phase": "Failed", "initContainerStatuses": [{}], "containerStatuses": [ENDED]},
         ("Degraded", 'container "main" failed with exit code 3')),
        ("Never", {"phase": "Failed", "containerStatuses": [{"state": {"terminated": {"reason": "OOMKilled", "exitCode": 137}}}]}, ("Degraded", "OOMKilled")),
        ("Always", {"phase": "Strange"}, ("Unknown", "")),
    ],
)  # fmt: skip
def test_a_pod(policy: str, status: Object, expected: tuple[str, str]) -> None:
    assert health_of(of("v1/Pod", status, {"restartPolicy": policy})) == Health(*expected)


def test_a_pod_that_ends_can_be_judged_as_one_that_lasts_unless_it_is_a_hook() -> None:
    annotations = {"argocd.argoproj.io/ignore-restart-policy": "true"}
    pod = of(
        "v1/Pod",
        {"phase": "Running", "conditions": READY},
        {"restartPolicy": "Never"},
        {"annotations": annotations},
    )
    assert health_of(pod) == Health("Healthy")
    annotations["argocd.argoproj.io/hook"] = "PreSync"
    assert health_of(pod) == Health("Progressing")


@pytest.mark.parametrize(
    "obj, expected",
    [
        (of("batch/v1/Job", {}), ("Progressing", "")),
        (of("batch/v1/Job", {"conditions": conditions("Complete=True:done")}), ("Healthy", "done")),
        (of("batch/v1/Job", {"conditions": conditions("Complete=True:done", "Failed=True:deadline")}), ("Degraded", "deadline")),
        (of("batch/v1/Job", {"conditions": conditions("Suspended=True:Job suspended")}), ("Suspended", "Job suspended")),
        (of("batch/v1/Job", {"conditions": conditions("Suspended=False:Job resumed")}), ("Healthy", "Job resumed")),
        (of("batch/v1/CronJob", {}, {"suspend": True}), ("Healthy", "CronJob is Suspended")),
        (of("batch/v1/CronJob", {}), ("Healthy", "CronJob has not been scheduled yet")),
        (of("batch/v1/CronJob", {"lastScheduleTime": "2026-01-02T00:00:00Z", "lastSuccessfulTime": "2026-01-01T00:00:09Z"}),
         ("Degraded", "CronJob has not completed its last execution successfully")),
        (of("batch/v1/CronJob", {"lastScheduleTime": "2026-01-02T00:00:00Z", "lastSuccessfulTime": "2026-01-02T00:00:09Z"}),
         ("Healthy", "CronJob has completed its last execution successfully")),
        (of("v1/PersistentVolumeClaim", {"phase": "Bound"}), ("Healthy", "")),
        (of("v1/PersistentVolumeClaim", {"phase": "Pending"}), ("Progressing", "")),
        (of("v1/PersistentVolumeClaim", {"phase": "Lost"}), ("Degraded", "")),
        (of("v1/PersistentVolumeClaim", {}), ("Unknown", "")),
        (of("v1/Service", {}, {"type": "ClusterIP"}), ("Healthy", "")),
        (of("v1/Service", {}, {"type": "LoadBalancer"}), ("Progressing", "")),
        (of("v1/Service", {"loadBalancer": {"ingress": [{"ip": "10.0.0.1"}]}}, {"type": "LoadBalancer"}), ("Healthy", "")),
        (of("networking.k8s.io/v1/Ingress", {"loadBalancer": {"ingress": []}}), ("Progressing", "")),
        (of("networking.k8s.io/v1/Ingress", {"loadBalancer": {"ingress": [{}]}}), ("Healthy", "")),
        (of("apiregistration.k8s.io/v1/APIService", {"conditions": conditions("Available=True/Passed:all good")}), ("Healthy", "Passed: all good")),
        (of("apiregistration.k8s.io/v1/APIService", {"conditions": conditions("Available=False/Missing:gone")}), ("Progressing", "Missing: gone")),
        (of("apiregistration.k8s.io/v1/APIService", {}), ("Progressing", "Waiting to be processed")),
        (of("policy/v1/PodDisruptionBudget", {"conditions": conditions("DisruptionAllowed=False/InsufficientPods")}),
         ("Healthy", "PodDisruptionBudget has InsufficientPods")),
        (of("policy/v1/PodDisruptionBudget", {"conditions": conditions("DisruptionAllowed=False/SyncFailed")}),
         ("Degraded", "PodDisruptionBudget has SyncFailed")),
        (of("argoproj.io/v1alpha1/Workflow", {"phase": "Running", "message": "step 1"}), ("Progressing", "step 1")),
        (of("argoproj.io/v1alpha1/Workflow", {"phase": "Error", "message": "oom"}), ("Degraded", "oom")),
        (of("argoproj.io/v1alpha1/Application", {"health": {"status": "Degraded", "message": "pod"}}), ("Degraded", "pod")),
        (of("argoproj.io/v1alpha1/Application", {}), ("Progressing", "")),
        (of("argoproj.io/v1alpha1/Rollout", {"observedGeneration": "1", "phase": "Paused", "message": "CanaryPauseStep"}), ("Suspended", "CanaryPauseStep")),
    ],
)  # fmt: skip
def test_kinds_that_are_done_or_wait(obj: Object, expected: tuple[str, str]) -> None:
    assert health_of(obj) == Health(*expected)


@pytest.mark.parametrize("version", ["v1", "v2", "v2beta2"])
@pytest.mark.parametrize(
    "listed, expected",
    [
        (
            ["AbleToScale=True/Ready:recommended", "ScalingActive=False/FailedGetResourceMetric:no metrics"],
            ("Degraded", "no metrics"),
        ),
        (["AbleToScale=True/Ready:recommended"], ("Healthy", "recommended")),
        (["ScalingActive=True/ValidMetric:fine"], ("Progressing", "Waiting to Autoscale")),
        ([], ("Progressing", "Waiting to Autoscale")),
    ],
)
def test_an_autoscaler_in_every_version(version: str, listed: list[str], expected: tuple[str, str]) -> None:
    found = conditions(*listed)
    noted = {"annotations": {"autoscaling.alpha.kubernetes.io/conditions": json.dumps(found)}}
    obj = of(
        f"autoscaling/{version}/HorizontalPodAutoscaler",
        {} if version == "v1" else {"conditions": found},
        {},
        noted if version == "v1" else {},
    )
    assert health_of(obj) == Health(*expected)


@pytest.mark.parametrize(
    "listed, expected",
    [
        ([], ("Progressing", "Status conditions not found")),
        (["NamesAccepted=True", "Established=True"], ("Healthy", "CRD is healthy")),
        (["NamesAccepted=False/Conflict:taken"], ("Degraded", "CRD names have not been accepted: taken")),
        (["NamesAccepted=True", "Established=False/Installing"], ("Progressing", "CRD is being installed")),
        (
            ["NonStructuralSchema=True/Violations:bad", "Established=True"],
            ("Degraded", "Schema violations found: bad"),
        ),
    ],
)
def test_a_definition(listed: list[str], expected: tuple[str, str]) -> None:
    assert health_of(
        of("apiextensions.k8s.io/v1/CustomResourceDefinition", {"conditions": conditions(*listed)})
    ) == Health(*expected)


@pytest.mark.parametrize(
    "spec, status, expected",
    [
        (
            {"replicas": 2},
            {"updatedReplicas": 1},
            "Waiting for roll out to finish: More replicas need to be updated",
        ),
        (
            {"replicas": 1},
            {"updatedReplicas": 1},
            "Waiting for roll out to finish: updated replicas are still becoming available",
        ),
        (
            {"replicas": 0, "strategy": {"canary": {}}},
            {"replicas": 1},
            "Waiting for roll out to finish: old replicas are pending termination",
        ),
        (
            {"replicas": 0, "strategy": {"canary": {}}},
            {"stableRS": "old"},
            "Waiting for rollout to finish steps",
        ),
        ({"replicas": 0, "strategy": {"blueGreen": {}}}, {}, "active service cutover pending"),
        (
            {"replicas": 0, "strategy": {"blueGreen": {}}},
            {"blueGreen": {"activeSelector": "new"}, "stableRS": "old"},
            "waiting for analysis to complete",
        ),
        ({"replicas": 0, "strategy": {"canary": {}}}, {"stableRS": "new"}, ""),
    ],
)
def test_a_rollout_of_before_version_1_is_judged_by_its_replicas(
    spec: Object, status: Object, expected: str
) -> None:
    obj = of("argoproj.io/v1alpha1/Rollout", {"currentPodHash": "new", **status}, spec)
    assert health_of(obj) == Health("Progressing" if expected else "Healthy", expected)


@pytest.mark.parametrize(
    "kind",
    [
        "v1/ConfigMap",
        "v1/Namespace",
        "networking.k8s.io/v1/NetworkPolicy",
        "example.com/v1/Widget",
        "v1/Deployment",
    ],
)
def test_other_kinds_have_no_health(kind: str) -> None:
    assert health_of(of(kind, {"phase": "Failed"})) is None


def parent(generation: int, *listed: str) -> Object:
    return {
        "parentRef": {"name": "edge"},
        "conditions": [one | {"observedGeneration": generation} for one in conditions(*listed)],
    }


@pytest.mark.parametrize(
    "parents, expected",
    [
        ([], ("Progressing", "Waiting for HTTPRoute status")),
        ([parent(2, "Accepted=True", "ResolvedRefs=True")], ("Healthy", "HTTPRoute is healthy")),
        ([parent(1, "Accepted=False")], ("Progressing", "Waiting for HTTPRoute status")),
        (
            [parent(2, "Accepted=True"), parent(2, "Accepted=True", "ResolvedRefs=False:no backend")],
            ("Degraded", "Parent edge: no backend"),
        ),
        ([parent(2, "Accepted=False")], ("Degraded", "Parent edge: Failed condition: Accepted")),
        (
            [parent(2, "Accepted=True", "Programmed=Unknown")],
            ("Progressing", "Parent edge: Route is still being programmed"),
        ),
    ],
)
def test_a_route_has_a_status_from_each_parent(parents: list[Object], expected: tuple[str, str]) -> None:
    obj = of("gateway.networking.k8s.io/v1/HTTPRoute", {"parents": parents}, {}, {"generation": 2})
    assert health_of(obj) == Health(*expected)


@pytest.mark.parametrize(
    "obj, expected",
    [
        (of("cert-manager.io/v1/Certificate", {"conditions": conditions("Ready=False:expired", "Issuing=True:soon")}), ("Progressing", "soon")),
        (of("cert-manager.io/v1/Certificate", {}), ("Progressing", "Waiting for certificate")),
        (of("kustomize.toolkit.fluxcd.io/v1/Kustomization", {}, {"suspend": True}), ("Suspended", "Kustomization is suspended")),
        (of("keda.sh/v1alpha1/ScaledObject", {"conditions": conditions("Ready=True:ok", "Paused=True:by hand")}), ("Suspended", "by hand")),
        (of("s3.aws.upbound.io/v1beta1/Bucket", {"conditions": conditions("Synced=False:denied", "Ready=True")}), ("Degraded", "denied")),
        (of("pkg.crossplane.io/v1/Provider", {"conditions": conditions("Installed=True/Active", "Healthy=False/Unhealthy")}),
         ("Degraded", "Active Unhealthy")),
        (of("apiextensions.crossplane.io/v1/Composition", {}), ("Healthy", "Resource is up-to-date.")),
        (of("postgresql.cnpg.io/v1/Cluster", {"phase": "Failing over", "phaseReason": "primary lost", "conditions": [{}]}), ("Degraded", "primary lost")),
        (of("velero.io/v1/Backup", {"phase": "PartiallyFailed"}), ("Degraded", "PartiallyFailed")),
        (of("argoproj.io/v1alpha1/Sensor", {"conditions": conditions("Deployed=True/ok", "TriggersProvided=False:no trigger")}), ("Degraded", "no trigger")),
        (of("argoproj.io/v1alpha1/ApplicationSet", {"conditions": conditions("ResourcesUpToDate=True:all", "ErrorOccurred=True:bad")}), ("Degraded", "bad")),
    ],
)  # fmt: skip
def test_custom_resources_are_judged_by_tables(obj: Object, expected: tuple[str, str]) -> None:
    assert health_of(obj) == Health(*expected)
