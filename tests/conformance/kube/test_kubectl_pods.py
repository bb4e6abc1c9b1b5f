"""What people type about pods, ends and nodes: kubectl against a cluster with controllers and nodes."""

from __future__ import annotations

import json
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.kube import live
from tests.conformance.kube.live import Embedded, Kubectl, until
from tests.conformance.kube.test_kubectl import SETTINGS, SIMULATED, WEB, _pods


def test_logs_say_that_they_are_simulated(kubectl: Kubectl) -> None:
    kubectl.apply(WEB)
    kubectl.rolled_out("deployment/web")
    assert SIMULATED in kubectl.done("logs", "deployment/web").out
    pod = kubectl.done("get", "pods", "-o", "name").out.split()[0]
    assert kubectl.done("logs", pod, "--tail=1").out == f"{SIMULATED}\n"
    assert kubectl.done("logs", pod, "--tail=0").out == ""
    assert kubectl.done("logs", pod, "--timestamps").out.partition(" ")[2] == f"{SIMULATED}\n"
    assert kubectl.done("logs", "-l", "app=web", "--prefix").out.count("[pod/web-") == 2
    previous = kubectl.refused("logs", pod, "--previous")
    assert 'previous terminated container "nginx" in pod' in previous.err
    assert "not found" in kubectl.refused("logs", "nobody").err
    assert "container nonsense is not valid for pod" in kubectl.refused("logs", pod, "-c", "nonsense").err


def test_followed_logs_end_with_the_pod(kubectl: Kubectl) -> None:
    kubectl.done("run", "box", "--image=busybox", "--restart=Never", "--overrides", _runs_for("2s"))
    kubectl.done("wait", "--for=condition=Ready", "pod/box", "--timeout=20s")
    assert kubectl.done("logs", "--follow", "box", timeout=20).out == f"{SIMULATED}\n"


def test_followed_logs_end_when_the_pod_is_deleted(kubectl: Kubectl) -> None:
    kubectl.done("run", "box", "--image=busybox")
    kubectl.done("wait", "--for=condition=Ready", "pod/box", "--timeout=20s")
    following = subprocess.Popen(
        kubectl.command(["logs", "--follow", "box"]), stdout=subprocess.PIPE, text=True, env=kubectl.environment
    )  # fmt: skip
    try:
        assert following.stdout
        assert following.stdout.readline() == f"{SIMULATED}\n"
        kubectl.done("delete", "pod", "box", "--now")
        assert following.wait(20) == 0
    finally:
        following.kill()
        following.communicate()


def _runs_for(time: str) -> str:
    return json.dumps({"apiVersion": "v1", "metadata": {"annotations": {"argosy.io/simulate-run-for": time}}})


def test_a_pod_that_ends_has_ended(kubectl: Kubectl) -> None:
    kubectl.done("run", "box", "--image=busybox", "--restart=Never", "--", "true")
    until(lambda: kubectl.get("pod", "box")["status"]["phase"] == "Succeeded")
    row = kubectl.done("get", "pod", "box").rows[1]
    assert row[1:3] == ["0/1", "Completed"]


def test_a_pod_that_crashes_restarts_with_a_pause(kubectl: Kubectl) -> None:
    crashing = json.dumps({"apiVersion": "v1", "metadata": {"annotations": {"argosy.io/simulate": "crash"}}})
    kubectl.done("run", "box", "--image=busybox", "--overrides", crashing)
    until(lambda: "CrashLoopBackOff" in kubectl.done("get", "pod", "box").out)
    assert kubectl.done("logs", "box", "--previous").out == f"{SIMULATED}\n"
    assert (
        kubectl.get("pod", "box")["status"]["containerStatuses"][0]["lastState"]["terminated"]["exitCode"]
        == 1
    )


@pytest.mark.parametrize(
    "words", [("exec", "box", "--", "ls"), ("attach", "box"), ("port-forward", "box", "8080:80")]
)
def test_what_needs_a_process_is_refused_with_the_reason(kubectl: Kubectl, words: tuple[str, ...]) -> None:
    kubectl.done("run", "box", "--image=busybox")
    kubectl.done("wait", "--for=condition=Ready", "pod/box", "--timeout=20s")
    subresource = words[0].replace("-", "")
    assert f"pods/{subresource} needs nodes that run processes" in kubectl.refused(*words, timeout=10).err


