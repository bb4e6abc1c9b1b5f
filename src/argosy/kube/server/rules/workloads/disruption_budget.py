"""PodDisruptionBudgets."""

from __future__ import annotations

from typing import ClassVar

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import label_selectors
from argosy.kube.server.rules.builtin import Builtin, same
from argosy.kube.server.rules.conditions import check_conditions
from argosy.kube.server.rules.printing import printed
from argosy.kube.server.rules.wording import invalid, not_supported
from argosy.kube.server.rules.workloads.replicated import check_at_most_all, check_counts, check_share

_COUNTS = ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")


class DisruptionBudgetRules(Builtin):
    new_status: ClassVar[Object] = dict.fromkeys(
        ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"), 0
    )
    generation = True
    unconditional_update = False
    repeats_metadata = False

    def validate(self, obj: Object) -> list[Cause]:
        """Upstream has no rule of its own for the name: the general one counts, and only of a valid spec."""
        return self.check(obj) or self.check_plain_metadata(obj)

    def check(self, obj: Object) -> list[Cause]:
        return _check_spec(obj.get("spec") or {}, any_value=False)

    def check_update(self, new: Object, old: Object) -> list[Cause]:
        selector = (old.get("spec") or {}).get("selector")
        loose = bool(label_selectors.check(selector, ""))
        return _check_spec(new.get("spec") or {}, any_value=loose)

    def check_status(self, new: Object, old: Object) -> list[Cause]:
        status = new.get("status") or {}
        return check_conditions(status.get("conditions") or [], "status.conditions") + check_counts(
            status, _COUNTS
        )

    def changed(self, new: Object, old: Object) -> bool:
        return not same(new.get("spec"), old.get("spec"))


def _check_spec(spec: Object, *, any_value: bool) -> list[Cause]:
    causes: list[Cause] = []
    shares = {
        field: spec[field] for field in ("minAvailable", "maxUnavailable") if spec.get(field) is not None
    }
    if len(shares) == 2:
        told = "minAvailable and maxUnavailable cannot be both set"
        causes.append(invalid("spec", printed("policy.PodDisruptionBudgetSpec", spec), told))
    for field, value in shares.items():
        causes += check_share(value, f"spec.{field}") + check_at_most_all(value, f"spec.{field}")
    causes += label_selectors.check(spec.get("selector"), "spec.selector", any_value=any_value)
    policy = spec.get("unhealthyPodEvictionPolicy")
    if policy is not None and policy not in {"AlwaysAllow", "IfHealthyBudget"}:
        known = ("AlwaysAllow", "IfHealthyBudget")
        causes.append(not_supported("spec.unhealthyPodEvictionPolicy", policy, known))
    return causes
