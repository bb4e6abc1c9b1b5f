"""Helm 3, unmodified, with a chart of our own: what most people will bring to a cluster first."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.kube.live import Embedded, Kubectl, Tool, until

CHART: Mapping[str, str] = {
    "Chart.yaml": """
apiVersion: v2
name: shop
version: 1.2.3
appVersion: "7"
""",
    "values.yaml": """
replicas: 2
image: nginx:1.25
simulate: ""
hooks: false
""",
    "templates/deployment.yaml": """
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
  labels: {app.kubernetes.io/managed-by: {{ .Release.Service }}}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: {{ .Release.Name }}}}
  template:
    metadata:
      labels: {app: {{ .Release.Name }}}
      annotations:
        checksum: {{ include (print $.Template.BasePath "/settings.yaml") . | sha256sum }}
        {{- with .Values.simulate }}
        argosy.io/simulate: {{ . }}
        {{- end }}
    spec:
      containers:
      - {name: web, image: {{ .Values.image | quote }}, ports: [{name: http, containerPort: 80}]}
""",
    "templates/service.yaml": """
apiVersion: v1
kind: Service
metadata: {name: {{ .Release.Name }}}
spec: {selector: {app: {{ .Release.Name }}}, ports: [{port: 80, targetPort: http}]}
""",
    "templates/settings.yaml": """
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-settings}
data: {image: {{ .Values.image | quote }}}
""",
    "templates/password.yaml": """
{{- $there := lookup "v1" "Secret" .Release.Namespace (print .Release.Name "-password") }}
apiVersion: v1
kind: Secret
metadata: {name: {{ .Release.Name }}-password}
data: {password: {{ if $there }}{{ $there.data.password }}{{ else }}{{ randAlphaNum 20 | b64enc }}{{ end }}}
""",
    "templates/hooks.yaml": """
{{- if .Values.hooks }}
{{- range $when := list "pre-install" "post-install" "pre-delete" }}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ $.Release.Name }}-{{ $when }}
  annotations:
    helm.sh/hook: {{ $when }}
    helm.sh/hook-weight: "1"
    helm.sh/hook-delete-policy: before-hook-creation
spec:
  backoffLimit: 0
  template:
    metadata:
      annotations:
        {{- if eq (toString $.Values.hooks) $when }}
        argosy.io/simulate: fail
        {{- end }}
        argosy.io/simulate-run-for: 100ms
    spec:
      restartPolicy: Never
      containers: [{name: work, image: busybox}]
{{- end }}
{{- end }}
""",
    "templates/test.yaml": """
apiVersion: v1
kind: Pod
metadata: {name: {{ .Release.Name }}-test, annotations: {helm.sh/hook: test}}
spec:
  restartPolicy: Never
  containers: [{name: look, image: busybox, command: [wget, {{ .Release.Name | quote }}]}]
""",
    "templates/NOTES.txt": "{{ .Release.Name }} runs {{ .Values.replicas }}\n",
}
WAIT = ("--wait", "--timeout=30s")


@pytest.fixture
def chart(tmp_path: Path) -> str:
    return written(tmp_path / "shop", CHART)


def written(folder: Path, files: Mapping[str, str]) -> str:
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return str(folder)


class Cluster:
    """The namespace of the test as it is, without Helm's eyes."""

    def __init__(self, embedded: Embedded, namespace: str) -> None:
        self._embedded, self._namespace = embedded, namespace

    def get(self, kind: str, name: str, group: str = "/api/v1") -> dict[str, object]:
        return self._embedded.ask("GET", f"{group}/namespaces/{self._namespace}/{kind}/{name}")

    def has(self, kind: str, name: str, group: str = "/api/v1") -> bool:
        return self._embedded.has(f"{group}/namespaces/{self._namespace}/{kind}/{name}")

    def names(self, kind: str, group: str = "/api/v1") -> set[str]:
        found = self._embedded.ask("GET", f"{group}/namespaces/{self._namespace}/{kind}")
        return {one["metadata"]["name"] for one in found["items"]}

    def document(self, path: str) -> dict[str, Any]:
        return self._embedded.ask("GET", path)

    def image(self, name: str) -> str:
        found = self._embedded.ask("GET", f"/apis/apps/v1/namespaces/{self._namespace}/deployments/{name}")
        return found["spec"]["template"]["spec"]["containers"][0]["image"]

    def ready(self, name: str) -> int:
        found = self._embedded.ask("GET", f"/apis/apps/v1/namespaces/{self._namespace}/deployments/{name}")
        return found["status"].get("readyReplicas", 0)


