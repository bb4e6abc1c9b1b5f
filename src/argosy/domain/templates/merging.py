"""One map merged into another as upstream's library does it: maps inside maps too, lists as a whole.

For `merge` of templates, for the generators of ApplicationSets, and for a generator's template over that of its set.
"""

from __future__ import annotations

from argosy.domain.templates import budget
from argosy.domain.templates.values import kind_of


def merge_into(
    target: dict[str, object], source: dict[str, object], *, overwrite: bool, depth: int = 0
) -> None:
    """Changes the target. Without `overwrite`, what is there and not empty stays."""
    depth = budget.deeper(depth)
    for key in sorted(source):
        budget.spend()
        value = source[key]
        if value is None:
            if overwrite:
                target[key] = None
            continue
        there = target.get(key)
        if isinstance(value, dict) and isinstance(there, dict):
            if type(value) is not type(there):
                merged: dict[str, object] = {**there}
                merge_into(merged, value, overwrite=overwrite, depth=depth)
                target[key] = merged
            else:
                merge_into(there, value, overwrite=overwrite, depth=depth)
        elif overwrite or _is_empty(there):
            target[key] = value


def _is_empty(value: object) -> bool:
    return value is None or (kind_of(value) != "struct" and not value)
