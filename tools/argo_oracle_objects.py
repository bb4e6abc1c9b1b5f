"""What a real Argo CD finds in its cluster when it starts: its definitions, settings, and a project that permits everything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml

from argosy.kube.objects import Object

NAMESPACE = "argocd"
_PART = {"app.kubernetes.io/part-of": "argocd"}


def definitions(folder: Path) -> Iterator[Object]:
    for path in sorted(folder.glob("*-crd.yaml")):
        yield yaml.load(path.read_text(), yaml.CSafeLoader)


def installation(settings: Mapping[str, str]) -> Iterator[Object]:
    yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    for name, data in (("argocd-cm", dict(settings)), ("argocd-rbac-cm", {"policy.default": "role:admin"})):
        yield {"apiVersion": "v1", "kind": "ConfigMap", "metadata": _named(name), "data": data}
    yield {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": _named("argocd-secret"),
        "stringData": {"server.secretkey": "of an oracle that lives for minutes", "admin.password": ""},
    }
    yield project()


def project() -> Object:
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "AppProject",
        "metadata": {"name": "default", "namespace": NAMESPACE},
        "spec": {
            "sourceRepos": ["*"],
            "sourceNamespaces": ["*"],
            "destinations": [{"namespace": "*", "server": "*"}],
            "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
        },
    }


def _named(name: str) -> Object:
    return {"name": name, "namespace": NAMESPACE, "labels": _PART}