@pytest.fixture
def cluster_now(embedded: Embedded, namespace: str) -> Cluster:
    return Cluster(embedded, namespace)


def dangling(document: dict[str, Any]) -> set[str]:
    """References that lead nowhere: one of them is enough to make an old kubectl refuse every file."""
    told = set(re.findall(r'"\$ref": "#/definitions/([^"]+)"', json.dumps(document)))
    return told - document["definitions"].keys()


def history(helm: Tool, release: str) -> list[tuple[int, str]]:
    found = json.loads(helm.done("history", release, "-o", "json").out)
    return [(one["revision"], one["status"]) for one in found]


def test_install_waits_until_everything_is_ready(helm: Tool, chart: str, cluster_now: Cluster) -> None:
    said = helm.done("install", "web", chart, *WAIT).out
    assert "STATUS: deployed" in said
    assert "web runs 2" in said
    assert cluster_now.ready("web") == 2
    listed = json.loads(helm.done("list", "-o", "json").out)
    assert [(one["name"], one["chart"], one["status"]) for one in listed] == [
        ("web", "shop-1.2.3", "deployed")
    ]


def test_upgrade_rollback_history_and_uninstall(helm: Tool, chart: str, cluster_now: Cluster) -> None:
    helm.done("install", "web", chart, *WAIT)
    password = cluster_now.get("secrets", "web-password")["data"]
    helm.done("upgrade", "web", chart, "--set=image=nginx:1.26,replicas=3", *WAIT)
    assert cluster_now.image("web") == "nginx:1.26"
    assert cluster_now.ready("web") == 3
    assert cluster_now.get("secrets", "web-password")["data"] == password, "lookup did not find it"
    helm.done("rollback", "web", "1", *WAIT)
    assert cluster_now.image("web") == "nginx:1.25"
    assert cluster_now.get("configmaps", "web-settings")["data"] == {"image": "nginx:1.25"}
    assert history(helm, "web") == [(1, "superseded"), (2, "superseded"), (3, "deployed")]
    assert "image: nginx:1.26" in helm.done("get", "values", "web", "--revision=2").out
    assert "kind: Deployment" in helm.done("get", "manifest", "web").out
    assert 'release "web" uninstalled' in helm.done("uninstall", "web", *WAIT).out
    assert json.loads(helm.done("list", "-a", "-o", "json").out) == []
    until(lambda: not cluster_now.names("pods"), what="pods of an uninstalled release stay")
    assert cluster_now.names("configmaps") == {"kube-root-ca.crt"}


def test_an_atomic_upgrade_that_never_gets_ready_is_rolled_back(
    helm: Tool, chart: str, cluster_now: Cluster
) -> None:
    helm.done("install", "web", chart, *WAIT)
    broken = ["--set=image=nginx:1.26,simulate=never-ready", "--atomic", "--wait", "--timeout=4s"]
    refused = helm.refused("upgrade", "web", chart, *broken)
    assert "release web failed, and has been rolled back due to atomic being set" in refused.err
    assert cluster_now.image("web") == "nginx:1.25"
    until(lambda: cluster_now.ready("web") == 2)
    assert history(helm, "web") == [(1, "superseded"), (2, "failed"), (3, "deployed")]


def test_an_atomic_install_that_never_gets_ready_leaves_nothing(
    helm: Tool, chart: str, cluster_now: Cluster
) -> None:
    words = ["--set=simulate=never-ready", "--atomic", "--timeout=3s"]
    refused = helm.refused("install", "web", chart, *words)
    assert "has been uninstalled due to atomic being set" in refused.err
    assert not cluster_now.has("deployments", "web", "/apis/apps/v1")
    assert cluster_now.names("secrets") == set()


def test_hooks_run_at_their_time(helm: Tool, chart: str, cluster_now: Cluster) -> None:
    helm.done("install", "web", chart, "--set=hooks=true", *WAIT)
    jobs = {
        name: cluster_now.get("jobs", name, "/apis/batch/v1")["status"]
        for name in ("web-pre-install", "web-post-install")
    }
    assert all(one["succeeded"] == 1 for one in jobs.values())
    made = cluster_now.get("deployments", "web", "/apis/apps/v1")["metadata"]["creationTimestamp"]
    assert jobs["web-pre-install"]["completionTime"] <= made
    assert not cluster_now.has("jobs", "web-pre-delete", "/apis/batch/v1")
    helm.done("uninstall", "web", *WAIT)
    assert cluster_now.has("jobs", "web-pre-delete", "/apis/batch/v1")