def test_cp_is_refused_with_the_reason(kubectl: Kubectl, tmp_path: Path) -> None:
    kubectl.done("run", "box", "--image=busybox")
    kubectl.done("wait", "--for=condition=Ready", "pod/box", "--timeout=20s")
    (tmp_path / "file").write_text("x")
    refused = kubectl.refused("cp", str(tmp_path / "file"), "box:/tmp/file", timeout=10)
    assert "needs nodes that run processes" in refused.err


def test_top_says_that_there_are_no_metrics(kubectl: Kubectl) -> None:
    assert "Metrics API not available" in kubectl.refused("top", "nodes").err
    assert "Metrics API not available" in kubectl.refused("top", "pods").err


# Waiting


def test_wait_sees_conditions_values_and_ends(kubectl: Kubectl) -> None:
    kubectl.apply(WEB)
    assert kubectl.done("wait", "--for=condition=Available", "deployment/web", "--timeout=20s").out == (
        "deployment.apps/web condition met\n"
    )
    if kubectl.minor >= 23:
        ready = "--for=jsonpath={.status.readyReplicas}=2"
        assert "condition met" in kubectl.done("wait", ready, "deployment/web", "--timeout=20s").out
    late = kubectl.refused("wait", "--for=condition=Nonsense", "deployment/web", "--timeout=1s")
    assert "timed out waiting for the condition" in late.err
    waiting: list[live.Done] = []
    gone = ["wait", "--for=delete", "deployment/web", "--timeout=20s"]
    thread = threading.Thread(target=lambda: waiting.append(kubectl.run(*gone)))
    thread.start()
    kubectl.done("delete", "deployment", "web", "--wait=false")
    thread.join()
    # It may have come too late to see it: both are what a script hopes for.
    assert waiting[0].status == 0 or "not found" in waiting[0].err


# Ends


@pytest.mark.parametrize(
    ("cascade", "left"), [("background", False), ("foreground", False), ("orphan", True)]
)
def test_each_cascade_of_a_deletion(kubectl: Kubectl, cascade: str, left: bool) -> None:
    kubectl.apply(WEB)
    kubectl.rolled_out("deployment/web")
    kubectl.done("delete", "deployment", "web", f"--cascade={cascade}")
    if not left:
        until(lambda: not kubectl.get("replicasets,pods")["items"], what="the dependents stay")
        return
    until(lambda: not kubectl.get("replicasets")["items"][0]["metadata"].get("ownerReferences"))
    assert len(kubectl.get("pods")["items"]) == 2
    # Made again, it adopts them.
    before = _pods(kubectl)
    kubectl.apply(WEB)
    kubectl.rolled_out("deployment/web")
    until(lambda: kubectl.get("replicasets")["items"][0]["metadata"].get("ownerReferences"))
    assert _pods(kubectl) == before


def test_deleting_by_label_and_all(kubectl: Kubectl) -> None:
    for name in ("one", "two", "three"):
        kubectl.done("create", "configmap", name)
    kubectl.done("label", "configmap", "one", "two", "go=yes")
    said = kubectl.done("delete", "configmaps", "-l", "go=yes").out
    assert said.count("deleted") == 2
    assert "not found" in kubectl.refused("delete", "configmap", "one").err
    assert kubectl.done("delete", "configmap", "one", "--ignore-not-found").out == ""
    kubectl.apply(WEB)
    kubectl.done("delete", "all", "--all")
    until(lambda: not kubectl.get("all")["items"], what="all is not all")


def test_a_finalizer_holds_until_it_is_taken_away(kubectl: Kubectl) -> None:
    kubectl.apply(SETTINGS.replace("labels: {app: web}", 'finalizers: ["example.com/held"]'))
    kubectl.done("delete", "configmap", "settings", "--wait=false")
    assert "deletionTimestamp" in kubectl.get("configmap", "settings")["metadata"]
    kubectl.done("patch", "configmap", "settings", "--type=merge", "-p", '{"metadata":{"finalizers":null}}')
    assert "not found" in kubectl.refused("get", "configmap", "settings").err


def test_a_namespace_takes_everything_along(kubectl: Kubectl) -> None:
    other = f"{kubectl.namespace}-gone"
    kubectl.done("create", "namespace", other)
    inside = Kubectl(kubectl.program, kubectl.kubeconfig, kubectl.home, other)
    inside.apply(WEB + "---" + SETTINGS)
    inside.rolled_out("deployment/web")
    assert f'namespace "{other}" deleted' in kubectl.done("delete", "namespace", other).out
    assert "not found" in kubectl.refused("get", "namespace", other).err
    assert not inside.get("pods,configmaps,deployments")["items"]


