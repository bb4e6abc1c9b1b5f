"""Where a pod may run: affinity, tolerations, topology spread, node selectors."""

from __future__ import annotations

from collections import Counter
from typing import Final

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats, label_selectors
from argosy.kube.server.rules.pods.options import Options
from argosy.kube.server.rules.wording import (
    NOT_POSITIVE,
    duplicate,
    each,
    forbidden,
    invalid,
    not_supported,
    required,
)

_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
_NEEDS_SELECTOR: Final = "must not be specified when labelSelector is not set"


def check_affinity(affinity: Object, options: Options, path: str) -> list[Cause]:
    causes: list[Cause] = []
    if (node := affinity.get("nodeAffinity")) is not None:
        causes += _check_node_affinity(node, options, f"{path}.nodeAffinity")
    for part in ("podAffinity", "podAntiAffinity"):
        if (one := affinity.get(part)) is not None:
            causes += _check_pod_affinity(one, options.any_selector_value, f"{path}.{part}")
    return causes


def _check_node_affinity(node: Object, options: Options, path: str) -> list[Cause]:
    causes: list[Cause] = []
    if (selector := node.get(_REQUIRED)) is not None:
        causes += check_node_selector(selector, f"{path}.{_REQUIRED}", any_value=options.any_node_value)
    for index, term in enumerate(node.get(_PREFERRED) or ()):
        here = f"{path}.{_PREFERRED}[{index}]"
        causes += _check_weight(term, here)
        causes += _check_node_term(term.get("preference") or {}, f"{here}.preference", any_value=True)
    return causes


def _check_weight(term: Object, path: str) -> list[Cause]:
    weight = term.get("weight") or 0
    return [] if 0 < weight <= 100 else [invalid(f"{path}.weight", weight, "must be in the range 1-100")]


def check_node_selector(selector: Object, path: str, *, any_value: bool = False) -> list[Cause]:
    terms = selector.get("nodeSelectorTerms") or []
    if not terms:
        return [required(f"{path}.nodeSelectorTerms", "must have at least one node selector term")]
    causes: list[Cause] = []
    for index, term in enumerate(terms):
        causes += _check_node_term(term, f"{path}.nodeSelectorTerms[{index}]", any_value=any_value)
    return causes


def _check_node_term(term: Object, path: str, *, any_value: bool) -> list[Cause]:
    causes: list[Cause] = []
    for index, one in enumerate(term.get("matchExpressions") or ()):
        causes += _check_node_requirement(one, f"{path}.matchExpressions[{index}]", any_value)
    for index, one in enumerate(term.get("matchFields") or ()):
        causes += _check_node_field(one, f"{path}.matchFields[{index}]")
    return causes


def _check_node_requirement(one: Object, path: str, any_value: bool) -> list[Cause]:
    causes: list[Cause] = []
    operator, values, key = one.get("operator") or "", one.get("values") or [], one.get("key") or ""
    if operator in {"In", "NotIn"}:
        if not values:
            told = "must be specified when `operator` is 'In' or 'NotIn'"
            causes.append(required(f"{path}.values", told))
    elif operator in {"Exists", "DoesNotExist"}:
        if values:
            told = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            causes.append(forbidden(f"{path}.values", told))
    elif operator in {"Gt", "Lt"}:
        if len(values) != 1:
            told = "must be specified single value when `operator` is 'Lt' or 'Gt'"
            causes.append(required(f"{path}.values", told))
    else:
        causes.append(invalid(f"{path}.operator", operator, "not a valid selector operator"))
    causes += each(f"{path}.key", key, formats.qualified_name(key))
    if not any_value:
        for index, value in enumerate(values):
            causes += each(f"{path}.values[{index}]", value, formats.label_value(value))
    return causes


def _check_node_field(one: Object, path: str) -> list[Cause]:
    causes: list[Cause] = []
    operator, values, key = one.get("operator") or "", one.get("values") or [], one.get("key") or ""
    if operator not in {"In", "NotIn"}:
        causes.append(invalid(f"{path}.operator", operator, "not a valid selector operator"))
    elif len(values) != 1:
        told = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
        causes.append(required(f"{path}.values", told))
    if key != "metadata.name":
        return [*causes, invalid(f"{path}.key", key, "not a valid field selector key")]
    for index, value in enumerate(values):
        causes += each(f"{path}.values[{index}]", value, formats.subdomain(value))
    return causes


def _check_pod_affinity(one: Object, any_value: bool, path: str) -> list[Cause]:
    causes: list[Cause] = []
    for index, term in enumerate(one.get(_REQUIRED) or ()):
        causes += _check_pod_term(term, any_value, f"{path}.{_REQUIRED}[{index}]")
    for index, weighted in enumerate(one.get(_PREFERRED) or ()):
        here = f"{path}.{_PREFERRED}[{index}]"
        causes += _check_weight(weighted, here)
        causes += _check_pod_term(weighted.get("podAffinityTerm") or {}, any_value, f"{here}.podAffinityTerm")
    return causes


