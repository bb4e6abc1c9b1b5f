"""What the validation of a pod's spec depends on, beside the spec: whether it is a pod or a template, and what the stored object
was allowed to have when rules were laxer."""

from __future__ import annotations

from dataclasses import dataclass

from argosy.kube.objects import Object
from argosy.kube.server.rules import formats


@dataclass(frozen=True, slots=True)
class Options:
    is_pod: bool = False
    any_selector_value: bool = False
    """Selectors of affinity terms may have values that are no label's."""
    any_node_value: bool = False
    any_spread_selector: bool = False


TEMPLATE = Options()
POD = Options(is_pod=True)


def after(old: Object, *, is_pod: bool = False) -> Options:
    """For a change of an object whose pod's spec was `old`."""
    affinity, spread = old.get("affinity"), old.get("topologySpreadConstraints")
    if not affinity and not spread:
        return POD if is_pod else TEMPLATE
    terms = list(_pod_terms(affinity or {}))
    required = ((affinity or {}).get("nodeAffinity") or {}).get(
        "requiredDuringSchedulingIgnoredDuringExecution"
    )
    return Options(
        is_pod=is_pod,
        any_selector_value=any(
            _has_bad_value(term.get(part))
            for term in terms
            for part in ("labelSelector", "namespaceSelector")
        ),
        any_node_value=any(_has_bad_value(term) for term in (required or {}).get("nodeSelectorTerms") or ()),
        any_spread_selector=any(_has_bad_value(one.get("labelSelector")) for one in spread or ()),
    )


def _pod_terms(affinity: Object) -> list[Object]:
    found: list[Object] = []
    for part in ("podAffinity", "podAntiAffinity"):
        one = affinity.get(part) or {}
        found += one.get("requiredDuringSchedulingIgnoredDuringExecution") or []
        found += [
            weighted.get("podAffinityTerm") or {}
            for weighted in one.get("preferredDuringSchedulingIgnoredDuringExecution") or ()
        ]
    return found


def _has_bad_value(selector: Object | None) -> bool:
    return any(
        formats.label_value(value)
        for expression in (selector or {}).get("matchExpressions") or ()
        for value in expression.get("values") or ()
    )