def test_a_hook_that_fails_fails_the_install(helm: Tool, chart: str, cluster_now: Cluster) -> None:
    refused = helm.refused("install", "web", chart, "--set=hooks=pre-install", *WAIT)
    assert "failed pre-install" in refused.err
    assert "BackoffLimitExceeded" in refused.err
    assert not cluster_now.has("deployments", "web", "/apis/apps/v1")
    assert history(helm, "web") == [(1, "failed")]


def test_the_tests_of_a_release_run(helm: Tool, chart: str) -> None:
    helm.done("install", "web", chart, *WAIT)
    said = helm.done("test", "web", "--logs", "--timeout=20s").out
    assert "Phase:          Succeeded" in said
    assert "This container is simulated" in said


def test_templates_are_judged_by_the_cluster(helm: Tool, chart: str, tmp_path: Path) -> None:
    assert "kind: Deployment" in helm.done("template", "web", chart, "--validate").out
    told = helm.done("install", "web", chart, "--dry-run=server").out
    assert "STATUS: pending-install" in told
    wrong = CHART | {
        "templates/wrong.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: x}\nspec: {ports: 1}\n"
    }
    refused = helm.refused("install", "web", written(tmp_path / "wrong", wrong))
    assert "cannot unmarshal number into Go struct field ServiceSpec.spec.ports" in refused.err
    unknown = CHART | {
        "templates/wrong.yaml": "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: x}\n"
    }
    refused = helm.refused("install", "unknown", written(tmp_path / "unknown", unknown))
    assert 'no matches for kind "Thing" in version "example.com/v1"' in refused.err


def test_what_is_there_already_is_not_taken_over(
    helm: Tool, chart: str, embedded: Embedded, namespace: str
) -> None:
    embedded.ask("POST", f"/api/v1/namespaces/{namespace}/configmaps", {"metadata": {"name": "web-settings"}})
    refused = helm.refused("install", "web", chart)
    assert 'ConfigMap "web-settings"' in refused.err
    assert "cannot be imported into the current release" in refused.err
    helm.done("install", "web", chart, "--take-ownership")
    assert "cannot re-use a name that is still in use" in helm.refused("install", "web", chart).err


def test_changes_by_hand_survive_an_upgrade_that_does_not_touch_them(
    helm: Tool, chart: str, embedded: Embedded, namespace: str, cluster_now: Cluster
) -> None:
    helm.done("install", "web", chart, *WAIT)
    path = f"/api/v1/namespaces/{namespace}/configmaps/web-settings"
    found = embedded.ask("GET", path)
    embedded.ask("PUT", path, {**found, "data": {**found["data"], "theirs": "kept"}})
    helm.done("upgrade", "web", chart, "--set=image=nginx:1.27", *WAIT)
    assert cluster_now.get("configmaps", "web-settings")["data"] == {"image": "nginx:1.27", "theirs": "kept"}


CRD = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %(plural)s.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: %(plural)s, singular: %(singular)s, kind: %(kind)s}
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns: [{name: Colour, type: string, jsonPath: .spec.colour}]
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, required: [colour], properties: {colour: {type: string}, size: {type: integer, default: 3}}}
"""


def test_definitions_of_a_chart_are_there_before_what_they_define(
    helm: Tool, kubectl: Kubectl, namespace: str, tmp_path: Path, cluster_now: Cluster
) -> None:
    singular = f"shop{namespace.removeprefix('test-')}"
    names = {"plural": f"{singular}s", "singular": singular, "kind": singular.capitalize()}
    chart = CHART | {
        "crds/shop.yaml": CRD % names,
        "templates/shop.yaml": f"apiVersion: example.com/v1\nkind: {names['kind']}\n"
        "metadata: {name: first}\nspec: {colour: green, unknown: x}\n",
    }
    try:
        helm.done("install", "web", written(tmp_path / "shop", chart), *WAIT)
        found = cluster_now.get(names["plural"], "first", "/apis/example.com/v1")
        assert found["spec"] == {"colour": "green", "size": 3}
        assert kubectl.done("get", singular).rows == [["NAME", "COLOUR"], ["first", "green"]]
        assert not dangling(cluster_now.document("/openapi/v2"))
        assert "colour" in kubectl.done("explain", f"{names['plural']}.spec").out
        helm.done("uninstall", "web", *WAIT)
        assert not cluster_now.names(names["plural"], "/apis/example.com/v1")
        # Helm leaves definitions behind: others may have objects of them.
        assert kubectl.done("get", "crd", f"{names['plural']}.example.com", "-o", "name").out
    finally:
        kubectl.done("delete", "crd", f"{names['plural']}.example.com")
