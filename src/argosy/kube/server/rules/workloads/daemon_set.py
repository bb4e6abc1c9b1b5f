"""DaemonSets."""

from __future__ import annotations

from typing import ClassVar, Final

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import label_selectors, metadata
from argosy.kube.server.rules.builtin import same
from argosy.kube.server.rules.pods import options
from argosy.kube.server.rules.pods.options import Options
from argosy.kube.server.rules.pods.template import check_template, labels_of, spec_of
from argosy.kube.server.rules.printing import printed
from argosy.kube.server.rules.wording import invalid, nonnegative, not_supported, required
from argosy.kube.server.rules.workloads.replicated import (
    MISMATCH,
    Workload,
    check_at_most_all,
    check_collisions,
    check_counts,
    check_restarting,
    check_same_selector,
    check_share,
    share,
)

GENERATION: Final = "deprecated.daemonset.template.generation"
"""The annotation that counts changes of the template."""
_COUNTS: Final = (
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
    "collisionCount",
)


class DaemonSetRules(Workload):
    new_status: ClassVar[Object] = dict.fromkeys(
        ("currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady"), 0
    )
    warns_of_name = False

    def default(self, obj: Object) -> None:
        super().default(obj)
        # The count stands in another place upstream, and is shown like this: whoever made the object owns it.
        _set_generation(obj, _generation(obj))

    def default_spec(self, spec: Object) -> None:
        strategy = spec.get("updateStrategy")
        if strategy is None:
            strategy = spec["updateStrategy"] = {}
        if not strategy.get("type"):
            strategy["type"] = "RollingUpdate"
        if strategy["type"] == "RollingUpdate":
            rolling: Object | None = strategy.get("rollingUpdate")
            if rolling is None:
                rolling = strategy["rollingUpdate"] = {}
            if rolling.get("maxUnavailable") is None:
                rolling["maxUnavailable"] = 1
            if rolling.get("maxSurge") is None:
                rolling["maxSurge"] = 0
        if spec.get("revisionHistoryLimit") is None:
            spec["revisionHistoryLimit"] = 10

    def prepare_create(self, obj: Object) -> None:
        super().prepare_create(obj)
        _set_generation(obj, max(_generation(obj), 1))

    def prepare_update(self, new: Object, old: Object) -> None:
        super().prepare_update(new, old)
        changed = not same(self.template(new), self.template(old))
        _set_generation(new, _generation(old) + changed)

    def check_spec(self, spec: Object, how: Options) -> list[Cause]:
        selector, template = spec.get("selector"), spec.get("template") or {}
        causes = label_selectors.check(selector, "spec.selector", any_value=how.any_selector_value)
        usable = selector is None or label_selectors.usable(selector)
        labels = labels_of(template)
        if usable and not label_selectors.matches(selector, labels):
            causes.append(
                invalid("spec.template.metadata.labels", metadata.of(template).get("labels"), MISMATCH)
            )
        if selector is not None and label_selectors.is_empty(selector):
            told = "empty selector is invalid for daemonset"
            causes.append(invalid("spec.selector", label_selectors.printed(selector), told))
        causes += check_template(template, "spec.template", how)
        causes += check_restarting(template, "spec.template", "DaemonSet")
        causes += nonnegative("spec.minReadySeconds", spec.get("minReadySeconds"))
        causes += _check_strategy(spec.get("updateStrategy") or {})
        return causes + nonnegative("spec.revisionHistoryLimit", spec.get("revisionHistoryLimit"))

    def check_update(self, new: Object, old: Object) -> list[Cause]:
        how = options.after(spec_of(self.template(old)))
        return check_same_selector(new, old) + self.check_spec(new.get("spec") or {}, how)

    def check_status(self, new: Object, old: Object) -> list[Cause]:
        return check_counts(new.get("status") or {}, _COUNTS) + check_collisions(new, old)

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        if old is not None and same(self.template(obj), self.template(old)):
            return []
        return super().warnings(obj, None)


def _generation(obj: Object) -> int:
    text = (obj["metadata"].get("annotations") or {}).get(GENERATION) or ""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else 0


def _set_generation(obj: Object, generation: int) -> None:
    annotations = obj["metadata"].get("annotations")
    if annotations is None:
        annotations = obj["metadata"]["annotations"] = {}
    annotations[GENERATION] = str(generation)


def _check_strategy(strategy: Object) -> list[Cause]:
    match strategy.get("type"):
        case "OnDelete":
            return []
        case "RollingUpdate":
            rolling, path = strategy.get("rollingUpdate"), "spec.updateStrategy.rollingUpdate"
            return [required(path)] if rolling is None else _check_rolling(rolling, path)
    shown = printed("apps.DaemonSetUpdateStrategy", strategy)
    return [not_supported("spec.updateStrategy", shown, ("RollingUpdate", "OnDelete"))]


def _check_rolling(rolling: Object, path: str) -> list[Cause]:
    unavailable, surge = rolling.get("maxUnavailable", 0), rolling.get("maxSurge", 0)
    causes = check_share(unavailable, f"{path}.maxUnavailable")
    causes += check_share(surge, f"{path}.maxSurge")
    causes += check_at_most_all(unavailable, f"{path}.maxUnavailable")
    causes += check_at_most_all(surge, f"{path}.maxSurge")
    if share(unavailable) and share(surge):
        told = "may not be set when maxUnavailable is non-zero"
        causes.append(invalid(f"{path}.maxSurge", surge, told))
    elif not share(unavailable) and not share(surge):
        causes.append(required(f"{path}.maxUnavailable", "cannot be 0 when maxSurge is 0"))
    return causes
