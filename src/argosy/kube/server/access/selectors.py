"""Checks the selectors of an access review. RBAC does not look at them; a review that carries wrong ones is refused all
the same, as a real server refuses it. Called by `review_specs`."""

from __future__ import annotations

from collections.abc import Iterator

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.access.quoting import quoted

_WITH_VALUES, _WITHOUT_VALUES = ("In", "NotIn"), ("Exists", "DoesNotExist")


def selector_causes(asked: Object, field: str) -> Iterator[Cause]:
    for name in ("fieldSelector", "labelSelector"):
        selector = asked.get(name)
        if isinstance(selector, dict):
            yield from _causes(selector, f"{field}.{name}")


def _causes(selector: Object, field: str) -> Iterator[Cause]:
    raw, requirements = str(selector.get("rawSelector") or ""), selector.get("requirements") or []
    if raw and requirements:
        said = f"Invalid value: {quoted(raw)}: may not specified at the same time as requirements"
        yield Cause("FieldValueInvalid", said, f"{field}.rawSelector")
    if not raw and not requirements:
        said = f"Required value: when {field} is specified, requirements or rawSelector is required"
        yield Cause("FieldValueRequired", said, f"{field}.requirements")
    for index, requirement in enumerate(requirements):
        if isinstance(requirement, dict):
            yield from _requirement(requirement, f"{field}.requirements[{index}]")


def _requirement(requirement: Object, field: str) -> Iterator[Cause]:
    operator, values = requirement.get("operator"), requirement.get("values")
    no_key = Cause("FieldValueRequired", "Required value: must be specified", f"{field}.key")
    if not requirement.get("key") and ".fieldSelector." in field:
        yield no_key
    if operator in _WITH_VALUES and not values:
        said = "Required value: must be specified when `operator` is 'In' or 'NotIn'"
        yield Cause("FieldValueRequired", said, f"{field}.values")
    if operator in _WITHOUT_VALUES and values:
        said = "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
        yield Cause("FieldValueForbidden", said, f"{field}.values")
    if not requirement.get("key") and ".labelSelector." in field:
        yield no_key
