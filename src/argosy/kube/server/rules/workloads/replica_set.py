"""ReplicaSets, and the ReplicationControllers that they replaced."""

from __future__ import annotations

from typing import ClassVar, Final

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import metadata
from argosy.kube.server.rules.pods.defaults import default_template
from argosy.kube.server.rules.pods.options import Options
from argosy.kube.server.rules.pods.template import check_template, labels_of
from argosy.kube.server.rules.wording import invalid, nonnegative, required
from argosy.kube.server.rules.workloads.replicated import (
    MISMATCH,
    Workload,
    check_counts,
    check_not_above,
    check_restarting,
    check_same_selector,
    check_selected_template,
)

_COUNTS: Final = (
    "replicas",
    "fullyLabeledReplicas",
    "readyReplicas",
    "availableReplicas",
    "observedGeneration",
    "terminatingReplicas",
)


class ReplicaSetRules(Workload):
    new_status: ClassVar[Object] = {"replicas": 0}

    def default_spec(self, spec: Object) -> None:
        if spec.get("replicas") is None:
            spec["replicas"] = 1

    def check_spec(self, spec: Object, how: Options) -> list[Cause]:
        causes = nonnegative("spec.replicas", spec.get("replicas"))
        causes += nonnegative("spec.minReadySeconds", spec.get("minReadySeconds"))
        return causes + check_selected_template(spec, how, what="deployment", kind="ReplicaSet")

    def check_change(self, new: Object, old: Object) -> list[Cause]:
        return check_same_selector(new, old)

    def check_status(self, new: Object, old: Object) -> list[Cause]:
        status = new.get("status") or {}
        causes = check_counts(status, _COUNTS)
        for name in ("fullyLabeledReplicas", "readyReplicas", "availableReplicas"):
            causes += check_not_above(status, name, "replicas", "cannot be greater than status.replicas")
        told = "cannot be greater than readyReplicas"
        return causes + check_not_above(status, "availableReplicas", "readyReplicas", told)


class ReplicationControllerRules(ReplicaSetRules):
    """Its selector is a map of labels; selector and labels come out of the template when they are left out."""

    def default(self, obj: Object) -> None:
        spec = obj.setdefault("spec", {})
        template = spec.get("template")
        if template is not None:
            default_template(template)
        labels = labels_of(template or {})
        if labels:
            if not spec.get("selector"):
                spec["selector"] = dict(labels)
            if not metadata.of(obj).get("labels"):
                obj.setdefault("metadata", {})["labels"] = dict(labels)
        self.default_spec(spec)

    def check_spec(self, spec: Object, how: Options) -> list[Cause]:
        causes = nonnegative("spec.minReadySeconds", spec.get("minReadySeconds"))
        selector = spec.get("selector") or {}
        if not selector:
            causes.append(required("spec.selector"))
        causes += nonnegative("spec.replicas", spec.get("replicas"))
        template = spec.get("template")
        if template is None:
            return [*causes, required("spec.template")]
        labels = labels_of(template)
        if any(labels.get(key) != value for key, value in selector.items()):
            causes.append(
                invalid("spec.template.metadata.labels", metadata.of(template).get("labels"), MISMATCH)
            )
        causes += check_template(template, "spec.template", how)
        return causes + check_restarting(template, "spec.template", "ReplicationController")

    def check_change(self, new: Object, old: Object) -> list[Cause]:
        return []

    def fields(self, obj: Object) -> dict[str, str]:
        return {"status.replicas": str((obj.get("status") or {}).get("replicas") or 0)}
