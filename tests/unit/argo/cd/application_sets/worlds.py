"""Sets, clusters and repositories as tests write them."""

from __future__ import annotations

from base64 import b64encode

import yaml

from argosy.argo.cd.application_sets.facts import Cluster, Facts, Wanted
from argosy.argo.cd.application_sets.generating import Generated, generate
from argosy.argo.cd.application_sets.telling import read
from argosy.kube.objects import Object, name_of
from argosy.manifests.tree import Form, MissingPath, SourceError, Tree

URL = "https://git.example.com/team/apps.git"
TEMPLATE = """
metadata: {name: '%s'}
spec:
  project: default
  source: {repoURL: https://git.example.com/team/apps.git, path: web, targetRevision: main}
  destination: {server: https://kubernetes.default.svc, namespace: web}
"""


class Files:
    """A tree out of a dictionary. A path whose content is None leads out of the repository."""

    def __init__(self, files: dict[str, str | None]) -> None:
        self._files = files

    def form(self, path: str) -> Form | None:
        if path in self._files:
            if self._files[path] is None:
                raise SourceError(f"{path} leads out of the repository")
            return "file"
        return "folder" if not path or any(one.startswith(f"{path}/") for one in self._files) else None

    def read(self, path: str) -> bytes:
        found = self._files.get(path)
        if found is None:
            raise MissingPath(f"there is no {path}")
        return found.encode()

    def names(self, path: str) -> list[str]:
        start = f"{path}/" if path else ""
        return sorted({one[len(start) :].split("/")[0] for one in self._files if one.startswith(start)})

    def digest(self, path: str) -> str:
        return str(hash(path))


def application_set(
    generators: str, *, template: str = "", go: bool = True, name: str = "web", **spec: object
) -> Object:
    """`generators` and `template` are YAML; a template of one word is the name of the usual one."""
    text = template if "\n" in template else TEMPLATE % (template or "{{ .name }}")
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ApplicationSet",
        "metadata": {"name": name, "namespace": "argocd"},
        "spec": {
            "goTemplate": go,
            "generators": yaml.safe_load(generators),
            "template": yaml.safe_load(text),
            **spec,
        },
    }


def cluster(
    name: str, server: str = "", *, labels: dict | None = None, annotations: dict | None = None
) -> Cluster:
    return Cluster(name, server or f"https://{name}.example.com", "", labels or {}, annotations or {})


def cluster_secret(name: str, **labels: str) -> Object:
    data = {"name": name, "server": f"https://{name}.example.com", "config": "{}"}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "labels": {"argocd.argoproj.io/secret-type": "cluster", **labels}},
        "data": {key: b64encode(value.encode()).decode() for key, value in data.items()},
    }


def generated(
    wanted: Object,
    *,
    clusters: tuple[Cluster, ...] = (),
    files: dict[str, str | None] | None = None,
    trees: dict[Wanted, Tree | SourceError] | None = None,
    strict_globs: bool = False,
) -> Generated:
    known: dict[Wanted, Tree | SourceError] = dict(trees or {})
    if files is not None:
        known |= {Wanted(URL, revision): Files(files) for revision in ("", "HEAD", "main")}
    return generate(wanted, read(wanted), Facts(clusters, known), strict_globs=strict_globs)


def names(found: Generated) -> list[str]:
    assert found.failure is None, found.failure
    return [name_of(app) for app in found.applications]


def named(generators: str, name: str = "{{ .name }}", *, go: bool = True, **world: object) -> list[str]:
    """The names of the applications: enough to see what the parameters were."""
    return names(generated(application_set(generators, template=name, go=go), **world))  # type: ignore[arg-type]


def failure(generators: str, name: str = "{{ .name }}", *, go: bool = True, **world: object) -> str:
    found = generated(application_set(generators, template=name, go=go), **world)  # type: ignore[arg-type]
    assert found.failure is not None
    return found.failure.message
