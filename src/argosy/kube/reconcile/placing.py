"""Whether a pod may be on a node at all: what it tolerates, and which nodes it selects. Pure.

The scheduler and the DaemonSet controller ask.
"""

from __future__ import annotations

from argosy.kube.objects import Object, labels_of, name_of
from argosy.kube.reconcile.selecting import meets


def tolerates(pod: Object, taint: Object) -> bool:
    return any(_tolerated(one, taint) for one in pod["spec"].get("tolerations") or ())


def _tolerated(toleration: Object, taint: Object) -> bool:
    if toleration.get("effect") and toleration["effect"] != taint.get("effect"):
        return False
    if toleration.get("key") and toleration["key"] != taint["key"]:
        return False
    if toleration.get("operator") == "Exists":
        return True
    return bool(toleration.get("key")) and toleration.get("value", "") == taint.get("value", "")


def selected(pod: Object, node: Object) -> bool:
    labels = labels_of(node)
    if any(labels.get(key) != value for key, value in (pod["spec"].get("nodeSelector") or {}).items()):
        return False
    affinity = (pod["spec"].get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    if required is None:
        return True
    return any(_term(term, node) for term in required.get("nodeSelectorTerms") or ())


def preference(pod: Object, node: Object) -> int:
    """How much a pod would rather be on this node than on another."""
    affinity = (pod["spec"].get("affinity") or {}).get("nodeAffinity") or {}
    preferred = affinity.get("preferredDuringSchedulingIgnoredDuringExecution") or ()
    return sum(one["weight"] for one in preferred if _term(one.get("preference") or {}, node))


def _term(term: Object, node: Object) -> bool:
    by_label, by_field = term.get("matchExpressions") or (), term.get("matchFields") or ()
    if not by_label and not by_field:
        return False
    fields = {"metadata.name": name_of(node)}
    return all(meets(one, labels_of(node)) for one in by_label) and all(
        meets(one, fields) for one in by_field
    )