# Nodes


def test_a_drained_node_is_empty_and_takes_nothing_until_it_may(kubectl: Kubectl) -> None:
    kubectl.apply(WEB.replace("replicas: 2", "replicas: 6"))
    kubectl.rolled_out("deployment/web")
    try:
        words = [
            "drain",
            "node-2",
            "--pod-selector=app=web",
            "--ignore-daemonsets",
            "--force",
            "--timeout=30s",
        ]
        said = kubectl.done(*words).out
        assert "evicted" in said
        assert "SchedulingDisabled" in kubectl.done("get", "node", "node-2").out
        kubectl.rolled_out("deployment/web")
        nodes = {one["spec"]["nodeName"] for one in kubectl.get("pods")["items"] if _lives(one)}
        assert nodes == {"node-1", "node-3"}
    finally:
        assert kubectl.done("uncordon", "node-2").out == "node/node-2 uncordoned\n"


def _lives(pod: dict[str, dict[str, object]]) -> bool:
    return "deletionTimestamp" not in pod["metadata"]


def test_a_taint_keeps_pods_away(kubectl: Kubectl) -> None:
    mine = kubectl.namespace
    try:
        assert (
            kubectl.done("taint", "nodes", "node-3", f"{mine}=yes:NoSchedule").out == "node/node-3 tainted\n"
        )
        kubectl.apply(WEB.replace("replicas: 2", "replicas: 5"))
        kubectl.rolled_out("deployment/web")
        assert "node-3" not in {one["spec"]["nodeName"] for one in kubectl.get("pods")["items"]}
        assert f"{mine}=yes:NoSchedule" in kubectl.done("describe", "node", "node-3").out
    finally:
        assert kubectl.done("taint", "nodes", "node-3", f"{mine}-").out == "node/node-3 untainted\n"


# Rights


def test_rights_are_asked_and_given(kubectl: Kubectl) -> None:
    assert kubectl.done("auth", "can-i", "create", "deployments").out == "yes\n"
    assert kubectl.run("auth", "can-i", "list", "pods", "--as=jane").out == "no\n"
    kubectl.done("create", "serviceaccount", "robot")
    kubectl.done("create", "role", "reader", "--verb=get,list", "--resource=pods,deployments.apps")
    kubectl.done(
        "create", "rolebinding", "reader", "--role=reader", f"--serviceaccount={kubectl.namespace}:robot"
    )
    robot = f"--as=system:serviceaccount:{kubectl.namespace}:robot"
    assert kubectl.done("auth", "can-i", "list", "pods", robot).out == "yes\n"
    assert kubectl.done("get", "pods", robot).status == 0
    refused = kubectl.refused("delete", "pod", "nobody", robot)
    assert (
        f'cannot delete resource "pods" in API group "" in the namespace "{kubectl.namespace}"' in refused.err
    )
    listed = kubectl.done("auth", "can-i", "--list", robot).out
    assert "deployments.apps" in listed
    assert "[get list]" in listed


def test_a_token_of_a_service_account_signs_in(kubectl: Kubectl, embedded: Embedded, tmp_path: Path) -> None:
    kubectl.needs(24)
    kubectl.done("create", "serviceaccount", "robot")
    token = kubectl.done("create", "token", "robot", "--duration=20m").out.strip()
    config = kubectl.done("config", "view", "--raw", "-o", "json").yaml
    config["users"][0]["user"] = {"token": token}
    (tmp_path / "kubeconfig").write_text(json.dumps(config))
    robot = Kubectl(kubectl.program, tmp_path / "kubeconfig", kubectl.home, kubectl.namespace)
    name = f"system:serviceaccount:{kubectl.namespace}:robot"
    assert f'User "{name}" cannot list resource "pods"' in robot.refused("get", "pods").err
    kubectl.done(
        "create", "rolebinding", "viewer", "--clusterrole=view", f"--serviceaccount={kubectl.namespace}:robot"
    )
    assert robot.done("get", "pods").status == 0
    if kubectl.minor >= 28:
        assert name in robot.done("auth", "whoami").out
    (tmp_path / "kubeconfig").write_text(json.dumps(config).replace(token, token[:-8] + "AAAAAAAA"))
    assert "must be logged in" in robot.refused("get", "pods").err


