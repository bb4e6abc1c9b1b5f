"""Which application belongs to which step of a rollout, and what is wrong with the steps. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from argosy.contracts.argo.application_set import Requirement, SetSpec, Step
from argosy.kube.objects import Object, labels_of, name_of


def is_rolling(spec: SetSpec) -> bool:
    strategy = spec.strategy
    return strategy is not None and strategy.type == "RollingSync" and strategy.rolling_sync is not None


def steps_of(spec: SetSpec) -> Sequence[Step]:
    strategy = spec.strategy
    return strategy.rolling_sync.steps if is_rolling(spec) and strategy and strategy.rolling_sync else ()


def deletes_in_reverse(spec: SetSpec) -> bool:
    strategy = spec.strategy
    return bool(steps_of(spec)) and strategy is not None and strategy.deletion_order.lower() == "reverse"


@dataclass(slots=True)
class Issues:
    """Told one at a time, the gravest first."""

    operators: list[tuple[int, str]] = field(default_factory=list)
    twice: dict[str, list[int]] = field(default_factory=dict)
    updates: dict[int, str] = field(default_factory=dict)
    empty: list[int] = field(default_factory=list)

    def told(self) -> str:
        if self.operators:
            return self._operators()
        if self.twice:
            return self._twice()
        if self.updates:
            numbers, values = ", ".join(str(at + 1) for at in self.updates), ", ".join(self.updates.values())
            if len(self.updates) == 1:
                return f"Step {numbers} has an invalid maxUpdate value: {values}"
            return f"Steps {numbers} have invalid maxUpdate values: [{values}]"
        if self.empty:
            numbers = " ".join(str(at + 1) for at in self.empty)
            return f"Steps [{numbers}] have no applications matching their criteria"
        return ""

    def _operators(self) -> str:
        numbers = ", ".join(str(at + 1) for at, _ in self.operators)
        told = ", ".join(operator for _, operator in self.operators)
        several = len(self.operators) > 1
        return (
            f"{'Steps' if several else 'Step'} {numbers} {'have' if several else 'has'} invalid matchExpression "
            f"operators: {told}. Supported Operators are 'In' and 'NotIn'"
        )

    def _twice(self) -> str:
        names = sorted(self.twice)
        numbers = ["-".join(str(at + 1) for at in self.twice[name]) for name in names]
        if len(names) == 1:
            return f"Application '{names[0]}' is selected by multiple steps: ({numbers[0]})"
        joined, steps = "', '".join(names), "), (".join(numbers)
        return f"Applications '{joined}' are selected by multiple steps: [({steps})]"


@dataclass(frozen=True, slots=True)
class Plan:
    """`members` of each step, in order; `step`: of each application that is in one, the first."""

    members: list[list[str]]
    step: dict[str, int]
    issues: Issues

    def number(self, name: str) -> str:
        """As a status tells it."""
        return str(self.step[name] + 1) if name in self.step else "-1"


def plan(spec: SetSpec, applications: Sequence[Object]) -> Plan:
    steps = steps_of(spec)
    found = Plan([[] for _ in steps], {}, Issues())
    for app in applications:
        for at, step in enumerate(steps):
            if _selects(step, app, at, found.issues):
                _add(name_of(app), at, found)
    found.issues.empty.extend(at for at, members in enumerate(found.members) if not members)
    return found


def _add(name: str, at: int, found: Plan) -> None:
    found.members[at].append(name)
    if name in found.step:
        found.issues.twice.setdefault(name, [found.step[name]]).append(at)
    else:
        found.step[name] = at


def _selects(step: Step, app: Object, at: int, issues: Issues) -> bool:
    labels = labels_of(app)
    for one in step.match_expressions:
        if one.key not in labels:
            if one.operator == "In":
                return False
            continue
        if one.operator not in {"In", "NotIn"}:
            if (at, one.operator) not in issues.operators:
                issues.operators.append((at, one.operator))
            return False
        if not _meets(one, labels[one.key]):
            return False
    return True


def _meets(one: Requirement, value: str) -> bool:
    return (value in one.values) is (one.operator == "In")


def allowed(step: Step, total: int) -> int | None:
    """How many of a step may change at a time; None: all. Raises ValueError for what is no number."""
    wanted = step.max_update
    if wanted is None:
        return None
    if isinstance(wanted, int):
        return wanted
    if not wanted.endswith("%") or not wanted[:-1].isdecimal():
        raise ValueError(wanted)
    found = int(wanted[:-1]) * total // 100
    return max(found, 1) if wanted != "0%" else 0
