"""When a job has failed or succeeded: its policies, and lists of indexes (`0,2-4`)."""

from __future__ import annotations

import itertools
import re
from typing import Final

from argosy.kube.errors import Cause
from argosy.kube.objects import Object
from argosy.kube.server.rules import formats
from argosy.kube.server.rules.wording import (
    OMITTED,
    duplicate,
    each,
    invalid,
    nonnegative,
    not_supported,
    quoted,
    required,
    too_long,
    too_many,
)

_ACTIONS: Final = ("Count", "FailIndex", "FailJob", "Ignore")
_STATUSES: Final = ("False", "True", "Unknown")
_is_number = re.compile("[+-]?[0-9]{1,18}").fullmatch


def check_failure_policy(policy: Object, spec: Object, path: str) -> list[Cause]:
    rules = policy.get("rules") or []
    causes = [too_many(f"{path}.rules", len(rules), 20)] if len(rules) > 20 else []
    pod = (spec.get("template") or {}).get("spec") or {}
    names = {one.get("name") for part in ("containers", "initContainers") for one in pod.get(part) or ()}
    for index, rule in enumerate(rules):
        causes += _check_rule(rule, spec, names, f"{path}.rules[{index}]")
    return causes


def _check_rule(rule: Object, spec: Object, names: set[str | None], path: str) -> list[Cause]:
    action, causes = rule.get("action") or "", []
    if not action:
        causes.append(required(f"{path}.action", f"valid values: {_listed(_ACTIONS)}"))
    elif action == "FailIndex":
        if spec.get("backoffLimitPerIndex") is None:
            causes.append(invalid(f"{path}.action", action, "requires the backoffLimitPerIndex to be set"))
    elif action not in _ACTIONS:
        causes.append(not_supported(f"{path}.action", action, _ACTIONS))
    codes, conditions = rule.get("onExitCodes"), rule.get("onPodConditions") or []
    if codes is not None:
        causes += _check_codes(codes, names, f"{path}.onExitCodes")
    if conditions:
        causes += _check_conditions(conditions, f"{path}.onPodConditions")
    if codes is not None and conditions:
        told = "specifying both OnExitCodes and OnPodConditions is not supported"
        causes.append(invalid(path, OMITTED, told))
    if codes is None and not conditions:
        told = "specifying one of OnExitCodes and OnPodConditions is required"
        causes.append(invalid(path, OMITTED, told))
    return causes


def _listed(values: tuple[str, ...]) -> str:
    return "[" + " ".join(quoted(one) for one in values) + "]"


def _check_conditions(patterns: list[Object], path: str) -> list[Cause]:
    causes = [too_many(path, len(patterns), 20)] if len(patterns) > 20 else []
    for index, pattern in enumerate(patterns):
        kind, status = pattern.get("type") or "", pattern.get("status") or ""
        causes += each(f"{path}[{index}].type", kind, formats.qualified_name(kind))
        if not status:
            causes.append(required(f"{path}[{index}].status", f"valid values: {_listed(_STATUSES)}"))
        elif status not in _STATUSES:
            causes.append(not_supported(f"{path}[{index}].status", status, _STATUSES))
    return causes


def _check_codes(codes: Object, names: set[str | None], path: str) -> list[Cause]:
    operator, values, causes = codes.get("operator") or "", codes.get("values") or [], []
    if not operator:
        causes.append(required(f"{path}.operator", f"valid values: {_listed(('In', 'NotIn'))}"))
    elif operator not in {"In", "NotIn"}:
        causes.append(not_supported(f"{path}.operator", operator, ("In", "NotIn")))
    name = codes.get("containerName")
    if name is not None and name not in names:
        told = "must be one of the container or initContainer names in the pod template"
        causes.append(invalid(f"{path}.containerName", name, told))
    if not values:
        causes.append(invalid(f"{path}.values", codes.get("values"), "at least one value is required"))
    elif len(values) > 255:
        causes.append(too_many(f"{path}.values", len(values), 255))
    seen: set[int] = set()
    for index, value in enumerate(values):
        if operator == "In" and value == 0:
            causes.append(invalid(f"{path}.values[{index}]", value, "must not be 0 for the In operator"))
        if value in seen:
            causes.append(duplicate(f"{path}.values[{index}]", value))
        seen.add(value)
    if any(before > after for before, after in itertools.pairwise(values)):
        causes.append(invalid(f"{path}.values", values, "must be ordered"))
    return causes


def check_success_policy(policy: Object, spec: Object, path: str) -> list[Cause]:
    rules, causes = policy.get("rules") or [], []
    if not rules:
        told = "at least one rules must be specified when the successPolicy is specified"
        causes.append(required(f"{path}.rules", told))
    if len(rules) > 20:
        causes.append(too_many(f"{path}.rules", len(rules), 20))
    completions = spec.get("completions") or 0
    for index, rule in enumerate(rules):
        causes += _check_success_rule(rule, completions, f"{path}.rules[{index}]")
    return causes


def _check_success_rule(rule: Object, completions: int, path: str) -> list[Cause]:
    count, indexes, causes = rule.get("succeededCount"), rule.get("succeededIndexes"), []
    if count is None and indexes is None:
        told = "at least one of succeededCount or succeededIndexes must be specified"
        causes.append(required(path, told))
    total = 0
    if indexes is not None:
        if len(indexes) > 65536:
            causes.append(too_long(f"{path}.succeededIndexes", 65536))
        try:
            total = count_indexes(indexes, completions)
        except ValueError as error:
            told = f"error parsing succeededIndexes: {error}"
            causes.append(invalid(f"{path}.succeededIndexes", indexes, told))
    if count is not None:
        here = f"{path}.succeededCount"
        causes += nonnegative(here, count)
        if count > completions:
            told = f"must be less than or equal to {completions} (the number of specified completions)"
            causes.append(invalid(here, count, told))
        if indexes is not None and count > total:
            what = "the number of indexes in the specified succeededIndexes field"
            causes.append(invalid(here, count, f"must be less than or equal to {total} ({what})"))
    return causes


def count_indexes(text: str, completions: int) -> int:
    """How many indexes `0,2-4` names. ValueError when it is no such list."""
    total, last = 0, -1
    for interval in text.split(",") if text else ():
        first, end = index_interval(interval, completions)
        if last >= first and total:
            raise ValueError(f"non-increasing order, previous: {last}, current: {first}")
        total += end - first + 1
        last = end
    return total


def index_interval(text: str, completions: int) -> tuple[int, int]:
    parts = text.split("-")
    if len(parts) > 2:
        raise ValueError(
            f"the fragment {quoted(text)} violates the requirement that an index interval can have at most two parts "
            "separated by '-'"
        )
    first = _index(parts[0], completions)
    if len(parts) == 1:
        return first, first
    end = _index(parts[1], completions)
    if first >= end:
        raise ValueError(f"non-increasing order, previous: {first}, current: {end}")
    return first, end


def _index(text: str, completions: int) -> int:
    if not _is_number(text):
        raise ValueError(f"cannot convert string to integer for index: {quoted(text)}")
    if int(text) >= completions:
        raise ValueError(f"too large index: {quoted(text)}")
    return int(text)