def _check_pod_term(term: Object, any_value: bool, path: str) -> list[Cause]:
    causes: list[Cause] = []
    for part in ("labelSelector", "namespaceSelector"):
        causes += label_selectors.check(term.get(part), f"{path}.{part}", any_value=any_value)
    for name in term.get("namespaces") or ():
        causes += each(f"{path}.namespace", name, formats.dns_label(name))
    causes += _check_label_keys(
        term.get("matchLabelKeys") or [], term.get("mismatchLabelKeys") or [], term.get("labelSelector"), path
    )
    topology = term.get("topologyKey") or ""
    if not topology:
        causes.append(required(f"{path}.topologyKey", "can not be empty"))
    return causes + each(f"{path}.topologyKey", topology, formats.qualified_name(topology))


def _check_label_keys(
    matched: list[str], mismatched: list[str], selector: Object | None, path: str
) -> list[Cause]:
    causes: list[Cause] = []
    for field, keys in (("matchLabelKeys", matched), ("mismatchLabelKeys", mismatched)):
        if keys and selector is None:
            causes.append(forbidden(f"{path}.{field}", _NEEDS_SELECTOR))
            continue
        for index, key in enumerate(keys):
            causes += each(f"{path}.{field}[{index}]", key, formats.qualified_name(key))
    if selector is not None:
        known = set(selector.get("matchLabels") or ())
        for expression in selector.get("matchExpressions") or ():
            key = expression.get("key") or ""
            if key in matched and key in known:
                told = "exists in both matchLabelKeys and labelSelector"
                causes.append(invalid(f"{path}[{_last(matched, key)}]", key, told))
            known.add(key)
    for index, key in enumerate(matched):
        if key in mismatched:
            told = "exists in both matchLabelKeys and mismatchLabelKeys"
            causes.append(invalid(f"{path}.matchLabelKeys[{index}]", key, told))
    return causes


def _last(keys: list[str], key: str) -> int:
    return len(keys) - 1 - keys[::-1].index(key)


def check_tolerations(tolerations: list[Object], path: str) -> list[Cause]:
    causes: list[Cause] = []
    for index, one in enumerate(tolerations):
        causes += _check_toleration(one, f"{path}[{index}]")
    return causes


def _check_toleration(one: Object, path: str) -> list[Cause]:
    key, operator = one.get("key") or "", one.get("operator") or ""
    value, effect = one.get("value") or "", one.get("effect") or ""
    causes = each(f"{path}.key", key, formats.qualified_name(key)) if key else []
    if not key and operator != "Exists":
        told = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
        causes.append(invalid(f"{path}.operator", operator, told))
    if one.get("tolerationSeconds") is not None and effect != "NoExecute":
        told = "effect must be 'NoExecute' when `tolerationSeconds` is set"
        causes.append(invalid(f"{path}.effect", effect, told))
    if operator in {"Equal", ""}:
        if told_of_value := formats.label_value(value):
            causes.append(invalid(f"{path}.operator", value, ";".join(told_of_value)))
    elif operator == "Exists":
        if value:
            told = "value must be empty when `operator` is 'Exists'"
            causes.append(invalid(f"{path}.operator", value, told))
    else:
        known = ("Equal", "Exists", "Lt", "Gt") if operator in {"Lt", "Gt"} else ("Equal", "Exists")
        causes.append(not_supported(f"{path}.operator", operator, known))
    return causes + check_effect(effect, f"{path}.effect") if effect else causes


def check_effect(effect: str, path: str) -> list[Cause]:
    if effect in _EFFECTS:
        return []
    return [not_supported(path, effect, _EFFECTS) if effect else required(path)]


def check_spread(constraints: list[Object], options: Options, path: str) -> list[Cause]:
    causes: list[Cause] = []
    left = Counter(map(_spread, constraints))
    for index, one in enumerate(constraints):
        here = f"{path}[{index}]"
        skew, (topology, action) = one.get("maxSkew") or 0, _spread(one)
        left[topology, action] -= 1
        if skew <= 0:
            causes.append(invalid(f"{here}.maxSkew", skew, NOT_POSITIVE))
        if not topology:
            causes.append(required(f"{here}.topologyKey", "can not be empty"))
        if action not in {"DoNotSchedule", "ScheduleAnyway"}:
            known = ("DoNotSchedule", "ScheduleAnyway")
            causes.append(not_supported(f"{here}.whenUnsatisfiable", action, known))
        if left[topology, action]:
            told = f"{{{topology}, {action}}}"
            causes.append(duplicate(f"{here}.{{topologyKey, whenUnsatisfiable}}", told))
        causes += _check_spread_rest(one, action, options, here)
    return causes


def _spread(constraint: Object) -> tuple[str, str]:
    """What may stand only once."""
    return constraint.get("topologyKey") or "", constraint.get("whenUnsatisfiable") or ""


def _check_spread_rest(one: Object, action: str, options: Options, path: str) -> list[Cause]:
    causes: list[Cause] = []
    if (least := one.get("minDomains")) is not None:
        if least <= 0:
            causes.append(invalid(f"{path}.minDomains", least, NOT_POSITIVE))
        if action != "DoNotSchedule":
            told = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}"
            causes.append(invalid(f"{path}.minDomains", least, told))
    for field in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
        policy = one.get(field)
        if policy is not None and policy not in {"Honor", "Ignore"}:
            causes.append(not_supported(f"{path}.{field}", policy, ("Honor", "Ignore")))
    selector = one.get("labelSelector")
    causes += _check_label_keys(one.get("matchLabelKeys") or [], [], selector, path)
    if not options.any_spread_selector:
        causes += label_selectors.check(selector, f"{path}.labelSelector")
    return causes
