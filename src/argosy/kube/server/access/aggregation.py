"""The rules of a ClusterRole that gathers them from others by their labels (`admin`, `edit` and `view` do).

Pure: the controller that watches ClusterRoles calls it and writes what differs.
"""

from __future__ import annotations

from collections.abc import Iterable

from argosy.kube.objects import Object, labels_of, name_of


def aggregated_rules(role: Object, cluster_roles: Iterable[Object]) -> list[Object] | None:
    """The rules that it should have; None for a role that gathers none. Each rule once, by selector and role name."""
    aggregation = role.get("aggregationRule")
    if not isinstance(aggregation, dict):
        return None
    others = sorted((one for one in cluster_roles if name_of(one) != name_of(role)), key=name_of)
    gathered: list[Object] = []
    for selector in aggregation.get("clusterRoleSelectors") or ():
        for other in others:
            if _selects(selector, labels_of(other)):
                gathered.extend(rule for rule in other.get("rules") or () if rule not in gathered)
    return gathered


def _selects(selector: Object, labels: dict[str, str]) -> bool:
    exact = selector.get("matchLabels") or {}
    expressions = selector.get("matchExpressions") or ()
    return all(labels.get(key) == value for key, value in exact.items()) and all(
        _meets(expression, labels) for expression in expressions
    )


def _meets(expression: Object, labels: dict[str, str]) -> bool:
    key, values = expression.get("key"), expression.get("values") or ()
    match expression.get("operator"):
        case "In":
            return labels.get(str(key)) in values
        case "NotIn":
            return labels.get(str(key)) not in values
        case "Exists":
            return key in labels
        case "DoesNotExist":
            return key not in labels
    return False
