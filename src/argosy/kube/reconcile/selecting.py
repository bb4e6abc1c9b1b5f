"""Label selectors, as workloads and budgets carry them, and the requirements that node affinity is made of."""

from __future__ import annotations

from collections.abc import Mapping

from argosy.kube.objects import Object


def selects(selector: Object | None, labels: Mapping[str, str]) -> bool:
    """No selector selects nothing, an empty one everything."""
    if selector is None:
        return False
    wanted = selector.get("matchLabels") or {}
    return all(labels.get(key) == value for key, value in wanted.items()) and all(
        meets(one, labels) for one in selector.get("matchExpressions") or ()
    )


def meets(requirement: Object, labels: Mapping[str, str]) -> bool:
    key, operator, values = requirement.get("key", ""), requirement.get("operator"), requirement.get("values")
    values = values or ()
    match operator:
        case "In":
            return key in labels and labels[key] in values
        case "NotIn":
            return labels.get(key) not in values
        case "Exists":
            return key in labels
        case "DoesNotExist":
            return key not in labels
        case "Gt" | "Lt":
            return _compares(operator, labels.get(key, ""), values[0] if values else "")
    return False


def _compares(operator: str, have: str, limit: str) -> bool:
    try:
        return int(have) > int(limit) if operator == "Gt" else int(have) < int(limit)
    except ValueError:
        return False
