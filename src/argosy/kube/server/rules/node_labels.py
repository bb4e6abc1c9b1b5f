"""Labels of nodes that nobody should ask for any more."""

from __future__ import annotations

from typing import Final

from argosy.kube.objects import Object
from argosy.kube.server.rules import formats

DEPRECATED: Final = {
    "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
    "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
    "failure-domain.beta.kubernetes.io/region": 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
    "failure-domain.beta.kubernetes.io/zone": 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
    "beta.kubernetes.io/instance-type": 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
    "app.kubernetes.io/created-by": "deprecated since v1.9",
    "scheduler.alpha.kubernetes.io/preferAvoidPods": "deprecated since v1.22; use Taints and Tolerations instead",
    "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
}


def term_warnings(term: Object, path: str, *, values: bool = False) -> list[str]:
    """Of one term of a node selector."""
    told: list[str] = []
    for index, expression in enumerate(term.get("matchExpressions") or ()):
        here, key = f"{path}.matchExpressions[{index}]", expression.get("key") or ""
        if key in DEPRECATED:
            told.append(f"{here}.key: {key} is {DEPRECATED[key]}")
        for number, value in enumerate((expression.get("values") or ()) if values else ()):
            told += [
                f"{here}.values[{number}]: {value} is invalid, {one}" for one in formats.label_value(value)
            ]
    return told


def selector_warnings(selector: Object | None, path: str) -> list[str]:
    """Of a label selector over nodes."""
    told = term_warnings(selector or {}, path)
    for label in (selector or {}).get("matchLabels") or ():
        if label in DEPRECATED:
            told.append(f"{path}.matchLabels.{label}: {DEPRECATED[label]}")
    return told
