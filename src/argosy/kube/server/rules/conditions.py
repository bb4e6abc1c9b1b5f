"""Conditions in the general form (`type`, `status`, `reason`, `lastTransitionTime`)."""

from __future__ import annotations

import re
from typing import Final

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats
from argosy.kube.server.rules.wording import duplicate, each, invalid, not_supported, required, too_long

_REASON: Final = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?"
_is_reason = re.compile(_REASON).fullmatch
_NO_REASON: Final = formats.regex_error(
    "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric "
    "characters or '_,:', and must end with an alphanumeric character or '_'",
    _REASON,
    "my_name",
    "MY_NAME",
    "MyName",
    "ReasonA,ReasonB",
    "ReasonA:ReasonB",
)


def check_conditions(conditions: list[Object], path: str) -> list[Cause]:
    causes: list[Cause] = []
    seen: set[str] = set()
    for index, condition in enumerate(conditions):
        kind = condition.get("type") or ""
        if kind in seen:
            causes.append(duplicate(f"{path}[{index}].type", kind))
        seen.add(kind)
        causes += _check_condition(condition, kind, f"{path}[{index}]")
    return causes


def _check_condition(condition: Object, kind: str, path: str) -> list[Cause]:
    causes = each(f"{path}.type", kind, formats.qualified_name(kind))
    status, reason = condition.get("status") or "", condition.get("reason") or ""
    if status not in {"False", "True", "Unknown"}:
        causes.append(not_supported(f"{path}.status", status, ("False", "True", "Unknown")))
    if (observed := condition.get("observedGeneration") or 0) < 0:
        told = "must be greater than or equal to zero"
        causes.append(invalid(f"{path}.observedGeneration", observed, told))
    if not condition.get("lastTransitionTime"):
        causes.append(required(f"{path}.lastTransitionTime"))
    if not reason:
        causes.append(required(f"{path}.reason"))
    elif not _is_reason(reason):
        causes.append(invalid(f"{path}.reason", reason, _NO_REASON))
    if formats.size(reason) > 1024:
        causes.append(too_long(f"{path}.reason", 1024))
    if formats.size(condition.get("message") or "") > 32768:
        causes.append(too_long(f"{path}.message", 32768))
    return causes
