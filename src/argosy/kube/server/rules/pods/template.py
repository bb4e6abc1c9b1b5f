"""Pod templates, as every workload has one."""

from __future__ import annotations

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import metadata
from argosy.kube.server.rules.pods.annotations import check_annotations, check_annotations_match
from argosy.kube.server.rules.pods.options import Options
from argosy.kube.server.rules.pods.spec import check_spec
from argosy.kube.server.rules.wording import forbidden


def spec_of(template: Object) -> Object:
    return template.get("spec") or {}


def labels_of(template: Object) -> dict[str, str]:
    return metadata.of(template).get("labels") or {}


def check_template(template: Object, path: str, options: Options) -> list[Cause]:
    meta, spec = metadata.of(template), spec_of(template)
    causes: list[Cause] = []
    if labels := meta.get("labels"):
        causes += metadata.check_labels(labels, f"{path}.labels")
    annotations = meta.get("annotations") or {}
    if annotations:
        causes += metadata.check_annotations(annotations, f"{path}.annotations")
        causes += check_annotations(annotations, spec, f"{path}.annotations")
    causes += check_spec(spec, f"{path}.spec", options)
    causes += check_annotations_match(annotations, spec, f"{path}.spec")
    if spec.get("ephemeralContainers"):
        told = "ephemeral containers not allowed in pod template"
        causes.append(forbidden(f"{path}.spec.ephemeralContainers", told))
    return causes