def test_the_view_of_the_configuration_hides_the_keys(kubectl: Kubectl) -> None:
    shown = kubectl.done("config", "view").out
    assert "PRIVATE KEY" not in shown
    assert "client-key-data: " in shown
    assert "LS0t" not in shown
    assert kubectl.done("config", "current-context").out == "test\n"


# One day


def test_a_typical_day(kubectl: Kubectl) -> None:
    kubectl.done("create", "secret", "generic", "password", "--from-literal=password=secret")
    kubectl.done("create", "configmap", "settings", "--from-literal=colour=green")
    kubectl.done("create", "quota", "limits", "--hard=pods=50")
    kubectl.done("create", "ingress", "web", "--rule=example.com/*=web:80")
    kubectl.apply(WEB)
    kubectl.done("set", "env", "deployment/web", "--from=configmap/settings")
    kubectl.done("set", "resources", "deployment/web", "--limits=cpu=200m,memory=64Mi")
    kubectl.done("set", "serviceaccount", "deployment/web", "default")
    kubectl.rolled_out("deployment/web")
    assert kubectl.get("pods")["items"][0]["status"]["qosClass"] == "Guaranteed"
    container = kubectl.get("deployment", "web")["spec"]["template"]["spec"]["containers"][0]
    assert container["env"][0]["valueFrom"]["configMapKeyRef"] == {"name": "settings", "key": "colour"}
    header, row = kubectl.done("get", "ingress").rows
    assert header == ["NAME", "CLASS", "HOSTS", "ADDRESS", "PORTS", "AGE"]
    assert "example.com" in row
    assert kubectl.get("secret", "password")["data"] == {"password": "c2VjcmV0"}


def test_a_job_runs_to_its_end(kubectl: Kubectl) -> None:
    kubectl.done("create", "job", "once", "--image=busybox", "--", "true")
    assert (
        "condition met" in kubectl.done("wait", "--for=condition=Complete", "job/once", "--timeout=20s").out
    )
    assert kubectl.done("logs", "job/once").out == f"{SIMULATED}\n"
    kubectl.done("delete", "job", "once")
    until(lambda: not kubectl.get("pods")["items"])


APART = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: apart}
spec:
  replicas: 4
  selector: {matchLabels: {app: apart}}
  template:
    metadata: {labels: {app: apart}}
    spec:
      affinity:
        podAntiAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
          - {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: apart}}}
      containers: [{name: main, image: nginx}]
"""


def test_pods_that_must_be_apart_wait_for_a_node_of_their_own(kubectl: Kubectl) -> None:
    kubectl.apply(APART)

    def pods() -> list[Any]:
        found: list[Any] = kubectl.get("pods", "-l", "app=apart")["items"]
        return found

    until(lambda: [one["status"]["phase"] for one in pods()].count("Running") == 3)
    (waiting,) = [one for one in pods() if one["status"]["phase"] == "Pending"]
    told = "0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules."
    until(lambda: told in kubectl.done("describe", "pod", waiting["metadata"]["name"]).out)
    (condition,) = kubectl.get("pod", waiting["metadata"]["name"])["status"]["conditions"]
    assert (condition["type"], condition["reason"]) == ("PodScheduled", "Unschedulable")
    assert condition["message"].startswith(told)

    kubectl.done("scale", "deployment/apart", "--replicas=3")
    assert "successfully rolled out" in kubectl.rolled_out("deployment/apart")


def test_a_container_for_debugging_starts_in_a_running_pod(kubectl: Kubectl) -> None:
    kubectl.needs(23)  # before, it was another kind
    kubectl.done("run", "box", "--image=nginx")
    kubectl.done("wait", "--for=condition=Ready", "pod/box", "--timeout=20s")

    kubectl.done("debug", "box", "--image=busybox", "--container=look")

    def started() -> bool:
        (found,) = kubectl.get("pod", "box")["status"].get("ephemeralContainerStatuses") or [{}]
        return "running" in found.get("state", {})

    until(started)
    assert kubectl.done("logs", "box", "-c", "look").out == f"{SIMULATED}\n"
    # Nobody can be attached, and kubectl shows the log instead.
    assert SIMULATED in kubectl.done("debug", "box", "--image=busybox", "-it").out
