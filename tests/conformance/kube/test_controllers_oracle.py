"""Our controllers and simulated nodes give a cluster life: the real API server's first, then our own.

What `kubectl` of the same version makes of it is what counts. Needs `make oracle`.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from argosy.kube import controllers
from argosy.kube.client import from_kubeconfig
from argosy.kube.nodes import SimulatedNodes
from argosy.kube.objects import Object
from tests.embedded_cluster import bare_cluster
from tools import oracle_build, oracle_cluster

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]
_PATIENCE = 60


class Kubectl:
    def __init__(self, kubeconfig: Path, namespace: str = "default") -> None:
        self._command = [
            str(oracle_build.binary("kubectl")),
            f"--kubeconfig={kubeconfig}",
            f"--cache-dir={kubeconfig.parent}/cache",
        ]
        self.kubeconfig, self.namespace = kubeconfig, namespace

    def __call__(self, *arguments: str, given: object = None) -> str:
        done = subprocess.run(
            [*self._command, "-n", self.namespace, *arguments],
            input=None if given is None else json.dumps(given),
            capture_output=True,
            text=True,
            timeout=_PATIENCE * 2,
            check=False,
        )
        assert done.returncode == 0, f"kubectl {' '.join(arguments)}: {done.stderr}"
        return done.stdout

    def get(self, *arguments: str) -> Object:
        return json.loads(self("get", *arguments, "-o", "json"))

    def items(self, *arguments: str) -> list[Object]:
        return self.get(*arguments)["items"]

    def apply(self, *objects: Object) -> None:
        self("apply", "-f", "-", given={"apiVersion": "v1", "kind": "List", "items": list(objects)})

    def until(self, holds: Callable[[], object], what: str) -> None:
        """Asks again and again: it is the outside that is tested, and it tells nobody when it is ready."""
        deadline = time.monotonic() + _PATIENCE
        while not holds():
            assert time.monotonic() < deadline, f"not within {_PATIENCE} s: {what}"
            threading.Event().wait(0.05)

    def events(self, name: str) -> dict[str, str]:
        found = self.items("events", f"--field-selector=involvedObject.name={name}")
        return {one["reason"]: one["message"] for one in found}


@contextmanager
def living(kubeconfig: Path) -> Iterator[None]:
    """Controllers and nodes, in a thread with a loop of its own."""
    loops: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []
    started, failures = threading.Event(), []

    async def main() -> None:
        stop = asyncio.Event()
        loops.append((asyncio.get_running_loop(), stop))
        clients = [from_kubeconfig(kubeconfig) for _ in range(2)]
        work = [
            asyncio.ensure_future(controllers.run(clients[0], root_ca="a certificate")),
            asyncio.ensure_future(SimulatedNodes().run(clients[1])),
        ]
        started.set()
        await stop.wait()
        failures.extend(one.exception() for one in work if one.done())
        for one in work:
            one.cancel()
        await asyncio.gather(*work, return_exceptions=True)
        for client in clients:
            await client.close()

    thread = threading.Thread(target=lambda: asyncio.run(main()), name="controllers", daemon=True)
    thread.start()
    started.wait(10)
    try:
        yield
    finally:
        loop, stop = loops[0]
        loop.call_soon_threadsafe(stop.set)
        thread.join(30)
    assert not failures


@pytest.fixture(scope="module", params=["oracle", "embedded"])
def cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kubectl]:
    if missing := oracle_build.missing():
        pytest.skip(f"{missing[0].name} is not built: make oracle")
    with ExitStack() as stack:
        if request.param == "oracle":
            kubeconfig = stack.enter_context(oracle_cluster.running(durable=False)).kubeconfig
        else:
            folder = tmp_path_factory.mktemp("embedded")
            kubeconfig = stack.enter_context(bare_cluster(folder))
        stack.enter_context(living(kubeconfig))
        kubectl = Kubectl(kubeconfig)
        kubectl.until(lambda: len(_untainted(kubectl)) == 3, "three nodes that take pods")
        kubectl.apply(_storage_class())
        yield kubectl


@pytest.fixture
def kubectl(cluster: Kubectl, request: pytest.FixtureRequest) -> Iterator[Kubectl]:
    """In a namespace of its own, which ends with the test."""
    name = f"t-{abs(hash(request.node.name)) % 10**8}"
    cluster("create", "namespace", name)
    mine = Kubectl(cluster.kubeconfig, name)
    mine.until(lambda: mine.items("serviceaccounts"), "a default service account")
    yield mine
    cluster("delete", "namespace", name, "--timeout=60s")


def _untainted(kubectl: Kubectl) -> list[Object]:
    return [node for node in kubectl.items("nodes") if not node["spec"].get("taints")]


def _storage_class() -> Object:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {
            "name": "standard",
            "annotations": {"storageclass.kubernetes.io/is-default-class": "true"},
        },
        "provisioner": "argosy.io/embedded",
        "reclaimPolicy": "Delete",
        "volumeBindingMode": "Immediate",
        "allowVolumeExpansion": True,
    }


def _template(image: str = "app:1", *, annotations: dict[str, str] | None = None, **spec: object) -> Object:
    return {
        "metadata": {"labels": {"app": "it"}, "annotations": annotations or {}},
        "spec": {"containers": [{"name": "main", "image": image}], **spec},
    }


def _workload(
    kind: str, *, image: str = "app:1", annotations: dict[str, str] | None = None, **spec: object
) -> Object:
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": "it"},
        "spec": {
            "selector": {"matchLabels": {"app": "it"}},
            "template": _template(image, annotations=annotations),
            **spec,
        },
    }


def _job(name: str = "it", *, annotations: dict[str, str] | None = None, **spec: object) -> Object:
    template = _template(annotations=annotations, restartPolicy="Never")
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {"template": template, **spec},
    }


def _conditions(obj: Object) -> dict[str, tuple[str, str]]:
    return {
        one["type"]: (one["status"], one.get("reason", ""))
        for one in (obj.get("status") or {}).get("conditions") or ()
    }


def test_a_deployment_rolls_out_scales_and_goes_back(kubectl: Kubectl) -> None:
    kubectl("create", "deployment", "web", "--image=nginx:1", "--replicas=3")
    assert "successfully rolled out" in kubectl("rollout", "status", "deployment/web", "--timeout=60s")
    first = kubectl.get("deployment", "web")
    assert _conditions(first) == {
        "Available": ("True", "MinimumReplicasAvailable"),
        "Progressing": ("True", "NewReplicaSetAvailable"),
    }

    kubectl("set", "image", "deployment/web", "nginx=nginx:2")
    kubectl("rollout", "status", "deployment/web", "--timeout=60s")
    kubectl("scale", "deployment/web", "--replicas=5")
    kubectl("rollout", "status", "deployment/web", "--timeout=60s")
    assert len(kubectl("rollout", "history", "deployment/web").strip().splitlines()) == 4

    kubectl("rollout", "undo", "deployment/web")
    kubectl("rollout", "status", "deployment/web", "--timeout=60s")
    kubectl.until(lambda: len(kubectl.items("pods")) == 5, "only the pods of one revision")
    images = {pod["spec"]["containers"][0]["image"] for pod in kubectl.items("pods")}
    assert images == {"nginx:1"}
    again = kubectl.get("deployment", "web")
    assert again["metadata"]["annotations"]["deployment.kubernetes.io/revision"] == "3"
    assert "Scaled up replica set" in kubectl.events("web")["ScalingReplicaSet"]


def test_a_rollout_that_cannot_get_ready_is_told_and_keeps_what_works(kubectl: Kubectl) -> None:
    kubectl.apply(_workload("Deployment", replicas=4, progressDeadlineSeconds=2))
    kubectl("rollout", "status", "deployment/it", "--timeout=60s")

    kubectl("set", "image", "deployment/it", "main=app:does-not-exist")

    kubectl.until(
        lambda: (
            _conditions(kubectl.get("deployment", "it"))["Progressing"]
            == ("False", "ProgressDeadlineExceeded")
        ),
        "a missed deadline",
    )
    found = kubectl.get("deployment", "it")
    assert found["status"]["availableReplicas"] == 3
    waiting = [
        pod["status"]["containerStatuses"][0]["state"].get("waiting", {}).get("reason")
        for pod in kubectl.items("pods")
    ]
    assert waiting.count("ImagePullBackOff") == 2


def test_recreate_has_no_two_revisions_at_once_and_a_pause_changes_nothing(kubectl: Kubectl) -> None:
    kubectl.apply(_workload("Deployment", replicas=2, strategy={"type": "Recreate"}))
    kubectl("rollout", "status", "deployment/it", "--timeout=60s")
    kubectl("rollout", "pause", "deployment/it")
    kubectl("set", "image", "deployment/it", "main=app:2")
    kubectl.until(
        lambda: _conditions(kubectl.get("deployment", "it"))["Progressing"][1] == "DeploymentPaused",
        "a pause",
    )
    assert len(kubectl.items("replicasets")) == 1

    kubectl("rollout", "resume", "deployment/it")
    kubectl("rollout", "status", "deployment/it", "--timeout=60s")
    assert {pod["spec"]["containers"][0]["image"] for pod in kubectl.items("pods")} == {"app:2"}


@pytest.mark.parametrize("cascade", ["background", "foreground"])
def test_what_is_deleted_takes_its_own_with_it(kubectl: Kubectl, cascade: str) -> None:
    kubectl.apply(_workload("Deployment", replicas=3))
    kubectl("rollout", "status", "deployment/it", "--timeout=60s")
    kubectl("delete", "deployment/it", f"--cascade={cascade}")
    kubectl.until(lambda: not kubectl.items("replicasets,pods"), "no orphans")


def test_orphans_stay_and_are_adopted(kubectl: Kubectl) -> None:
    kubectl.apply(_workload("Deployment", replicas=2))
    kubectl("rollout", "status", "deployment/it", "--timeout=60s")
    before = {pod["metadata"]["uid"] for pod in kubectl.items("pods")}

    kubectl("delete", "deployment/it", "--cascade=orphan")
    assert "ownerReferences" not in kubectl.items("replicasets")[0]["metadata"]

    kubectl.apply(_workload("Deployment", replicas=2))
    kubectl.until(lambda: "ownerReferences" in kubectl.items("replicasets")[0]["metadata"], "an adoption")
    kubectl("rollout", "status", "deployment/it", "--timeout=60s")
    assert {pod["metadata"]["uid"] for pod in kubectl.items("pods")} == before


def test_a_pod_that_matches_no_more_is_released_and_replaced(kubectl: Kubectl) -> None:
    kubectl.apply(_workload("ReplicaSet", replicas=2))
    kubectl.until(lambda: kubectl.get("rs", "it")["status"].get("readyReplicas") == 2, "two pods")
    name = kubectl.items("pods")[0]["metadata"]["name"]
    kubectl("label", "pod", name, "app=other", "--overwrite")
    kubectl.until(lambda: len(kubectl.items("pods")) == 3, "a third pod")
    assert "ownerReferences" not in kubectl.get("pod", name)["metadata"]


def test_a_stateful_set_goes_in_order_and_keeps_its_volumes(kubectl: Kubectl) -> None:
    claim = {
        "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
    kubectl.apply(_workload("StatefulSet", replicas=3, serviceName="it", volumeClaimTemplates=[claim]))
    kubectl("rollout", "status", "statefulset/it", "--timeout=60s")
    assert [one["metadata"]["name"] for one in kubectl.items("pods")] == ["it-0", "it-1", "it-2"]
    assert {one["status"]["phase"] for one in kubectl.items("pvc")} == {"Bound"}

    kubectl("set", "image", "statefulset/it", "main=app:2")
    kubectl("rollout", "status", "statefulset/it", "--timeout=60s")
    status = kubectl.get("statefulset", "it")["status"]
    assert status["currentRevision"] == status["updateRevision"]
    assert {one["spec"]["containers"][0]["image"] for one in kubectl.items("pods")} == {"app:2"}

    kubectl("scale", "statefulset/it", "--replicas=1")
    kubectl.until(lambda: len(kubectl.items("pods")) == 1, "one pod")
    assert len(kubectl.items("pvc")) == 3
    kubectl("rollout", "undo", "statefulset/it")
    kubectl("rollout", "status", "statefulset/it", "--timeout=60s")
    kubectl.until(
        lambda: kubectl.get("pod", "it-0")["spec"]["containers"][0]["image"] == "app:1", "the first image"
    )


def test_a_partition_holds_back_an_update(kubectl: Kubectl) -> None:
    update = {"type": "RollingUpdate", "rollingUpdate": {"partition": 2}}
    parallel = {"podManagementPolicy": "Parallel", "updateStrategy": update, "serviceName": "it"}
    kubectl.apply(_workload("StatefulSet", replicas=3, **parallel))
    kubectl("rollout", "status", "statefulset/it", "--timeout=60s")
    kubectl("set", "image", "statefulset/it", "main=app:2")
    kubectl("rollout", "status", "statefulset/it", "--timeout=60s")
    images = {one["metadata"]["name"]: one["spec"]["containers"][0]["image"] for one in kubectl.items("pods")}
    assert images == {"it-0": "app:1", "it-1": "app:1", "it-2": "app:2"}


def test_claims_go_with_their_set_when_it_says_so(kubectl: Kubectl) -> None:
    claim = {
        "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
    policy = {"whenDeleted": "Delete", "whenScaled": "Delete"}
    kubectl.apply(
        _workload(
            "StatefulSet",
            replicas=2,
            serviceName="it",
            volumeClaimTemplates=[claim],
            persistentVolumeClaimRetentionPolicy=policy,
        )
    )
    kubectl("rollout", "status", "statefulset/it", "--timeout=60s")
    kubectl("scale", "statefulset/it", "--replicas=1")
    kubectl.until(lambda: len(kubectl.items("pvc")) == 1, "the claim of the pod that went")
    kubectl("delete", "statefulset/it")
    kubectl.until(lambda: not kubectl.items("pvc"), "no claims")


def test_a_daemon_set_is_on_each_node_and_rolls(kubectl: Kubectl) -> None:
    kubectl.apply(_workload("DaemonSet"))
    kubectl("rollout", "status", "daemonset/it", "--timeout=60s")
    assert {pod["spec"]["nodeName"] for pod in kubectl.items("pods")} == {"node-1", "node-2", "node-3"}
    kubectl("set", "image", "daemonset/it", "main=app:2")
    kubectl("rollout", "status", "daemonset/it", "--timeout=60s")
    kubectl("rollout", "undo", "daemonset/it")
    kubectl("rollout", "status", "daemonset/it", "--timeout=60s")


def test_jobs_complete_count_and_fail(kubectl: Kubectl) -> None:
    kubectl.apply(
        _job("plain", completions=5, parallelism=2),
        _job("indexed", completions=3, parallelism=3, completionMode="Indexed"),
        _job("failing", annotations={"argosy.io/simulate": "fail"}, backoffLimit=0),
        _job("late", annotations={"argosy.io/simulate-run-for": "1h"}, activeDeadlineSeconds=1),
        _job("short", ttlSecondsAfterFinished=1),
    )
    kubectl("wait", "--for=condition=complete", "job/plain", "job/indexed", "--timeout=60s")
    kubectl("wait", "--for=condition=failed", "job/failing", "job/late", "--timeout=60s")
    plain, indexed = kubectl.get("job", "plain")["status"], kubectl.get("job", "indexed")["status"]
    assert (plain["succeeded"], plain.get("active", 0)) == (5, 0)
    assert indexed["completedIndexes"] == "0-2"
    assert _conditions(kubectl.get("job", "failing"))["Failed"] == ("True", "BackoffLimitExceeded")
    assert _conditions(kubectl.get("job", "late"))["Failed"] == ("True", "DeadlineExceeded")
    kubectl.until(lambda: len(kubectl.items("jobs")) == 4, "the short-lived Job to go")
    kubectl.until(
        lambda: not any(one["metadata"].get("finalizers") for one in kubectl.items("pods")), "no finalizers"
    )
    assert kubectl.events("plain")["Completed"] == "Job completed"


def test_a_suspended_job_waits(kubectl: Kubectl) -> None:
    kubectl.apply(_job(suspend=True))
    kubectl.until(lambda: "Suspended" in _conditions(kubectl.get("job", "it")), "a suspension")
    assert not kubectl.items("pods")
    kubectl("patch", "job", "it", "-p", '{"spec":{"suspend":false}}')
    kubectl("wait", "--for=condition=complete", "job/it", "--timeout=60s")


def test_a_cron_job_starts_a_job_when_it_is_due(kubectl: Kubectl) -> None:
    spec = {"schedule": "* * * * *", "jobTemplate": {"spec": _job()["spec"]}}
    cron_job = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "it"}, "spec": spec}
    kubectl.apply(cron_job)
    deadline = time.monotonic() + 70
    while not kubectl.items("jobs"):
        assert time.monotonic() < deadline
        threading.Event().wait(0.5)
    kubectl.until(lambda: kubectl.get("cronjob", "it")["status"].get("lastSuccessfulTime"), "a success")
    assert "active" not in kubectl.get("cronjob", "it")["status"]


def test_services_know_their_pods(kubectl: Kubectl) -> None:
    kubectl.apply(_workload("Deployment", replicas=2))
    kubectl("expose", "deployment", "it", "--port=80", "--target-port=8080")
    kubectl("rollout", "status", "deployment/it", "--timeout=60s")
    pods = {pod["status"]["podIP"] for pod in kubectl.items("pods")}

    def addresses() -> set[str]:
        slices = kubectl.items("endpointslices")
        return {
            address
            for one in slices
            for endpoint in one.get("endpoints") or ()
            if endpoint["conditions"]["ready"]
            for address in endpoint["addresses"]
        }

    kubectl.until(lambda: addresses() == pods, "both addresses")
    found = kubectl.get("endpoints", "it")
    assert {one["ip"] for one in found["subsets"][0]["addresses"]} == pods
    assert found["subsets"][0]["ports"] == [{"port": 8080, "protocol": "TCP"}]
    kubectl("delete", "service", "it")
    kubectl.until(lambda: not kubectl.items("endpointslices,endpoints"), "nothing left")


def test_a_namespace_goes_with_everything_in_it_or_says_why_not(kubectl: Kubectl) -> None:
    other = Kubectl(kubectl.kubeconfig, f"{kubectl.namespace}-more")
    kubectl("create", "namespace", other.namespace)
    other.until(lambda: other.items("configmaps"), "the root CA")
    other.apply(_workload("Deployment", replicas=2))
    other("create", "configmap", "held")
    held = '{"metadata":{"finalizers":["example.com/hold"]}}'
    other("patch", "configmap", "held", "-p", held)

    kubectl("delete", "namespace", other.namespace, "--wait=false")

    kubectl.until(
        lambda: (
            _conditions(kubectl.get("namespace", other.namespace)).get("NamespaceFinalizersRemaining")
            == ("True", "SomeFinalizersRemain")
        ),
        "a reason",
    )
    other.until(lambda: not other.items("pods,replicasets,deployments"), "no pods")
    other("patch", "configmap", "held", "-p", '{"metadata":{"finalizers":null}}')
    kubectl("wait", "--for=delete", f"namespace/{other.namespace}", "--timeout=60s")


@pytest.fixture
def things(kubectl: Kubectl) -> Iterator[str]:
    """The group of a custom kind `Thing`, which ends with the test."""
    group = f"{kubectl.namespace}.example.com"
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    kubectl.apply(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"things.{group}"},
            "spec": {
                "group": group,
                "scope": "Namespaced",
                "names": {"plural": "things", "singular": "thing", "kind": "Thing"},
                "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
            },
        }
    )
    kubectl("wait", "--for=condition=established", f"crd/things.{group}", "--timeout=30s")
    yield group
    kubectl("delete", "crd", f"things.{group}")


def test_custom_resources_are_collected_too(kubectl: Kubectl, things: str) -> None:
    kubectl.apply({"apiVersion": f"{things}/v1", "kind": "Thing", "metadata": {"name": "owner"}})
    uid = kubectl.get(f"things.{things}", "owner")["metadata"]["uid"]
    owner = {"apiVersion": f"{things}/v1", "kind": "Thing", "name": "owner", "uid": uid}
    owned = {"name": "owned", "ownerReferences": [owner]}
    kubectl.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": owned})
    orphan = {"name": "nobodys", "ownerReferences": [{**owner, "uid": "0" * 8}]}
    kubectl.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": orphan})

    def names() -> set[str]:
        return {one["metadata"]["name"] for one in kubectl.items("configmaps")}

    kubectl.until(lambda: "nobodys" not in names(), "an owner that never was")
    assert "owned" in names()
    kubectl("delete", f"things.{things}", "owner")
    kubectl.until(lambda: "owned" not in names(), "the owner's own")


def test_crash_loops_and_pods_that_never_get_ready(kubectl: Kubectl) -> None:
    for name in ("crash", "never-ready"):
        kubectl.apply(
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": name, "annotations": {"argosy.io/simulate": name}},
                "spec": {"containers": [{"name": "main", "image": "app:1"}]},
            }
        )

    def crashing() -> bool:
        one = (kubectl.get("pod", "crash")["status"].get("containerStatuses") or [{}])[0]
        return one.get("state", {}).get("waiting", {}).get("reason") == "CrashLoopBackOff"

    kubectl.until(crashing, "a crash loop")
    status = kubectl.get("pod", "crash")["status"]["containerStatuses"][0]
    assert status["restartCount"] >= 1
    assert status["lastState"]["terminated"]["exitCode"] == 1
    kubectl.until(lambda: "BackOff" in kubectl.events("crash"), "an event about it")
    ready = _conditions(kubectl.get("pod", "never-ready"))["Ready"]
    assert ready == ("False", "ContainersNotReady")
    kubectl.until(lambda: "Unhealthy" in kubectl.events("never-ready"), "an event about it")
    kubectl("annotate", "pod", "never-ready", "argosy.io/simulate-")
    kubectl("wait", "--for=condition=ready", "pod/never-ready", "--timeout=30s")


def test_a_pod_that_fits_nowhere_waits_and_says_why(kubectl: Kubectl) -> None:
    kubectl.apply(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "picky"},
            "spec": {
                "nodeSelector": {"disk": "fast"},
                "containers": [{"name": "main", "image": "app:1"}],
            },
        }
    )
    kubectl.until(lambda: "FailedScheduling" in kubectl.events("picky"), "an event")
    words = kubectl.events("picky")["FailedScheduling"]
    assert words.startswith("0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.")
    assert _conditions(kubectl.get("pod", "picky"))["PodScheduled"] == ("False", "Unschedulable")
    kubectl("label", "node", "node-2", "disk=fast")
    kubectl("wait", "--for=condition=ready", "pod/picky", "--timeout=30s")
    assert kubectl.get("pod", "picky")["spec"]["nodeName"] == "node-2"
    kubectl("label", "node", "node-2", "disk-")


def test_budgets_quotas_and_tokens_are_kept(kubectl: Kubectl) -> None:
    kubectl.apply(
        _workload("Deployment", replicas=3),
        {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": "it"},
            "spec": {"maxUnavailable": 1, "selector": {"matchLabels": {"app": "it"}}},
        },
        {
            "apiVersion": "v1",
            "kind": "ResourceQuota",
            "metadata": {"name": "it"},
            "spec": {"hard": {"pods": "10", "configmaps": "10", "count/deployments.apps": "5"}},
        },
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": "it", "annotations": {"kubernetes.io/service-account.name": "default"}},
            "type": "kubernetes.io/service-account-token",
        },
    )
    kubectl("rollout", "status", "deployment/it", "--timeout=60s")
    kubectl.until(
        lambda: kubectl.get("pdb", "it")["status"].get("disruptionsAllowed") == 1, "one that may go"
    )
    used = {"pods": "3", "configmaps": "1", "count/deployments.apps": "1"}
    kubectl.until(lambda: kubectl.get("quota", "it")["status"].get("used") == used, "a count")
    kubectl.until(lambda: "token" in (kubectl.get("secret", "it").get("data") or {}), "a token")


def test_aggregated_roles_have_the_rules_of_others(kubectl: Kubectl) -> None:
    rule = {"apiGroups": [f"{kubectl.namespace}.io"], "resources": ["things"], "verbs": ["get"]}
    kubectl.apply(
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRole",
            "metadata": {
                "name": kubectl.namespace,
                "labels": {"rbac.authorization.k8s.io/aggregate-to-view": "true"},
            },
            "rules": [rule],
        }
    )
    kubectl.until(lambda: rule in (kubectl.get("clusterrole", "view").get("rules") or []), "the rule")
    kubectl("delete", "clusterrole", kubectl.namespace)
    kubectl.until(lambda: rule not in (kubectl.get("clusterrole", "view").get("rules") or []), "no rule")
