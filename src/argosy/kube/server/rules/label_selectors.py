"""Label selectors as objects have them (`matchLabels` and `matchExpressions`): what is valid, and what they match.

The ones in a request's query are text: `selectors`.
"""

from __future__ import annotations

from collections.abc import Mapping

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats
from argosy.kube.server.rules.metadata import check_labels
from argosy.kube.server.rules.wording import Printed, as_json, each, forbidden, invalid, required


def check(selector: Object | None, path: str, *, any_value: bool = False) -> list[Cause]:
    """`any_value`: the stored object had a bad value already, so it may keep one."""
    if not selector:
        return []
    causes: list[Cause] = []
    if labels := selector.get("matchLabels"):
        causes += check_labels(labels, f"{path}.matchLabels")
    for index, one in enumerate(selector.get("matchExpressions") or ()):
        causes += _check_requirement(one, f"{path}.matchExpressions[{index}]", any_value)
    return causes


def _check_requirement(one: Object, path: str, any_value: bool) -> list[Cause]:
    causes: list[Cause] = []
    operator, values = one.get("operator") or "", one.get("values") or []
    if operator in {"In", "NotIn"}:
        if not values:
            causes.append(required(f"{path}.values", "must be specified when `operator` is 'In' or 'NotIn'"))
    elif operator in {"Exists", "DoesNotExist"}:
        if values:
            causes.append(
                forbidden(
                    f"{path}.values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
                )
            )
    else:
        causes.append(invalid(f"{path}.operator", operator, "not a valid selector operator"))
    causes += each(f"{path}.key", one.get("key") or "", formats.qualified_name(one.get("key") or ""))
    if not any_value:
        for index, value in enumerate(values):
            causes += each(f"{path}.values[{index}]", value, formats.label_value(value))
    return causes


def is_empty(selector: Object | None) -> bool:
    return not selector or not (selector.get("matchLabels") or selector.get("matchExpressions"))


def usable(selector: Object | None) -> bool:
    """Whether it can be evaluated at all: an unknown operator or a malformed key cannot."""
    return not check(selector, "")


def matches(selector: Object | None, labels: Mapping[str, str]) -> bool:
    """None matches nothing, an empty one everything."""
    if selector is None:
        return False
    for key, value in (selector.get("matchLabels") or {}).items():
        if labels.get(key) != value:
            return False
    return all(_holds(one, labels) for one in selector.get("matchExpressions") or ())


def _holds(one: Object, labels: Mapping[str, str]) -> bool:
    key = one.get("key", "")
    match one.get("operator"):
        case "In":
            return key in labels and labels[key] in (one.get("values") or ())
        case "NotIn":
            return key not in labels or labels[key] not in (one.get("values") or ())
        case "Exists":
            return key in labels
        case "DoesNotExist":
            return key not in labels
    return False


def printed(selector: Object | None) -> Printed:
    """As Go prints one: members in the order in which it declares them."""
    if selector is None:
        return Printed("null")
    parts: list[str] = []
    if labels := selector.get("matchLabels"):
        parts.append(f'"matchLabels":{as_json(labels)}')
    if expressions := selector.get("matchExpressions"):
        parts.append(f'"matchExpressions":[{",".join(_printed(one) for one in expressions)}]')
    return Printed("{" + ",".join(parts) + "}")


def _printed(one: Object) -> str:
    told = f'{{"key":{as_json(one.get("key", ""))},"operator":{as_json(one.get("operator", ""))}'
    return f'{told},"values":{as_json(one["values"])}}}' if one.get("values") else told + "}"
