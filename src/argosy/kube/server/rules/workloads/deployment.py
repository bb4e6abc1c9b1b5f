"""Deployments."""

from __future__ import annotations

from typing import Final

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules.builtin import same
from argosy.kube.server.rules.pods.options import Options
from argosy.kube.server.rules.printing import printed
from argosy.kube.server.rules.wording import forbidden, invalid, nonnegative, not_supported, required
from argosy.kube.server.rules.workloads.replicated import (
    Workload,
    check_at_most_all,
    check_collisions,
    check_counts,
    check_not_above,
    check_same_selector,
    check_selected_template,
    check_share,
    share,
)

_COUNTS: Final = (
    "observedGeneration",
    "replicas",
    "updatedReplicas",
    "readyReplicas",
    "availableReplicas",
    "unavailableReplicas",
    "terminatingReplicas",
    "collisionCount",
)


class DeploymentRules(Workload):
    def default_spec(self, spec: Object) -> None:
        if spec.get("replicas") is None:
            spec["replicas"] = 1
        strategy = spec.get("strategy")
        if strategy is None:
            strategy = spec["strategy"] = {}
        if not strategy.get("type"):
            strategy["type"] = "RollingUpdate"
        if strategy["type"] == "RollingUpdate":
            rolling: Object | None = strategy.get("rollingUpdate")
            if rolling is None:
                rolling = strategy["rollingUpdate"] = {}
            for field in ("maxUnavailable", "maxSurge"):
                if rolling.get(field) is None:
                    rolling[field] = "25%"
        if spec.get("revisionHistoryLimit") is None:
            spec["revisionHistoryLimit"] = 10
        if spec.get("progressDeadlineSeconds") is None:
            spec["progressDeadlineSeconds"] = 600

    def changed(self, new: Object, old: Object) -> bool:
        """Its annotations go to the replica sets, so they count too."""
        if not same(new["metadata"].get("annotations"), old["metadata"].get("annotations")):
            return True
        return super().changed(new, old)

    def prepare_status(self, new: Object, old: Object) -> None:
        super().prepare_status(new, old)
        if "labels" in old["metadata"]:
            new["metadata"]["labels"] = old["metadata"]["labels"]
        else:
            new["metadata"].pop("labels", None)

    def check_spec(self, spec: Object, how: Options) -> list[Cause]:
        causes = nonnegative("spec.replicas", spec.get("replicas"))
        causes += check_selected_template(spec, how, what="deployment", kind="ReplicaSet")
        causes += _check_strategy(spec.get("strategy") or {})
        causes += nonnegative("spec.minReadySeconds", spec.get("minReadySeconds"))
        causes += nonnegative("spec.revisionHistoryLimit", spec.get("revisionHistoryLimit"))
        deadline = spec.get("progressDeadlineSeconds")
        if deadline is not None:
            causes += nonnegative("spec.progressDeadlineSeconds", deadline)
            if deadline <= (spec.get("minReadySeconds") or 0):
                told = "must be greater than minReadySeconds"
                causes.append(invalid("spec.progressDeadlineSeconds", deadline, told))
        return causes

    def check_change(self, new: Object, old: Object) -> list[Cause]:
        return check_same_selector(new, old)

    def check_status(self, new: Object, old: Object) -> list[Cause]:
        status = new.get("status") or {}
        causes = check_counts(status, _COUNTS)
        for name in ("updatedReplicas", "readyReplicas", "availableReplicas"):
            causes += check_not_above(status, name, "replicas", "cannot be greater than status.replicas")
        told = "cannot be greater than readyReplicas"
        causes += check_not_above(status, "availableReplicas", "readyReplicas", told)
        return causes + check_collisions(new, old)


def _check_strategy(strategy: Object) -> list[Cause]:
    path, rolling = "spec.strategy.rollingUpdate", strategy.get("rollingUpdate")
    match strategy.get("type"):
        case "Recreate":
            told = "may not be specified when strategy `type` is 'Recreate'"
            return [] if rolling is None else [forbidden(path, told)]
        case "RollingUpdate":
            if rolling is None:
                return [required(path, "this should be defaulted and never be nil")]
            return _check_rolling(rolling, path)
    shown = printed("apps.DeploymentStrategy", strategy)
    return [not_supported("spec.strategy", shown, ("Recreate", "RollingUpdate"))]


def _check_rolling(rolling: Object, path: str) -> list[Cause]:
    unavailable, surge = rolling.get("maxUnavailable", 0), rolling.get("maxSurge", 0)
    causes = check_share(unavailable, f"{path}.maxUnavailable")
    causes += check_share(surge, f"{path}.maxSurge")
    if share(unavailable) == 0 and share(surge) == 0:
        told = "may not be 0 when `maxSurge` is 0"
        causes.append(invalid(f"{path}.maxUnavailable", unavailable, told))
    return causes + check_at_most_all(unavailable, f"{path}.maxUnavailable")
