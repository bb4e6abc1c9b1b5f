"""What people type: kubectl, the machine's own and a current one, unmodified, against a cluster with controllers and nodes."""

from __future__ import annotations

import itertools
import json
import subprocess
from pathlib import Path

import pytest

from tests.conformance.kube.live import Kubectl, until

WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: nginx, image: "nginx:1.25", ports: [{containerPort: 80}]}
"""
SETTINGS = """
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, labels: {app: web}}
data: {colour: green, size: "1"}
"""
SIMULATED = "This container is simulated: nothing runs here, and this is its whole log."


# Making and changing


def test_a_deployment_is_created_rolled_out_scaled_and_gone(kubectl: Kubectl) -> None:
    said = kubectl.done("create", "deployment", "web", "--image=nginx", "--replicas=2").out
    assert said == "deployment.apps/web created\n"
    assert kubectl.rolled_out("deployment/web").endswith('deployment "web" successfully rolled out\n')
    assert kubectl.done("scale", "deployment/web", "--replicas=4").out == "deployment.apps/web scaled\n"
    kubectl.rolled_out("deployment/web")
    assert kubectl.get("deployment", "web")["status"]["readyReplicas"] == 4
    assert len(kubectl.get("pods", "-l", "app=web")["items"]) == 4
    kubectl.done("delete", "deployment", "web")
    until(lambda: not kubectl.get("replicasets,pods")["items"], what="the dependents stay")


def test_an_unchanged_apply_says_so_and_changes_nothing(kubectl: Kubectl) -> None:
    assert kubectl.apply(WEB) == "deployment.apps/web created\n"
    kubectl.rolled_out("deployment/web")
    before = kubectl.get("deployment", "web")
    assert kubectl.apply(WEB) == "deployment.apps/web unchanged\n"
    assert (
        kubectl.get("deployment", "web")["metadata"]["resourceVersion"]
        == before["metadata"]["resourceVersion"]
    )
    assert kubectl.apply(WEB.replace("1.25", "1.26")) == "deployment.apps/web configured\n"
    assert kubectl.get("deployment", "web")["metadata"]["generation"] == 2


def test_apply_removes_what_left_the_file_and_keeps_what_others_set(kubectl: Kubectl) -> None:
    kubectl.apply(SETTINGS)
    kubectl.done("patch", "configmap", "settings", "--type=merge", "-p", '{"data":{"theirs":"kept"}}')
    kubectl.apply(SETTINGS.replace('size: "1"', 'shape: "round"'))
    assert kubectl.get("configmap", "settings")["data"] == {
        "colour": "green",
        "shape": "round",
        "theirs": "kept",
    }


def test_server_side_apply_owns_its_fields_and_tells_conflicts(kubectl: Kubectl) -> None:
    assert kubectl.apply(SETTINGS, "--server-side") == "configmap/settings serverside-applied\n"
    assert kubectl.apply(SETTINGS, "--server-side") == "configmap/settings serverside-applied\n"
    other = SETTINGS.replace("green", "blue")
    refused = kubectl.refused("apply", "--server-side", "--field-manager=other", "-f", "-", stdin=other)
    assert 'Apply failed with 1 conflict: conflict with "kubectl": .data.colour' in refused.err
    kubectl.apply(other, "--server-side", "--field-manager=other", "--force-conflicts")
    found = json.loads(kubectl.done("get", "configmap", "settings", "-o", "json", *_with_owners(kubectl)).out)
    owners = {one["manager"]: one["fieldsV1"]["f:data"] for one in found["metadata"]["managedFields"]}
    assert owners["kubectl"] == {"f:size": {}}
    assert set(owners["other"]) == {"f:colour", "f:size"}


def _with_owners(kubectl: Kubectl) -> list[str]:
    return ["--show-managed-fields"] if kubectl.minor >= 21 else []


def test_a_dry_run_answers_as_the_real_run_and_leaves_nothing(kubectl: Kubectl) -> None:
    told = kubectl.apply(WEB, "--dry-run=server", "-o", "json")
    assert json.loads(told)["spec"]["strategy"]["type"] == "RollingUpdate"
    assert kubectl.apply(WEB, "--dry-run=client") == "deployment.apps/web created (dry run)\n"
    assert kubectl.apply(WEB, "--dry-run=server") == "deployment.apps/web created (server dry run)\n"
    assert "not found" in kubectl.refused("get", "deployment", "web").err
    shown = kubectl.done(
        "create", "configmap", "x", "--from-literal=a=b", "--dry-run=client", "-o", "yaml"
    ).yaml
    assert shown["data"] == {"a": "b"}


def test_diff_shows_what_an_apply_would_change(kubectl: Kubectl) -> None:
    kubectl.apply(SETTINGS)
    assert kubectl.done("diff", "-f", "-", stdin=SETTINGS).out == ""
    found = kubectl.run("diff", "-f", "-", stdin=SETTINGS.replace("green", "blue"))
    assert found.status == 1
    assert "-  colour: green" in found.out
    assert "+  colour: blue" in found.out
    new = kubectl.run(
        "diff", "--server-side", "-f", "-", stdin=SETTINGS.replace("name: settings", "name: new")
    )
    assert new.status == 1
    assert "+  name: new" in new.out


def test_edit_changes_what_the_editor_changed(kubectl: Kubectl, tmp_path: Path) -> None:
    kubectl.apply(SETTINGS)
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i s/green/blue/ "$1"\n')
    editor.chmod(0o755)
    editing = Kubectl(
        kubectl.program, kubectl.kubeconfig, kubectl.home, kubectl.namespace, {"EDITOR": str(editor)}
    )
    assert editing.done("edit", "configmap", "settings").out == "configmap/settings edited\n"
    assert kubectl.get("configmap", "settings")["data"]["colour"] == "blue"
    # The editor that changes nothing now:
    assert "Edit cancelled, no changes made" in editing.done("edit", "configmap", "settings").err


@pytest.mark.parametrize(
    ("form", "change", "expected"),
    [
        ("strategic", '{"spec":{"template":{"spec":{"containers":[{"name":"more","image":"busybox"}]}}}}', 2),
        ("merge", '{"spec":{"template":{"spec":{"containers":[{"name":"more","image":"busybox"}]}}}}', 1),
        (
            "json",
            '[{"op":"add","path":"/spec/template/spec/containers/-","value":{"name":"more","image":"b"}}]',
            2,
        ),
    ],
)
def test_each_form_of_patch_means_what_it_should(
    kubectl: Kubectl, form: str, change: str, expected: int
) -> None:
    kubectl.apply(WEB.replace("replicas: 2", "replicas: 0"))
    assert (
        kubectl.done("patch", "deployment/web", f"--type={form}", "-p", change).out
        == "deployment.apps/web patched\n"
    )
    containers = kubectl.get("deployment", "web")["spec"]["template"]["spec"]["containers"]
    assert len(containers) == expected
    assert "more" in {one["name"] for one in containers}
    again = kubectl.run("patch", "deployment/web", "--type=merge", "-p", '{"spec":{"replicas":0}}')
    assert again.out == "deployment.apps/web patched (no change)\n"


def test_a_patch_of_the_scale_scales(kubectl: Kubectl) -> None:
    kubectl.needs(24)
    kubectl.apply(WEB)
    change = ["--subresource=scale", "--type=merge", "-p", '{"spec":{"replicas":1}}']
    assert kubectl.done("patch", "deployment/web", *change).out == "scale.autoscaling/web patched\n"
    assert kubectl.get("deployment", "web", "--subresource=scale")["spec"] == {"replicas": 1}


def test_replace_and_its_force(kubectl: Kubectl) -> None:
    kubectl.apply(SETTINGS)
    before = kubectl.get("configmap", "settings")["metadata"]["uid"]
    assert (
        kubectl.done("replace", "-f", "-", stdin=SETTINGS.replace("green", "red")).out
        == "configmap/settings replaced\n"
    )
    assert kubectl.get("configmap", "settings")["metadata"]["uid"] == before
    said = kubectl.done("replace", "--force", "-f", "-", stdin=SETTINGS).out
    assert said.startswith('configmap "settings" deleted')
    assert said.endswith("configmap/settings replaced\n")
    assert kubectl.get("configmap", "settings")["metadata"]["uid"] != before
    missing = kubectl.refused("replace", "-f", "-", stdin=SETTINGS.replace("name: settings", "name: missing"))
    assert 'configmaps "missing" not found' in missing.err


def test_kustomize_and_prune(kubectl: Kubectl, tmp_path: Path) -> None:
    (tmp_path / "web.yaml").write_text(WEB)
    (tmp_path / "settings.yaml").write_text(SETTINGS)
    (tmp_path / "kustomization.yaml").write_text(
        "resources: [web.yaml, settings.yaml]\nnamePrefix: our-\n"
        "configMapGenerator: [{name: made, literals: [a=b]}]\n"
    )
    first = kubectl.done("apply", "-k", str(tmp_path)).out.splitlines()
    assert "deployment.apps/our-web created" in first
    assert sum(line.startswith("configmap/our-") for line in first) == 2
    kubectl.done("label", "configmap", "our-settings", "pruned=yes")
    kubectl.apply(
        SETTINGS.replace("name: settings, labels: {app: web}", "name: kept, labels: {pruned: 'yes'}"),
        "--prune", "-l", "pruned=yes", *_only_configmaps(kubectl),
    )  # fmt: skip
    names = {one["metadata"]["name"] for one in kubectl.get("configmaps", "-l", "pruned=yes")["items"]}
    assert names == {"kept"}


def _only_configmaps(kubectl: Kubectl) -> list[str]:
    return [
        "--prune-allowlist=core/v1/ConfigMap"
        if kubectl.minor >= 26
        else "--prune-whitelist=core/v1/ConfigMap"
    ]


def test_an_unknown_field_is_refused_by_name(kubectl: Kubectl) -> None:
    refused = kubectl.refused("apply", "-f", "-", stdin=WEB.replace("replicas: 2", "replicaz: 2"))
    expected = 'unknown field "spec.replicaz"' if kubectl.minor >= 25 else 'unknown field "replicaz"'
    assert expected in refused.err
    wrong = kubectl.refused(
        "apply", "--validate=false", "-f", "-", stdin=WEB.replace("replicas: 2", "replicas: -1")
    )
    assert "spec.replicas: Invalid value: -1: must be greater than or equal to 0" in wrong.err


def test_a_service_gets_an_address_and_endpoints(kubectl: Kubectl) -> None:
    kubectl.apply(WEB)
    kubectl.rolled_out("deployment/web")
    assert kubectl.done("expose", "deployment", "web", "--port=80").out == "service/web exposed\n"
    service = kubectl.get("service", "web")
    assert service["spec"]["clusterIP"].startswith("10.")
    ready = until(lambda: kubectl.get("endpoints", "web").get("subsets"))
    pods = {one["status"]["podIP"] for one in kubectl.get("pods")["items"]}
    assert {one["ip"] for one in ready[0]["addresses"]} == pods
    described = kubectl.done("describe", "service", "web").out
    assert "Endpoints:" in described
    assert all(f"{address}:80" in described for address in pods)


def test_labels_and_annotations_come_and_go(kubectl: Kubectl) -> None:
    kubectl.apply(SETTINGS)
    assert kubectl.done("label", "configmap", "settings", "tier=front").out == "configmap/settings labeled\n"
    assert "--overwrite" in kubectl.refused("label", "configmap", "settings", "tier=back").err
    kubectl.done("label", "configmap", "settings", "tier=back", "--overwrite")
    assert (
        kubectl.done("annotate", "configmap", "settings", "why=because").out
        == "configmap/settings annotated\n"
    )
    metadata = kubectl.get("configmap", "settings")["metadata"]
    assert metadata["labels"] == {"app": "web", "tier": "back"}
    assert metadata["annotations"]["why"] == "because"
    kubectl.done("label", "configmap", "settings", "tier-")
    kubectl.done("annotate", "configmap", "settings", "why-")
    assert "why" not in kubectl.get("configmap", "settings")["metadata"]["annotations"]


# Rollouts


def test_a_rollout_has_a_history_and_can_be_undone(kubectl: Kubectl) -> None:
    kubectl.apply(WEB)
    kubectl.rolled_out("deployment/web")
    assert (
        kubectl.done("set", "image", "deployment/web", "nginx=nginx:1.26").out
        == "deployment.apps/web image updated\n"
    )
    kubectl.rolled_out("deployment/web")
    history = kubectl.done("rollout", "history", "deployment/web").rows
    assert [row[0] for row in history[-2:]] == ["1", "2"]
    assert "Image:\tnginx:1.26" in kubectl.done("rollout", "history", "deployment/web", "--revision=2").out
    assert kubectl.done("rollout", "undo", "deployment/web").out == "deployment.apps/web rolled back\n"
    kubectl.rolled_out("deployment/web")
    assert _images(kubectl) == {"nginx:1.25"}
    kubectl.done("rollout", "undo", "deployment/web", "--to-revision=2")
    kubectl.rolled_out("deployment/web")
    assert _images(kubectl) == {"nginx:1.26"}


def test_a_paused_rollout_waits_and_a_restart_replaces_every_pod(kubectl: Kubectl) -> None:
    kubectl.apply(WEB)
    kubectl.rolled_out("deployment/web")
    first = _pods(kubectl)
    assert kubectl.done("rollout", "pause", "deployment/web").out == "deployment.apps/web paused\n"
    kubectl.done("set", "image", "deployment/web", "nginx=nginx:1.27")
    until(lambda: kubectl.get("deployment", "web")["status"].get("observedGeneration") == 3)
    assert _images(kubectl) == {"nginx:1.25"}
    assert _pods(kubectl) == first
    kubectl.done("rollout", "resume", "deployment/web")
    kubectl.rolled_out("deployment/web")
    assert _images(kubectl) == {"nginx:1.27"}
    second = _pods(kubectl)
    assert kubectl.done("rollout", "restart", "deployment/web").out == "deployment.apps/web restarted\n"
    kubectl.rolled_out("deployment/web")
    assert not _pods(kubectl) & (first | second)


def test_a_rollout_that_cannot_finish_says_so(kubectl: Kubectl) -> None:
    kubectl.apply(WEB)
    kubectl.rolled_out("deployment/web")
    kubectl.done("set", "image", "deployment/web", "nginx=nginx:does-not-exist")
    refused = kubectl.refused("rollout", "status", "deployment/web", "--timeout=2s")
    assert "timed out waiting for the condition" in refused.err
    until(lambda: {"ErrImagePull", "ImagePullBackOff"} & {row[2] for row in kubectl.done("get", "pods").rows})
    assert kubectl.get("deployment", "web")["status"]["availableReplicas"] == 2


def _pods(kubectl: Kubectl) -> set[str]:
    """Those that nobody is stopping."""
    items = kubectl.get("pods", "-l", "app=web")["items"]
    return {one["metadata"]["uid"] for one in items if "deletionTimestamp" not in one["metadata"]}


def _images(kubectl: Kubectl) -> set[str]:
    def settled() -> set[str]:
        items = kubectl.get("pods", "-l", "app=web")["items"]
        ending = any("deletionTimestamp" in one["metadata"] for one in items)
        return set() if ending else {one["spec"]["containers"][0]["image"] for one in items}

    return until(settled, what="old pods do not end")


# Looking


def test_every_output_form_of_get(kubectl: Kubectl) -> None:
    kubectl.apply(WEB)
    kubectl.rolled_out("deployment/web")
    header, row = kubectl.done("get", "deployment").rows
    assert header == ["NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE"]
    assert row[:4] == ["web", "2/2", "2", "2"]
    wide = kubectl.done("get", "pods", "-o", "wide").rows
    assert wide[0][5:7] == ["IP", "NODE"]
    assert wide[1][6].startswith("node-")
    assert kubectl.done("get", "deployment", "web", "-o", "yaml").yaml["kind"] == "Deployment"
    assert kubectl.get("pods")["kind"] == "List"
    phases = kubectl.done("get", "pods", "-o", "jsonpath={.items[*].status.phase}").out
    assert phases == "Running Running"
    columns = kubectl.done(
        "get", "deploy", "-o", "custom-columns=NAME:.metadata.name,IMAGE:.spec.template..image"
    ).rows
    assert columns == [["NAME", "IMAGE"], ["web", "nginx:1.25"]]
    assert kubectl.done("get", "deploy", "-o", "name").out == "deployment.apps/web\n"
    template = "{{range .items}}{{.metadata.name}}{{end}}"
    assert kubectl.done("get", "deploy", "-o", f"go-template={template}").out == "web"
    assert len(kubectl.done("get", "pods", "--no-headers").rows) == 2
    assert kubectl.done("get", "deploy", "--show-labels").rows[1][-1] == "app=web"
    assert kubectl.done("get", "deploy", "-L", "app").rows[0][-1] == "APP"
    assert len(kubectl.done("get", "deployments,replicasets,pods").out.split("\n\n")) == 3


def test_get_selects_and_sorts(kubectl: Kubectl) -> None:
    for name, colour in (("one", "z"), ("two", "y"), ("three", "x")):
        kubectl.done("create", "configmap", name, f"--from-literal=colour={colour}")
        kubectl.done("label", "configmap", name, f"colour={colour}")
    mine = ["-l", "colour"]
    by_data = kubectl.done("get", "configmaps", *mine, "--sort-by=.data.colour", "--no-headers").rows
    assert [row[0] for row in by_data] == ["three", "two", "one"]
    by_name = kubectl.done("get", "configmaps", *mine, "--sort-by=.metadata.name", "--no-headers").rows
    assert [row[0] for row in by_name] == ["one", "three", "two"]
    assert kubectl.done("get", "configmaps", "-l", "colour in (x,y)", "-o", "name").out.count("\n") == 2
    assert kubectl.done("get", "configmaps", "-l", "colour!=x,colour", "-o", "name").out.count("\n") == 2
    assert (
        kubectl.done("get", "configmaps", "--field-selector=metadata.name=one", "-o", "name").out
        == "configmap/one\n"
    )
    refused = kubectl.refused("get", "configmaps", "--field-selector=data.colour=x")
    assert '"data.colour" is not a known field selector' in refused.err
    in_pieces = kubectl.done("get", "configmaps", *mine, "--chunk-size=1", "-o", "name").out
    assert in_pieces.count("\n") == 3


def test_a_watch_tells_each_change(kubectl: Kubectl) -> None:
    kubectl.apply(SETTINGS)
    words = ["get", "configmap", "settings", "--watch", "-o", "jsonpath={.data.colour}{'\\n'}"]
    watching = subprocess.Popen(
        kubectl.command(words), stdout=subprocess.PIPE, text=True, env=kubectl.environment
    )  # fmt: skip
    try:
        assert watching.stdout
        assert watching.stdout.readline() == "green\n"
        for colour in ("red", "blue"):
            kubectl.done(
                "patch",
                "configmap",
                "settings",
                "--type=merge",
                "-p",
                json.dumps({"data": {"colour": colour}}),
            )
            assert watching.stdout.readline() == f"{colour}\n"
    finally:
        watching.kill()
        watching.communicate()


def test_a_watch_of_a_table_has_one_header(kubectl: Kubectl) -> None:
    watching = subprocess.Popen(
        kubectl.command(["get", "pods", "--watch"]), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env=kubectl.environment,
    )  # fmt: skip
    try:
        assert watching.stdout
        lines = iter(watching.stdout.readline, "")
        kubectl.done("run", "box", "--image=busybox")
        seen = list(itertools.takewhile(lambda line: "Running" not in line, lines))
        assert seen[0].split() == ["NAME", "READY", "STATUS", "RESTARTS", "AGE"]
        assert not [line for line in seen[1:] if line.startswith("NAME")]
        assert {line.split()[2] for line in seen[1:]} <= {"Pending", "ContainerCreating"}
    finally:
        watching.kill()
        watching.communicate()


def test_explain_knows_the_fields_of_a_kind(kubectl: Kubectl) -> None:
    said = kubectl.done("explain", "deployment.spec.strategy").out
    assert "rollingUpdate" in said
    assert "type" in said
    everything = kubectl.done("explain", "pods", "--recursive").out
    assert "topologySpreadConstraints" in everything
    assert "initialDelaySeconds" in everything
    assert "doesn't have a resource type" in kubectl.refused("explain", "nonsense").err
    assert 'field "nonsense" does not exist' in kubectl.refused("explain", "pods.spec.nonsense").err


def test_describe_tells_the_story_of_an_object(kubectl: Kubectl) -> None:
    kubectl.apply(WEB)
    kubectl.rolled_out("deployment/web")
    deployment = kubectl.done("describe", "deployment", "web").out
    assert "2 desired | 2 updated | 2 total | 2 available | 0 unavailable" in deployment
    assert "Scaled up replica set web-" in deployment
    pod = kubectl.get("pods")["items"][0]["metadata"]["name"]

    def story() -> str:
        told = kubectl.done("describe", "pod", pod).out
        return told if "Started" in told else ""

    told = until(story, what="no event of the start")
    assert "Successfully assigned" in told
    assert "Controlled By:  ReplicaSet/web-" in told
    assert "Status:       Active" in kubectl.done("describe", "namespace", kubectl.namespace).out
    node = kubectl.done("describe", "node", "node-1").out
    assert "simulated=true" in node
    assert "KubeletReady" in node


def test_events_are_listed_in_both_ways(kubectl: Kubectl) -> None:
    kubectl.done("run", "box", "--image=busybox")
    kubectl.done("wait", "--for=condition=Ready", "pod/box", "--timeout=20s")
    until(lambda: "Started" in kubectl.done("get", "events").out)
    rows = kubectl.done(
        "get", "events", "--sort-by=.lastTimestamp", "--field-selector=involvedObject.name=box"
    ).rows
    assert rows[0] == ["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"]
    assert {"Scheduled", "Pulled", "Created", "Started"} <= {row[2] for row in rows}
    if kubectl.minor >= 26:
        assert "Pod/box" in kubectl.done("events", "--for=pod/box").out


def test_what_the_cluster_can_do_is_listed(kubectl: Kubectl) -> None:
    resources = kubectl.done("api-resources", "--no-headers").out
    for expected in (
        "deployments",
        "customresourcedefinitions",
        "leases",
        "poddisruptionbudgets",
        "ingresses",
    ):
        assert f"\n{expected} " in resources
    versions = kubectl.done("api-versions").out.split()
    assert {"v1", "apps/v1", "batch/v1", "rbac.authorization.k8s.io/v1", "apiextensions.k8s.io/v1"} <= set(
        versions
    )
    verbs = kubectl.done("api-resources", "--api-group=apps", "--verbs=watch,patch", "-o", "name").out.split()
    assert "statefulsets.apps" in verbs
    assert "gitVersion: v1.36" in kubectl.done("version", "-o", "yaml").out
    assert "is running at" in kubectl.done("cluster-info").out
    assert kubectl.done("get", "--raw", "/readyz").out == "ok"
    assert "doesn't have a resource type" in kubectl.refused("get", "nonsense").err


# Pods
